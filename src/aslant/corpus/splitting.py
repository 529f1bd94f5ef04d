"""Running text into sentences, and whether a text needs it.

English is split by nupunkt 0.8: pure Python, maintained, no dependencies. On the 4,454 GAP texts it finds 98 % of the
boundaries that most of four other libraries agree on, and 1 % that at most one of them has; it does not split "Dr."
from a name, as sentencex does, and is six times as fast as syntok and sentence-splitter, twenty times as pysbd.
Other languages are split by plain rules, without knowledge of abbreviations.

When text counts as wrapped or running is a rule of thumb, not fitted to data, so it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aslant.errors import CorpusError

#: A line, or a piece of one that is very long, and whether the line ends with it.
Lines = Iterable[tuple[str, bool]]
Splitter = Callable[[str], list[str]]

#: How text may become sentences, besides "auto".
WAYS = ("lines", "sentences", "paragraphs")
#: A line, or paragraph, is cut into pieces of about this many characters, so that none has to fit into memory.
PIECE = 1 << 20
#: With this many sentences per line or more, on average, lines count as running text.
SEVERAL = 1.5
#: No line of text that was wrapped by hand or by an editor is longer.
WIDEST = 120
#: Where a sentence may end, in any script: after these comes a space, or none in scripts that have none. A run of marks
#: is read once, from its first: text of nothing but marks takes no longer than other text.
END = re.compile(r"(?<![.!?…؟।])([.!?…؟।]++)[\"'”’»)\]]*+\s++|(?<=[。！？｡])")
#: What tells whether a sentence continues: the first letter or digit after a few marks.
NEXT = re.compile(r"[\W_]{0,8}+([^\W_])")
#: A full stop after one of these is that of a number or of an initial.
ABBREVIATED = re.compile(r"\d|(?<![^\W_])[^\W_]")
LINE_END = re.compile(r"\r\n?|\n")
ENDED = re.compile(r"[.!?…؟।。！？｡:;][\"'”’»)\]]*$")


@dataclass
class Tally:
    """What one reading of a corpus left out."""

    too_long: int = 0


def splitter(language: str) -> Splitter:
    """Return what splits running text of that language.

    >>> splitter("en")("Dr. Who came. She left.")
    ['Dr. Who came.', 'She left.']
    >>> splitter("de")("Sie kam am 3. Mai. Er ging.")
    ['Sie kam am 3. Mai.', 'Er ging.']
    """
    if not isinstance(language, str) or not re.fullmatch(r"[A-Za-z]{2,3}([-_].*)?", language):
        raise CorpusError(f"language is {language!r}; give a code of two or three letters, such as 'en'.")
    if re.split("[-_]", language)[0].lower() != "en":
        return _by_rule
    from nupunkt import sent_tokenize

    return lambda text: [part for found in sent_tokenize(text) if (part := str(found).strip())]


def _by_rule(text: str) -> list[str]:
    """Split where a mark ends a sentence: not after "3." or "J.", nor where a small letter follows."""
    found, start = [], 0
    for end in END.finditer(text):
        if end[1] == "." and end.start() and ABBREVIATED.match(text, end.start() - 1):
            continue
        after = NEXT.match(text, end.end())
        if end[1] is None or after is None or not after[1].islower():
            found.append(text[start : end.end()].strip())
            start = end.end()
    return [part for part in (*found, text[start:].strip()) if part]


def lines_of(texts: Iterable[str], way: str) -> Lines:
    """Yield texts of a column as lines: one each if a text is a sentence, else its lines and a blank one.

    >>> list(lines_of(["He is\\na clerk."], "lines"))
    [('He is a clerk.', True)]
    """
    for text in texts:
        parts = LINE_END.split(text)
        if way == "lines":
            yield " ".join(parts), True
        else:
            yield from ((part, True) for part in (*parts, ""))


def way_of(lines: Sequence[str], split: Splitter, *, wrapped: bool = True) -> str:
    """Tell from some lines (blank ones included), which may be wrapped, how a text becomes sentences.

    "paragraphs": lines as wide as the others break off in mid-sentence, and blank lines separate paragraphs;
    "sentences": a line holds 1.5 sentences or more on average; otherwise "lines".

    >>> way_of(["A nurse slept.", "He left."], splitter("en"))
    'lines'
    >>> way_of(["A nurse slept. She dreamt. It was late.", "He left."], splitter("en"))
    'sentences'
    """
    filled, size = [], 0
    for line in filter(None, map(str.strip, lines)):
        filled.append(line)
        size += len(line)
        if size >= PIECE:
            break
    if not filled:
        return "lines"
    if wrapped and _wrapped(lines):
        return "paragraphs"
    return "sentences" if sum(len(split(line[:PIECE])) for line in filled) >= SEVERAL * len(filled) else "lines"


def _wrapped(lines: Sequence[str]) -> bool:
    """Tell whether most lines that another one follows are nearly as wide as any, and many stop in mid-sentence.

    A text in which nothing ends a sentence, such as one without punctuation, is not wrapped: it would be one sentence.
    """
    stripped = [line.strip() for line in lines]
    if not any(END.search(line) or ENDED.search(line) for line in stripped):
        return False
    followed = [line for line, after in pairwise(stripped) if line and after]
    widest = max(map(len, stripped))
    if len(followed) < 3 or widest > WIDEST:
        return False
    wide = [line for line in followed if len(line) >= 0.75 * widest]
    return len(wide) >= 0.7 * len(followed) and sum(not ENDED.search(line) for line in wide) >= 0.5 * len(wide)


def sentences(lines: Lines, way: str, split: Splitter, longest: int, tally: Tally) -> Iterator[str]:
    """Yield the sentences of a text; those longer than `longest` characters are left out and counted.

    >>> tally = Tally()
    >>> list(sentences([("One. Two, which is long.", True), ("", True)], "sentences", splitter("en"), 10, tally)), tally
    (['One.'], Tally(too_long=1))
    """
    if way == "lines":
        found = _each_line(lines, tally)
    else:
        found = _split(paragraphs(lines) if way == "paragraphs" else lines, split, tally)
    for sentence in found:
        if len(sentence) > longest:
            tally.too_long += 1
        else:
            yield sentence


def _each_line(lines: Lines, tally: Tally) -> Iterator[str]:
    whole = True
    for text, ends in lines:
        if whole and ends:
            if sentence := text.strip():
                yield sentence
        elif whole:  # the first piece of a line that is longer than any sentence may be
            tally.too_long += 1
        whole = ends


def paragraphs(lines: Lines) -> Lines:
    """Yield the lines up to a blank one as one line, in pieces where that grows large."""
    held: list[str] = []
    size, pieces = 0, False
    for text, ends in lines:
        blank = ends and not text.strip()
        if blank and (held or pieces):
            yield "".join(held), True
            held, size, pieces = [], 0, False
        elif not blank:
            held.append(f"{text.strip()} " if ends else text)
            size += len(text)
            if size > PIECE:
                yield "".join(held), False
                held, size, pieces = [], 0, True
    yield "".join(held), True


def _split(lines: Lines, split: Splitter, tally: Tally) -> Iterator[str]:
    """Yield the sentences of each line; the last one of a piece may continue in the next piece."""
    rest, torn = "", False
    for text, ends in lines:
        running = rest + text
        found = split(running)
        if torn and found:
            del found[0]  # the end of a sentence that was left out
            torn = not found
        torn = torn and not ends
        rest = ""
        if not ends and found:
            last = found.pop()
            rest = running[running.rfind(last) :]
            if len(rest) > PIECE:
                tally.too_long += 1
                rest, torn = "", True
        yield from found
