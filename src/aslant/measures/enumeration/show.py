"""Enumerated biases as tables: groups of names, and the words associated with each (Swinger et al. 2019, Table 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aslant.errors import plural
from aslant.measures.enumeration.notes import NO_TEST, NOT_SIGNIFICANT, group_notes, notes, percents, shown_tests
from aslant.measures.enumeration.result import (
    CONTENT_NOTE,
    Change,
    EnumeratedCell,
    EnumerationComparison,
    EnumerationResult,
    NameGroup,
    WordCategory,
)
from aslant.report.conventions import Category, line
from aslant.report.offensive_words import covered
from aslant.report.tables import Column, Table, plain, pvalue, small
from aslant.results.audit import Glance

#: From this width on a terminal has a column for each race.
WIDE_GROUPS = 160
#: Side by side, words may be this long before they wrap: the first length that fits the terminal is taken.
WORD_LENGTHS = (40, 14, 11)
#: Headings give this many illustrative names and centre words, as the paper does.
IN_HEADINGS = 3
#: How many potential indirect biases are shown.
MOST_PROXIES = 10
#: What q is at most for words to stand out, and to stand out most.
MEDIUM, STRONG = 0.01, 0.001
RACES = {
    "white": "White", "black": "Black", "hispanic": "Hispanic", "api": "Asian/Pacific", "native": "Native American",
    "multiple": "two or more",
}  # fmt: skip


def cells_table(result: EnumerationResult) -> Table:
    """Describe every cell, one to a row: what CSV holds."""
    columns = (
        Column("category", "category", plain, "left", wraps=True),
        Column("group", "group", plain, "left"),
        Column("words", "words", plain, "left", wraps=True),
        Column("score", "score", small),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
    )
    return Table(_title("Associations", result), columns, result.rows(), notes(result), first_line=CONTENT_NOTE)


def terminal_tables(result: EnumerationResult, width: int) -> tuple[Table, ...]:
    """Describe groups, associations and proxies for a terminal: a column for each group where all of them fit."""
    groups = groups_table(result, one_column=width < WIDE_GROUPS, races=1 if width < 100 else 2)
    crossed = (crossed_table(result, length) for length in WORD_LENGTHS)
    fits = next((table for table in crossed if table.rows and _width(table) <= width), listed_table(result))
    return groups, fits if fits.rows else replace(fits, columns=fits.columns[:0]), *proxies_tables(result)


def document_tables(result: EnumerationResult) -> tuple[Table, ...]:
    """Describe groups, associations and proxies for Markdown and LaTeX: always a column for each group."""
    return groups_table(result), crossed_table(result), *proxies_tables(result)


def proxies_tables(result: EnumerationResult) -> tuple[Table, ...]:
    """Describe the strongest potential indirect biases (eq. 1), if there are any: what could be a proxy for what."""
    columns = (
        Column("groups", "groups", plain, "left", wraps=True),
        Column("words", "words that divide them", plain, "left", wraps=True),
        Column("as", "words that do so too", plain, "left", wraps=True),
        Column("value", "value", small, style=_plainly),
    )
    rows = []
    for proxy in result.indirect_bias.strongest[:MOST_PROXIES]:
        groups = " | ".join(result.groups[g].label for g in proxy.groups)
        words, others = (" | ".join(map(", ".join, pair)) for pair in proxy.words)
        rows.append({"groups": groups, "value": proxy.value, "words": words, "as": others})
    table = Table(
        _title("What could be a proxy for what", result), columns, rows, (proxies_note(result, MOST_PROXIES),)
    )
    return (table,) if rows else ()


def proxies_note(result: EnumerationResult, most: int) -> str:
    """Say what the value is, and how many there are."""
    bias = result.indirect_bias
    more = f"; shown: {most} of {bias.aligned:,}" if bias.aligned > most else ""
    listed = f", --json gives {len(bias.strongest):,}" if len(bias.strongest) > most else ""
    return (
        "value: the product of eq. 1, larger where both pairs of word sets are further apart in the same direction; a "
        f"pair may be a proxy for the other even if no name is left. Groups of random words give values as large{more}"
        f"{listed}."
    )


def groups_table(result: EnumerationResult, *, one_column: bool = False, races: int = 2) -> Table:
    """Describe the groups of names; with `one_column`, the largest `races` of each are in a single column."""
    columns = [
        Column("group", "group", plain, "left", wraps=True),
        Column("illustrative", "illustrative names", plain, "left", wraps=True),
        Column("size", "names", lambda size: f"{size:,}", style=_plainly),
    ]
    known = [group.demographics for group in result.groups if group.demographics]
    if known:
        columns.append(Column("female", "% female", percent, style=_plainly))
        columns.append(Column("year", "born", lambda year: "–" if year is None else f"{year:.0f}", style=_plainly))
        if one_column:
            title = "largest race, %" if races == 1 else "largest races, %"
            columns.append(Column("by_race", title, lambda shares: _largest(shares, races), "left", style=_plainly))
        else:
            met = dict.fromkeys(race for figures in known for race in figures.share_by_race or {})
            columns += [Column(race, f"% {RACES.get(race, plain(race))}", percent, style=_plainly) for race in met]
    rows = []
    for g in result.groups:
        row = {"group": g.label, "illustrative": ", ".join(g.illustrative), "size": g.size}
        if d := g.demographics:
            shares = d.share_by_race or {}
            row |= {"female": d.share_female, "year": d.mean_birth_year, "by_race": shares, **shares}
        rows.append(dict.fromkeys((column.key for column in columns), None) | row)
    title = _title("Groups of names", result)
    return Table(title, tuple(columns), rows, group_notes(result), first_line=CONTENT_NOTE)


def crossed_table(result: EnumerationResult, length: int | None = None) -> Table:
    """Describe the top tests, a column for each group (Table 5); with a `length` words stand below each other."""
    separator = "\n" if length else ", "
    heads = length + len("10. ") if length else None

    def write(cell: EnumeratedCell) -> str:
        """Write the words of a significant cell, one per line; otherwise a mark."""
        words = "\n".join(map(plain, cell.words))
        return _folded(words if cell.significant else NOT_SIGNIFICANT if cell.tested else NO_TEST, length)

    columns = [
        Column("heading", "test", lambda text: _folded(text, heads), "left", wraps=True, style=lambda _: "bold"),
        *(
            Column(f"group {place}", _folded(head(group), length), write, "left", wraps=True, style=_shade)
            for place, group in enumerate(result.groups)
        ),
    ]
    rows: list[dict[str, Any]] = [
        {"rank": rank, "heading": heading(result, rank, category, separator)}
        | {f"group {cell.group}": cell for cell in result.of_category(category)}
        for rank, category in shown_tests(result)
    ]
    return Table(_title("Associations", result), tuple(columns), rows, notes(result, figures=False), section_key="rank")


def _width(table: Table) -> int:
    """Return how many characters the table needs side by side."""
    from rich.cells import cell_len

    written = [[c.title, *(c.write(row[c.key]) for row in table.rows)] for c in table.columns]
    return sum(max(cell_len(part) for text in column for part in text.split("\n")) + 3 for column in written)


def _folded(text: str, length: int | None) -> str:
    """Split the lines that are longer than `length` evenly, with a hyphen."""
    if length is None:
        return text
    folded: list[str] = []
    for whole in text.split("\n"):
        count = 1 if len(whole) <= length else -(-len(whole) // (length - 1))
        size = max(1, -(-len(whole) // count))
        *most, last = [whole[at : at + size] for at in range(0, len(whole), size)] or [""]
        folded += [*(piece + "-" for piece in most), last]
    return "\n".join(folded)


def head(group: NameGroup) -> str:
    """Head the column of a group: its label, illustrative names and demographics, a line each."""
    lines = [plain(group.label), *map(plain, group.illustrative[:IN_HEADINGS])]
    if (d := group.demographics) and d.share_female is not None and d.mean_birth_year is not None:
        lines += [f"{percent(d.share_female)} % female", f"born {d.mean_birth_year:.0f}"]
    return "\n".join(lines)


def listed_table(result: EnumerationResult) -> Table:
    """Describe the top tests with a row for each significant cell, for where the groups do not fit side by side."""
    columns = (
        Column("heading", "test", str, "left", wraps=True, style=lambda _: "bold"),
        Column("group", "group", plain, "left", wraps=True, style=_plainly),
        Column("cell", "words", lambda cell: plain(", ".join(cell.words)), "left", wraps=True, style=_shade),
        Column("score", "score", small, style=_plainly),
        Column("qvalue", "q", pvalue, style=_plainly),
    )
    rows: list[dict[str, Any]] = []
    for rank, category in shown_tests(result):
        found = [cell for cell in result.of_category(category) if cell.significant]
        for place, cell in enumerate(found):
            group = result.groups[cell.group]
            rows.append({
                "rank": rank, "heading": "" if place else heading(result, rank, category), "group": named(group),
                "cell": cell, "score": cell.score, "qvalue": cell.qvalue,
            })  # fmt: skip
    return Table(_title("Associations", result), columns, rows, notes(result), section_key="rank")


def heading(
    result: EnumerationResult, rank: int, category: int, separator: str = ", ", write: Callable[[str], str] = plain
) -> str:
    """Name a test for people: its rank and its centre words."""
    return f"{rank}. " + separator.join(map(write, centre(result.categories[category])))


def centre(category: WordCategory) -> tuple[str, ...]:
    """Return the words that name a category."""
    return category.centre_words[:IN_HEADINGS] or (category.label,)


def named(group: NameGroup) -> str:
    """Name a group: its label and its illustrative names."""
    return f"{group.label}: {', '.join(group.illustrative[:IN_HEADINGS])}" if group.illustrative else group.label


def percent(share: float | None) -> str:
    """Write a share as a whole percentage."""
    return "–" if share is None else f"{100 * share:.0f}"


def _largest(shares: dict[str, float] | None, races: int) -> str:
    largest = sorted((shares or {}).items(), key=lambda item: -item[1])[:races]
    return ", ".join(f"{RACES.get(race, plain(race))} {percent(share)}" for race, share in largest) or "–"


def _plainly(_: Any) -> str:
    return ""


def _shade(cell: EnumeratedCell) -> str:
    """Choose a terminal's style by significance: the smaller q, the stronger."""
    if not cell.significant:
        return "dim"
    return "bold cyan" if cell.qvalue <= STRONG else "cyan" if cell.qvalue <= MEDIUM else ""


