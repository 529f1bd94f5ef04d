"""Association tests as tables and charts: WEAT, its suite, WEFAT, the multi-group statistic, and what others share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aslant.errors import plural
from aslant.measures.association import result as results
from aslant.measures.association.designs import ONE_WORD, design_notes, goes_against, interval_note, one_word_each
from aslant.measures.shared.association import AssociationSuite
from aslant.report.conventions import (
    DRAWN,
    MODEL_CONTENT_NOTE,
    Category,
    chance_note,
    frequency_note,
    line,
    strength_of,
    weakest_chance,
)
from aslant.report.pictures import tests_picture, words_chart
from aslant.report.tables import Column, Table, bar, between, first_of, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance
from aslant.stimuli import cautions

SCALE = "−2    0     2"  # as wide as a bar
PVALUES = (Column("pvalue", "p", pvalue), Column("qvalue", "q", pvalue))
CHANCE = (
    Column("chance", "chance", str, spare=1), Column("chance_pvalue", "p (chance)", pvalue),
    Column("chance_qvalue", "q (chance)", pvalue),
)  # fmt: skip
CHANCES = (
    Column("chance", "chance", str), Column("chance_pvalue", "p (chance)", pvalue, spare=1),
    Column("chance_qvalue", "q (chance)", pvalue),
)  # fmt: skip
INTERVAL = Column("interval", "interval", str, note="interval: over the choice of words.")
PEOPLE = Column(
    "people_effect_size", "d (people)", number, spare=4, note="d (people): the effect in the study that a test mirrors."
)
TOO_FEW = "the vocabulary has too few other words"
SIGN = "the first target set is associated with the first attribute and the second with the second; 0: no association"


def opening_columns(effect: str) -> tuple[Column, ...]:
    """Return the columns that every such table begins with; bar and title are the first to go for want of room."""
    return (
        Column("test", "test", plain, "left"),
        Column("title", "what is compared", plain, "left", wraps=True, spare=2, least=26),
        Column("effect_size", effect, number),
        Column("effect_size", SCALE, bar, "left", terminal_only=True, spare=9),
    )


def tests_of(result: Any) -> tuple[Any, ...]:
    """Return the tests of a suite, or the one test."""
    return result.results if isinstance(result, AssociationSuite) else (result,)


def tests_table(
    what: str, result: Any, columns: Sequence[Column], notes: Sequence[str], lacking: str, *, first_line: str,
    no_chance: str = TOO_FEW,  # noqa: PT028 (not a test)
) -> Table:  # fmt: skip
    """Describe one test, or a suite; under it the `notes`, the words that each is `lacking`, and what failed.

    `no_chance` says why a test that was to be compared with chance was not.
    """
    several = isinstance(result, AssociationSuite)
    rows = [{**with_range(r), "interval": between(r.get("low"), r.get("high"), number)} for r in result.rows()]
    designs = [note for test in tests_of(result) for note in design_notes(test)]
    said = [*notes, *chance_notes(result, no_chance), *designs, *caution_notes(tests_of(result))]
    if lacking:
        said += [f"{plain(t.test)}: {lacking} {first_of(t.missing)}" for t in tests_of(result) if t.missing]
    said += [f"{plain(s.test)} was not run: {plain(s.reason)}." for s in (result.skipped if several else ())]
    left_out = set() if several else {"qvalue", "chance_qvalue"}
    left_out |= set() if any(test.chance for test in tests_of(result)) else {column.key for column in CHANCE}
    shown = tuple(column for column in columns if column.key not in left_out)
    if several:  # which of the tests stand out is told by q
        shown = tuple(replace(c, spare=5) if c.key == "chance_pvalue" else c for c in shown)
    title = f"{what} on {result.provenance.representation.name}"
    return Table(title, shown, rows, tuple(said), first_line=first_line)


def caution_notes(tests: Sequence[Any]) -> list[str]:
    """Return what the sets say must stand beside their results; what several say, once."""
    said: dict[str, list[str]] = {}
    for test in tests:
        for caution in filter(None, getattr(test, "caution", "").split("\n")):
            said.setdefault(caution, []).append(plain(test.test))
    return [f"{', '.join(ids)}: {plain(caution)}." for caution, ids in said.items()]


def chance_notes(result: Any, why_not: str) -> list[str]:
    """Say what chance is, of tests that were compared with it, and `why_not` of the others."""
    tests = tests_of(result)
    compared = [test.chance for test in tests if test.chance]
    said = []
    if compared:
        over = getattr(result, "family", "") or plural(len(compared), "test")
        correction = f" q (chance): Benjamini–Hochberg over {over}." * isinstance(result, AssociationSuite)
        said.append(given_by_chance(compared[0]) + correction)
    without = [plain(test.test) for test in tests if not test.chance and test.provenance.settings.get("chance")]
    return [*said, f"{', '.join(without)}: no chance level, since {why_not}."] if without else said


def given_by_chance(chance: Chance) -> str:
    """Say what the columns of chance are, of effect sizes."""
    drawn = DRAWN.get(chance.kind, chance.kind)
    return (
        f"chance: 95 % of {chance.draws:,} {drawn}, in place of the attributes, give d in this range; p (chance): the "
        "share that reaches this |d|. A d that random words reach is not due to these attributes."
    )


def with_range(row: dict[str, Any]) -> dict[str, Any]:
    """Add the range of chance to a row, as it is written."""
    return {**row, "chance": between(row["chance_low"], row["chance_high"], number)}


def pvalue_note(result: Any, over: str) -> str:
    """Say what p-values are `over`, how sure they are, and over how many tests q-values control."""
    tests, parts = tests_of(result), []
    for test in tests:
        low, high = test.pvalue_bounds
        if low != high:
            how = "random partitions, 99 % interval" if test.pvalue_method == "monte carlo" else "guaranteed"
            parts.append(f"{plain(test.test)}: between {low:.4g} and {high:.4g}, {how}")
    exact = f"exact unless said otherwise ({'; '.join(parts)})" if parts else "exact for all tests"
    asked = {
        way: [t.test for t in tests if t.alternative == way] for way in dict.fromkeys(t.alternative for t in tests)
    }
    usual, *others = asked or {"greater": []}
    alternative = "; ".join([plain(usual), *(f"{way} for {plain(', '.join(asked[way]))}" for way in others)])
    over_which = getattr(result, "family", "") or plural(len(tests), "test")
    control = f"; q: Benjamini–Hochberg over {over_which}" * isinstance(result, AssociationSuite)
    return f"p ({alternative}): {over}, {exact}{control}."


WEAT_COLUMNS = (
    *opening_columns("d"),
    INTERVAL,
    *PVALUES,
    *CHANCE,
    Column("words", "words", str, spare=3),
    PEOPLE,
)


def weat_table(result: results.WeatResult | results.WeatSuiteResult) -> Table:
    """Describe one WEAT, or a suite with the tests that were not run under it."""
    masked = isinstance(result, results.MaskedWeatResult | results.MaskedWeatSuiteResult)
    notes = [
        *(["vectors: of a target while the attribute is masked, and of an attribute likewise."] * masked),
        f"d > 0: {SIGN}; sets of equal size reach ±2.",
        pvalue_note(result, "over every re-partition of the targets"),
    ]
    for test in tests_of(result):
        pairs = [(w, t) for g in test.targets + test.attributes for w, t in zip(g.used, g.tokens, strict=True)]
        other = [f"{t} stands for {w}" for w, t in pairs if t != w and w != w.lower()]
        said = []
        if other and any(t == w and w != w.lower() for w, t in pairs):  # some capitalised words stand for themselves
            said.append(", ".join(other))
        if alike := [pair for sets in (test.targets, test.attributes) for pair in of_one_vector(*sets)]:
            said.append(f"one vector on both sides: {first_of(alike)}")
        if test.not_in_vocabulary:
            of = test.provenance.settings["vocabulary"]["name"]
            said.append(f"not in the vocabulary of {of}: {', '.join(test.not_in_vocabulary)}")
        if test.removed:
            said.append(f"removed at random, for target sets of equal size: {', '.join(test.removed)}")
        notes += [f"{plain(test.test)}: {plain(text)}" for text in said]
    if masked:
        about = result.provenance.representation
        notes.append(f"the model: {plain(about.format)}{plain(about.note and f'; {about.note}')}")
    what, lacking = ("WEAT with masks", "not one piece of the vocabulary:") if masked else ("WEAT", "no vector for")
    return tests_table(what, result, WEAT_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE if masked else "")


def of_one_vector(first: WordsUsed, second: WordsUsed) -> Iterator[str]:
    """Name the words of two opposed sets that a model gives the same vector, as spaCy does to rare words."""
    of = dict(zip(first.tokens, first.used, strict=True))
    found = zip(second.used, second.tokens, strict=True)
    yield from (f"{of[token]} and {word}" for word, token in found if token in of)


def wefat_table(result: results.WefatResult) -> Table:
    """Describe words between two attribute sets, and their correlation with an external figure."""
    compared = [word.chance for word in result.words if word.chance]
    columns = (
        Column("word", "word", plain, "left"),
        Column("effect_size", "d", number),
        Column("effect_size", SCALE, bar, "left", terminal_only=True, spare=3),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
        *(CHANCES if compared else ()),
        Column("figure", plain(result.correlation.figure) if result.correlation else "figure", number),
    )
    first, second = (group.name for group in result.attributes)
    notes = [f"d > 0: closer to '{plain(first)}' than to '{plain(second)}'; q: Benjamini–Hochberg over the words."]
    if compared:
        notes.append(f"{given_by_chance(compared[0])} q (chance): Benjamini–Hochberg over the words.")
    elif result.provenance.settings.get("chance"):
        notes.append(f"there is no chance level, since {TOO_FEW}.")
    if c := result.correlation:
        notes.append(
            f"correlation of d with {plain(c.figure)} over {plural(c.n, 'word')}: Pearson {number(c.pearson)} "
            f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
        )
        notes += chance_note(result.correlation_chance, "the attributes", "a Pearson correlation of ")
    notes += cautions(result.provenance.stimuli)
    notes += frequency_note(result.frequency, first, "the mean |d|")
    rows = sorted(map(with_range, result.rows()), key=lambda row: -float(row["effect_size"]))
    return Table(f"WEFAT on {result.provenance.representation.name}", columns, rows, (*notes, *missing_words(result)))


def generalised_table(result: results.GeneralisedWeatResult) -> Table:
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
        *chance_note(result.chance, "the attributes", "g of "),
        "share of g: how much nearer a group is to its own attributes than the groups are on average.",
    )
    return Table(title, columns, result.rows(), (*notes, *missing_words(result)))


def glance(r: Any, about: Category, qvalue: float | None = None) -> list[Glance]:
    """Say at a glance what an association test found, whatever it was run on."""
    targets, attributes = [g.name for g in r.targets], [g.name for g in r.attributes]
    first, second = attributes if r.effect_size >= 0 else attributes[::-1]
    strength = None if one_word_each(r) else strength_of(r.effect_size, "d")
    size = ONE_WORD if strength is None else "no effect to speak of" if strength == "none" else f"a {strength} effect"
    way = ", against the direction that the test asks about" if goes_against(r) else ""
    sentence = f"{targets[0]} with {first}, {targets[1]} with {second}: {size} (d = {number(r.effect_size)}){way}."
    chance = weakest_chance(r.effect_size, getattr(r, "twins", ()), r.chance)
    draws = r.provenance.settings.get("chance")
    said = line(
        r.category, r.test, r.effect_size, "d", sentence + interval_note(r), r.pvalue, qvalue, chance, draws,
        getattr(r, "interval", None),
    )  # fmt: skip
    return [replace(said, strength=strength)]


def suite_glance(suite: Any, about: Category) -> list[Glance]:
    """Say at a glance what each test of a suite found, judged by its q-value."""
    pairs = zip(suite.results, suite.qvalues, strict=True)
    return [found for test, qvalue in pairs for found in glance(test, about, qvalue)]


def suite_picture(suite: Any) -> Any:
    """Draw each test's effect size with its interval, and what a study found in people."""
    return tests_picture(suite.rows(), "this embedding" if suite.kind == "weat-suite" else "this model")


def associations_picture(result: results.WeatResult) -> Any:
    """Draw how much closer each target word is to the first attributes than to the second."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(a.word, a.value, plain(a.target)) for a in result.associations]
    return words_chart(named, f"← {second} · closer to · {first} →")


def wefat_picture(result: results.WefatResult) -> Any:
    """Draw the effect size of the words at either end."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(w.word, w.effect_size, first if w.effect_size > 0 else second) for w in result.words]
    return words_chart(named, f"← {second} · effect size d · {first} →")
