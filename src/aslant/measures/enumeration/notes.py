"""The notes under the tables of an enumeration: how much was found, what the figures mean, how it was computed."""

from __future__ import annotations

from aslant.errors import plural
from aslant.measures.enumeration.result import EnumerationResult
from aslant.report.conventions import DRAWN, SOME
from aslant.report.tables import plain, pvalue

#: People are shown this many tests; CSV and JSON hold all.
MOST_TESTS = 12
NOT_SIGNIFICANT, NO_TEST = "·", "–"
#: How the figures of a group's names were averaged.
WEIGHTED = {"names": "each name counting equally", "bearers": "each name counting by how many people bear it"}


def shown_tests(result: EnumerationResult, most: int | None = MOST_TESTS) -> list[tuple[int, int]]:
    """Return rank and category of the tests with a significant cell, at most `most` of them."""
    ranked = enumerate(result.ordering, 1)
    return [(rank, c) for rank, c in ranked if any(cell.significant for cell in result.of_category(c))][:most]


def group_notes(result: EnumerationResult) -> tuple[str, ...]:
    """Say which names were used, and where the figures about them come from."""
    used, missing, settings = sum(group.size for group in result.groups), result.missing, result.provenance.settings
    if result.own_groups:
        said = [f"groups as given, {plural(used, 'word')}."]
        said += [f"no vector for {plain(', '.join(missing))}."] if missing else []
    else:
        found = used + len(result.left_out_names)
        out = f"{len(result.left_out_names):,} left out, too unlike the other names"
        has = f"{found:,} of {found + len(missing):,} have a vector"
        said = [f"names: {has}; {used:,} used; {out}; {len(missing):,} without a vector (--json lists them)."]
    order = " Groups are ordered by the share of women." if settings.get("ordered_by") == "share_female" else ""
    if known := [g.demographics for g in result.groups if g.demographics]:
        said.append(
            f"demographics: means over the names in the name tables ({sum(d.names for d in known):,} of {used:,}; "
            f"race: {sum(d.names_with_race for d in known):,}), {WEIGHTED[known[0].weighted_by]}; looked up "
            f"afterwards; the computation never sees them.{order}"
        )
    vocabulary = settings.get("vocabulary")
    if vocabulary is None:  # files before 0.2 do not say
        return tuple(said)
    if result.own_groups:
        return (*said, f"the vocabulary is {vocabulary}; the groups' own words are left out of the tests.")
    looked_up = "as written" if vocabulary == "cased" else "in lower case too"
    kept = "are left out" if settings.get("drop_names") else "stay, unless they are in a group"
    spelling = f"names are looked up {looked_up}; words that are spelled like a name {kept}"
    return (*said, f"the vocabulary is {vocabulary}: {spelling}.")


def notes(result: EnumerationResult, *, all_shown: bool = False, figures: bool = True) -> tuple[str, ...]:
    """Say how much was found (the first note), what `figures` mean if the table has them, and how it was computed."""
    more = 0 if all_shown else len(shown_tests(result, None)) - MOST_TESTS
    have = "tests have" if more > 1 else "test has"
    shown = f"shown: the top {MOST_TESTS} tests; {more} more {have} significant cells; --csv or --json gives all."
    bias, used = result.indirect_bias, result.rotations
    indirect = "potential indirect bias: no two tests have significant words for the same two groups."
    if bias.share is not None:
        indirect = (
            f"potential indirect bias (eq. 1): in {100 * bias.share:.1f} % of {plural(bias.tuples, 'case')} (two "
            "groups, two tests, all four cells significant) both tests divide the groups the same way; groups of "
            "random words nearly always do so too (1,978 of 1,980 cases on the sample), so this is not evidence."
        )
    saved = (
        f"; {100 * (1 - used.work):.0f} % of the work saved by stopping where the verdict was clear (risk of any "
        f"changed verdict: {used.risk:.1g} at most; p and q of stopped cells are estimates)"
    )
    computed = f"rotations: {used.run:,} of {used.asked:,} run{saved if used.risk else ''}"
    said = (_found(result), *chance_notes(result), *([shown] if more > 0 else []), *_meaning(result, figures), indirect)
    return (*said, f"{computed}; seed {result.provenance.seed}.")


