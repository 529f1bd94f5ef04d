"""Claims about the package as a whole: light to import, documented, its public names stable."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import aslant

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "numpy",
    "scipy",
    "polars",
    "numba",
    "altair",
    "vl_convert",
    "quickjs",
    "jinja2",
    "gensim",
    "torch",
    "backports",
    "orjson",
    "msgspec",
)


def imported_by(code: str) -> set[str]:
    probe = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in answer.stderr.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import aslant",
        "import sys; sys.argv = ['aslant', '--help']; from aslant.cli import main; main()",
        "import sys; sys.argv = ['aslant', 'weat', '--help']; from aslant.cli import main; main()",
        "import sys; sys.argv = ['aslant', 'results', 'figures', '--help']; from aslant.cli import main; main()",
        "import sys; sys.argv = ['aslant', '--version']; from aslant.cli import main; main()",
    ],
)
def test_import_and_help_load_nothing_heavy(code: str) -> None:
    assert imported_by(code).isdisjoint(HEAVY)


def test_import_aslant_does_not_even_load_the_command_line() -> None:
    assert imported_by("import aslant").isdisjoint({"typer", "rich", "click"})


@pytest.mark.parametrize("name", [n for n in aslant.__all__ if n != "__version__"])  # type: ignore[attr-defined]
def test_every_public_name_is_there_and_documented(name: str) -> None:
    documented = getattr(aslant, name)
    assert inspect.getdoc(documented)


PUBLIC_FUNCTIONS = [n for n in aslant.__all__ if inspect.isfunction(getattr(aslant, n))]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PUBLIC_FUNCTIONS)
def test_every_public_function_has_a_runnable_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(aslant, name)) or "")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="attribute weatt"):
        aslant.weatt  # type: ignore[attr-defined]  # noqa: B018


def test_every_module_says_what_it_is_for() -> None:
    import ast

    for path in (ROOT / "src").rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_the_sample_is_what_its_record_says() -> None:
    import hashlib

    folder = ROOT / "src" / "aslant" / "vectors" / "sample"
    record = tomllib.loads((folder / "SOURCES.toml").read_text(encoding="utf-8"))
    data = (folder / record["file"]).read_bytes()
    assert len(data) == record["bytes"] <= 9 * 2**20
    assert hashlib.sha256(data).hexdigest() == record["sha256"]
    v = aslant.load()
    assert (len(v), v.dimensions) == (record["words"], record["dimensions"])


def test_readme_gives_the_two_commands_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "pip install . && aslant audit" in readme
    test_command = 'pip install -c constraints.txt -e ".[dev]" && pytest'
    assert test_command in readme
    assert test_command in ci


def test_the_package_is_marked_as_typed() -> None:
    assert (ROOT / "src" / "aslant" / "py.typed").exists()


def test_the_sample_holds_every_word_that_its_script_promises() -> None:
    from aslant.stimuli import all_sets, bundled_names

    v = aslant.load()
    asked = [word for found in all_sets() for word in found.words]
    missing = set(v.lookup(asked).missing)
    assert {"he", "she", "Lakisha", "Shaniqua", "nurse", "caress"}.isdisjoint(missing)
    assert sum(name.lower() in v for name in bundled_names().names) > 5_000
    assert v.words[:40_000] == aslant.load(top=40_000).words
