"""Kurita et al. 2019: Tables 3 and 5, on the log-probability bias score (MEASURES §7), and §4 on pronouns (§8)."""

from __future__ import annotations

import csv
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from slant.errors import MeasureError
from slant.measures import log_probability_bias, log_probability_weat, template_weat
from slant.measures.attribute_lists import read_attributes
from slant.measures.log_probability import contrast
from slant.measures.weat_statistic import effect_size
from slant.reading import read_text
from slant.replicate import kurita_pronouns as pronouns
from slant.replicate.framework import Cell, Measured, Opener, Paper

MODEL, LISTS, SCORES = "bert-base-uncased", "kurita-lists", "kurita-scores"
WEAT_SCORES, LIST_SCORES = "kurita_weat_scores.tsv", "kurita_table5_scores.tsv"
#: Category, template set, its name in the authors' notebook `weat_result_replication`, and what that prints as d.
TABLE_3: tuple[tuple[str, str, str, float], ...] = (
    ("Pleasant/Unpleasant (flowers, insects)", "pleasant-flowers", "flowers_bugs", 0.4458),
    ("Pleasant/Unpleasant (black, white)", "pleasant-names", "black_white", -0.8864),
    ("Career/Family", "career-family", "career_family", 1.1255),
    ("Math/Arts", "math-arts", "math_art", 0.8495),
    ("Science/Arts", "science-arts", "science_art", 0.9572),
)
#: Attributes, file, what the notebook writes before each, its name there, and the percentage of the male side.
TABLE_5: tuple[tuple[str, str, str, str, float | None], ...] = (
    ("Salary (job titles)", "job_titles_salary_2017.tsv", "", "job_titles", 88.5),
    ("Positive traits", "positive_traits.txt", "", "positive_traits", 80.0),
    ("Negative traits", "negative_traits.txt", "", "negative_traits", 78.9),
    ("Skills", "in_demand_tech_skills.txt", "good at ", "linkedin_tech_skills", None),
)
LIST_TEMPLATE = "[TARGET] is [ATTRIBUTE]"
#: No difference of log-probabilities is larger.
MOST = 1e6


def _test(test: str, *, as_published: bool) -> Callable[[Any, int], Measured]:
    def compute(lm: Any, seed: int) -> Measured:
        result = log_probability_weat(lm, test, as_published=as_published, rng=seed)
        return Measured(result.effect_size, result.provenance.missing)

    return compute


def _baseline(test: str) -> Callable[[Any, int], Measured]:
    def compute(lm: Any, seed: int) -> Measured:
        result = template_weat(lm, test, rng=seed)
        return Measured(result.effect_size, result.missing)

    return compute


def _share(file: str, before: str, *, as_published: bool) -> Callable[[Any, Path, int], Measured]:
    def compute(lm: Any, lists: Path, seed: int) -> Measured:
        words = [before + word.lower() for word in read_attributes(lists / file)]
        sides = {"male": ["he"], "female": ["she"]}
        result = log_probability_bias(lm, LIST_TEMPLATE, sides, words, as_published=as_published)
        return Measured(100 * result.share.share, result.provenance.missing)

    return compute


def _pooled(test: str) -> Callable[[Path, int], Measured]:
    """The effect size of the authors' own scores: all rows of template × attribute pooled."""

    def compute(scores: Path, seed: int) -> Measured:
        rows = _table(scores / WEAT_SCORES, "difference", "test", "side")
        first, second = (np.array([number for number, *of in rows if of == [test, side]]) for side in "AB")
        if not len(first) or not len(second):
            raise MeasureError(f"'{scores / WEAT_SCORES}' has no scores of both sides of '{test}'.")
        return Measured(effect_size(first, second), ())

    return compute


def _listed(name: str) -> Callable[[Path, int], Measured]:
    """The percentage of the authors' own scores that are 0 or more."""

    def compute(scores: Path, seed: int) -> Measured:
        column = "bias_prior_corrected_as_in_code"
        rows = [number for number, of in _table(scores / LIST_SCORES, column, "set") if of == name]
        if not rows:
            raise MeasureError(f"'{scores / LIST_SCORES}' has no scores of '{name}'.")
        return Measured(100 * contrast("male", "female", np.array(rows)).share, ())

    return compute


