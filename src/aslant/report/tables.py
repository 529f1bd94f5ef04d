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
#: Characters of a column that wraps, however little room there is.
LEAST_TEXT = 12
#: How many missing words are named.
MOST_NAMED = 20
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
    #: On a terminal narrower than this the column is left out, so that no number is ever cut.
    min_width: int = 0
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

    def __post_init__(self) -> None:
        """Refuse a column whose key a row lacks, which would print as nothing at all."""
        for row in self.rows:
            if lacking := [column.key for column in self.columns if column.key not in row]:
                raise KeyError(f"the rows of '{self.title}' have no '{lacking[0]}'; they have {', '.join(row)}.")


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
    """Draw an effect size between −2 and 2 as a bar to the left or right of a middle line.

    >>> bar(1.0), bar(-2.0)
    ('      │███   ', '██████│      ')
    """
    length = round(min(abs(value) / MAX_EFFECT, 1.0) * BAR_WIDTH)
    left, right = (length, 0) if value < 0 else (0, length)
    return " " * (BAR_WIDTH - left) + "█" * left + "│" + "█" * right + " " * (BAR_WIDTH - right)


def left_out(table: Table, width: int) -> list[str]:
    """Say which columns a terminal of this width has no room for.

    >>> left_out(Table("t", (Column("a", "a", str), Column("b", "interval", str, min_width=100)), []), 80)
    ['not shown, for want of room: interval; a wider terminal or --csv has it']
    """
    names = [c.title for c in table.columns if c.min_width > width and not c.terminal_only]
    them = "it" if len(names) == 1 else "them"
    return [f"not shown, for want of room: {', '.join(names)}; a wider terminal or --csv has {them}"] if names else []


def to_rich(table: Table, width: int = 140) -> RichTable:
    """Return the table for a terminal of `width` characters."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(
        title=Text(plain(table.title), "table.title"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    columns = [column for column in table.columns if column.min_width <= width]
    for column in columns:
        overflow: Literal["fold", "ellipsis"] = "fold" if column.wraps else "ellipsis"
        rich_table.add_column(
            Text(lines(column.title)),
            justify=column.justify,
            no_wrap=not column.wraps,
            overflow=overflow,
            min_width=LEAST_TEXT if column.wraps else None,
        )
    shown = table.rows[: table.shown_rows]
    for place, row in enumerate(shown):
        if place and row.get(table.section_key) != shown[place - 1].get(table.section_key):
            rich_table.add_section()
        strong = row.get("qvalue", row.get("pvalue"))
        usual = "bold" if strong is not None and strong < 0.05 else "dim"
        cells = []
        for column in columns:
            value = row[column.key]
            style = column.style(value) if column.style else "" if column.wraps else usual
            cells.append(Text(lines(column.write(value)), style))
        rich_table.add_row(*cells)
    return rich_table


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
    made = [_markdown(plain(table.first_line)), ""] if table.first_line else []
    made += [f"## {_markdown(plain(table.title))}", ""] if titled else []
    made += ["| " + " | ".join(_markdown(lines(c.title), MARKDOWN_TITLE) for c in columns) + " |"]
    made.append("|" + "|".join("---:" if c.justify == "right" else "---" for c in columns) + "|")
    made += ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
    made += ["", *(f"- {_markdown(lines(note))}" for note in table.notes)]
    return "\n".join(made) + "\n"


def _markdown(text: str, replacements: Mapping[int, str] = MARKDOWN) -> str:
    """Return text that is text in Markdown: no markup, and no address that turns into a link by itself."""
    return ADDRESS.sub(r"\1&#46;", text.translate(replacements).replace("://", ":&#47;/"))


def to_latex(table: Table, *, titled: bool = False) -> str:
    """Return the table as a LaTeX tabular (booktabs), its notes (and title) as comments, its first line as text too."""
    columns, rows = _shown(table)
    layout = "".join("r" if c.justify == "right" else "l" for c in columns)
    made = [f"% {plain(table.first_line)}"] if table.first_line else []
    made += [f"% {plain(table.title)}"] if titled else []
    made += [f"% {plain(note)}" for note in table.notes]  # one line each: a further line would not be a comment
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
