"""Kurita et al. 2019, §4: pronouns that refer to neither name, the correlation with topics' bias, and the topics."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import cache_folder
from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved.gap_files import GENDERS, read_gap
from aslant.measures.pronouns_resolved.measure import pronoun_resolution
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.pronouns_resolved.statistics import find_topics
from aslant.models.classifier import Classifier
from aslant.replicate.framework import Cell, Measured, Run, open_encoder, printed, settings_of_ours, words_of

BERT, GAP = "bert-base-uncased", "gap"
TOPICS, TOP_WORDS, SHOWN_WORDS = 20, 15, 5
FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")


def is_bert(model: Any) -> bool:
    """Tell whether a model is bert-base-uncased, by the checksums of its files."""
    from aslant.models.identity import is_registered

    return is_registered(model, BERT)


def _open_gap(source: Any) -> Path:
    path = Path(source)
    read_gap(path)
    return path


ROLES = {
    "encoder": {"open": open_encoder, "label": lambda encoder: f"vectors of {encoder.name}", "is_own": is_bert},
    GAP: {"open": _open_gap, "label": lambda path: f"GAP in {path.name}"},
}


def _study(encoder: Any, lm: Any, gap: Path, *, rng: int) -> PronounResolutionResult:
    folder = cache_folder()
    return pronoun_resolution(
        encoder, gap, lm=lm, topics=TOPICS, journal=folder / "pronouns", store=folder / "encoders", rng=rng
    )


def _labels(gap: Path, gender: str) -> list[str]:
    return [sample.label for sample in read_gap(gap)[0] if sample.gender == gender]


def _samples(run: Run, gap: Path, *, gender: str) -> Measured:
    return Measured(len(_labels(gap, gender)))


def _neither(run: Run, gap: Path, *, gender: str) -> Measured:
    return Measured(_labels(gap, gender).count("neither"))


def _prior(run: Run, gap: Path, *, gender: str) -> Measured:
    labels = _labels(gap, gender)
    return Measured(100 * labels.count("neither") / len(labels))


def _pairs(run: Run, gap: Path) -> Measured:
    """Two names for each row of the three files."""
    if not gap.is_dir():
        raise MeasureError("the number of pairs needs the folder with all three files of GAP.")
    return Measured(2 * sum(len(read_gap(gap / file)[0]) for file in FILES))


def _predicted(run: Run, encoder: Any, gap: Path, *, place: int) -> Measured:
    return Measured(100 * run.once(_study, encoder, None, gap, rng=run.seed).outcomes[place].predicted)


def _pvalue(run: Run, encoder: Any, gap: Path) -> Measured:
    return Measured(run.once(_study, encoder, None, gap, rng=run.seed).gap.pvalue)


def _correlation(run: Run, encoder: Any, lm: Any, gap: Path, *, gender: str, field: str) -> Measured:
    result = run.once(_study, encoder, lm, gap, rng=run.seed)
    found = next((c for c in result.correlations if c.gender == gender), None)
    if found is None:
        raise MeasureError(f"there is no correlation: {result.without_bias}.")
    return Measured(float(getattr(found, field)), result.missing)


def matched(gap: Path, *, rng: int) -> tuple[tuple[str, ...], ...]:
    """Return for each printed topic the first words of ours that shares most with it, one to one."""
    from scipy.optimize import linear_sum_assignment

    texts = [sample.text for sample in read_gap(gap)[0]]
    ours = [tuple(word for word, _ in words) for words in find_topics(texts, TOPICS, TOP_WORDS, rng).words]
    shared = np.array([[len(set(words_of(topic)) & set(words)) for words in ours] for topic in _topics()])
    _, chosen = linear_sum_assignment(-shared)
    return tuple(ours[place] for place in chosen)


def _topics() -> list[str]:
    topics: list[str] = printed("kurita")["table_6"]["topics"]
    return topics


def _topic(run: Run, gap: Path, *, number: int) -> Measured:
    ours, theirs = run.once(matched, gap, rng=run.seed)[number], words_of(_topics()[number])
    first = ours[:SHOWN_WORDS]
    count, of_more = (len(set(words) & set(theirs)) for words in (first, ours))
    note = f"{of_more} of {len(theirs)} words are among the first {TOP_WORDS} of the best match"
    return Measured(count, (), note, ", ".join(first))


def cells() -> list[Cell]:
    """Return the cells of §4 and of Table 6."""
    table = printed("kurita")["table_4"]
    found = [Cell("§4", "GAP", "pairs of a pronoun and a name", "8908", (GAP,), _pairs)]
    for what, compute in (("samples", _samples), ("neither", _neither)):
        for gender in GENDERS if what == "samples" else table:
            text = "1000" if what == "samples" else table[gender][2]
            found.append(Cell("§4", f"{gender} pronouns", what, text, (GAP,), partial(compute, gender=gender)))
    for place, (gender, (prior, predicted, _)) in enumerate(table.items()):
        row, of_place = f"{gender} pronouns", partial(_predicted, place=place)
        found += [
            Cell("Table 4", row, "prior", prior, (GAP,), partial(_prior, gender=gender), 0.05),
            Cell("Table 4", row, "predicted", predicted, ("encoder", GAP), of_place, 1.0),
        ]
    needs, row = ("encoder", "model", GAP), "bias and 'neither', female pronouns"
    female, male = (partial(_correlation, gender=gender) for gender in ("female", "male"))
    found += [
        Cell("§4", "female − male, predicted", "p", "0.007", ("encoder", GAP), _pvalue, 0.5, in_decades=True),
        Cell("§4", row, "Spearman's ρ", "0.207", needs, partial(female, field="rho"), 0.05),
        Cell("§4", row, "p", "4e-11", needs, partial(female, field="pvalue"), 1.0, in_decades=True),
        Cell("§4", "bias and 'neither', male pronouns", "Spearman's ρ", "", needs, partial(male, field="rho")),
    ]
    ours = Classifier()
    found += settings_of_ours((
        ("§4", "hidden units", "31", ours.units), ("§4", "dropout", "0.6", ours.dropout), ("§4", "L2", "0.1", ours.l2),
        ("§4", "topics", "20", TOPICS), ("§4", "words of a topic", "15", TOP_WORDS),
    ))  # fmt: skip
    why = "the paper does not say how the texts were cut into words; ours drops numbers and words of one letter"
    found += [
        Cell("Table 6", f"topic {number + 1}", "first words", topic, (GAP,), partial(_topic, number=number), why=why)
        for number, topic in enumerate(_topics())
    ]
    return found
