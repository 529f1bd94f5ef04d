"""Kurita et al. 2019: WEAT on GloVe and on BERT, the log-probability bias score, and attributes of jobs (§3 and §5)."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import find
from aslant.errors import DataError, MeasureError, plural
from aslant.io.reading import read_text
from aslant.measures.association.measure import weat
from aslant.measures.association.result import WeatResult
from aslant.measures.shared.statistic import effect_size
from aslant.measures.template_tests.association import log_probability_weat
from aslant.measures.template_tests.result import LogProbabilityWeatResult
from aslant.measures.template_tests.scores import contrast, log_probability_bias
from aslant.measures.template_tests.stimuli import read_attributes
from aslant.measures.template_tests.words_in_templates import masked_weat
from aslant.models.vocabulary import Vocabulary, open_vocabulary
from aslant.replicate import kurita_pronouns as pronouns
from aslant.replicate.caliskan import PAPER as CALISKAN
from aslant.replicate.caliskan import WITH_NAMES
from aslant.replicate.framework import Cell, Measured, Run, described, journal, once, printed
from aslant.stimuli import WeatSet, load_set
from aslant.vectors import WordVectors

WEAT_SCORES, LIST_SCORES = "kurita_weat_scores.tsv", "kurita_table5_scores.tsv"
SIGNIFICANT = 0.01
#: As the p-values in the authors' notebooks are, from which the stars come.
TWO_SIDED = "two-sided"
GLOVE_WHY = "which words are removed to make the sets equal is random, and the notebook has its own words"
#: The African American names of the field experiment that WEAT 5 mirrors, which the notebook uses for "category 3".
FIELD_NAMES = (
    "Aisha", "Ebony", "Keisha", "Kenya", "Lakisha", "Latonya", "Latoya", "Tamika", "Tanisha", "Darnell", "Hakim",
    "Jamal", "Jermaine", "Kareem", "Leroy", "Rasheed", "Tremayne", "Tyrone",
)  # fmt: skip
SKILL = "Example"  # the column of O*NET's table
IS, CAN_DO = "[TARGET] is [ATTRIBUTE]", "[TARGET] can do [ATTRIBUTE]"
SKILLS_WHY = (
    "the stored scores of 25 skills in demand, after 'good at', give 56 %; the paper's text has 'can do' and the "
    "17,649 skills of O*NET 23.2, whose scores are not stored"
)
#: No difference of log-probabilities is larger.
MOST = 1e6


# Table 3


@once
def _on_glove(run: Run, vectors: WordVectors, vocabulary: Vocabulary | None = None, *, test: str) -> WeatResult:
    """WEAT without the targets that BERT's vocabulary lacks (§3.1); without one, on the words of the notebook."""
    x, y, a, b = (group.words for group in load_set(test, WeatSet).groups)
    if vocabulary is None:
        theirs = printed("kurita")["notebook_words"][test]
        sets: Any = {"targets": (theirs.get("x", x), theirs.get("y", y)), "attributes": (a, b)}
    else:
        kept = [word for word in (*x, *y) if vocabulary.has(word)]
        sets = {"test": test, "vocabulary": [*kept, *a, *b], "equalise": True}
    return weat(vectors, **sets, bootstrap=0, alternative=TWO_SIDED, rng=run.seed)


@once
def _on_bert(run: Run, lm: Any, *, test: str) -> Any:
    return masked_weat(lm, test=test, bootstrap=0, alternative=TWO_SIDED, rng=run.seed)


@once
def _score(run: Run, lm: Any, *, test: str, as_published: bool) -> LogProbabilityWeatResult:
    how = {"as_published": as_published, "alternative": TWO_SIDED}
    return log_probability_weat(lm, test, **how, journal=journal(), rng=run.seed)


def _told(run: Run, *contents: Any, by: Callable[..., Any], star: bool, **settings: Any) -> Measured:
    """Return the effect size of a test, or whether it has a star."""
    result = by(run, *contents, **settings)
    if star:
        return Measured(None, text="yes" if result.pvalue < SIGNIFICANT else "no")
    return Measured(result.effect_size, result.provenance.missing)


