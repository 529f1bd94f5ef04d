"""Change the core in small ways, one at a time, and say how many changes the tests notice.

    python tools/mutation.py --mutants 60 --seed 0
    python tools/mutation.py --only auditing/policy.py --mutants 20

Each mutant is one changed line in a copy of the project; the doctests of its module and the tests that mirror it are
run. A mutant that none of them notices is a survivor: a hole in the tests, or a change that makes no difference.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORE = ("statistics/*.py", "measures/*/*.py", "auditing/policy.py")
#: Files of the rooms that only declare options or draw.
NOT_CORE = ("command.py", "show.py", "charts.py", "page.py", "pages.py", "__init__.py")
COPIED = ("src", "tests", "tools", "docs", "conftest.py", "pyproject.toml")
SECONDS = 900
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
NAMES |= {"mean": "sum", "argmin": "argmax", "argmax": "argmin", "ones": "zeros", "zeros": "ones"}


class Mutant(NamedTuple):
    """One change: where it is, what it says, and the whole file with it."""

    path: Path
    line: int
    change: str
    source: str


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and len(new.ops) == 1 and type(new.ops[0]) in OTHER:
        new.ops = [OTHER[type(new.ops[0])]()]  # type: ignore[list-item]
        yield new
    elif isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()  # type: ignore[assignment]
        yield new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub):
        yield new.operand
    elif isinstance(new, ast.Constant) and type(new.value) in (int, float, bool):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1  # type: ignore[operator]
        yield new
    elif isinstance(new, ast.Name) and new.id in NAMES:
        yield ast.Name(NAMES[new.id], new.ctx)
    elif isinstance(new, ast.Attribute) and new.attr in NAMES:
        yield ast.Attribute(new.value, NAMES[new.attr], new.ctx)
    elif isinstance(new, ast.If | ast.IfExp) and not isinstance(new.test, ast.Compare | ast.UnaryOp):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new


def spots(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield each node that runs with its place in its parent; not annotations, messages, declarations or texts."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr | ast.Import):
                continue
            declared = isinstance(node, ast.ClassDef) and field == "keywords"
            if declared or ast.unparse(child).startswith(("MAX", "MOST")):  # the largest sizes of what is read
                continue
            yield node, field, index, child
            yield from spots(child)


def put(parent: ast.AST, field: str, index: int | None, child: ast.AST) -> None:
    """Set one child of a node."""
    if index is None:
        setattr(parent, field, child)
    else:
        getattr(parent, field)[index] = child


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for parent, field, index, child in list(spots(tree)):
        for new in replacements(child):
            put(parent, field, index, new)
            says = " → ".join(ast.unparse(getattr(node, "test", node)) for node in (child, new))
            yield Mutant(path, getattr(child, "lineno", 0), says, ast.unparse(ast.fix_missing_locations(tree)))
            put(parent, field, index, child)


def mirrored(path: Path, root: Path) -> list[str]:
    """Return where to look, the quickest first: the module's doctests, the tests of its name, those of its folder."""
    inside = path.relative_to(root / "src" / "aslant")
    folder = root / "tests" / inside.parent
    return [str(place) for place in (path, folder / f"test_{inside.name}", folder) if place.exists()]


def passes(tests: str, root: Path) -> bool:
    """Tell whether the tests pass in the copy; tests that never end do not."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", tests]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 5)  # 5: a module without doctests


sound = functools.cache(passes)  # asked before anything is changed


def survives(mutant: Mutant, root: Path) -> bool:
    """Tell whether tests that pass without the change pass with it."""
    path = root / mutant.path.relative_to(ROOT)
    tests = mirrored(path, root)
    if failing := [place for place in tests if not sound(place, root)]:
        raise SystemExit(f"these fail without any change: {failing[0]}")
    whole = path.read_bytes()
    path.write_text(mutant.source, encoding="utf-8")
    try:
        return all(passes(place, root) for place in tests)
    finally:
        path.write_bytes(whole)


def main() -> None:
    """Draw mutants, try them, and print the rate and every survivor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=60, help="how many to draw (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of a path: files with it in their names")
    given = parser.parse_args()
    source = ROOT / "src" / "aslant"
    files = sorted(file for pattern in CORE for file in source.glob(pattern) if not file.name.endswith(NOT_CORE))
    every = [mutant for file in files if given.only in str(file) for mutant in mutants(file)]
    drawn = random.Random(given.seed).sample(every, min(given.mutants, len(every)))
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="aslant-mutants-") as folder:
        for name in COPIED:
            copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copied(ROOT / name, Path(folder, name))
        for number, mutant in enumerate(drawn, 1):
            left = survives(mutant, Path(folder))
            survivors += left
            place = f"{mutant.path.relative_to(source)}:{mutant.line}"
            print(f"{number:>4} {'SURVIVED' if left else 'caught':<8} {place}  {mutant.change}", flush=True)
    print(f"{len(drawn) - survivors} of {len(drawn)} caught ({1 - survivors / max(len(drawn), 1):.1%})")


if __name__ == "__main__":
    main()
