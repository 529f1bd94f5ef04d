"""The study of pronouns with all-MiniLM-L6-v2 and the sample language model: the numbers of docs/pronouns.md.

    python docs/examples/pronouns_minilm.py                             # fetches GAP and the model if they are not here
    python docs/examples/pronouns_minilm.py --encoder FOLDER --gap FOLDER --no-picture

Prints Markdown, and draws docs/images/pronouns.svg.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import aslant
from aslant.measures.pronouns_resolved.show import neither_by_gender
from aslant.report import render

TARGET = Path(__file__).resolve().parents[1] / "images" / "pronouns.svg"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", default="all-minilm-l6-v2")
    parser.add_argument("--lm", default="sample-mlm")
    parser.add_argument("--gap", default="gap")
    parser.add_argument("--journal")
    parser.add_argument("--no-picture", action="store_true")
    given = parser.parse_args()
    started = time.monotonic()
    result = aslant.pronoun_resolution(
        aslant.load_encoder(given.encoder), given.gap, lm=aslant.load_lm(given.lm), journal=given.journal
    )
    took, used = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF)
    print(render(result, ".md"))
    print(f"{took / 60:.1f} minutes, {(used.ru_utime + used.ru_stime) / 60:.1f} minutes of processor time")
    if not given.no_picture:
        TARGET.write_text(neither_by_gender(result), encoding="utf-8")
        print(f"{TARGET.name}: {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
