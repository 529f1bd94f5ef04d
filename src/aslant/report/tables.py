"""Tables of results for people and programs: terminal, CSV, Markdown, LaTeX. One description, four renderers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aslant.errors import plain as plain

if TYPE_CHECKING:
    from rich.table import Table as RichTable

#: Up to these, a p-value or q-value is strong and some evidence.
LIMITS = (0.01, 0.05)
BAR_WIDTH = 6  # characters on each side of zero
#: What controls a terminal or reverses text: control characters (except tab and newline) and marks of direction.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
#: What a spreadsheet reads as the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
#: Characters of a column that wraps: as many as its longest piece, within these.
LEAST_TEXT, MOST_TEXT = 12, 24
#: Text may be broken after each of these: a word with its space, a comma, a hyphen, a slash.
PIECE = re.compile(r"\s*(?:[^\s,/-]+[,/-]*|[,/-]+)")
GAP = 2  # characters between the columns of a terminal's table
#: How many missing words are named under a table.
MOST_NAMED = 5
MAX_EFFECT = 2.0  # |d| of two sets of equal size cannot be larger
MARKDOWN = str.maketrans({**{c: "\\" + c for c in "\\|*_`<>[]~$"}, "&": "&amp;", "\n": "<br>"})
#: What becomes a link in GitHub Markdown.
ADDRESS = re.compile(r"\b(www)\.", re.IGNORECASE)
#: Titles name fields, and an underscore inside a word is not a markup.
MARKDOWN_TITLE = {c: escaped for c, escaped in MARKDOWN.items() if c != ord("_")}
LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "<": "$<$", ">": "$>$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # which would be an argument of the preceding line break
    "·": r"$\cdot$", "≥": r"$\geq$", "≤": r"$\leq$",
})  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column for people: where its value comes from and how it is written."""

    key: str
    title: str
    write: Callable[[Any], str]
    justify: Literal["left", "right"] = "right"
    terminal_only: bool = False
    wraps: bool = False
    #: The larger, the sooner a terminal without room for all leaves the column out, so that no number is ever cut;
    #: columns with the same number, above 0, go together.
    spare: int = 0
    #: Where it wraps, the fewest characters that are worth the room.
    least: int = LEAST_TEXT
    #: What the column is, said under the table where the column is shown.
    note: str = ""
    #: A terminal's style for a value, where the whole row's will not do.
    style: Callable[[Any], str] | None = None


@dataclass(frozen=True)
class Table:
    """Rows, the columns that people see, and the notes below. CSV holds every field of the rows.

    A newline in a title or in a written cell breaks the line there; `plain` lets none through from a token.
    """

    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    #: A terminal shows this many rows and says how many more there are; None: all.
    shown_rows: int | None = None
    #: Comes before anything else that people read.
    first_line: str = ""
    #: A terminal draws a line where the value under this key changes.
    section_key: str = ""
    #: What to conclude; comes after everything else that people read.
    verdict: str = ""

    def __post_init__(self) -> None:
        """Refuse a column whose key a row lacks, which would print as nothing at all."""
        for row in self.rows:
            if lacking := [column.key for column in self.columns if column.key not in row]:
                raise KeyError(f"the rows of '{self.title}' have no '{lacking[0]}'; they have {', '.join(row)}.")

    def remarks(self, shown: Sequence[Column] | None = None) -> tuple[str, ...]:
        """Return what is said under the table: what each column is that is `shown` (by default all), notes, verdict."""
        explained = dict.fromkeys(c.note for c in (self.columns if shown is None else shown) if c.note)
        return (*explained, *self.notes, *filter(None, [self.verdict]))


def lines(text: object) -> str:
    """Return `text` like `plain`, but keep the newlines between its lines.

    >>> lines("a" + chr(10) + "b" + chr(27))
    'a\\nb\\\\x1b'
    """
    return "\n".join(map(plain, str(text).split("\n")))


