"""Kurita et al. 2019, §4: pronouns that refer to neither name, the correlation with topics' bias, and the topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from aslant.data import cache_folder
from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved.gap_files import GENDERS, read_gap
from aslant.measures.pronouns_resolved.measure import pronoun_resolution
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.pronouns_resolved.statistics import find_topics
from aslant.models.classifier import Classifier
from aslant.replicate import framework as f
from aslant.replicate.framework import Cell, Measured, Run, printed, words_of

BERT, GAP = "bert-base-uncased", "gap"
TOPICS, TOP_WORDS, SHOWN_WORDS = 20, 15, 5
FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")


def is_bert(model: Any) -> bool:
    """Tell whether a model is bert-base-uncased, by the checksums of its files."""
    from aslant.models.identity import is_registered

    return is_registered(model, BERT)


def _open_gap(source: Any) -> Path:
    read_gap(Path(source))
    return Path(source)


ROLES = {
    "encoder": {"open": f.open_encoder, "label": lambda encoder: f"vectors of {encoder.name}", "is_own": is_bert},
    GAP: {"open": _open_gap, "label": lambda path: f"GAP in {path.name}"},
}


@f.once
def _study(run: Run, encoder: Any, lm: Any, gap: Path) -> PronounResolutionResult:
    folder = cache_folder()
    return pronoun_resolution(
        encoder, gap, lm=lm, topics=TOPICS, journal=folder / "pronouns", store=folder / "encoders", rng=run.seed
    )


def _labels(run: Run, gap: Path, *, gender: str, read: Callable[[list[str]], float]) -> Measured:
    return Measured(read([sample.label for sample in read_gap(gap)[0] if sample.gender == gender]))


def _pairs(run: Run, gap: Path) -> Measured:
    """Two names for each row of the three files."""
    if not gap.is_dir():
        raise MeasureError("the number of pairs needs the folder with all three files of GAP.")
    return Measured(2 * sum(len(read_gap(gap / file)[0]) for file in FILES))


def _resolved(run: Run, encoder: Any, gap: Path, *, place: int | None = None) -> Measured:
    """The probability of "neither" for one gender, or else the p-value of the gap between them."""
    found = _study(run, encoder, None, gap)
    return Measured(found.gap.pvalue if place is None else 100 * found.outcomes[place].predicted)


def _correlation(run: Run, *contents: Any, gender: str, field: str) -> Measured:
    result = _study(run, *contents)
    found = next((c for c in result.correlations if c.gender == gender), None)
    if found is None:
        raise MeasureError(f"there is no correlation: {result.without_bias}.")
    return Measured(float(getattr(found, field)), result.missing)


@f.once
def _topics(run: Run, gap: Path) -> list[tuple[str, ...]]:
    """Return for each printed topic the first words of ours that shares most with it, one to one."""
    found = find_topics([sample.text for sample in read_gap(gap)[0]], TOPICS, TOP_WORDS, run.seed)
    ours = [tuple(word for word, _ in words) for words in found.words]
    return [ours[place] for place in f.matched(map(words_of, printed("kurita")["table_6"]["topics"]), ours)]


def _topic(run: Run, gap: Path, *, number: int, theirs: list[str]) -> Measured:
    ours = _topics(run, gap)[number]
    first = ours[:SHOWN_WORDS]
    count, of_more = (len(set(words) & set(theirs)) for words in (first, ours))
    verb = "is" if of_more == 1 else "are"
    note = f"{of_more} of {len(theirs)} words {verb} among the first {TOP_WORDS} of the best match"
    return Measured(count, (), note, ", ".join(first))


def cells() -> list[Cell]:
    """Return the cells of §4 and of Table 6."""
    said = printed("kurita")
    found = [Cell("§4", "GAP", "pairs of a pronoun and a name", "8908", (GAP,), _pairs)]
    labels = {gender: partial(_labels, gender=gender) for gender in GENDERS}
    found += [Cell("§4", f"{g} pronouns", "samples", "1000", (GAP,), partial(labels[g], read=len)) for g in GENDERS]
    found += [
        Cell(
            "§4", f"{g} pronouns", "neither", text, (GAP,), partial(labels[g], read=lambda all_: all_.count("neither"))
        )
        for g, (_, _, text) in said["table_4"].items()
    ]
    for place, (gender, (prior, predicted, _)) in enumerate(said["table_4"].items()):
        share = partial(labels[gender], read=lambda all_: 100 * all_.count("neither") / len(all_))
        row, of_place = f"{gender} pronouns", partial(_resolved, place=place)
        found += [
            Cell("Table 4", row, "prior", prior, (GAP,), share, 0.05),
            Cell("Table 4", row, "predicted", predicted, ("encoder", GAP), of_place, 1.0),
        ]
    needs, row = ("encoder", "model", GAP), "bias and 'neither', female pronouns"
    female, male = (partial(_correlation, gender=gender) for gender in ("female", "male"))
    found += [
        Cell("§4", "female − male, predicted", "p", "0.007", ("encoder", GAP), _resolved, 0.5, in_decades=True),
        Cell("§4", row, "Spearman's ρ", "0.207", needs, partial(female, field="rho"), 0.05),
        Cell("§4", row, "p", "4e-11", needs, partial(female, field="pvalue"), 1.0, in_decades=True),
        Cell("§4", "bias and 'neither', male pronouns", "Spearman's ρ", "", needs, partial(male, field="rho")),
    ]
    ours = Classifier()
    found += f.settings_of_ours((
        ("§4", "hidden units", "31", ours.units), ("§4", "dropout", "0.6", ours.dropout), ("§4", "L2", "0.1", ours.l2),
        ("§4", "topics", "20", TOPICS), ("§4", "words of a topic", "15", TOP_WORDS),
    ))  # fmt: skip
    why = "the paper does not say how the texts were cut into words; ours drops numbers and words of one letter"
    for number, topic in enumerate(said["table_6"]["topics"]):
        compute = partial(_topic, number=number, theirs=words_of(topic))
        found.append(Cell("Table 6", f"topic {number + 1}", "first words", topic, (GAP,), compute, why=why))
    return found