def _title(what: str, result: EnumerationResult) -> str:
    return f"{what} on {result.provenance.representation.name}"


def glance(r: EnumerationResult, about: Category) -> list[Glance]:
    """Say at a glance what was found; a count of significant pairs is evidence only as far as it is beyond chance."""
    tested, stimuli, share = len(r.cells) - len(r.not_tested), r.provenance.stimuli, r.share
    found = "groups given" if r.own_groups else "groups of names that the vectors themselves form"
    of_tested = "" if share is None else f" ({percents(share, share)})"
    names = "the groups' words" if r.own_groups else "the names"
    given = f"; random words in place of {names} give {percents(r.chance.low, r.chance.high)}" if r.chance else ""
    pairs = f"{len(r.significant):,} of {tested:,} pairs of a group and a category of words are significant"
    sentence = f"{pairs}{of_tested}, for {len(r.groups)} {found}{given}."
    category = about(stimuli) if r.own_groups else "several"
    return [line(category, stimuli, share, "share of pairs", sentence, chance=r.chance)]


#: A terminal shows this many cells; CSV and JSON hold all.
MOST_CELLS = 40
CHANGES: dict[Change, str] = {"remains": "remains", "vanishes": "vanishes", "new": "is new"}


def enumeration_comparison_table(result: EnumerationComparison, write: Callable[[str], str] = plain) -> Table:
    """Describe every cell that is significant before or after, in the order of the tests before."""

    def words(text: str) -> str:
        return ", ".join(map(write, text.split(", "))) or "–"

    columns = (
        Column("category", "test", words, "left", wraps=True),
        Column("group", "group", plain, "left"),
        Column("change", "significance", lambda change: CHANGES[change], "left"),
        Column("words_before", "words before", words, "left", wraps=True),
        Column("words_after", "words after", words, "left", wraps=True),
        Column("qvalue_before", "q before", pvalue),
        Column("qvalue_after", "q after", pvalue),
    )
    title = f"Associations on {result.before.provenance.representation.name}, before and after"
    return Table(title, columns, result.rows(), _notes(result), shown_rows=MOST_CELLS, first_line=CONTENT_NOTE)


def covered_tables(result: EnumerationComparison) -> tuple[Table, ...]:
    """Describe the same for a page: words that may offend stay covered."""
    return (enumeration_comparison_table(result, covered),)


def _notes(result: EnumerationComparison) -> tuple[str, ...]:
    before, after = result.before, result.after
    remains, vanishes, new = map(result.count, CHANGES)
    after_name, cells = plain(after.provenance.representation.name), plural(len(before.cells), "cell")
    absent = plural(len(result.missing), "name or word", "names or words")
    missing = f" Missing there: {absent}." if result.missing else ""
    return (
        f"significant: {len(before.significant):,} of {cells} before, {len(after.significant):,} after; of these "
        f"{remains:,} in both, {vanishes:,} only before, {new:,} only after.",
        f"after: {after_name}; the groups of names and the categories of words are those found before; the words of a "
        f"cell, its score and its random rotations are those of each space.{missing}",
        "a cell that vanishes is no longer beyond chance, which does not prove that nothing is left (aslant geometry).",
    )