def unsteered(text: str) -> str:
    """Return `text` with only what controls a terminal made visible: for programs, which want words as they are.

    >>> unsteered("a" + chr(27) + "[2J" + chr(0x200C))
    'a\\\\x1b[2J\\u200c'
    """
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def spreadsheet_safe(value: Any) -> Any:
    """Return a cell for CSV: text that a spreadsheet would compute gets an apostrophe, unless it is a number.

    >>> [spreadsheet_safe(cell) for cell in ("=1+1", "-0.5", "tea", -0.5)]
    ["'=1+1", '-0.5', 'tea', -0.5]
    """
    if not isinstance(value, str):
        return value
    shown = unsteered(value)
    if not value.lstrip(" ").startswith(FORMULA):
        return shown
    try:
        float(value)
    except ValueError:
        return "'" + shown
    return shown


def number(value: float | None) -> str:
    """Write a number with two decimals and a true minus sign; a rounded zero has none.

    >>> number(-1.234), number(-0.001), number(None)
    ('−1.23', '0.00', '–')
    """
    return "–" if value is None else f"{value:z.2f}".replace("-", "−")


def small(value: float | None) -> str:
    """Write a number with three decimals and a true minus sign; a rounded zero has none.

    >>> small(-0.0976), small(-0.0001), small(None)
    ('−0.098', '0.000', '–')
    """
    return "–" if value is None else f"{value:z.3f}".replace("-", "−")


def percentage(share: float | None) -> str:
    """Write a share as a whole percentage.

    >>> percentage(0.508), percentage(None)
    ('51 %', '–')
    """
    return "–" if share is None else f"{100 * share:.0f} %"


def pvalue(value: float | None) -> str:
    """Write a p-value: three decimals, more where these would hide that it is above a limit, or a power of ten.

    >>> pvalue(0.0123), pvalue(4.5e-7), pvalue(1.0)
    ('0.012', '4.5e-07', '1.000')
    >>> pvalue(0.0104), pvalue(0.0501), pvalue(0.0499)
    ('0.0104', '0.0501', '0.050')
    """
    if value is None:
        return "–"
    if value < 0.0005:
        return f"{value:.1e}"
    written = (f"{value:.{digits}f}" for digits in range(3, 17))
    return next((w for w in written if all((float(w) <= limit) == (value <= limit) for limit in LIMITS)), str(value))


def between(low: float | None, high: float | None, write: Callable[[float | None], str] = small) -> str:
    """Write an interval.

    >>> between(-0.1, 0.25), between(None, None)
    ('−0.100 to 0.250', '–')
    """
    return "–" if low is None or high is None else f"{write(low)} to {write(high)}"


