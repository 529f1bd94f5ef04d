"""Basta, Costa-jussà & Casas 2019: ELMo in sentences beside word2vec GoogleNews before and after hard debiasing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from aslant.data import cache_folder
from aslant.errors import MeasureError
from aslant.measures.in_context.measure import contextual_bias
from aslant.measures.in_context.result import ContextualBiasResult
from aslant.measures.residuals.separation import TRAINING_WORDS
from aslant.replicate.bolukbasi import GOOGLENEWS, NEEDS, VECTORS, direct
from aslant.replicate.framework import Cell, Drawing, Measured, Run, described, once, open_encoder, settings_of_ours
from aslant.replicate.gonen import (
    CLASSIFIED,
    GAMMA,
    NEAREST,
    NEIGHBOURS_WHY,
    TOP,
    both,
    classification,
    clustering,
    neighbours,
)
from aslant.vectors import WordVectors

ELMO = "elmo-original"
IN_CONTEXT = ("encoder", "corpus", GOOGLENEWS)
REPEATS = 10
SWAPPED = (
    "the paper prints the two figures of the classification the wrong way round: Gonen & Goldberg print 98.25 before "
    "and 88.88 after hard debiasing"
)
LINES_WHY = "which file of the archive the authors read is not known"


@once
def _result(run: Run, encoder: Any, corpus: Any, original: WordVectors) -> ContextualBiasResult:
    return contextual_bias(
        encoder, corpus, original=original, repeats=REPEATS, top=TOP, classified=CLASSIFIED, k=NEAREST, gamma=GAMMA,
        chance=0, random_as="words", store=cache_folder() / "encoders", progress=run.progress, rng=run.seed,
    )  # fmt: skip


def _read(run: Run, *contents: Any, read: Callable[[Any], float | None]) -> Measured:
    """Read one number off what was measured in context."""
    result = _result(run, *contents)
    value = read(result.measures)
    if value is None:
        raise MeasureError("every profession has the same share of neighbours, so there is no correlation.")
    return Measured(value, result.lacking["professions"])


def _component(run: Run, *contents: Any, place: int, random: bool) -> Measured:
    subspace = _result(run, *contents).subspace
    return Measured((subspace.random_words if random else subspace.explained)[place].mean)


@once
def _counted(run: Run, corpus: Any) -> tuple[int, int]:
    sizes = [len(sentence.split()) for sentence in corpus]
    return len(sizes), sum(sizes)


def _repeated(row: str, measure: str, tolerance: float, scale: float, **printed: str) -> list[Cell]:
    """Return the cells of a measure over its repeats: what is `printed` as the minimum, the maximum and the mean."""

    def read(measures: Any, field: str) -> float | None:
        over = getattr(measures, measure).over
        return None if over is None else scale * getattr(over, field)

    return [
        Cell("§5", row, f"contextual, {field}", text, IN_CONTEXT,
             partial(_read, read=partial(read, field=field)), tolerance)
        for field, text in printed.items()
    ]  # fmt: skip


def _cells() -> tuple[Cell, ...]:
    direct_row, near = "direct bias, professions", "neighbours, Pearson"
    return (
        *(
            Cell("§4", "corpus", what, text, ("corpus",),
                 lambda run, corpus, place=place: Measured(_counted(run, corpus)[place]), why=LINES_WHY)
            for place, (what, text) in enumerate((("lines or sentences", "464947"), ("tokens", "10046125")))
        ),
        *settings_of_ours((
            ("§4", "biased words to cluster, each side", "500", TOP),
            ("§4", "biased words to classify, each side", "2500", CLASSIFIED),
            ("§5", "words to train the classifier on", "1000", TRAINING_WORDS),
            ("§5", "words to test it on", "4000", 2 * CLASSIFIED - TRAINING_WORDS),
            ("§5", "repeats with new sentences", "10", REPEATS),
        )),
        *(
            Cell("Figure 1", row, f"component {place + 1}", "", IN_CONTEXT,
                 partial(_component, place=place, random=random))
            for row, random in (("swapped pairs", False), ("random words", True)) for place in range(2)
        ),
        Cell("§5", direct_row, "before", "0.08", NEEDS, partial(direct, keep_specific=True), 0.005),
        *_repeated(direct_row, "direct_bias", 0.005, 1, mean="0.03"),
        *both("§5", "clustering", clustering, ("99.9%", "92.5%"), 0.05, 2.0),
        *_repeated("clustering", "clustering", 2.0, 100, minimum="69.1%", maximum="71.3%", mean="70.1%"),
        *both("§5", "classification", classification, ("88.88%", "98.25%"), 1.0, why=SWAPPED),
        *_repeated("classification", "classification", 1.0, 100, minimum="83.33%", maximum="88.43%", mean="85.56%"),
        *both("§5", near, neighbours, ("0.774", "0.606"), 0.005, why=NEIGHBOURS_WHY),
        *_repeated(near, "neighbours_within", 0.02, 1, minimum="0.801", maximum="0.961", mean="0.89"),
        Cell("§5", near, "contextual, largest p", "<1e-40", IN_CONTEXT,
             partial(_read, read=lambda measures: measures.neighbours_within.largest_pvalue)),
    )  # fmt: skip


def _open_corpus(source: Any) -> Any:
    from aslant.corpus import load_corpus

    return load_corpus(source if isinstance(source, list) else [source], items="names")


def _is_elmo(encoder: Any) -> bool:
    """Nobody publishes checksums of ELMo, so it is recognised by its architecture."""
    from aslant.models.identity import identity_of

    return hasattr(encoder, "elmo") and identity_of(encoder, ELMO) != "other"


FIGURES = (
    ("Figure 1", "the first component of swapped pairs stands out; random words decrease smoothly.", "variance"),
    ("Figure 2", "male and female words cluster apart, though not cleanly.", "clusters"),
    ("Figure 3", "professions are near others with the same lean.", "professions"),
)
PAPER = described(
    "basta",
    _cells(),
    {
        GOOGLENEWS: VECTORS,
        "encoder": {"open": open_encoder, "label": lambda encoder: str(encoder.name), "is_own": _is_elmo},
        "corpus": {"open": _open_corpus, "label": lambda corpus: str(corpus.name)},
    },
    tuple(Drawing(title, says, IN_CONTEXT, _result, (picture,)) for title, says, picture in FIGURES),
)
