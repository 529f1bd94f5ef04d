"""Change the core in small ways, one at a time, and say how many changes the tests notice.

    python tools/mutation.py --mutants 60 --seed 0 --touched touched.json
    python tools/mutation.py --only auditing/policy.py --mutants 20

The doctests of a module's folder and the tests that mirror it are run once, to note how long each takes and which
functions of the core it calls. Each mutant, one changed line, then meets the tests that call the changed function, the
quickest first, in a process of its own; tests that take longer than `--slowest` seconds are left out, so the rate is
rather too low than too high. A mutant that no test notices is a survivor: a hole in the tests, or a change that makes
no difference. `--touched` keeps what was noted, for the next time; files of tests that have changed are run again.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import functools
import hashlib
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aslant"
CORE = ("statistics/*.py", "measures/*/*.py", "auditing/policy.py", "auditing/coverage.py")
#: Files of the rooms that only declare options or draw.
NOT_CORE = ("command.py", "show.py", "charts.py", "page.py", "pages.py", "__init__.py")
#: Imported once, before any test: what takes longest to load.
HEAVY = ("hypothesis", "numba", "numpy.testing", "rich.console", "scipy.stats", "sklearn.svm", "torch", "typer")
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
BORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
NAMES |= {"mean": "sum", "argmin": "argmax", "argmax": "argmin", "ones": "zeros", "zeros": "ones"}
#: Names of sizes that only share work out or bound what is read, and arguments that change no result.
SIZES = ("MAX", "MOST", "BLOCK", "_BLOCK", "_BYTES", "_WORK", "block", "DRAWS", "TYPE_CHECKING")
NO_RESULT = ("cache", "copy", "maxsize", "nogil", "stacklevel", "strict")
#: One more than a number as large as this (draws, seeds, sizes) makes no difference that a test should see.
LARGE = 1000
#: Changes that were looked at by hand and change no result, {file: (start of the line, change; "": any)}: they only
#: share work out, choose between equals, or are undone by what follows.
SAME: dict[str, tuple[tuple[str, str], ...]] = {
    "auditing/policy.py": (("if rule.absolute and line.pvalue is not None", "line.effect or"),),  # no effect, no side
    "measures/association/chance.py": (("place = np.zeros", "np.zeros → np.ones"),),  # more rows than needed
    "measures/association/multi_group.py": (("return np.stack([first, np.zeros", "np.zeros → np.ones"),),
    "measures/geometry/chance.py": (("return against_chance(", "False → True"),),  # neither is ever below 0
    "measures/enumeration/run.py": (
        ("return replace(self, seeds=", "5 → 6"),  # one more seed than is used
        ("return steps.keep_by_margin(self.margins(", "True → False"),  # another way to solve the same problem
    ),
    "measures/in_context/space.py": (("shuffles = int(generator(randoms[0])", "0 → 1"),),  # another seed is as good
    "measures/residuals/chance.py": (
        ("return np.argpartition(", "-values → values"),  # both ends are taken
        ("if draws > FIRST and", "draws > FIRST →"),  # nothing is left to draw
    ),
    "measures/sentence_tests/chance.py": (("found = np.array([ranks().get(", "1 → 2"),),  # any number below 0
    "measures/template_tests/scoring.py": (("if len(once) > 1 and any(", "any → all"),),  # of one prompt: all or none
    "measures/shared/chance.py": (("ranks[ranks < 0] =", "len(vectors) // 2 → len(vectors) / 2"),),  # into integers
    "statistics/permutation.py": (
        ("count += int(np.count_nonzero(sums", "sums[size - 1] >= threshold - score"),
        ("sums = [np.zeros(1", "np.zeros → np.ones"),  # one unit, of which the threshold allows as many as words
    ),
    "statistics/resampled_pvalues.py": (("first, second = first - first.mean()", "first.mean → first.sum"),),
    "statistics/rotation.py": (
        ("return max(1, min(ROWS_AT_ONCE", ""), ("words = len(self.drawing.words_of", "0 → 1"),
    ),
    "statistics/rotation_kernel.py": (
        ("while place < per_cell", "value > cell[place] →"), ("if value > cell[0]", "value > cell[0] →"),
    ),
    "statistics/subset_sums.py": (
        ("exists = (j <= i)", "n - i"),  # sets that cannot be completed count for nothing
        ("widths = ", ""), ("step = ", ""), ("shrink = ", ""), ("while step > 1", ""), ("return 1.0, 1.0", ""),
        ("_LIST_LIMIT =", ""), ("_TAIL_LIST_LIMIT =", ""), ("_WORK_LIMIT =", ""), ("_CELLS_LIMIT =", ""),
        ("ALWAYS_UP_TO =", ""), ("COMPILED_FROM =", ""), ("_FIRST_WORK =", ""),
    ),
}  # fmt: skip
#: Seconds of a processor after which a test counts as one that never ends.
PATIENCE = 10


class Mutant(NamedTuple):
    """One change: where it is, what it says, and how to make the whole file with it."""

    path: Path
    line: int
    function: str
    change: str
    source: Callable[[], str]


def is_rounding(node: ast.AST) -> bool:
    """Tell whether a node is a tolerance."""
    tiny = isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < 1e-6
    return tiny or (isinstance(node, ast.Name) and node.id in ("TIE", "NO_VARIANCE", "SMALLEST", "rounding"))


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place."""
    new = copy.copy(node)
    if isinstance(new, ast.Compare) and len(new.ops) == 1 and type(new.ops[0]) in OTHER:
        if type(new.ops[0]) in BORDER and any(is_rounding(part) for part in ast.walk(new)):
            return  # whether the border itself counts is beyond what numbers hold
        new.ops = [OTHER[type(new.ops[0])]()]  # type: ignore[list-item]
        yield new
    elif isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()  # type: ignore[assignment]
        yield new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub):
        yield new.operand
    elif isinstance(new, ast.Constant) and type(new.value) in (int, float, bool) and new.value < LARGE:  # type: ignore[operator]
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1  # type: ignore[operator]
        yield new
    elif isinstance(new, ast.Name) and new.id in NAMES and isinstance(new.ctx, ast.Load):
        yield ast.Name(NAMES[new.id], new.ctx)
    elif isinstance(new, ast.Attribute) and new.attr in NAMES:
        yield ast.Attribute(new.value, NAMES[new.attr], new.ctx)
    elif isinstance(new, ast.If | ast.IfExp) and not isinstance(new.test, ast.Compare | ast.UnaryOp):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new