def short(name: str, most: int = 20) -> str:
    """Return a name that fits a column heading.

    >>> short("GoogleNews-vectors-negative300")
    'GoogleNews-vectors-…'
    """
    shown = plain(name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def missing_words(result: Any) -> tuple[str, ...]:
    """Say which words have no vector in a result, if any, as a note."""
    return (f"no vector for {first_of(result.missing)}",) if result.missing else ()


def first_of(words: Sequence[str], most: int = MOST_NAMED) -> str:
    """Name words; of a long list the first, and how many more there are.

    >>> first_of(["a", "b", "c", "d"], most=2)
    'a, b and 2 more (--json lists all)'
    """
    more = f" and {len(words) - most:,} more (--json lists all)" if len(words) > most else ""
    return plain(", ".join(words[:most])) + more


def bar(value: float) -> str:
    """Draw a value between −2 and 2 as a bar to the left or right of a middle line; one beyond ends in an arrow.

    >>> bar(1.0), bar(-2.0), bar(3.4)
    ('      │███   ', '██████│      ', '      │█████▶')
    """
    length = round(min(abs(value) / MAX_EFFECT, 1.0) * BAR_WIDTH)
    left, right = (length, 0) if value < 0 else (0, length)
    drawn = " " * (BAR_WIDTH - left) + "█" * left + "│" + "█" * right + " " * (BAR_WIDTH - right)
    if abs(value) <= MAX_EFFECT:
        return drawn
    return f"◀{drawn[1:]}" if value < 0 else f"{drawn[:-1]}▶"


def fold(text: str, width: int) -> list[str]:
    """Break text into lines of at most `width` characters: after spaces, commas and hyphens, words only if they must.

    >>> fold("gender-binary, one-vs-rest", 14)
    ['gender-binary,', 'one-vs-rest']
    """
    from rich.cells import cell_len, chop_cells

    made = []
    for whole in text.split("\n"):
        now = ""
        for piece in PIECE.findall(whole) if cell_len(whole) > width else [whole]:
            if now and cell_len(now + piece) > width:
                made.append(now)
                piece = piece.lstrip()
                now = ""
            *full, now = chop_cells(now + piece, width) or [""]
            made += full
        made.append(now)
    return made


def fitted(table: Table, width: int) -> list[tuple[Column, list[str], int]]:
    """Return the columns that fit a terminal, each with its title and cells as written, and its width in characters.

    While they do not fit, those most to `spare` go, and then the rightmost; what room is left goes to text.
    """
    columns = []
    for column in table.columns:
        cells = [lines(column.write(row[column.key])) for row in table.rows[: table.shown_rows]]
        columns.append((column, [lines(column.title), *cells], *_room(column, lines(column.title), cells)))
    while len(columns) > 1 and sum(least + GAP for *_, least, _ in columns) - GAP > width:
        most = max(column.spare for column, *_ in columns)
        columns = [each for each in columns if each[0].spare < most] if most else columns[:-1]
    widths = [least for *_, least, _ in columns]
    room = width - sum(widths) - GAP * (len(widths) - 1)
    while room > 0 and (growing := [i for i, (*_, most) in enumerate(columns) if widths[i] < most]):
        widths[min(growing, key=widths.__getitem__)] += 1
        room -= 1
    return [(column, texts, min(w, width)) for (column, texts, *_), w in zip(columns, widths, strict=True)]


def _room(column: Column, title: str, cells: list[str]) -> tuple[int, int]:
    """Return the fewest characters that a column needs, and the most that it can use."""
    from rich.cells import cell_len

    def widest(texts: list[str], parts: Callable[[str], list[str]]) -> int:
        return max((cell_len(part) for text in texts for part in parts(text)), default=0)

    most = widest([title, *cells], str.splitlines)
    if not column.wraps:
        return max(widest([title], str.split), widest(cells, str.splitlines)), most
    longest = widest([title, *cells], lambda text: [piece.strip() for piece in PIECE.findall(text)])
    return min(most, max(column.least, min(longest, MOST_TEXT))), most


def left_out(table: Table, width: int) -> list[str]:
    """Say which columns a terminal of this width has no room for.

    >>> left_out(Table("t", (Column("a", "a", str), Column("b", "interval", str)), []), 8)
    ['not shown, for want of room: interval; a wider terminal or --csv has it']
    """
    shown = [column for column, *_ in fitted(table, width)]
    names = [
        c.title.replace(",\n", " ").replace("\n", " ") for c in table.columns if c not in shown and not c.terminal_only
    ]
    them = "it" if len(names) == 1 else "them"
    return [f"not shown, for want of room: {', '.join(names)}; a wider terminal or --csv has {them}"] if names else []


def to_rich(table: Table, width: int = 140) -> RichTable:
    """Return the table for a terminal of `width` characters."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(
        title=Text(plain(table.title), "table.title"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
        collapse_padding=True, show_edge=False,
    )  # fmt: skip
    columns = fitted(table, width)
    for column, (title, *_), room in columns:
        rich_table.add_column(
            Text("\n".join(fold(title, room))), justify=column.justify, no_wrap=True, overflow="ellipsis", width=room
        )
    shown = table.rows[: table.shown_rows]
    for place, row in enumerate(shown):
        if place and row.get(table.section_key) != shown[place - 1].get(table.section_key):
            rich_table.add_section()
        usual = "bold" if stands_out(row) else "dim"
        cells = []
        for column, (_, *texts), room in columns:
            style = column.style(row[column.key]) if column.style else "" if column.wraps else usual
            cells.append(Text("\n".join(fold(texts[place], room)) if column.wraps else texts[place], style))
        rich_table.add_row(*cells)
    return rich_table


def stands_out(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is beyond its own test and beyond chance, as far as it has them: such rows are in bold.

    >>> stands_out({"qvalue": 0.01, "chance_qvalue": 0.3}), stands_out({"pvalue": 0.01, "chance_pvalue": None})
    (False, True)
    """
    chance = row.get("chance_qvalue", row.get("chance_pvalue", row.get("poles_pvalue")))
    tested = [value for value in (row.get("qvalue", row.get("pvalue")), chance) if value is not None]
    return bool(tested) and max(tested) <= LIMITS[-1]


def to_csv(table: Table) -> str:
    """Return every field of the rows as CSV; text that a spreadsheet would compute is quoted by an apostrophe.

    >>> to_csv(Table("t", (), [{"a": 1, "b": "x,y"}]))
    'a,b\\r\\n1,"x,y"\\r\\n'
    """
    if not table.rows:
        return ""
    out = io.StringIO()
    fields = list(table.rows[0])
    writer = csv.writer(out)
    writer.writerow(map(spreadsheet_safe, fields))
    writer.writerows([spreadsheet_safe(row[field]) for field in fields] for row in table.rows)
    return out.getvalue()


def _shown(table: Table) -> tuple[list[Column], list[list[str]]]:
    columns = [column for column in table.columns if not column.terminal_only]
    return columns, [[lines(column.write(row[column.key])) for column in columns] for row in table.rows]


def to_markdown(table: Table, *, titled: bool = False) -> str:
    """Return the table in Markdown, its first line (and title, where several follow each other) above, notes below."""
    columns, rows = _shown(table)
    made = [markdown_text(plain(table.first_line)), ""] if table.first_line else []
    made += [f"## {markdown_text(plain(table.title))}", ""] if titled else []
    made += ["| " + " | ".join(markdown_text(lines(c.title), MARKDOWN_TITLE) for c in columns) + " |"]
    made.append("|" + "|".join("---:" if c.justify == "right" else "---" for c in columns) + "|")
    made += ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]
    made += ["", *(f"- {markdown_text(lines(note))}" for note in table.remarks())]
    return "\n".join(made) + "\n"