def _pooled(run: Run, scores: Path, *, name: str) -> Measured:
    """The effect size of the authors' own scores: all rows of template × attribute pooled."""
    rows = _table(scores / WEAT_SCORES, "difference", "test", "side")
    first, second = (np.array([number for number, *of in rows if of == [name, side]]) for side in "AB")
    if not len(first) or not len(second):
        raise MeasureError(f"'{scores / WEAT_SCORES}' has no scores of both sides of '{name}'.")
    return Measured(effect_size(first, second))


def _table_3() -> list[Cell]:
    cells = []
    for said in printed("kurita")["table_3"]:
        row, test, why = said["row"], said["test"], said.get("why", {})
        vectors = "glove-cased" if test in WITH_NAMES else "glove"
        glove, score = partial(_told, by=_on_glove, test=test), partial(_told, by=_score, test=said["templates"])
        number = {key: said[key].rstrip("*") for key in ("glove", "bert", "score")}
        own_words = test in printed("kurita")["notebook_words"]
        columns = [
            ("WEAT on GloVe", "glove", (vectors,) if own_words else (vectors, "vocabulary"), glove),
            ("WEAT on BERT", "bert", ("model",), partial(_told, by=_on_bert, test=test)),
            ("log-probability score", "score", ("model",), partial(score, as_published=True)),
        ]
        if own_words:
            cells.append(
                Cell("Table 3", row, "WEAT on GloVe", number["glove"], (vectors, "vocabulary"),
                     partial(glove, star=False), 0.05, "words removed at random", why=GLOVE_WHY)
            )  # fmt: skip
        for column, key, needs, compute in columns:
            value, stars = partial(compute, star=False), partial(compute, star=True)
            known, stored, starred = why.get(key, ""), said["stored"][key], "yes" if said[key].endswith("*") else "no"
            cells += [
                Cell("Table 3", row, column, number[key], needs, value, 0.05, "", stored, known),
                Cell("Table 3", row, f"{column}, p < 0.01", starred, needs, stars, why=known),
            ]
        cells += [
            Cell("Table 3", row, "log-probability score", number["score"], ("model",),
                 partial(score, as_published=False, star=False), 0.05,
                 "one score per attribute, prior read at the target"),
            Cell("Table 3", row, "log-probability score", number["score"], ("scores",),
                 partial(_pooled, name=said["notebook"]), 0.0005,
                 "our statistic on the authors' scores", said["stored"]["score"], why.get("score", "")),
        ]  # fmt: skip
    cells.append(Cell("§3.3", "African American names in BERT's vocabulary", "words", "5", ("vocabulary",), _names))
    return cells


def _names(run: Run, vocabulary: Vocabulary) -> Measured:
    found = [name for name in FIELD_NAMES if vocabulary.has(name)]
    own = sum(map(vocabulary.has, load_set("weat-3", WeatSet).targets[1].words))
    note = f"of the 18 names of the field experiment, as in the notebook; of the 32 of WEAT 3 it has {own}"
    return Measured(len(found), (), note, ", ".join(found))


# Table 5


def _share(
    run: Run, lm: Any, lists: Path, *, file: str = "", column: str | None = None, before: str = "", template: str = IS,
    as_published: bool = True,
) -> Measured:  # fmt: skip
    """The percentage of attributes with a score of 0 or more for "he"."""
    found = dict.fromkeys(_listed(lists, file, column)) if column else _listed(lists, file)
    words = [before + word.lower() for word in found]
    targets = {"male": ["he"], "female": ["she"]}
    result = log_probability_bias(lm, template, targets, words, as_published=as_published, journal=journal())
    return Measured(100 * result.share.share, result.provenance.missing, plural(len(result.scores), "attribute"))


def _listed(lists: Path, file: str, column: str | None = None) -> tuple[str, ...]:
    return read_attributes(lists / file if lists.is_dir() else lists, column)


def _stored(run: Run, scores: Path, *, name: str) -> Measured:
    """The percentage of the authors' own scores that are 0 or more."""
    column = "bias_prior_corrected_as_in_code"
    rows = [number for number, of in _table(scores / LIST_SCORES, column, "set") if of == name]
    if not rows:
        raise MeasureError(f"'{scores / LIST_SCORES}' has no scores of '{name}'.")
    return Measured(100 * contrast("male", "female", np.array(rows)).share)