def _table(path: Path, column: str, *others: str) -> list[list[Any]]:
    """Return the numbers of a column, each with what its row has in other columns."""
    try:
        rows = list(csv.DictReader(read_text(path, MeasureError).splitlines(), delimiter="\t"))
        found: list[list[Any]] = [[float(row[column]), *(row[name] for name in others)] for row in rows]
    except KeyError as error:
        raise MeasureError(f"'{path}' has no column {error}; give the authors' scores.") from None
    except (csv.Error, TypeError, ValueError) as error:
        raise MeasureError(f"'{path}' is no table of scores ({error}); give the authors' scores.") from None
    if not all(abs(number) <= MOST for number, *_ in found):
        raise MeasureError(f"'{path}' holds a {column} that is no score; give the authors' scores.")
    return found


def _folder(path: str | PathLike[str]) -> Path:
    folder = Path(path)
    if not folder.is_dir():
        raise MeasureError(f"'{folder}' is no folder; give the one that holds the files.")
    return folder


def _open_model(path: str | PathLike[str]) -> Any:
    from slant.models.loading import load_lm

    return load_lm(path)


def _table_3() -> tuple[Cell, ...]:
    cells = []
    for row, test, notebook, printed in TABLE_3:
        # The notebook has bugs for insects, and gives each template the number that does not fit it.
        same_words = test != "pleasant-flowers"
        cells += [
            Cell(f"Table 3: {row}", "authors' scores", printed, SCORES, _pooled(notebook), 0.00005),
            Cell(
                f"Table 3: {row}",
                "as published",
                printed if same_words else None,
                MODEL,
                _test(test, as_published=True),
                0.05,
            ),
            Cell(f"Table 3: {row}", "as defined", None, MODEL, _test(test, as_published=False), 0.0),
            Cell(f"Table 3: {row}", "WEAT in templates", None, MODEL, _baseline(test), 0.0),
        ]
    return tuple(cells)


def _table_5() -> tuple[Cell, ...]:
    cells = []
    for row, file, before, notebook, printed in TABLE_5:
        published, defined = (_share(file, before, as_published=way) for way in (True, False))
        cells += [
            Cell(f"Table 5: {row}", "authors' scores", printed, SCORES, _listed(notebook), 0.05),
            Cell(f"Table 5: {row}", "as published", printed, (MODEL, LISTS), published, 1.0),
            Cell(f"Table 5: {row}", "as defined", None, (MODEL, LISTS), defined, 0.0),
        ]
    return tuple(cells)


PAPER = Paper(
    id="kurita",
    title="Kurita et al. 2019, Tables 3 to 6",
    citation="Kurita, K., Vyas, N., Pareek, A., Black, A. W., & Tsvetkov, Y. (2019). Measuring bias in contextualized "
    "word representations. Proceedings of the First Workshop on Gender Bias in NLP, 166–172. arXiv:1906.07337",
    cells=_table_3() + pronouns.cells(MODEL) + _table_5(),
    notes=(
        "Table 3: effect sizes d; Table 5: % of attributes with a score of 0 or more for 'he'.",
        "Printed: what the outputs stored in the authors' notebooks (weat_result_replication, Exposing_Bias_BERT) "
        "show, to the digits given; no copy of the paper's own tables was at hand. Cells without a printed value have "
        "none that could be sourced: skills, WEAT on BERT, flowers with the paper's insects (the notebook has bugs).",
        "authors' scores: our statistic on the scores in those outputs (Table 5: prior-corrected); as published: their "
        "settings, on the model; as defined: the formula of the paper, one score per attribute, the prior read "
        "at the target.",
        "The tolerances of 'as published' (0.05 in d, 1 point in %) allow for another release of the weights.",
        "Table 5 in the notebook: '[TARGET] is [ATTRIBUTE]' without a full stop, attributes in lower case, skills "
        "after 'good at'; job titles are those of Montgomery County, 2017.",
        *pronouns.NOTES,
    ),
    roles={pronouns.ENCODER: MODEL},
    openers={
        **pronouns.OPENERS,
        MODEL: Opener(_open_model, pronouns.labelled),
        LISTS: Opener(_folder, lambda folder: f"lists in {folder.name}"),
        SCORES: Opener(_folder, lambda folder: f"scores in {folder.name}"),
    },
    by_hand={
        LISTS: "'slant data get kurita-lists' has all but the job titles; for these, a folder with the same files and "
        "job_titles_salary_2017.tsv (column job_title)",
        SCORES: f"a folder with {WEAT_SCORES} (columns test, side, difference) and {LIST_SCORES} (columns set, "
        "bias_prior_corrected_as_in_code), taken from the outputs of the authors' notebooks",
    },
)
