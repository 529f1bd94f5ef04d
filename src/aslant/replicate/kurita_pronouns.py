"""Kurita et al. 2019, §4: pronouns that refer to neither name, the correlation with topics' bias, and the topics."""

from __future__ import annotations

from collections.abc import Callable
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
from aslant.replicate.framework import Cell, Measured, Role, Run, Source, open_encoder, words_of

BERT, GAP = "bert-base-uncased", "gap"
TOPICS, TOP_WORDS, SHOWN_WORDS = 20, 15, 5
FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")
#: Gender, % of "neither" in the labels, mean predicted %, how many of 1,000 labels: Table 4 and §4.
TABLE_4 = (("male", "10.3%", "11.5%", "103"), ("female", "9.8%", "13.9%", "98"))
#: The first five words of each topic, as printed (the eighth has four).
TABLE_6 = (
    "match,round,second,team,season", "times,city,jersey,york,new", "married,son,died,wife,daughter",
    "best,award,actress,films,film", "friend,like,work,mother,life", "university,music,attended,high,school",
    "president,general,governor,party,state", "songs,solo,band,album", "medal,gold,final,won,world",
    "best,role,character,television,series", "kruse,moved,amy,esme,time", "usa,trunchbull,pageant,2011,miss",
    "american,august,brother,actress,born", "sir,died,church,song,john", "natasha,days,hospital,helene,later",
    "played,debut,sang,role,opera", "january,december,october,july,married",
    "academy,member,american,university,family", "award,best,played,mary,year", "jersey,death,james,king,paul",
)  # fmt: skip
NOTES = (
    "Table 4: % of pronouns that refer to neither name, in the labels of GAP's development file and as predicted "
    "(mean over folds and 3 seeds). Its p-value tests the classifiers as trained, which have learned the labels' "
    "chance gap: 26 of 100 null studies come out below .05, so it is not evidence, printed or ours.",
    "Table 6: each printed topic with the one of ours that shares most words with it, one to one; it is met where "
    "all printed words are among the first five of ours.",
)


def is_bert(model: Any) -> bool:
    """Tell whether a model is bert-base-uncased, by the checksums of its files."""
    from aslant.models.identity import is_registered

    return is_registered(model, BERT)


def _open_gap(source: Any) -> Path:
    path = Path(source)
    read_gap(path)
    return path


ROLES = {
    "encoder": Role(
        "bert-base-uncased, as an encoder",
        (Source(BERT), Source("all-minilm-l6-v2", "vectors of all-minilm-l6-v2", own=False)), "encoder",
        open=open_encoder, label=lambda encoder: f"vectors of {encoder.name}", is_own=is_bert,
    ),
    GAP: Role("GAP", (Source(GAP, "GAP"),), open=_open_gap, label=lambda path: f"GAP in {path.name}"),
}  # fmt: skip


def _study(encoder: Any, lm: Any, gap: Path, *, rng: int) -> PronounResolutionResult:
    folder = cache_folder()
    return pronoun_resolution(
        encoder, gap, lm=lm, topics=TOPICS, journal=folder / "pronouns", store=folder / "encoders", rng=rng
    )


def _label_count(gender: str) -> Callable[[Run, Path], Measured]:
    return lambda run, gap: Measured(_labels(gap, gender).count("neither"))


def _labels(gap: Path, gender: str) -> list[str]:
    return [sample.label for sample in read_gap(gap)[0] if sample.gender == gender]


def _prior(gender: str) -> Callable[[Run, Path], Measured]:
    def compute(run: Run, gap: Path) -> Measured:
        labels = _labels(gap, gender)
        return Measured(100 * labels.count("neither") / len(labels))

    return compute


def _samples(gender: str) -> Callable[[Run, Path], Measured]:
    return lambda run, gap: Measured(len(_labels(gap, gender)))


def _pairs(run: Run, gap: Path) -> Measured:
    """Two names for each row of the three files."""
    if not gap.is_dir():
        raise MeasureError("the number of pairs needs the folder with all three files of GAP.")
    return Measured(2 * sum(len(read_gap(gap / file)[0]) for file in FILES))