def named(node: ast.AST) -> str:
    """Return the name that a statement sets or asks about, or that an expression is."""
    targets = getattr(node, "targets", None)
    inner = targets[0] if targets else getattr(node, "target", getattr(node, "test", node))
    return str(getattr(inner, "id", ""))


def spots(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield each node that runs with its place in its parent; not annotations, messages, declarations or texts."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr | ast.Import):
                continue
            declared = isinstance(node, ast.ClassDef) and field == "keywords"
            setting = isinstance(node, ast.AnnAssign) and isinstance(child, ast.Constant)
            default = setting or field in ("defaults", "kw_defaults")
            if default and not isinstance(getattr(child, "value", None), bool):
                continue  # how much is drawn or shown unless one says otherwise
            if declared or getattr(child, "arg", "") in NO_RESULT or named(child).startswith(SIZES):
                continue
            if isinstance(child, ast.BinOp) and named(child.left) == "seed":
                continue  # another seed is as good
            if isinstance(child, ast.Assign) and any(named(part).startswith(SIZES) for part in ast.walk(child.value)):
                continue
            yield node, field, index, child
            yield from spots(child)


def changed(tree: ast.AST, spot: tuple[ast.AST, str, int | None, ast.AST], new: ast.AST) -> str:
    """Return the source of a file with another node in one place."""
    parent, field, index, child = spot
    place: Any = getattr(parent, field) if index is not None else vars(parent)
    key = field if index is None else index
    place[key] = new
    source = ast.unparse(ast.fix_missing_locations(tree))
    place[key] = child
    return source


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file."""
    text = path.read_text(encoding="utf-8")
    tree, lines, same = ast.parse(text), ["", *text.splitlines()], SAME.get(str(path.relative_to(SOURCE)), ())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for spot in spots(tree):
        for new in replacements(child := spot[-1]):
            line = getattr(child, "lineno", 0)
            within = [node.name for node in functions if node.body[0].lineno <= line <= (node.end_lineno or 0)]
            says = " → ".join(ast.unparse(getattr(node, "test", node)) for node in (child, new))
            if any(lines[line].lstrip().startswith(start) and change in says for start, change in same):
                continue
            source = functools.partial(changed, tree, spot, new)
            yield Mutant(path, line, within[-1] if within else "", says, source)


class Recorder:
    """Notes how long each test takes and which functions of the core it calls."""

    def __init__(self, slowest: float) -> None:
        self.slowest, self.tests, self.seen = slowest, {}, set()  # type: ignore[var-annotated]

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call."""
        self.seen.add(frame.f_code)

    def calls(self) -> list[str]:
        """Return the functions of the core among those that were called."""
        start = f"{SOURCE}/"
        ours = [code for code in self.seen if code.co_filename.startswith(start)]
        return sorted(f"{code.co_filename.removeprefix(start)}:{code.co_name}" for code in ours)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run a test while its calls are noted; end it when it takes too long."""
        self.seen.clear()
        start = time.process_time()
        signal.signal(signal.SIGPROF, lambda *_: pytest.fail("too slow"))
        signal.setitimer(signal.ITIMER_PROF, self.slowest)
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        yield
        sys.settrace(None)
        threading.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.tests.setdefault(item.nodeid, [time.process_time() - start, self.calls()])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out tests that do not pass as they are, or not soon enough."""
        if not report.passed:
            self.tests[report.nodeid] = None


class Finder:
    """Notes the test that fails; one that takes much longer than any did before ends the process."""

    failed = ""

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Give the test its time."""
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        if report.failed:
            self.failed = report.nodeid


def in_a_process(job: Callable[[], Any], seconds: float) -> Any:
    """Return what `job` returns in a child that is a copy of this process; None if it ends badly or never."""
    with tempfile.TemporaryDirectory(prefix="aslant-mutants-") as folder:
        answer = Path(folder, "answer")
        child = os.fork()
        if not child:
            os.setsid()
            sink = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(sink, stream)
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            with contextlib.suppress(BaseException):
                answer.write_text(json.dumps(job()), encoding="utf-8")
            os._exit(0)
        end = time.monotonic() + seconds
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(0.02)
        return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None


def run(tests: list[str], plugin: object, *options: str) -> bool:
    """Run tests in this process, and tell whether all pass."""
    options = (
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "--assert=plain",
        *options,
    )  # plain: what is imported is not rewritten
    return not pytest.main([*options, *tests], plugins=[plugin])


def note_calls(place: str, noted: dict[str, Any], slowest: float) -> None:
    """Run the test files of a folder that `noted`, {file: [digest, {test: [seconds, functions]}]}, lacks; add them."""
    files = [file for file in sorted((ROOT / place).glob("*.py")) if file.name != "__init__.py"]
    digests = {str(file.relative_to(ROOT)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    stale = [file for file, digest in digests.items() if noted.get(file, [""])[0] != digest]
    if not stale:
        return

    def job() -> dict[str, Any]:
        recorder = Recorder(slowest)
        run(stale, recorder)
        return {test: found for test, found in recorder.tests.items() if found}

    if (found := in_a_process(job, 1800)) is None:
        raise SystemExit(f"the tests in '{place}' do not run without any change.")
    for file in stale:
        tests = {test: calls for test, calls in found.items() if test.startswith(f"{file}::")}
        noted[file] = [digests[file], tests]
    print(f"{len(found)} tests in {place}", flush=True)


#: Read by this process, and as sitecustomize.py by those that tests start.
HOOK = """
import importlib.machinery

USUAL = importlib.machinery.SourceFileLoader.get_code


def get_code(self, name):
    return compile(SOURCE, self.path, "exec") if self.path == PATH else USUAL(self, name)


importlib.machinery.SourceFileLoader.get_code = get_code
"""


def put_in_place(mutant: Mutant) -> None:
    """Let this process, and those that it starts, import the changed source; numba's cache of the whole is not used."""
    import numba

    folder, source = tempfile.mkdtemp(), mutant.source()
    hook = f"PATH = {str(mutant.path)!r}\nSOURCE = {source!r}\n{HOOK}"
    Path(folder, "sitecustomize.py").write_text(hook, encoding="utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    exec(compile(hook, "sitecustomize.py", "exec"), {})
    if "compiled" in source:
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]


def noticed_by(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """Return the first test that fails with the change, or "" if all pass."""

    def job() -> str:
        put_in_place(mutant)
        finder = Finder()
        return "" if run(tests, finder, "-x") else finder.failed or "(not collected)"

    found = in_a_process(job, 60 + 20 * seconds)
    return "(no end, or a crash)" if found is None else found


def mirrors(path: Path) -> list[str]:
    """Return where the tests of a module are: its folder's doctests, and the folder that mirrors it."""
    inside = path.relative_to(SOURCE).parent
    return [place for place in (f"src/aslant/{inside}", f"tests/{inside}") if (ROOT / place).exists()]


def chosen(mutant: Mutant, noted: dict[str, Any], most: float) -> list[tuple[float, str]]:
    """Return (seconds, test) of those that call the changed function or are named after its module.

    Where none does, those of the module, or of its folder: compiled code and constants are not seen to be called.
    """
    tests = [(found[0], test, found[1]) for _, file in noted.values() for test, found in file.items()]
    module = f"{mutant.path.relative_to(SOURCE)}:"
    calling = [test for test in tests if mutant.function and module + mutant.function in test[2]]
    calling = calling or [test for test in tests if any(call.startswith(module) for call in test[2])]
    own = f"/test_{mutant.path.stem}.py::"
    calling += [test for test in tests if own in test[1] and test not in calling]
    mirrored = [test for test in tests if any(test[1].startswith(place) for place in mirrors(mutant.path))]
    total, taken = 0.0, []
    for seconds, test, _ in sorted(calling or mirrored):
        total += seconds
        if total < most:
            taken.append((seconds, test))
    return taken


def main() -> None:
    """Draw mutants, try them, and print the rate and every survivor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=60, help="how many to draw (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of a path: files with it in their names")
    parser.add_argument("--touched", type=Path, help="file that keeps what each test calls")
    parser.add_argument("--slowest", type=float, default=2, help="seconds of a processor that a test may take (2)")
    parser.add_argument("--most", type=float, default=60, help="seconds of tests for one mutant (60)")
    given = parser.parse_args()
    os.chdir(ROOT)
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    files = sorted(file for pattern in CORE for file in SOURCE.glob(pattern) if not file.name.endswith(NOT_CORE))
    every = [mutant for file in files if given.only in str(file) for mutant in mutants(file)]
    drawn = random.Random(given.seed).sample(every, min(given.mutants, len(every)))
    noted = json.loads(given.touched.read_text()) if given.touched and given.touched.exists() else {}
    for place in sorted({place for mutant in drawn for place in mirrors(mutant.path)}):
        note_calls(place, noted, given.slowest)
        if given.touched:
            given.touched.write_text(json.dumps(noted), encoding="utf-8")
    survivors, finds = 0, collections.Counter[str]()
    for number, mutant in enumerate(drawn, 1):
        tests = sorted(chosen(mutant, noted, given.most), key=lambda test: (-min(finds[test[1]], 3), test))
        found = noticed_by(mutant, [test for _, test in tests], sum(test[0] for test in tests)) if tests else ""
        finds[found] += 1
        survivors += not found
        place = f"{mutant.path.relative_to(SOURCE)}:{mutant.line}"
        print(f"{number:>4} {'caught' if found else 'SURVIVED':<8} {place}  {mutant.change}  {found[-60:]}", flush=True)
    print(f"{len(drawn) - survivors} of {len(drawn)} caught ({1 - survivors / max(len(drawn), 1):.1%})")


if __name__ == "__main__":
    main()
