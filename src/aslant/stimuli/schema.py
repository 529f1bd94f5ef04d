"""What a stimulus file may hold: one frozen type per kind, checked when loaded.

A set is data, not code: word lists with a citation, a language and a licence. To add one, write a TOML file.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from aslant.errors import StimuliError

Text = Annotated[str, Meta(min_length=1, pattern=r"\S")]
#: The direction of a test that was expected before looking; two-sided where none was.
Direction = Literal["greater", "less", "two-sided"]


class WordList(Struct, frozen=True, forbid_unknown_fields=True):
    """Named words; no word twice."""

    name: Text
    words: tuple[Text, ...]

    def __post_init__(self) -> None:
        no_duplicates(self.name, self.words)


class HumanFinding(Struct, frozen=True, forbid_unknown_fields=True):
    """What the study that a test mirrors found in people (usually an Implicit Association Test)."""

    reference: Text
    effect_size: float | None = None
    participants: int | None = None
    pvalue: float | None = None
    note: str = ""


class PublishedValue(Struct, frozen=True, forbid_unknown_fields=True):
    """What a paper prints for this set on one representation."""

    representation: Text
    effect_size: float
    reference: Text
    pvalue: float | None = None


class StimulusSet(Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """What sets of every kind have; `id` is the file's name without `.toml`, `caution` stands beside what they give.

    A private set needs none of this; those that ship have a title, a category, a language, a licence and a citation.
    """

    title: str = ""
    category: Text = "own"
    language: Annotated[str, Meta(pattern=r"^[a-zA-Z]{2,3}(-[A-Za-z0-9]+)*$")] = "und"
    licence: str = ""
    citation: str = ""
    source: str = ""
    note: str = ""
    caution: str = ""
    content_warning: str = ""
    id: str = field(default="")

    @property
    def words(self) -> tuple[str, ...]:
        """Every word of the set, each once, in order of appearance."""
        return tuple(dict.fromkeys(word for group in self.groups for word in group.words))

    @property
    def groups(self) -> tuple[WordList, ...]:
        """The word lists of the set."""
        raise NotImplementedError


class WeatSet(StimulusSet, frozen=True, kw_only=True, tag="weat", forbid_unknown_fields=True):
    """Two target sets and two attribute sets (Caliskan et al. 2017).

    `alternative` is the direction that was expected before looking, if any: "greater", the first targets with the first
    attributes. `suite` says which tests it is run with: "weat", the ten of the paper; "categories", those of other
    social categories, which an audit runs too; none for a test that is run when it is named.
    """

    targets: tuple[WordList, WordList]
    attributes: tuple[WordList, WordList]
    suite: str = ""
    alternative: Direction = "two-sided"
    human: HumanFinding | None = None
    published: tuple[PublishedValue, ...] = ()

    def __post_init__(self) -> None:
        problems = []
        for side, pair in (("targets", self.targets), ("attributes", self.attributes)):
            both = sorted(set(pair[0].words) & set(pair[1].words))
            problems += [f"{side}: {word!r} is in both sets; it must be in one only" for word in both]
            problems += [f"{side}: {group.name!r} has no words" for group in pair if not group.words]
        if problems:
            raise StimuliError("; ".join(problems) + ".")
        for target in self.targets:
            if twin := next((a.name for a in self.attributes if set(a.words) == set(target.words)), None):
                raise StimuliError(
                    f"the targets {target.name!r} and the attributes {twin!r} are the same words; how close words are "
                    "to themselves says nothing about them."
                )

    @property
    def groups(self) -> tuple[WordList, ...]:
        """Targets, then attributes."""
        return self.targets + self.attributes


class PairSet(StimulusSet, frozen=True, kw_only=True, tag="pairs", forbid_unknown_fields=True):
    """Pairs of words that differ in one concept, such as woman and man (Bolukbasi et al. 2016)."""

    poles: tuple[Text, Text]
    pairs: Annotated[tuple[tuple[Text, Text], ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        no_duplicates("pairs", self.pairs)

    @property
    def groups(self) -> tuple[WordList, ...]:
        """One list per pole."""
        return tuple(
            WordList(pole, tuple(dict.fromkeys(pair[side] for pair in self.pairs)))
            for side, pole in enumerate(self.poles)
        )


class WordSet(StimulusSet, frozen=True, kw_only=True, tag="words", forbid_unknown_fields=True):
    """One list of words, each with numbers if the set has columns (ratings, shares)."""

    listed: tuple[Text, ...] = field(default=(), name="words")
    columns: tuple[Text, ...] = ()
    rows: tuple[tuple[Text | float, ...], ...] = ()
    column_notes: dict[str, str] = {}

    def __post_init__(self) -> None:
        if bool(self.listed) == bool(self.rows):
            raise StimuliError("give either 'words' or 'columns' with 'rows'.")
        no_duplicates("columns", self.columns)
        for number, row in enumerate(self.rows, 1):
            fits = len(row) == len(self.columns) and isinstance(row[0], str)
            if not fits or not all(isinstance(value, float) for value in row[1:]):
                raise StimuliError(f"row {number} is {list(row)}; expected a word and {len(self.columns) - 1} numbers.")
        no_duplicates("words" if self.listed else "rows", self.listed or tuple(row[0] for row in self.rows))

    @property
    def groups(self) -> tuple[WordList, ...]:
        """The one list."""
        return (WordList(self.title, self.listed or tuple(str(row[0]) for row in self.rows)),)

    def column(self, name: str) -> dict[str, float]:
        """Return the numbers of a column by word."""
        if name not in self.columns[1:]:
            raise StimuliError(f"{self.id!r} has no column {name!r}; it has {', '.join(self.columns[1:]) or 'none'}.")
        place = self.columns.index(name)
        return {str(row[0]): float(row[place]) for row in self.rows}


class DatedWords(WordList, frozen=True, forbid_unknown_fields=True):
    """The words of a class from a year on (`from` in the file); without one, from the beginning."""

    since: int | None = field(default=None, name="from")


class ClassSet(StimulusSet, frozen=True, kw_only=True, tag="classes", forbid_unknown_fields=True):
    """Two or more social classes, each named by one word or several, which may change over the years (Lu et al.)."""

    dated: Annotated[tuple[DatedWords, ...], Meta(min_length=2)] = field(name="classes")

    def __post_init__(self) -> None:
        starts = [group.name if group.since is None else f"{group.name} from {group.since}" for group in self.dated]
        no_duplicates("classes", tuple(starts))
        if len({group.name for group in self.dated}) < 2:
            raise StimuliError(f"'classes' has only {self.dated[0].name!r}; two classes are needed.")
        if empty := [f"{group.name!r} has no words" for group in self.dated if not group.words]:
            raise StimuliError("; ".join(empty) + ".")

    @property
    def classes(self) -> tuple[WordList, ...]:
        """The classes, each with its latest words."""
        return self.at(max(self.years, default=0))

    @property
    def years(self) -> tuple[int, ...]:
        """The years from which the words of some class change, in order."""
        return tuple(sorted({group.since for group in self.dated if group.since is not None}))

    def at(self, year: float) -> tuple[WordList, ...]:
        """Return the classes with the words that they have in `year`; one that has none yet is left out."""
        latest: dict[str, DatedWords] = {}
        for group in sorted(self.dated, key=lambda group: (group.since is not None, group.since or 0)):
            if group.since is None or group.since <= year:
                latest[group.name] = group
        names = dict.fromkeys(group.name for group in self.dated)
        return tuple(WordList(name, latest[name].words) for name in names if name in latest)

    @property
    def groups(self) -> tuple[WordList, ...]:
        """The classes; those whose words change appear once for each period."""
        return self.dated


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence with one [TARGET] and one [ATTRIBUTE].

    `targets` gives, for each target set in order, the words that agree with the sentence ("he" with "likes",
    "men" with "like"); empty: all of them.
    """

    text: Text
    targets: tuple[tuple[Text, ...], ...] = ()

    def __post_init__(self) -> None:
        for slot in ("[TARGET]", "[ATTRIBUTE]"):
            if self.text.count(slot) != 1:
                raise StimuliError(f"the template {self.text!r} must contain {slot} exactly once.")


