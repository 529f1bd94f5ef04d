"""Rebuild what comes from outside: Vega, its interpreter, Vega-Lite, and the list of possibly offensive words.

python scripts/build_report_assets.py        needs npm; writes src/aslant/report/assets/ and SOURCES.toml there
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "src" / "aslant" / "report" / "assets"
#: Package, version, licence, and the file that is made of it.
PACKAGES = (
    ("vega", "6.4.0", "BSD-3-Clause", "vega.min.js"),
    ("vega-interpreter", "2.3.2", "BSD-3-Clause", "vega-interpreter.js"),
    ("vega-lite", "6.4.1", "BSD-3-Clause", "vega-lite.min.js"),  # as altair.SCHEMA_VERSION
    ("cuss", "2.2.0", "MIT", "possibly_offensive.txt"),
)
#: Names of peoples, faiths, parties, places and people, and everyday words, that the list holds as rarely a slur.
#: To cover these would itself be disrespectful, or puzzling.
LEFT_OUT = {
    "abid", "abortion", "alla", "cummings", "fatah", "gable", "god", "gonzagas", "guinea", "guineas", "hamas", "hiv",
    "homosexual", "ike", "ikes", "interracial", "italiano", "jerries", "jesus", "jesuschrist", "ky", "mick",
    "nigerian", "nigerians", "nook", "paddy", "peck", "pendy", "pixie", "pixy", "protestant", "radical", "radicals",
    "randy", "ribbed", "septic", "septics", "spade", "spades", "stagg", "swallow", "tnt", "trap", "tinkle", "uterus",
    "whit", "willy", "yankee", "yankees", "fingerfood", "footaction", "kotex", "fourtwenty", "athletesfoot", "carruth",
    "chunky", "cocky", "barf", "beanbag", "beanbags", "chug", "chugs",
}  # fmt: skip


def main() -> None:
    lines = ["# What comes from outside, by scripts/build_report_assets.py; each file's licence stands beside it.", ""]
    with tempfile.TemporaryDirectory() as folder:
        for name, version, licence, made in PACKAGES:
            archive = _pack(f"{name}@{version}", Path(folder))
            content = MAKERS[name](archive)
            (TARGET / made).write_bytes(content)
            lines += [
                f'[{name}]', f'version = "{version}"', f'licence = "{licence}"', f'made = "{made}"',
                f'package_sha256 = "{_sha256(archive.read_bytes())}"', f'sha256 = "{_sha256(content)}"', "",
            ]  # fmt: skip
            print(f"{made}: {len(content) / 1e3:.0f} kB")
            if name != "vega-interpreter":
                (TARGET / f"LICENCE-{name}.txt").write_bytes(_member(archive, "license"))
    (TARGET / "SOURCES.toml").write_text("\n".join(lines), encoding="utf-8")


def _pack(package: str, folder: Path) -> Path:
    done = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True)
    return folder / done.stdout.split()[-1]


def _member(archive: Path, ending: str) -> bytes:
    with tarfile.open(archive) as packed:
        found = next(m for m in packed.getmembers() if m.name.lower().endswith("/" + ending))
        content = packed.extractfile(found)
        assert content is not None
        return content.read().replace(b"\r\n", b"\n")


def _vega(archive: Path) -> bytes:
    """Put the licence before the script: a page that carries the one must carry the other."""
    licence = _member(archive, "license").decode().strip()
    return _for_a_page(f"/*! Vega\n{licence}\n*/\n".encode() + _member(archive, "build/vega.min.js"))


def _vega_lite(archive: Path) -> bytes:
    """No page carries it: it turns Altair's charts into Vega's here."""
    return re.sub(rb"\n//# sourceMappingURL=.*", b"", _member(archive, "build/vega-lite.min.js"))


def _interpreter(archive: Path) -> bytes:
    """Turn the module into a plain script: what it imports is Vega's, what it exports becomes `vegaInterpreter`."""
    text = _member(archive, "build/vega-interpreter.js").decode()
    text = re.sub(r"^import (\{[^}]*\}) from 'vega-util';", r"const \1 = vega;", text)
    text = text.replace("export { expression as expressionInterpreter };", "return expression;")
    text = re.sub(r"\n//# sourceMappingURL=.*", "", text)
    assert "import " not in text
    assert "export " not in text
    return _for_a_page(f"const vegaInterpreter = (() => {{\n{text.strip()}\n}})();\n".encode())


def _offensive(archive: Path) -> bytes:
    """Keep the words that are at least maybe offensive (rated 1 or 2 of 2), one a line."""
    rated = re.findall(r"^\s+'?([^':\n]+)'?: ([12]),", _member(archive, "index.js").decode(), re.M)
    return "".join(f"{word}\n" for word in sorted({word for word, _ in rated} - LEFT_OUT)).encode()


def _for_a_page(script: bytes) -> bytes:
    """Refuse what could end a script element, or what the parser would change and so spoil the hash."""
    if re.search(rb"</script|<!--|\r|\0", script, re.I):
        raise SystemExit("this script cannot stand inside a page as it is.")
    return script


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


MAKERS = {"vega": _vega, "vega-interpreter": _interpreter, "vega-lite": _vega_lite, "cuss": _offensive}

if __name__ == "__main__":
    main()
