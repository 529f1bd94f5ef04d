"""Basta, Costa-jussà & Casas 2019: ELMo in sentences beside word2vec GoogleNews before and after hard debiasing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aslant.data import cache_folder
from aslant.errors import MeasureError
from aslant.measures.in_context.measure import contextual_bias
from aslant.measures.in_context.result import ContextualBiasResult, RepeatedMeasure
from aslant.measures.residuals.separation import TRAINING_WORDS
from aslant.replicate.bolukbasi import GOOGLENEWS, VECTORS, direct
from aslant.replicate.framework import Cell, Drawing, Measured, Paper, Progress, Role, Run, Source, open_encoder
from aslant.replicate.residuals import CLASSIFIED, GAMMA, NEAREST, TOP, classification, clustering, neighbours
from aslant.vectors import WordVectors

ELMO, NEWS = "elmo-original", "wmt18-news"
STATIC, IN_CONTEXT = (GOOGLENEWS,), ("encoder", "corpus", GOOGLENEWS)
REPEATS = 10
SWAPPED = (
    "the paper prints the two figures of the classification the wrong way round: Gonen & Goldberg print 98.25 before "
    "and 88.88 after hard debiasing"
)
LINES_WHY = "which file of the archive the authors read is not known"


def _study(
    encoder: Any, corpus: Any, original: WordVectors, progress: Progress | None, *, seed: int
) -> ContextualBiasResult:
    return contextual_bias(
        encoder, corpus, original=original, repeats=REPEATS, top=TOP, classified=CLASSIFIED, k=NEAREST, gamma=GAMMA,
        random_as="words", store=cache_folder() / "encoders", progress=progress, rng=seed,
    )  # fmt: skip


def _result(run: Run, encoder: Any, corpus: Any, original: WordVectors) -> ContextualBiasResult:
    return run.once(_study, encoder, corpus, original, run.progress, seed=run.seed)


def _over(measure: str, read: Callable[[RepeatedMeasure], float | None], scale: float = 1.0) -> Callable[..., Measured]:
    """Return a function that reads one number off the repeats of a measure."""

    def compute(run: Run, encoder: Any, corpus: Any, original: WordVectors) -> Measured:
        result = _result(run, encoder, corpus, original)
        value = read(getattr(result.measures, measure))
        if value is None:
            raise MeasureError("every profession has the same share of neighbours, so there is no correlation.")
        return Measured(scale * value, result.lacking["professions"])

    return compute


def _spread(field: str) -> Callable[[RepeatedMeasure], float | None]:
    return lambda measure: None if measure.over is None else float(getattr(measure.over, field))


def _component(place: int, *, random: bool) -> Callable[..., Measured]:
    def compute(run: Run, encoder: Any, corpus: Any, original: WordVectors) -> Measured:
        subspace = _result(run, encoder, corpus, original).subspace
        return Measured((subspace.random_words if random else subspace.explained)[place].mean)

    return compute


def _counted(corpus: Any) -> tuple[int, int]:
    sizes = [len(sentence.split()) for sentence in corpus]
    return len(sizes), sum(sizes)


def _count(place: int) -> Callable[[Run, Any], Measured]:
    return lambda run, corpus: Measured(run.once(_counted, corpus)[place])


def _repeated(row: str, measure: str, printed: dict[str, str], tolerance: float, scale: float) -> list[Cell]:
    return [
        Cell("§5", row, f"contextual, {field}", text, IN_CONTEXT, _over(measure, _spread(field), scale), tolerance)
        for field, text in printed.items()
    ]


def _cells() -> tuple[Cell, ...]:
    settings = (
        ("§4", "biased words to cluster, each side", "500", TOP),
        ("§4", "biased words to classify, each side", "2500", CLASSIFIED),
        ("§5", "words to train the classifier on", "1000", TRAINING_WORDS),
        ("§5", "words to test it on", "4000", 2 * CLASSIFIED - TRAINING_WORDS),
        ("§5", "repeats with new sentences", "10", REPEATS),
    )
    components = (("swapped pairs", False), ("random words", True))
    return (
        Cell("§4", "corpus", "lines or sentences", "464947", ("corpus",), _count(0), why=LINES_WHY),
        Cell("§4", "corpus", "tokens", "10046125", ("corpus",), _count(1), why=LINES_WHY),
        *(
            Cell(where, what, "setting", text, (), lambda run, value=value: Measured(value), way="a setting of ours")
            for where, what, text, value in settings
        ),
        *(
            Cell("Figure 1", row, f"component {place + 1}", "", IN_CONTEXT, _component(place, random=random))
            for row, random in components for place in range(2)
        ),
        Cell("§5", "direct bias, professions", "before", "0.08", STATIC, direct(True), 0.005),
        *_repeated("direct bias, professions", "direct_bias", {"mean": "0.03"}, 0.005, 1),
        Cell("§5", "clustering", "before", "99.9%", STATIC, clustering(False), 0.05),
        Cell("§5", "clustering", "after", "92.5%", STATIC, clustering(True), 2.0),
        *_repeated(
            "clustering", "clustering", {"minimum": "69.1%", "maximum": "71.3%", "mean": "70.1%"}, 2.0, 100
        ),
        Cell("§5", "classification", "before", "88.88%", STATIC, classification(False), 1.0, why=SWAPPED),
        Cell("§5", "classification", "after", "98.25%", STATIC, classification(True), 1.0, why=SWAPPED),
        *_repeated(
            "classification", "classification", {"minimum": "83.33%", "maximum": "88.43%", "mean": "85.56%"}, 1.0, 100
        ),
        Cell("§5", "neighbours, Pearson", "before", "0.774", STATIC, neighbours(False, None), 0.005),
        Cell("§5", "neighbours, Pearson", "after", "0.606", STATIC, neighbours(True, None), 0.005),
        *_repeated(
            "neighbours, Pearson", "neighbours_within", {"minimum": "0.801", "maximum": "0.961", "mean": "0.89"}, 0.02,
            1,
        ),
        Cell("§5", "neighbours, Pearson", "contextual, largest p", "<1e-40", IN_CONTEXT,
             _over("neighbours_within", lambda measure: measure.largest_pvalue)),
    )  # fmt: skip


def _open_corpus(source: Any) -> Any:
    from aslant.corpus import load_corpus

    return load_corpus(source if isinstance(source, list) else [source], items="names")


def _is_elmo(encoder: Any) -> bool:
    """Nobody publishes checksums of ELMo, so it is recognised by its architecture."""
    from aslant.models.identity import identity_of

    return hasattr(encoder, "elmo") and identity_of(encoder, ELMO) != "other"


PAPER = Paper(
    id="basta",
    title="Basta, Costa-jussà & Casas 2019, contextualized word embeddings",
    citation="Basta, C., Costa-jussà, M. R., & Casas, N. (2019). Evaluating the underlying gender bias in "
    "contextualized word embeddings. First Workshop on Gender Bias in Natural Language Processing, 33–39. "
    "arXiv:1904.08783",
    cells=_cells(),
    figures=(
        Drawing(
            "Figure 1", "the first component of swapped pairs stands out; random words decrease smoothly.", IN_CONTEXT,
            _result, ("variance",),
        ),
        Drawing("Figure 2", "male and female words cluster apart, though not cleanly.", IN_CONTEXT, _result,
                ("clusters",)),
        Drawing("Figure 3", "professions are near others with the same lean.", IN_CONTEXT, _result, ("professions",)),
    ),
    notes=(
        "before, after: word2vec GoogleNews, the 26,423 words that Bolukbasi et al. selected, before and after hard "
        "debiasing; the printed figures are those of Bolukbasi et al. and of Gonen & Goldberg.",
        f"contextual: {REPEATS} repeats with new sentences; biased words from the static vectors. Static neighbours "
        "are sought among all words (k = 100), contextual ones among the professions, as in the paper.",
        "The text of the paper prints the tokens of its corpus as '1,004,6125'.",
        "A classifier and neighbours of words that were chosen for their bias find it in any space that keeps their "
        "topics: see docs/geometry.md for what chance gives.",
    ),
    roles={
        GOOGLENEWS: VECTORS,
        "encoder": Role(
            "ELMo, original",
            (
                Source(ELMO, "ELMo, original (no checksum is published)"),
                Source("all-minilm-l6-v2", "all-minilm-l6-v2", own=False),
            ),
            "encoder",
            open=open_encoder, label=lambda encoder: str(encoder.name), is_own=_is_elmo,
        ),
        "corpus": Role(
            "the news text of WMT18 (training-parallel-nc-v13.tgz)",
            (Source(NEWS, "news of WMT18"), Source(("gap", "bold"), "texts of GAP and BOLD", own=False)), "corpus",
            open=_open_corpus, label=lambda corpus: str(corpus.name),
        ),
    },
)  # fmt: skip
