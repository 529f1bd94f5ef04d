"""Kurita et al. 2019, §4: Table 4, the correlation with topics' bias, and Table 6 (MEASURES §8)."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from slant.data import cache_folder
from slant.errors import MeasureError
from slant.measures import pronoun_resolution
from slant.measures.gap_files import GENDERS, read_gap
from slant.replicate.framework import Cell, Measured, Opener
from slant.results import PronounResolutionResult

ENCODER, GAP = "encoder", "gap"
#: No copy of the paper's Tables 4 and 6 was at hand, so that no printed value is here; see the notes of the paper.
PRINTED = None
TOPICS = 20
NAMED_WORDS = 5
NOTES = (
    "Table 4: % of samples, of pronouns that refer to neither name, in the labels of GAP's development file and as "
    "predicted (mean over folds and 3 seeds), with the permutation p-value of the difference; correlation: Spearman's, "
    "of sample bias and the probability of 'neither'; Table 6: the 20 topics, from most to least male. No copy of "
    "these tables was at hand: no value is printed beside ours.",
    "The vectors that resolve pronouns are those of bert-base-uncased unless --encoder MODEL names another, and then "
    "its cells say so.",
)
#: Studies that were run, so that cells of one model share theirs for as long as it is in use.
_studies: WeakKeyDictionary[Any, dict[Any, PronounResolutionResult]] = WeakKeyDictionary()


def labelled(model: Any) -> str:
    """Name a model, and say where it is not the one of the paper."""
    name = str(model.name)
    return name if "bert-base-uncased" in name else f"{name} (not BERT-base)"


def open_encoder(path: str | PathLike[str]) -> Any:
    """Open what gives vectors."""
    import slant

    return slant.load_encoder(path)


def open_gap(path: str | PathLike[str]) -> Path:
    """Check a GAP file, or the development file of a folder."""
    read_gap(Path(path))
    return Path(path)


OPENERS = {
    ENCODER: Opener(open_encoder, lambda encoder: f"vectors of {encoder.name}"),
    GAP: Opener(open_gap, lambda path: f"GAP in {path.name}"),
}


def study(encoder: Any, lm: Any, gap: Path, seed: int) -> PronounResolutionResult:
    """Run the study, once for each encoder and language model."""
    key = (None if lm is None else lm.record()["fingerprint"], str(gap), seed)
    kept = _studies.setdefault(encoder, {})
    if key not in kept:
        kept[key] = pronoun_resolution(
            encoder, gap, lm=lm, topics=TOPICS, journal=cache_folder() / "pronouns", store=cache_folder() / "encoders",
            rng=seed,
        )  # fmt: skip
    return kept[key]


def _prior(gender: str) -> Callable[[Path, int], Measured]:
    def compute(gap: Path, seed: int) -> Measured:
        labels = [sample.label for sample in read_gap(gap)[0] if sample.gender == gender]
        return Measured(100 * labels.count("neither") / len(labels), ())

    return compute


def _predicted(place: int) -> Callable[[Any, Path, int], Measured]:
    return lambda encoder, gap, seed: Measured(100 * study(encoder, None, gap, seed).outcomes[place].predicted, ())


def _pvalue(encoder: Any, gap: Path, seed: int) -> Measured:
    return Measured(study(encoder, None, gap, seed).gap.pvalue, ())


def _correlation(gender: str, field: str) -> Callable[[Any, Any, Path, int], Measured]:
    def compute(encoder: Any, lm: Any, gap: Path, seed: int) -> Measured:
        result = study(encoder, lm, gap, seed)
        found = next((c for c in result.correlations if c.gender == gender), None)
        if found is None:
            raise MeasureError(f"there is no correlation: {result.without_bias}.")
        return Measured(float(getattr(found, field)), result.missing)

    return compute


def _topic(rank: int) -> Callable[[Any, Any, Path, int], Measured]:
    def compute(encoder: Any, lm: Any, gap: Path, seed: int) -> Measured:
        topics = [topic for topic in study(encoder, lm, gap, seed).topics if topic.bias is not None]
        if len(topics) < rank:
            raise MeasureError(f"{len(topics)} topics have a bias; there is none of rank {rank}.")
        topic = sorted(topics, key=lambda topic: -(topic.bias or 0.0))[rank - 1]
        return Measured(float(topic.bias or 0.0), (), ", ".join(word.word for word in topic.words[:NAMED_WORDS]))

    return compute


def cells(model: str) -> tuple[Cell, ...]:
    """Return the cells of §4; `model` is the name of the language model that scores topics."""
    found = []
    for place, gender in enumerate(GENDERS):
        row = f"Table 4: {gender} pronouns"
        found += [
            Cell(row, "prior, %", PRINTED, GAP, _prior(gender), 0.05),
            Cell(row, "predicted, %", PRINTED, (ENCODER, GAP), _predicted(place), 0.0),
        ]
    found.append(Cell("Table 4: female − male", "p-value", PRINTED, (ENCODER, GAP), _pvalue, 0.0))
    needs = (ENCODER, model, GAP)
    for gender in reversed(GENDERS):
        row = f"§4: bias and 'neither', {gender} pronouns"
        found += [
            Cell(row, "Spearman's ρ", PRINTED, needs, _correlation(gender, "rho"), 0.0),
            Cell(row, "p-value", PRINTED, needs, _correlation(gender, "pvalue"), 0.0),
        ]
    found += [
        Cell(f"Table 6: topic {rank} of {TOPICS}", "bias", PRINTED, needs, _topic(rank), 0.0)
        for rank in range(1, TOPICS + 1)
    ]
    return tuple(found)