def _predicted(place: int) -> Callable[[Run, Any, Path], Measured]:
    return lambda run, encoder, gap: Measured(
        100 * run.once(_study, encoder, None, gap, rng=run.seed).outcomes[place].predicted
    )


def _pvalue(run: Run, encoder: Any, gap: Path) -> Measured:
    return Measured(run.once(_study, encoder, None, gap, rng=run.seed).gap.pvalue)


def _correlation(gender: str, field: str) -> Callable[[Run, Any, Any, Path], Measured]:
    def compute(run: Run, encoder: Any, lm: Any, gap: Path) -> Measured:
        result = run.once(_study, encoder, lm, gap, rng=run.seed)
        found = next((c for c in result.correlations if c.gender == gender), None)
        if found is None:
            raise MeasureError(f"there is no correlation: {result.without_bias}.")
        return Measured(float(getattr(found, field)), result.missing)

    return compute


def matched(gap: Path, *, rng: int) -> tuple[tuple[str, ...], ...]:
    """Return for each printed topic the first words of ours that shares most with it, one to one."""
    from scipy.optimize import linear_sum_assignment

    texts = [sample.text for sample in read_gap(gap)[0]]
    ours = [tuple(word for word, _ in words) for words in find_topics(texts, TOPICS, TOP_WORDS, rng).words]
    shared = np.array([[len(set(words_of(printed)) & set(words)) for words in ours] for printed in TABLE_6])
    _, chosen = linear_sum_assignment(-shared)
    return tuple(ours[place] for place in chosen)


def _topic(number: int) -> Callable[[Run, Path], Measured]:
    def compute(run: Run, gap: Path) -> Measured:
        ours, printed = run.once(matched, gap, rng=run.seed)[number], words_of(TABLE_6[number])
        first = ours[:SHOWN_WORDS]
        count, of_more = (len(set(words) & set(printed)) for words in (first, ours))
        note = f"{of_more} of {len(printed)} words are among the first {TOP_WORDS} of the best match"
        return Measured(count, (), note, ", ".join(first))

    return compute


def cells() -> tuple[Cell, ...]:
    """Return the cells of §4 and of Table 6."""
    found = [
        Cell("§4", "GAP", "pairs of a pronoun and a name", "8908", (GAP,), _pairs),
        *(Cell("§4", f"{gender} pronouns", "samples", "1000", (GAP,), _samples(gender)) for gender in GENDERS),
        *(Cell("§4", f"{row[0]} pronouns", "neither", row[3], (GAP,), _label_count(row[0])) for row in TABLE_4),
    ]
    for place, (gender, prior, predicted, _) in enumerate(TABLE_4):
        found += [
            Cell("Table 4", f"{gender} pronouns", "prior", prior, (GAP,), _prior(gender), 0.05),
            Cell("Table 4", f"{gender} pronouns", "predicted", predicted, ("encoder", GAP), _predicted(place), 1.0),
        ]
    needs = ("encoder", "model", GAP)
    found += [
        Cell("§4", "female − male, predicted", "p", "0.007", ("encoder", GAP), _pvalue, 0.5, in_decades=True),
        Cell("§4", "bias and 'neither', female pronouns", "Spearman's ρ", "0.207", needs, _correlation("female", "rho"),
             0.05),
        Cell("§4", "bias and 'neither', female pronouns", "p", "4e-11", needs, _correlation("female", "pvalue"), 1.0,
             in_decades=True),
        Cell("§4", "bias and 'neither', male pronouns", "Spearman's ρ", "", needs, _correlation("male", "rho")),
    ]  # fmt: skip
    ours = Classifier()
    settings = (
        ("hidden units", "31", ours.units), ("dropout", "0.6", ours.dropout), ("L2", "0.1", ours.l2),
        ("topics", "20", TOPICS), ("words of a topic", "15", TOP_WORDS),
    )  # fmt: skip
    found += [
        Cell("§4", what, "setting", text, (), lambda run, value=value: Measured(value), way="a setting of ours")
        for what, text, value in settings
    ]
    why = "the paper does not say how the texts were cut into words; ours drops numbers and words of one letter"
    found += [
        Cell("Table 6", f"topic {number}", "first words", printed, (GAP,), _topic(number - 1), why=why)
        for number, printed in enumerate(TABLE_6, 1)
    ]
    return tuple(found)
