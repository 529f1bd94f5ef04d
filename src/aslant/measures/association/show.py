"""Association tests as tables: WEAT, its suite, WEFAT, the multi-group statistic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from aslant.errors import plural
from aslant.measures.association.result import (
    GeneralisedWeatResult,
    MaskedWeatResult,
    MaskedWeatSuiteResult,
    WeatResult,
    WeatSuiteResult,
    WefatResult,
)
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.conventions import Category, evidence_of, line, signed, strength_of
from aslant.report.tables import Column, Table, bar, between, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance

SCALE = "−2     0     2"
WEAT_COLUMNS = (
    Column("test", "test", plain, "left"),
    Column("title", "what is compared", plain, "left", wraps=True),
    Column("effect_size", "d", number),
    Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=118),
    Column("interval", "interval", str, min_width=134),
    Column("people_effect_size", "d, people", number, min_width=78),
    Column("pvalue", "p", pvalue),
    Column("qvalue", "q", pvalue),
    Column("words", "words", str, min_width=68),
)


def association_table(result: WeatResult) -> Table:
    """Describe one test."""
    return _weat_table(result, (result,), ())


def associations_table(result: WeatSuiteResult) -> Table:
    """Describe a suite of tests, those that were not run under it."""
    skipped = tuple(f"{plain(s.test)} was not run: {plain(s.reason)}." for s in result.skipped)
    return _weat_table(result, result.results, skipped)


def _weat_table(result: WeatResult | WeatSuiteResult, tests: Sequence[WeatResult], notes: tuple[str, ...]) -> Table:
    rows = [
        {
            **row,
            "words": f"{row['words_used']}/{row['words_asked']}",
            "interval": between(row["low"], row["high"], number),
        }
        for row in result.rows()
    ]
    several = isinstance(result, WeatSuiteResult)
    columns = tuple(c for c in WEAT_COLUMNS if several or c.key != "qvalue")
    said = [
        "d > 0: the first target set is associated with the first attribute and the second with the second; 0: no "
        "association; sets of equal size reach ±2.",
        "people: the effect in the study that a test mirrors; interval: over the choice of words.",
        f"p ({plain(tests[0].alternative) if tests else 'greater'}): over every re-partition of the targets, "
        + exactness(tests)
        + (f"; q: Benjamini–Hochberg over {plural(len(tests), 'test')}." if several else "."),
    ]
    masked = isinstance(result, MaskedWeatResult | MaskedWeatSuiteResult)
    lacking = "not one piece of the vocabulary:" if masked else "no vector for"
    missing = [f"{plain(t.test)}: {lacking} {plain(', '.join(t.missing))}" for t in tests if t.missing]
    missing += [f"{plain(t.test)}: {plain(swapped)}" for t in tests if (swapped := _stand_ins(t))]
    missing += [f"{plain(t.test)}: {plain(left)}" for t in tests for left in _left_out(t)]
    about = result.provenance.representation
    if masked:
        said.insert(0, "vectors: of a target while the attribute is masked, and of an attribute likewise.")
        notes += (f"the model: {plain(about.format)}{plain(about.note and f'; {about.note}')}",)
    title = f"WEAT{' with masks' if masked else ''} on {about.name}"
    return Table(title, columns, rows, (*said, *missing, *notes), first_line=MODEL_CONTENT_NOTE if masked else "")


def _left_out(test: WeatResult) -> Iterator[str]:
    """Say which words a vocabulary ruled out, and which were removed at random."""
    if test.not_in_vocabulary:
        of = test.provenance.settings["vocabulary"]["name"]
        yield f"not in the vocabulary of {of}: {', '.join(test.not_in_vocabulary)}"
    if test.removed:
        yield f"removed at random, for target sets of equal size: {', '.join(test.removed)}"


def _stand_ins(test: WeatResult) -> str:
    """Say which capitalised words fell back to another token where other words of the test did not."""
    pairs = [(w, t) for g in test.targets + test.attributes for w, t in zip(g.used, g.tokens, strict=True)]
    other = [f"{t} stands for {w}" for w, t in pairs if t != w and w != w.lower()]
    return ", ".join(other) if any(t == w and w != w.lower() for w, t in pairs) else ""


class PermutationTest(Protocol):
    """What the note on p-values needs of a test."""

    @property
    def test(self) -> str: ...  # noqa: D102
    @property
    def pvalue_bounds(self) -> tuple[float, float]: ...  # noqa: D102
    @property
    def pvalue_method(self) -> str: ...  # noqa: D102


def _exact(test: PermutationTest) -> bool:
    return test.pvalue_bounds[0] == test.pvalue_bounds[1]


def exactness(tests: Sequence[PermutationTest]) -> str:
    """Say how sure the p-values of `tests` are."""
    if all(_exact(test) for test in tests):
        return "exact for all tests"
    parts = []
    for test in tests:
        if not _exact(test):
            low, high = test.pvalue_bounds
            how = "random partitions, 99 % interval" if test.pvalue_method == "monte carlo" else "guaranteed"
            parts.append(f"{plain(test.test)}: between {low:.4g} and {high:.4g}, {how}")
    return "exact unless said otherwise (" + "; ".join(parts) + ")"


def wefat_table(result: WefatResult) -> Table:
    """Describe words between two attribute sets, and their correlation with an external figure."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("effect_size", "d", number),
        Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=70),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
        Column("figure", plain(result.correlation.figure) if result.correlation else "figure", number),
    )
    first, second = (group.name for group in result.attributes)
    notes = [f"d > 0: closer to '{plain(first)}' than to '{plain(second)}'; q: Benjamini–Hochberg over the words."]
    if c := result.correlation:
        notes.append(
            f"correlation of d with {plain(c.figure)} over {plural(c.n, 'word')}: Pearson {number(c.pearson)} "
            f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
        )
    rows = sorted(result.rows(), key=lambda row: -float(row["effect_size"]))
    return Table(f"WEFAT on {result.provenance.representation.name}", columns, rows, (*notes, *missing_words(result)))


