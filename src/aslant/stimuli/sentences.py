"""Sentences to put words into, chosen by the kind of word: a name, a noun, an adjective (May et al. 2019)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from aslant.errors import StimuliError
from aslant.stimuli.published_tests import is_sentence
from aslant.stimuli.schema import StimulusSet, Text, WordList, no_duplicates

WORD, PLURAL, ARTICLE = "{word}", "{plural}", "{a}"


class Article(Struct, frozen=True, forbid_unknown_fields=True):
    """What {a} stands for: `before_vowel` if the next word begins with one of `vowels`, unless it is an exception.

    >>> english = Article("a", "an", "aeiou", {"hour": "an"})
    >>> [english.before(word) for word in ("cat", "Ant", "hour")]
    ['a', 'an', 'an']
    """

    usual: Text
    before_vowel: Text
    vowels: Text
    exceptions: dict[str, Text] = {}

    def before(self, word: str) -> str:
        """Return the article that goes before `word`."""
        vowel = word[:1].lower() in self.vowels
        return self.exceptions.get(word, self.before_vowel if vowel else self.usual)


class WordKind(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of words and the sentences that it fits; each has {word} or {plural} once, and may have {a}.

    Listed words are in `words`, or with their plurals in `words_with_plurals`; those of `words` are left out of the
    sentences with {plural}.
    """

    name: Text
    sentences: Annotated[tuple[Text, ...], Meta(min_length=1)]
    words: tuple[Text, ...] = ()
    words_with_plurals: tuple[tuple[Text, Text], ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        no_duplicates(self.name, self.sentences)
        no_duplicates(self.name, self.listed)
        for text in self.sentences:
            if text.count(WORD) + text.count(PLURAL) != 1:
                raise StimuliError(f"the sentence {text!r} must contain {WORD} or {PLURAL} exactly once.")
        if all(PLURAL in text for text in self.sentences):
            raise StimuliError(f"{self.name!r} needs a sentence with {WORD}, for words whose plural is not known.")

    @property
    def listed(self) -> tuple[str, ...]:
        """The words that the file says are of this kind."""
        return self.words + tuple(word for word, _ in self.words_with_plurals)


class SentenceSet(StimulusSet, frozen=True, kw_only=True, tag="sentences", forbid_unknown_fields=True):
    """Kinds of words with the sentences of each (May et al. 2019).

    A word that no kind lists is of the kind `capitalised` if it begins with a capital (and such a kind is named),
    else of the kind `other`, whose sentences should fit any word. Sentences begin with a capital unless `as_written`.
    """

    kinds: Annotated[tuple[WordKind, ...], Meta(min_length=1)]
    other: Text
    capitalised: str = ""
    article: Article | None = None
    as_written: bool = False

    def __post_init__(self) -> None:
        names = tuple(kind.name for kind in self.kinds)
        no_duplicates("kinds", names)
        no_duplicates("kinds", tuple(word for kind in self.kinds for word in kind.listed))
        for field, name in (("other", self.other), ("capitalised", self.capitalised)):
            if name not in names and (name or field == "other"):
                raise StimuliError(f"{field} = {name!r} is not one of the kinds {', '.join(names)}.")
        for text in (text for kind in self.kinds for text in kind.sentences):
            if ARTICLE in text and self.article is None:
                raise StimuliError(f"the sentence {text!r} has {ARTICLE}, but the file has no [article].")

    @property
    def groups(self) -> tuple[WordList, ...]:
        """The words of each kind that lists any."""
        return tuple(WordList(kind.name, kind.listed) for kind in self.kinds if kind.listed)

    def kind_of(self, word: str) -> tuple[WordKind, bool]:
        """Return the kind of a word, and whether the file lists it (otherwise the kind is assumed)."""
        for kind in self.kinds:
            if word in kind.listed:
                return kind, True
        assumed = self.capitalised if self.capitalised and word[:1].isupper() else self.other
        return next(kind for kind in self.kinds if kind.name == assumed), False

    def sentences_of(self, word: str) -> tuple[str, ...]:
        """Return the sentences with a word in them, each beginning with a capital; what is a sentence, as it is.

        >>> from aslant.stimuli import load_set
        >>> load_set("seat-templates", SentenceSet).sentences_of("honor")[6:10]
        ('An honor is a thing.', 'It is an honor.', 'These are honors.', 'Those are honors.')
        """
        return (word,) if is_sentence(word) else self.filled(self.kind_of(word)[0], word)

    def filled(self, kind: WordKind, word: str) -> tuple[str, ...]:
        """Return the sentences of a kind with a word in them, whether the kind lists it or not.

        >>> from aslant.stimuli import load_set
        >>> templates = load_set("seat-templates", SentenceSet)
        >>> templates.filled(templates.kind_of("honor")[0], "window")[6:]
        ('A window is a thing.', 'It is a window.')
        """
        plural = dict(kind.words_with_plurals).get(word)
        article = self.article.before(word) if self.article else ""
        texts = [text for text in kind.sentences if plural is not None or PLURAL not in text]
        filled = (t.replace(ARTICLE, article).replace(PLURAL, plural or "").replace(WORD, word) for t in texts)
        return tuple(dict.fromkeys(text if self.as_written else text[:1].upper() + text[1:] for text in filled))


def own_sentences(texts: tuple[str, ...], article: Article | None, *, as_written: bool = False) -> SentenceSet:
    """Return a user's sentences as a set: the same for every word.

    >>> own_sentences(("I met {word}.",), None).sentences_of("Ann")
    ('I met Ann.',)
    """
    return SentenceSet(
        title="own sentences", category="own", language="und", licence="own", citation="own", id="own",
        kinds=(WordKind("word", texts),), other="word", article=article, as_written=as_written,
    )  # fmt: skip