def markdown_text(text: str, replacements: Mapping[int, str] = MARKDOWN) -> str:
    """Return text that is text in Markdown: no markup, and no address that turns into a link by itself."""
    return ADDRESS.sub(r"\1&#46;", text.translate(replacements).replace("://", ":&#47;/"))


def to_latex(table: Table, *, titled: bool = False) -> str:
    """Return the table as a LaTeX tabular (booktabs), its notes (and title) as comments, its first line as text too."""
    columns, rows = _shown(table)
    layout = "".join("r" if c.justify == "right" else "l" for c in columns)
    made = [f"% {plain(table.first_line)}"] if table.first_line else []
    made += [f"% {plain(table.title)}"] if titled else []
    made += [f"% {plain(note)}" for note in table.remarks()]  # one line each: a further line would not be a comment
    made += [rf"{{\small\itshape {plain(table.first_line).translate(LATEX)}\par}}"] if table.first_line else []
    made += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
    made += [" & ".join(_stacked(lines(c.title)) for c in columns) + r" \\", r"\midrule"]
    made += [" & ".join(_stacked(cell) for cell in row) + r" \\" for row in rows]
    made += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(made) + "\n"


def _stacked(text: str) -> str:
    """Return a cell for LaTeX; several lines go into a nested table."""
    made = [line.translate(LATEX) for line in text.split("\n")]
    return made[0] if len(made) == 1 else r"\begin{tabular}[t]{@{}l@{}}" + r"\\{}".join(made) + r"\end{tabular}"