def generalised_table(result: GeneralisedWeatResult) -> Table:
    """Describe the share of each group in the statistic."""
    columns = (
        Column("group", "group", plain, "left"),
        Column("attributes", "attributes", plain, "left"),
        Column("value", "share of g", small),
    )
    title = f"Multi-group association on {result.provenance.representation.name}"
    words = sum(len(part.group.used) for part in result.groups)
    dealt = f"of {plural(words, 'word')} into groups of the same sizes" if len(result.groups) > 1 else "of all targets"
    notes = (
        f"g = {small(result.value)}, p = {pvalue(result.pvalue)}: the share of re-partitions {dealt} whose g is as "
        f"large ({result.pvalue_method}; {plural(result.n_partitions, 'partition')}).",
        "share of g: how much nearer a group is to its own attributes than the groups are on average.",
    )
    return Table(title, columns, result.rows(), (*notes, *missing_words(result)))


#: What is said of a test about an association, by its evidence.
BACKING = {
    "strong": "strong evidence",
    "some": "some evidence",
    "none": "no evidence beyond chance",
    "not tested": "not tested against chance",
}


def glance(r: Any, about: Category, qvalue: float | None = None) -> list[Glance]:
    """Say at a glance what an association test found, whatever it was run on."""
    targets, attributes = [g.name for g in r.targets], [g.name for g in r.attributes]
    first, second = attributes if r.effect_size >= 0 else attributes[::-1]
    strength, evidence = strength_of(r.effect_size, "d"), evidence_of(r.pvalue, qvalue)
    size = "no effect to speak of" if strength == "none" else f"a {strength} effect"
    backing = BACKING[evidence]
    if r.effect_size < 0 and r.alternative == "greater":
        backing = "against the direction that the test asks about"
    sentence = (
        f"{targets[0]} with {first}, {targets[1]} with {second}: {size} (d = {signed(r.effect_size)}), {backing}."
    )
    return [line(r.category, r.test, r.effect_size, "d", sentence, r.pvalue, qvalue)]


def suite_glance(suite: Any, about: Category) -> list[Glance]:
    """Say at a glance what each test of a suite found, judged by its q-value."""
    pairs = zip(suite.results, suite.qvalues, strict=True)
    return [found for test, qvalue in pairs for found in glance(test, about, qvalue)]
