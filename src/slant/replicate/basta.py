"""Basta et al. 2019: word2vec GoogleNews before and after hard debiasing, and ELMo in context (MEASURES §5 and §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slant.data import cache_folder
from slant.errors import MeasureError
from slant.measures import contextual_bias, direct_bias
from slant.replicate.framework import Cell, Measured, Opener, Paper
from slant.replicate.residuals import CLASSIFIED, GAMMA, NEAREST, TOP, classification, clustering, neighbours
from slant.results import ContextualBiasResult
from slant.vectors import WordVectors

_NEEDS = "googlenews-26k"
ENCODER, CORPUS = "elmo-original", "wmt18-news"
ROLES = {"encoder": ENCODER, "corpus": CORPUS}
_CONTEXT = (*ROLES, _NEEDS)
REPEATS = 10


def _direct(vectors: WordVectors, seed: int) -> Measured:
    result = direct_bias(vectors)
    return Measured(result.value, result.missing)


class _Once:
    """The last measurement, so that the cells of a column share it; a long one is not made anew for each."""

    def __init__(self) -> None:
        self._given: tuple[Any, ...] = ()
        self._result: ContextualBiasResult | None = None

    def __call__(self, encoder: Any, corpus: Any, original: WordVectors, seed: int) -> ContextualBiasResult:
        given = (encoder, corpus, original, seed)
        same = len(self._given) == len(given) and all(a is b for a, b in zip(self._given, given, strict=True))
        if self._result is None or not same:
            self._result = contextual_bias(
                encoder, corpus, original=original, repeats=REPEATS, top=TOP, classified=CLASSIFIED, k=NEAREST,
                gamma=GAMMA, picture="none", store=cache_folder() / "encoders", rng=seed,
            )  # fmt: skip
            self._given = given
        return self._result


_measured = _Once()


def _contextual(measure: str) -> Callable[[Any, Any, WordVectors, int], Measured]:
    """Return a function that gives the mean of a measure over the repeats."""

    def compute(encoder: Any, corpus: Any, original: WordVectors, seed: int) -> Measured:
        result = _measured(encoder, corpus, original, seed)
        over = getattr(result.measures, measure).over
        if over is None:
            raise MeasureError("every profession has the same share of neighbours, so there is no correlation.")
        return Measured(over.mean, result.lacking["professions"])

    return compute


def _open_encoder(source: Any) -> Any:
    from slant.models.encoder_loading import load_encoder

    return load_encoder(source)


def _open_corpus(source: Any) -> Any:
    from slant.corpus import load_corpus

    return load_corpus(source[0] if isinstance(source, list) and len(source) == 1 else source)


PAPER = Paper(
    id="basta",
    title="Basta et al. 2019, static and contextual word embeddings",
    citation="Basta, C., Costa-jussà, M. R., & Casas, N. (2019). Evaluating the underlying gender bias in "
    "contextualized word embeddings. First Workshop on Gender Bias in Natural Language Processing, 33–39.",
    cells=(
        Cell("direct bias, professions", "before", 0.08, _NEEDS, _direct, 0.005),
        Cell("direct bias, professions", "contextual", None, _CONTEXT, _contextual("direct_bias"), 0.005),
        Cell("clustering", "before", 0.999, _NEEDS, clustering(False), 0.0005),
        Cell("clustering", "after", 0.925, _NEEDS, clustering(True), 0.02),
        Cell("clustering", "contextual", None, _CONTEXT, _contextual("clustering"), 0.02),
        Cell("classification", "before", 0.9825, _NEEDS, classification(False), 0.01),
        Cell("classification", "after", 0.8888, _NEEDS, classification(True), 0.01),
        Cell("classification", "contextual", None, _CONTEXT, _contextual("classification"), 0.01),
        Cell("neighbours among professions, Pearson", "before", None, _NEEDS, neighbours(False, "professions"), 0.0005),
        Cell("neighbours among professions, Pearson", "after", None, _NEEDS, neighbours(True, "professions"), 0.0005),
        Cell(
            "neighbours among professions, Pearson", "contextual", None, _CONTEXT, _contextual("neighbours_within"),
            0.0005,
        ),
    ),
    notes=(
        "The paper prints the two figures of the classification swapped, which is put right here.",
        "Vectors: the 26,423 words that Bolukbasi et al. selected; see 'slant replicate gonen' for what differs.",
        "Neighbours are sought among the professions only; their printed figures were not at hand.",
        f"contextual: means over {REPEATS} repeats with other sentences (slant.contextual_bias), biased words from the "
        "static vectors; the paper's printed figures were not at hand, so those cells have no printed value. "
        "--encoder MODEL and --corpus PATH run them with others, labelled as such.",
    ),
    openers={
        "encoder": Opener(_open_encoder, lambda encoder: str(encoder.name)),
        "corpus": Opener(_open_corpus, lambda corpus: str(corpus.name)),
    },
    by_hand={
        ENCODER: f"get it with 'slant data get {ENCODER}' (or 'slant data licence {ENCODER}' for where it is), and put "
        f"options.json and weights.hdf5 into a folder",
        CORPUS: "the English side of the English–German news text of WMT18, from "
        "https://data.statmt.org/wmt18/translation-task/ (one sentence on each line, packed or not)",
    },
    roles=ROLES,
)  # fmt: skip
