"""What to cite for a result, a measure, a word set or data, as BibTeX, and how a result was made, as a paragraph.

Every measure, set and data name carries its reference as text: authors (year). Title. Where. That is taken apart here.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from aslant.catalogue import commands, kinds
from aslant.errors import AslantError, plural
from aslant.results.codec import Result
from aslant.version import __version__

#: One author, as "Chang, K.-W.", and several up to the year.
_NAME = r"[^\W\d_][\w’'\- ]*, (?:[^\W\d_]\.[ \-]?)+"
_UNDATED = re.compile(rf"((?:{_NAME}(?:, & |, )?)+)\s*(?=[^\W\d_]{{2}})")
_AUTHORS = re.compile(rf"((?:{_NAME}(?:, & |, |& )?)+(?:, et al\.)?)\s*$")
_YEAR = re.compile(r" \((\d{4})\)\. ")
_DOI = re.compile(r"\bdoi:(10\.\S+?)[.,;]?(?:\s|$)")
#: A question may be followed by the rest of a title, which has no number in it and is followed by where it appeared.
_TITLE = re.compile(r"(.+?(?:\.|[?!](?: [^\d.?!]+\.(?= \S))?))(?: |$)")
#: Stands before the first author: "As used by Guo, W."
_LEAD = re.compile(r"^[^,]*\b(?:by|of|from|after) ")
#: "Science 356(6334), 183–186. arXiv:1" and "EMNLP 2018, 1–9": name, volume, number, pages, more.
_PAGED = re.compile(r"(.+?)(?:,? (\d{1,3})(?:\((\d+)\))?)?, ([A-Z]?\d+–[A-Z]?\d+)(?:\. (.*))?")
#: Missing words that a paragraph names.
MOST_NAMED = 40
#: What TeX would read as a command.
_TEX = str.maketrans({**{c: f"\\{c}" for c in "&%#_$"}, **dict.fromkeys("{}\\~^")})


@dataclass(frozen=True)
class Reference:
    """One work: who, when, what, where."""

    authors: str
    year: str
    title: str
    where: str

    @property
    def key(self) -> str:
        """A key such as caliskan2017semantics.

        >>> references("Gonen, H., & Goldberg, Y. (2019). Lipstick on a pig. NAACL.")[0].key
        'gonen2019lipstick'
        """
        word = next((w for w in re.findall(r"\w+", self.title) if len(w) > 3), "")
        return _ascii(re.match(r"[\w\-’' ]*", self.authors)[0] + self.year + word)  # type: ignore[index]

    @property
    def doi(self) -> str:
        """The digital object identifier, if there is one."""
        found = _DOI.search(self.where + " ")
        return found[1].rstrip(".") if found else ""

    @property
    def text(self) -> str:
        """The reference in one line."""
        return f"{self.authors} {f'({self.year}). ' if self.year else ''}{self.title} {self.where}".strip()

    @property
    def completeness(self) -> tuple[bool, bool, int, str]:
        """How much it tells: of two references to one work, the one that tells more is shown."""
        return bool(self.doi), "–" in self.where, len(self.authors + self.title), self.text

    def bibtex(self) -> str:
        """Return the entry: an article, a paper in proceedings, or, where there are no pages, what there is."""
        names = re.findall(_NAME, self.authors) or [f"{{{self.authors.translate(_TEX)}}}"]
        where = self.where.partition(" doi:")[0].partition("; and ")[0].strip(" .").translate(_TEX)
        people = [name.strip(" ,") for name in names] + ["others"] * self.authors.rstrip().endswith("et al.")
        title = self.title.rstrip(".").translate(_TEX)
        kind, fields = "misc", {"author": " and ".join(people), "title": f"{{{title}}}", "year": self.year}
        if paged := _PAGED.fullmatch(where):
            name, volume, number, pages, more = paged.groups()
            kind = "article" if volume and not name.startswith("Advances in") else "inproceedings"
            fields["journal" if kind == "article" else "booktitle"] = name
            fields |= {"volume": volume, "number": number, "pages": pages.replace("–", "--"), "note": more}
        else:
            fields["howpublished"] = where
        lines = [f"  {name} = {{{value}}}" for name, value in (fields | {"doi": self.doi}).items() if value]
        return f"@{kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "".join(filter(str.isalnum, plain)).lower()


SOFTWARE = f"""@software{{aslant,
  author = {{{{The aslant developers}}}},
  title = {{aslant: social bias in word embeddings and language models, found, measured and explained}},
  version = {{{__version__}}}
}}"""


def references(text: str) -> list[Reference]:
    """Take the references in a text apart: one, or several with words between them; one may have no year.

    >>> text = "Targets: Dev, S., & Phillips, J. (2019). One. A. Then Guo, W. (2021). Two. B."
    >>> [(found.year, found.title) for found in references(text)]
    [('2019', 'One.'), ('2021', 'Two.')]
    >>> references("Lu, K., & Lim, R. BOLD and beyond. MIT (no year printed)")[0].key
    'lubold'
    >>> references("See the title.")
    []
    """
    parts = _YEAR.split(text)
    found = []
    if len(parts) == 1 and (authors := _UNDATED.match(text)) and (title := _TITLE.match(text, authors.end())):
        return [Reference(authors[1].strip(" ,"), "", title[1], text[title.end() :].strip())]
    for place in range(1, len(parts), 2):
        authors, rest = _AUTHORS.search(parts[place - 1]), parts[place + 1]
        after = _AUTHORS.search(rest) if place + 2 < len(parts) else None
        rest = rest[: after.start()] if after else rest
        title = _TITLE.match(rest)
        people = authors[1] if authors else parts[0] if place == 1 else ""  # an office has no initials
        if people and title:
            where = re.sub(r"\b[A-Z][a-z ]+(?: by)?:?\s*$", "", rest[title.end() :]) if after else rest[title.end() :]
            people = _LEAD.sub("", people) if authors else people
            found.append(Reference(people.strip(" ,"), parts[place], title[1], where.strip()))
    return found


def cited(what: Any) -> list[str]:
    """Return what to cite, as text: for a result its measure, its words and its model; for a name whatever has it."""
    if isinstance(what, Result):
        return list(dict.fromkeys(text for part in _parts(what) for text in _of_result(part)))
    name = str(what)
    found = [text for look_up in (_of_measure, _of_set, _of_data) for text in look_up(name)]
    if not found:
        raise AslantError(
            f"there is nothing to cite called '{name}'; give a result's JSON file, a measure such as weat, a word set "
            "('aslant words list') or data ('aslant data list')."
        )
    return list(dict.fromkeys(found))


def bibtex(what: Any) -> str:
    """Return BibTeX of what to cite for a result, a measure, a word set or data, and of aslant itself.

    >>> print(bibtex("weat-6").splitlines()[0])
    @article{caliskan2017semantics,
    """
    return "\n\n".join([*(work.bibtex() for work in works(what)), SOFTWARE]) + "\n"


def works(what: Any) -> list[Reference]:
    """Return every work to cite, once, in the most complete form in which it is named.

    >>> [work.key for work in works("weat-6")]
    ['caliskan2017semantics']
    """
    named = [reference for text in cited(what) for reference in references(text)]
    return list(_once([*named, *(known for work in named if (known := _shipped().get(work.key)))]).values())


def _once(named: Iterable[Reference]) -> dict[str, Reference]:
    """Return works by key; of two references to one work, the one that tells more."""
    found: dict[str, Reference] = {}
    for reference in named:
        known = found.setdefault(reference.key, reference)
        found[reference.key] = max(known, reference, key=lambda work: work.completeness)
    return found


@cache
def _shipped() -> dict[str, Reference]:
    """Return every work that a measure, a word set or data name: some name it more fully than others."""
    from aslant.data.registry import entries
    from aslant.stimuli import all_sets

    named: list[Any] = [*kinds().values(), *entries(), *all_sets()]
    texts = [found.citation for found in named]
    return _once(reference for text in texts for reference in references(text))


def method_paragraph(result: Result) -> str:
    """Return how a result was made, as a paragraph for a paper, from its provenance.

    >>> import aslant
    >>> text = method_paragraph(aslant.weat(aslant.load(), "weat-6", chance=0, bootstrap=0))
    >>> text.startswith("Association test (WEAT) (caliskan2017semantics, pennington2014glove): computed")
    True
    """
    said = []
    for part in _parts(result):
        given = part.provenance  # type: ignore[attr-defined]
        kind, model = kinds().get(part.kind), given.representation
        title = kind.title if kind else part.kind
        keys = ", ".join(dict.fromkeys(ref.key for text in _of_result(part) for ref in references(text)))
        settings = ", ".join(f"{name} = {value}" for name, value in given.settings.items() if value is not None)
        size = f"{model.words:,} words, {model.dimensions} dimensions, " if model.dimensions else ""
        named = ", ".join(given.missing[:MOST_NAMED]) if getattr(part, "names_missing", True) else ""
        more = f" and {len(given.missing) - MOST_NAMED:,} more" if named and len(given.missing) > MOST_NAMED else ""
        lacked = f" {plural(len(given.missing), 'word')} had no vector{': ' * bool(named)}{named}{more}."
        used = " and ".join([given.stimuli] * bool(given.stimuli) + [f"seed {given.seed}"] * (given.seed is not None))
        said.append(
            f"{title}{f' ({keys})' if keys else ''}: computed with aslant {given.version} on {model.name} "
            f"({size}{model.format}; fingerprint {model.fingerprint}){f', with {used}' * bool(used)} ({settings})."
            f"{lacked if given.missing else ''}"
        )
    return "\n\n".join(dict.fromkeys(said)) + "\n"


def _parts(result: Result) -> list[Result]:
    """Return a result, or those that it is made of."""
    if getattr(result, "provenance", None) is not None:
        return [result]
    inner = [*getattr(result, "results", ()), *getattr(result, "audits", ())]
    inner += [each for part in getattr(result, "parts", ()) for each in part.results]  # of an audit
    return [part for each in inner if isinstance(each, Result) for part in _parts(each)]


def _of_result(part: Result) -> list[str]:
    from aslant.stimuli import names

    given = part.provenance  # type: ignore[attr-defined]
    kind = kinds().get(part.kind)
    shipped = [name for name in re.split(r"[\s;,+]+", given.stimuli) if name in names()]
    sets = [text for name in shipped for text in _of_set(name)]
    measures = [known.citation for known in (kind, *map(kinds().get, given.settings.get("scores", ()))) if known]
    return [*measures, *sets, *_of_data(given.representation.name.partition(" (")[0])]  # sample (hard debiasing)


def _of_measure(name: str) -> list[str]:
    name = name.lower().replace("_", "-")  # direct_bias, as in Python
    command = commands().get(name)
    homes = {kind.home for known, kind in kinds().items() if known == name} | ({command.home} if command else set())
    named = [kind.citation for known, kind in kinds().items() if known == name]
    return named or [kind.citation for kind in kinds().values() if kind.home in homes and references(kind.citation)]


def _of_set(name: str) -> list[str]:
    from aslant.stimuli import load_set
    from aslant.stimuli.loading import shipped_name

    known = shipped_name(name)
    return [load_set(known).citation] if known else []


def _of_data(name: str) -> list[str]:
    from aslant.data.registry import entry, names

    if name == "sample":
        sources = files("aslant.vectors.sample").joinpath("SOURCES.toml").read_text(encoding="utf-8")
        return [tomllib.loads(sources)["citation"]]
    first = PurePath(name).parts[0] if name else ""
    return [entry(first).citation] if first in names() else []
