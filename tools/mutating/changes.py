"""The small changes that `tools/mutation.py` makes to the core, and those that cannot make a difference."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "aslant"
CORE = ("statistics/*.py", "measures/*/*.py", "auditing/policy.py", "auditing/coverage.py")
#: Files of the rooms that only declare options or draw.
NOT_CORE = ("command.py", "show.py", "charts.py", "page.py", "pages.py", "__init__.py")
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
NO_RESULT = ("cache", "copy", "full_matrices", "maxsize", "nogil", "stacklevel", "strict")
TOLERANCES = ("TIE", "NO_SPREAD", "NO_VARIANCE", "ROUNDING", "SMALLEST", "rounding")
#: Calls that draw a seed.
SEEDS = (".integers(2 ** 31)", ".integers(2 ** 63)")
#: One more than a number as large as this (draws, seeds, sizes) makes no difference that a test should see.
LARGE = 1000
#: Changes that were looked at by hand and change no result, {file: (start of the line, change; "": any)}: they only
#: share work out, choose between equals, or are undone by what follows.
SAME: dict[str, tuple[tuple[str, str], ...]] = {
    "measures/association/chance.py": (
        ("place = np.zeros", "np.zeros → np.ones"),  # more rows than needed
        ("place[drawn] = 1", "1 → 2"),  # any number but 0
    ),
    "measures/association/multi_group.py": (("return np.stack([first, np.zeros", "np.zeros → np.ones"),),
    "measures/descriptors/measure.py": (("table[np.triu_indices(size, 1)] =", "pool[0].mean"),),  # ranks have no scale
    "measures/geometry/chance.py": (("return against_chance(", "False → True"),),  # neither is ever below 0
    "measures/enumeration/steps.py": (
        ("state = int(child.generate_state(1)", "1 → 2"),  # the first of two is the same
        ("return sorted(range(len(groups)), key=", "1.0 → 2.0"),  # below any share
        ("labels = np.repeat([1, 0]", "1 → 2"),  # any two names of two classes
        ("target, total = vectors.mean", "vectors.mean → vectors.sum"),  # cosines have no scale
    ),
    "measures/generated_texts/measure.py": (
        ("looked_at = len(", ""),  # bounds how much is drawn for very many words
        ("texts = group.places[self.words.source_of", ""),  # sources stand after texts: no place is 0
    ),
    "measures/generated_texts/sample.py": (("own = group.places[self.source_of", ""),),  # likewise
    "measures/generated_texts/writing.py": (("[(text.beginning, text.seed or 0)", "0 → 1"),),  # each has a seed
    "measures/enumeration/chance.py": (
        ("chance=against_chance(share", "False → True"),  # shares are never below 0
        ("return int(min(settings[\"rotations\"]", "0 → 1"),  # both are below the least number
    ),
    "measures/polarities/chance.py": (("chance = against_chance(float(values", "False → True"),),  # nor are these
    "measures/questions/measure.py": (("return cluster_bootstrap_means(sums[some]", "np.zeros → np.ones"),),
    "measures/enumeration/run.py": (
        ("return steps.margins(unit", "1 → 2"),  # another seed is as good
        ("return replace(self, seeds=", "5 → 6"),  # one more seed than is used
        ("return steps.keep_by_margin(self.margins(", "True → False"),  # another way to solve the same problem
    ),
    "measures/enumeration/survey.py": (("return json.dumps(content, indent=2", "2 → 3"),),  # spaces between the same
    "measures/in_context/sentences.py": (("return np.array([index.get(word, -1)", "1 → 2"),),  # any number below 0
    "measures/in_context/space.py": (("shuffles = int(generator(randoms[0])", "0 → 1"),),  # another seed is as good
    "measures/in_context/swaps.py": (("pvalue = against_chance(over.mean, mixed", "False → True"),),  # never below 0
    "measures/polarities/measure.py": (("inverse = np.zeros(", "np.zeros → np.ones"),),  # taken off again
    "measures/residuals/chance.py": (
        ("return np.argpartition(", "-values → values"),  # both ends are taken
        ("if draws > FIRST and", "draws > FIRST →"),  # nothing is left to draw
    ),
    "measures/sentence_tests/chance.py": (
        ("found = np.array([ranks().get(", "1 → 2"),  # any number below 0
        ("places, means = np.empty(", "0 → 1"),  # a first array that only stands for none, and is dropped
    ),
    "measures/paired_sentences/statistic.py": (
        ("means = statistics.cluster_bootstrap_means(sums", "np.zeros → np.ones"),  # one stratum by any name
    ),
    "measures/set_scores/draws.py": (
        ("first = np.zeros((ways if ways", "ways <= most →"),  # equal: one size
        ("words = batch.products.shape[1]", ""),  # shares work out
    ),
    "measures/set_scores/statistic.py": (("return np.asarray(np.matmul(below", "0.5 → 1.5"),),  # ranks have no origin
    "measures/set_scores/kinds.py": (("most: int = 10**9", ""),),  # no limit
    "measures/template_tests/chance.py": (
        ("places = np.array([rank.get(", "1 → 2"),  # any number below 0
        ("places = np.geomspace(", "len(words) // 2 → len(words) / 2"),  # half a place, of fewer than 200 words only
    ),
    "measures/template_tests/words_in_templates.py": (("pieces = [[1] * len(some)", "1 → 2"),),  # the same for both
    "measures/template_tests/scoring.py": (("if len(once) > 1 and any(", "any → all"),),  # of one prompt: all or none
    "measures/shared/chance.py": (("ranks[ranks < 0] =", "len(vectors) // 2 → len(vectors) / 2"),),  # into integers
    "statistics/nearest_rows.py": (
        ("means = KMeans(", "10 → 11"),  # one more start
        ("agree = float(np.mean((clusters == 1)", ""),  # the other naming: 1 − agree
    ),
    "statistics/permutation.py": (
        ("tails.sort(key=", ""),  # the other tail is then not needed, or is looked at too
        ("for name in get_args(Method)[:3]", "3 → 4"),  # the fourth is Monte Carlo, which the next line leaves out
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
        ("return self if self.size <= others", "<= others →"),  # complements of the same size
        ("unit_exponent = max(", "52 → 53"),  # half a unit finer than floats are
        ("if int(scores[-size:].sum()) >= threshold", ">= threshold →"),  # the grid finds that all reach it, too
        ("while (grid := _round(", ""),
        ("sums = [np.zeros(1, np.int64), *[", "min → max"),  # more empty lists
        ("best = np.concatenate([[0]", "0 → 1"),  # a sum that is kept too long is not counted
        ("slack = ", "64 → 65"),  # a bound on rounding, one part in 64 wider
        ("sums[j] = sums[j][:0]", "0 → 1"),  # a set that cannot be completed finds no partner
        ("exists = (j <= i)", "n - i"),  # sets that cannot be completed count for nothing
        ("widths = ", ""), ("step = ", ""), ("shrink = ", ""), ("while step > 1", ""), ("return 1.0, 1.0", ""),
        ("_LIST_LIMIT =", ""), ("_TAIL_LIST_LIMIT =", ""), ("_WORK_LIMIT =", ""), ("_CELLS_LIMIT =", ""),
        ("ALWAYS_UP_TO =", ""), ("COMPILED_FROM =", ""), ("_FIRST_WORK =", ""),
    ),
}  # fmt: skip
#: A node that runs: its parent, the field, the place in a field that is a list, and itself.
Spot = tuple[ast.AST, str, int | None, ast.AST]


class Mutant(NamedTuple):
    """One change: where it is, what it says, and what calls a function with the whole file so changed."""

    path: Path
    line: int
    function: str
    change: str
    made: Callable[[Callable[[ast.Module], Any]], Any]

    def source(self) -> str:
        """Return the text of the changed file."""
        return str(self.made(ast.unparse))

    def code(self) -> CodeType:
        """Return the code of the changed file, whose lines are numbered as those of the whole file."""
        compiled: CodeType = self.made(lambda tree: compile(tree, str(self.path), "exec", dont_inherit=True))
        return compiled


def is_rounding(node: ast.AST) -> bool:
    """Tell whether a node is a tolerance."""
    tiny = isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value <= 1e-6
    return tiny or (
        isinstance(node, ast.Name)
        and node.id in ("TIE", "NO_SPREAD", "NO_VARIANCE", "ROUNDING", "SMALLEST", "rounding")
    )


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


def spots(node: ast.AST) -> Iterator[Spot]:
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
            if isinstance(child, ast.Call) and ast.unparse(child).endswith(
                (".integers(2 ** 31)", ".integers(2 ** 63)")
            ):
                continue  # so is one from another range
            if isinstance(child, ast.Assign) and any(named(part).startswith(SIZES) for part in ast.walk(child.value)):
                continue
            yield node, field, index, child
            yield from spots(child)


def changed(tree: ast.Module, spot: Spot, new: ast.AST, use: Callable[[ast.Module], Any]) -> Any:
    """Return what `use` makes of a file with another node in one place."""
    parent, field, index, child = spot
    place: Any = getattr(parent, field) if index is not None else vars(parent)
    key = field if index is None else index
    place[key] = new
    try:
        return use(ast.fix_missing_locations(tree))
    finally:
        place[key] = child


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
            made = functools.partial(changed, tree, spot, new)
            yield Mutant(path, line, within[-1] if within else "", says, made)


def core() -> list[Path]:
    """Return the files of the core."""
    return sorted(file for pattern in CORE for file in SOURCE.glob(pattern) if not file.name.endswith(NOT_CORE))