class TemplateSet(StimulusSet, frozen=True, kw_only=True, tag="templates", forbid_unknown_fields=True):
    """Sentences with a [TARGET] and an [ATTRIBUTE], and the words to fill in (Kurita et al. 2019)."""

    templates: Annotated[tuple[Template, ...], Meta(min_length=1)]
    targets: Annotated[tuple[WordList, ...], Meta(min_length=2)]
    attributes: tuple[WordList, ...] = ()
    alternative: Direction = "two-sided"

    def __post_init__(self) -> None:
        no_duplicates("templates", tuple(template.text for template in self.templates))
        known = [set(group.words) for group in self.targets]
        for template in (template for template in self.templates if template.targets):
            fits = len(template.targets) == len(known)
            if not fits or any(not set(w) <= k for w, k in zip(template.targets, known, strict=True)):
                raise StimuliError(f"the targets of {template.text!r} must be words of the {len(known)} target sets.")

    @property
    def groups(self) -> tuple[WordList, ...]:
        """Targets, then attributes."""
        return self.targets + self.attributes


class TemplatesOfWeat(Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences that the words of one WEAT set are put into, by the id of the set."""

    test: Text
    templates: Annotated[tuple[Text, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        no_duplicates(self.test, self.templates)
        for text in self.templates:
            Template(text)  # checks that it has both slots


class WeatTemplateSet(StimulusSet, frozen=True, kw_only=True, tag="weat-templates", forbid_unknown_fields=True):
    """Sentences for the targets and attributes of WEAT sets, which it names (Kurita et al. 2019, Table 1)."""

    tests: Annotated[tuple[TemplatesOfWeat, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        no_duplicates("tests", tuple(found.test for found in self.tests))

    @property
    def groups(self) -> tuple[WordList, ...]:
        """It has no words of its own; each sentence counts as one entry."""
        return tuple(WordList(found.test, found.templates) for found in self.tests)

    def templates_of(self, test: str) -> tuple[str, ...]:
        """Return the sentences for the WEAT set of that id; none if it names no such set.

        >>> from aslant.stimuli import load_set
        >>> load_set("kurita-table-1", WeatTemplateSet).templates_of("weat-1")
        ('[TARGET] are [ATTRIBUTE]', '[TARGET] is [ATTRIBUTE]')
        """
        return next((found.templates for found in self.tests if found.test == test), ())


def no_duplicates(where: str, items: tuple[object, ...]) -> None:
    """Refuse items that are listed twice."""
    if twice := [item for item, count in Counter(items).items() if count > 1]:
        raise StimuliError(f"{where!r} lists {', '.join(map(repr, twice[:10]))} twice.")