def chance_notes(result: EnumerationResult) -> list[str]:
    """Say how many cells random words make significant in place of the names, and how far other clusterings differ."""
    names = _names(result)
    chance, share, spread = result.chance, result.chance_share, result.spread
    if chance is None or share is None:
        lacking = "were not drawn (--chance)"
        if result.provenance.settings.get("chance"):
            lacking = "could not be drawn: the vocabulary has too few"
        often = "random words often make more cells significant than names do"
        return [
            f"chance: random words in place of {names} {lacking}; {often}, so that their number is not a size of bias."
        ]
    few = f", and cannot be below {pvalue(1 / (1 + chance.draws))} with so few draws (--chance)"
    few = few if 1 / (1 + chance.draws) > SOME else ""
    also = ", cleaned and clustered like them," * (not result.own_groups)
    drawn, rotations = plural(chance.draws, "draw"), plural(result.chance_rotations or 0, "rotation")
    said = [
        f"chance: {DRAWN[chance.kind]} in place of {names}{also} make "
        f"{percents(chance.low, chance.high)} of the tested cells significant ({drawn} with {rotations} each); with as "
        f"many rotations, {names} make {percents(share, share)}: p = {pvalue(chance.pvalue)}{few}. A share that random "
        f"words reach says nothing about {names}."
    ]
    asked = [cell.chance_pvalue for cell in result.significant if cell.chance_pvalue is not None]
    if asked:
        beyond = sum(p <= SOME for p in asked)
        said.append(
            f"cells: of the {plural(len(asked), 'significant cell')}, {beyond:,} score more than 95 % of the random "
            "groups in their category (chance_pvalue in --csv and --json)."
        )
    if spread:
        low, high = spread.minimum, spread.maximum
        said.append(f"stability: {names}, clustered {spread.n} times from other seeds, give {percents(low, high)}.")
    return said


def _names(result: EnumerationResult) -> str:
    return "the groups' words" if result.own_groups else "the names"


def percents(low: float, high: float) -> str:
    """Write one or two shares as whole percentages.

    >>> percents(0.123, 0.131), percents(0.123, 0.2)
    ('12 to 13 %', '12 to 20 %')
    >>> percents(0.12, 0.121)
    '12 %'
    """
    first, last = f"{100 * low:.0f}", f"{100 * high:.0f}"
    return f"{last} %" if first == last else f"{first} to {last} %"


def _found(result: EnumerationResult) -> str:
    alpha, found, cells = float(result.provenance.settings["alpha"]), len(result.significant), len(result.cells)
    untested = len(result.not_tested)
    tail = f"no test for {plural(untested, 'cell')} with fewer than {plural(result.words_per_cell, 'word')}."
    tail = tail if untested else "every cell had enough words for a test."
    if not found:
        none = f"No association is significant: none of {plural(cells, 'cell')} at a false-discovery rate of {alpha:g}"
        rotations = result.rotations.asked
        smallest = cells / (rotations + 1)  # no single cell could be significant, however strong, if this exceeds alpha
        few = f" With {plural(rotations, 'rotation')} the q-value of a single cell cannot fall below "
        few += f"{min(1.0, smallest):.2g}; draw more."
        return f"{none}; {tail}{few if smallest > alpha else ''}"
    rate = f"of these, {100 * alpha:g} % at most are expected to be due to random rotations (false-discovery rate)"
    share = f"{found:,} of {plural(cells, 'cell')} {'are' if found > 1 else 'is'} significant"
    if result.chance is not None and result.share is not None:
        drawn = f"random words in place of {_names(result)}: {percents(result.chance.low, result.chance.high)}"
        share += f", {percents(result.share, result.share)} of those with a test ({drawn})"
    critical = result.critical_pvalue or max(cell.pvalue for cell in result.significant)  # older files have none
    return f"{share} (p up to {pvalue(critical)}, the critical p-value); {rate}; {tail}"


def _meaning(result: EnumerationResult, figures: bool) -> list[str]:
    groups = "the other groups" if len(result.groups) > 2 else "the other group"
    words = f"words: those of a test's category that lean most to this group and not to {groups}"
    if not result.provenance.settings.get("voronoi", True):
        words = "words: those of a test's category that lean most to this group; a word may belong to several groups"
    order = "tests are ordered by the total score of their significant cells"
    if not figures:
        marks = f"{NOT_SIGNIFICANT} not significant; {NO_TEST} no test"
        return [f"{words}; {marks}.", f"{order}; --csv, --json and --html give the score, p and q of every cell."]
    return [
        f"{words}.",
        "score: how much nearer the words are to the group's names than all words are on average, against the mean "
        f"of the groups. Chance alone gives scores above 0, since the words are chosen for leaning: read q; {order}.",
        "p: the share of random rotations of the names against the words that reach the score; q: Benjamini–Hochberg "
        f"over {plural(len(result.cells), 'cell')}.",
    ]