def _size(run: Run, lists: Path, *, of: str) -> Measured:
    """How long a list is; of O*NET, the skills or their lines."""
    if of in ("_skills", "_jobs"):
        skills = read_attributes(lists, SKILL)
        return Measured(len(set(skills) if of == "_skills" else skills))
    return Measured(len(_listed(lists, of)))


def _table_5() -> list[Cell]:
    cells = []
    for said in printed("kurita")["table_5"]:
        row = said["row"]
        skills = row == "Skills"
        needs = ("model", "job-titles" if row == "Salary" else "lists")
        share = partial(_share, file=said["file"], before=said["before"])
        ways: list[tuple[tuple[str, ...], Callable[..., Measured], float, str]] = [
            (needs, share, 1.0, "25 skills in demand, after 'good at'" if skills else ""),
            (needs, partial(share, as_published=False), 1.0, "prior read at the target"),
            (("scores",), partial(_stored, name=said["notebook"]), 0.05, "our share of the authors' scores"),
        ]
        if skills:
            ways.append((("model", "skills"), partial(_share, column=SKILL, template=CAN_DO), 1.0, ""))
        cells += [
            Cell("Table 5", row, "male, %", said["printed"], n, compute, within, way, said["stored"],
                 SKILLS_WHY if skills else "")
            for n, compute, within, way in ways
        ]  # fmt: skip
    for said in printed("kurita")["sizes"]:
        compute = partial(_size, of=said["of"])
        cells.append(Cell("§5", said["what"], "entries", said["printed"], (said["needs"],), compute, why=said["why"]))
    return cells


def _table(path: Path, column: str, *others: str) -> list[list[Any]]:
    """Return the numbers of a column, each with what its row has in other columns."""
    try:
        rows = list(csv.DictReader(read_text(path, MeasureError).splitlines(), delimiter="\t"))
        found: list[list[Any]] = [[float(row[column]), *(row[name] for name in others)] for row in rows]
    except KeyError as error:
        raise MeasureError(f"'{path}' has no column {error}; give the authors' scores.") from None
    except (csv.Error, TypeError, ValueError) as error:
        raise MeasureError(f"'{path}' is not a table of scores ({error}); give the authors' scores.") from None
    if not all(abs(number) <= MOST for number, *_ in found):
        raise MeasureError(f"'{path}' holds a {column} that is not a score; give the authors' scores.")
    return found


def open_model(source: Any) -> Any:
    """Open a language model; one that is open stays as it is."""
    from aslant.models.loading import load_lm

    return source if hasattr(source, "record") else load_lm(source)


def _sample() -> Any:
    """Open the demonstration model, if its encoder is on this machine; nothing is downloaded for a stand-in."""
    if find("all-minilm-l6-v2") is None:
        raise DataError("it is made of all-minilm-l6-v2, which --get downloads.")
    return open_model("sample-mlm")


def _folder(source: Any) -> Path:
    folder = Path(source)
    if not folder.is_dir():
        raise MeasureError(f"'{folder}' is not a folder; give the one that holds the files.")
    return folder


def _named(what: str) -> Callable[[Any], str]:
    return lambda content: f"{what} in {content.name}"


PAPER = described(
    "kurita",
    [*_table_3(), *pronouns.cells(), *_table_5()],
    {
        **{name: replace(role, option="") for name, role in CALISKAN.roles.items() if name != "word2vec"},
        "vocabulary": {"open": open_vocabulary, "label": lambda vocabulary: f"vocabulary of {vocabulary.name}"},
        "model": {
            "open": open_model, "label": lambda lm: str(lm.name), "is_own": pronouns.is_bert, "bundled": _sample,
        },
        **pronouns.ROLES,
        "lists": {"open": _folder, "label": _named("lists")},
        "job-titles": {"open": Path, "label": _named("titles"), "is_own": lambda path: True},
        "skills": {"open": Path, "label": _named("skills")},
        "scores": {"open": _folder, "label": _named("scores"), "is_own": lambda path: True},
    },
)  # fmt: skip
