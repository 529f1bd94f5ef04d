"""Topics of texts, how each leans between men and women in a language model, and how samples lean by their topics."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.measures.pronouns_resolved.result import Topic, TopicWord
from aslant.measures.template_tests.scores import log_probability_bias
from aslant.measures.template_tests.scoring import NothingLeftError
from aslant.models.protocols import Progress
from aslant.parallel import one_thread_each

FloatArray = NDArray[np.float64]
TEMPLATE = "[TARGET] are interested in [ATTRIBUTE]"
TARGETS = {"men": ["men"], "women": ["women"]}
#: What counts as a word of a topic: letters only, at least two, in lower case; English stop words are left out.
WORD = r"(?u)\b[^\W\d_]{2,}\b"
#: Words in fewer texts say nothing about topics, nor do those in a larger share of texts.
FEWEST_TEXTS, LARGEST_SHARE = 2, 0.5
ITERATIONS = 1000


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of texts: `weights` (texts, topics) and, for each topic, its first words with their weights there."""

    weights: FloatArray
    words: tuple[tuple[tuple[str, float], ...], ...]
    converged: bool

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every first word of a topic, once."""
        return tuple(dict.fromkeys(word for words in self.words for word, _ in words))


@dataclass(frozen=True, eq=False)
class Leanings:
    """What a language model says about words: scores (above 0: men), words it cannot place, why there are none."""

    scores: dict[str, float]
    unplaced: tuple[str, ...] = ()
    why_none: str = ""


def find_topics(texts: Sequence[str], n_topics: int, top_words: int, seed: int) -> Topics:
    """Factorise the texts' TF-IDF into non-negative topics (NMF).

    >>> found = find_topics(["the cat and cat food", "cat food", "ships sail", "big ships sail far"], 2, 2, 0)
    >>> sorted(sorted(word for word, _ in words) for words in found.words)
    [['cat', 'food'], ['sail', 'ships']]
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(
        stop_words="english", token_pattern=WORD, min_df=FEWEST_TEXTS, max_df=LARGEST_SHARE, dtype=np.float64
    )
    try:
        counted = vectoriser.fit_transform(texts)
    except ValueError:  # no word is left
        raise MeasureError(
            f"no word is in {FEWEST_TEXTS} of {plural(len(texts), 'text')} and in at most {LARGEST_SHARE:.0%} of them; "
            "so no topics can be found."
        ) from None
    if min(counted.shape) < n_topics:
        raise MeasureError(
            f"{plural(counted.shape[0], 'text')} with {plural(counted.shape[1], 'word')} cannot give {n_topics} "
            "topics; request fewer."
        )
    with one_thread_each(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = NMF(n_components=n_topics, init="nndsvda", random_state=seed % 2**32, max_iter=ITERATIONS)
        weights = np.asarray(model.fit_transform(counted))
    names = vectoriser.get_feature_names_out()
    words = []
    for component in model.components_:
        first = np.argsort(-component, kind="stable")[:top_words]
        words.append(tuple((str(names[i]), float(component[i])) for i in first if component[i] > 0))
    return Topics(weights, tuple(words), not any(issubclass(w.category, ConvergenceWarning) for w in caught))


def leanings(
    lm: Any, words: Sequence[str], template: str, targets: Any,
    journal: str | PathLike[str] | None, progress: Progress | None,
) -> Leanings:  # fmt: skip
    """Score words between men and women by the log-probability bias score; without a model, say so."""
    if lm is None:
        return Leanings({}, why_none="no language model was given")
    try:
        found = log_probability_bias(lm, template, targets, words, journal=journal, progress=progress)
    except NothingLeftError as error:
        return Leanings({}, tuple(words), f"'{lm.name}' can place no word of a topic: {error}".rstrip("."))
    return Leanings({score.attribute: score.score for score in found.scores}, found.missing)


def topic_biases(topics: Topics, scores: dict[str, float]) -> FloatArray:
    """Return Σ weight × score over the first words of each topic; words without a score add nothing.

    >>> topics = Topics(np.zeros((0, 1)), ((("war", 0.5), ("art", 0.25), ("x", 1.0)),), True)
    >>> topic_biases(topics, {"war": 2.0, "art": -2.0})
    array([0.5])
    """
    return np.array([sum(weight * scores.get(word, 0.0) for word, weight in words) for words in topics.words])


def described(topics: Topics, said: Leanings) -> tuple[Topic, ...]:
    """Describe the topics, each with its bias if there is one."""
    largest = np.bincount(topics.weights.argmax(axis=1), minlength=len(topics.words))
    biases = topic_biases(topics, said.scores)
    return tuple(
        _topic(number, words, int(largest[number]), float(biases[number]), said)
        for number, words in enumerate(topics.words)
    )


def _topic(number: int, words: Sequence[tuple[str, float]], samples: int, bias: float, said: Leanings) -> Topic:
    listed = tuple(TopicWord(word, weight, said.scores.get(word)) for word, weight in words)
    scored = sum(word.weight for word in listed if word.score is not None)
    known = not said.why_none
    return Topic(number + 1, listed, samples, bias if known else None, bias / scored if known and scored else None)
