"""What the page may ask: every request as a type, with limits, read from JSON."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from aslant.errors import AslantError

S = TypeVar("S", bound="Request")
#: What msgspec says of something that people may have pasted.
LONG = re.compile(r"Expected `(str|array)` of length <= (\d+)")
#: Words of a whole request: what more would take is for the command line.
MOST_WORDS = 2_000
Word = Annotated[str, Meta(min_length=1, max_length=100)]
Words = Annotated[list[Word], Meta(max_length=MOST_WORDS)]
Text = Annotated[str, Meta(min_length=1, max_length=200)]
Seed = Annotated[int, Meta(ge=0, le=2**32)]
Model = Annotated[int, Meta(ge=0, le=1_000)]


class RequestError(AslantError):
    """A request that this page would not send."""


class Request(Struct, forbid_unknown_fields=True, kw_only=True):
    """A request; one whose words could not be shown, or are too many, is refused."""


class Group(Struct, forbid_unknown_fields=True):
    """A named set of words."""

    name: Annotated[str, Meta(max_length=200)]
    words: Words


class SetRequest(Request):
    """The word set that ships by that name."""

    id: Text


class FileRequest(Request):
    """A file of one's own: its content, and its name, of which only the ending counts."""

    name: Text
    content: str
    kind: Literal["weat", "classes", "words"] | None = None


class CompleteRequest(Request):
    """Words that begin so."""

    model: Model
    prefix: Word
    limit: Annotated[int, Meta(ge=1, le=50)] = 10


class WordsRequest(Request):
    """Which of these words a model has."""

    model: Model
    words: Words


class BenchRequest(Request):
    """A test or score of words."""

    panel: Literal["weat", "polarity", "rnd", "wefat"]
    model: Model
    compare: Model | None = None
    targets: Annotated[list[Group], Meta(max_length=2)] = []
    attributes: Annotated[list[Group], Meta(max_length=2)] = []
    classes: Annotated[list[Group], Meta(max_length=12)] = []
    words: Words = []
    scheme: Literal["binary", "one-vs-one", "one-vs-rest"] = "binary"
    alternative: Literal["greater", "less", "two-sided"] = "two-sided"
    seed: Seed = 0
    draft: bool = False

    @property
    def groups(self) -> list[Group]:
        """Every set of words."""
        return [*self.targets, *self.attributes, *self.classes, Group("words", self.words)]


class Axis(Struct, forbid_unknown_fields=True):
    """An axis between two sets of words."""

    name: Annotated[str, Meta(max_length=200)]
    first: Words
    second: Words


class AxesRequest(Request):
    """Words between two axes."""

    model: Model
    x: Axis
    y: Axis
    words: Words
    seed: Seed = 0
    draft: bool = False


class NeighboursRequest(Request):
    """The nearest words of a word."""

    model: Model
    word: Word
    k: Annotated[int, Meta(ge=1, le=50)] = 20


class TrendRequest(Request):
    """An axis over the years of all models."""

    first: Words
    second: Words
    words: Words
    model: Model = 0
    seed: Seed = 0


class EnumerationRequest(Request):
    """An enumeration of biases."""

    model: Model
    groups: Annotated[int, Meta(ge=2, le=40)] = 12
    categories: Annotated[int, Meta(ge=2, le=200)] = 64
    words: Annotated[int, Meta(ge=100, le=100_000)] = 30_000
    rotations: Annotated[int, Meta(ge=100, le=100_000)] = 2_000
    seed: Seed = 0


class TemplatesRequest(Request):
    """Words in templates, asked of a language model."""

    model: Model
    templates: Annotated[list[Text], Meta(max_length=20)]
    targets: Annotated[list[Group], Meta(max_length=6)]
    attributes: Annotated[list[Group], Meta(max_length=2)]
    compare: Model | None = None
    seed: Seed = 0


class PairsRequest(Request):
    """Pairs of sentences, asked of a language model."""

    model: Model
    set: Literal["crows-pairs", "crows-pairs-revised", "stereoset", "bec-pro"]
    score: Literal["auto", "within-word", "pll", "crows", "aul", "aula", "likelihood", "likelihood-per-piece"] = "auto"
    sample: Annotated[int, Meta(ge=0, le=10_000)] = 100
    twins: Annotated[int, Meta(ge=0, le=20)] = 3
    seed: Seed = 0


class KeepRequest(Request):
    """A question whose answer goes into the report."""

    api: Literal["bench", "axes", "trend", "enumeration", "templates", "pairs"]
    request: msgspec.Raw


class RemoveRequest(Request):
    """A kept result, by its number."""

    number: Annotated[int, Meta(ge=1)]


def read(body: bytes, kind: type[S]) -> S:
    """Read a request, or say what is wrong with it.

    >>> read(b'{"model": 0, "prefix": "te"}', CompleteRequest).limit
    10
    >>> read(b'{"model": -1, "prefix": "te"}', CompleteRequest)
    Traceback (most recent call last):
    aslant.explore.asked.RequestError: the request is not one that this page sends: Expected `int` >= 0 - at `$.model`.
    """
    try:
        found = msgspec.json.decode(body, type=kind)
        check_texts(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if long := LONG.search(str(error)):
            what, unit = {"str": ("a word or sentence", "characters"), "array": ("a list", "entries")}[long[1]]
            raise AslantError(f"{what} may have {int(long[2]):,} {unit} on this page; one has more.") from None
        raise RequestError(f"the request is not one that this page sends: {error}.") from None
    return found


def check_texts(content: Any) -> None:
    """Refuse characters that control something, which no word has, and more words than a request may have."""
    texts = list(_texts(content))
    if len(texts) > MOST_WORDS + 100:
        raise AslantError(f"{len(texts):,} words were given; the page takes {MOST_WORDS:,} at a time.")
    for text in texts:
        if bad := next((c for c in text if unicodedata.category(c) in ("Cc", "Cs")), None):
            raise AslantError(f"{text[:40]!r} has a control character ({bad!r}), which no word has; leave it out.")


def _texts(content: Any) -> Any:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value)


def by_name(groups: list[Group], default: str) -> dict[str, list[str]]:
    """Return sets of words by name; those without a name, or with one that another has, get a number.

    >>> by_name([Group("", ["a"]), Group("x", ["b"]), Group("x", ["c"])], "targets")
    {'targets 1': ['a'], 'x': ['b'], 'x (3)': ['c']}
    """
    made: dict[str, list[str]] = {}
    for place, group in enumerate(groups, 1):
        name = group.name.strip() or f"{default} {place}"
        made[f"{name} ({place})" if name in made else name] = list(dict.fromkeys(group.words))
    return made
