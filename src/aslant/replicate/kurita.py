"""Kurita et al. 2019: WEAT on GloVe and on BERT, the log-probability bias score, and attributes of jobs (§3 and §5)."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
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
from aslant.measures.template_tests.attribute_lists import read_attributes
from aslant.measures.template_tests.masked_words import masked_weat
from aslant.measures.template_tests.result import LogProbabilityWeatResult
from aslant.measures.template_tests.scores import contrast, log_probability_bias
from aslant.models.vocabulary import Vocabulary, open_vocabulary
from aslant.replicate import kurita_pronouns as pronouns
from aslant.replicate.caliskan import GLOVE, WITH_NAMES
from aslant.replicate.framework import Cell, Measured, Paper, Role, Run, Source, yes_or_no
from aslant.stimuli import WeatSet, load_set
from aslant.vectors import WordVectors

BERT, LISTS, SCORES, TITLES, SKILLS = (
    "bert-base-uncased", "kurita-lists", "kurita-scores", "kurita-job-titles", "onet-technology-skills",
)  # fmt: skip
WEAT_SCORES, LIST_SCORES = "kurita_weat_scores.tsv", "kurita_table5_scores.tsv"
#: Category, WEAT, template set of the score, and d as printed (with a star: p < 0.01): WEAT on GloVe, WEAT on BERT,
#: the score; then the d of each in the stored outputs of the authors' notebooks (`weat_result_replication`,
#: `weat_result_replication_permute_targets`), and the name there.
TABLE_3: tuple[tuple[str, str, str, tuple[str, str, str], tuple[float, float, float], str], ...] = (
    ("Pleasant/Unpleasant (Insects/Flowers)", "weat-1", "pleasant-flowers", ("1.543*", "0.6688", "0.8744*"),
     (1.543, 0.6928, 0.4458), "flowers_bugs"),
    ("Pleasant/Unpleasant (EA/AA)", "weat-3", "pleasant-names", ("1.012", "1.003", "0.8864*"),
     (-1.003, -1.012, -0.8864), "black_white"),
    ("Career/Family (Male/Female)", "weat-6", "career-family", ("1.814*", "0.5047", "1.126*"),
     (1.814, 0.5047, 1.1255), "career_family"),
    ("Math/Arts (Male/Female)", "weat-7", "math-arts", ("1.061", "0.6755", "0.8495*"),
     (1.061, 0.6755, 0.8495), "math_art"),
    ("Science/Arts (Male/Female)", "weat-8", "science-arts", ("1.246*", "0.8815", "0.9572*"),
     (1.246, 0.5725, 0.9572), "science_art"),
)  # fmt: skip
SIGNIFICANT = 0.01
#: As the p-values in the authors' notebooks are, from which the stars come.
TWO_SIDED = "two-sided"
SCORE_WHY = {
    "weat-1": "the stored scores give 0.4458, and the notebook has bugs for insects",
    "weat-3": "the print drops the sign of the stored −0.8864",
}
SWAPPED = (
    "the notebook stores −1.003 on GloVe and −1.012 on BERT, with the names of the field experiment; the print has "
    "both without the sign, in each other's column"
)
GLOVE_WHY = "which words are removed to make the sets equal is random, and the notebook has its own words"
BERT_WHY = {"weat-1": "the notebook stores 0.6928", "weat-3": SWAPPED, "weat-8": "the notebook stores 0.5725"}
#: The words of the authors' notebook, where it has others than the WEAT, or removes particular ones: targets.
NOTEBOOK_WORDS = {
    "weat-1": (
        ("clover", "poppy", "iris", "orchid", "rose", "daisy", "lily", "violet", "magnolia"),
        ("ant", "flea", "spider", "fly", "bee", "mosquito", "beetle", "cricket", "hornet"),
    ),
    "weat-7": (None, ("poetry", "art", "dance", "literature", "novels", "symphony", "drama", "sculptures")),
}
#: The African American names of the field experiment that WEAT 5 mirrors, which the notebook uses for "category 3".
FIELD_NAMES = (
    "Aisha", "Ebony", "Keisha", "Kenya", "Lakisha", "Latonya", "Latoya", "Tamika", "Tanisha", "Darnell", "Hakim",
    "Jamal", "Jermaine", "Kareem", "Leroy", "Rasheed", "Tremayne", "Tyrone",
)  # fmt: skip
#: Row, printed %, where the list is, what comes before each attribute, the set in the notebook, its stored %.
TABLE_5: tuple[tuple[str, str, str, str, str, float], ...] = (
    ("Salary", "88.5%", "job_titles_salary_2017.tsv", "", "job_titles", 88.5),
    ("Pos-Traits", "80.0%", "positive_traits.txt", "", "positive_traits", 80.0),
    ("Neg-Traits", "78.9%", "negative_traits.txt", "", "negative_traits", 78.9),
    ("Skills", "84.0%", "in_demand_tech_skills.txt", "good at ", "linkedin_tech_skills", 56.0),
)
SKILL = "Example"  # the column of O*NET's table
IS, CAN_DO = "[TARGET] is [ATTRIBUTE]", "[TARGET] can do [ATTRIBUTE]"
SKILLS_WHY = (
    "the stored scores of 25 skills in demand, after 'good at', give 56 %; the paper's text has 'can do' and the "
    "17,649 skills of O*NET 23.2, whose scores are not stored"
)
RELEASE_WHY = "the paper has release 23.2; later releases have other skills"
#: No difference of log-probabilities is larger.
MOST = 1e6


def _number(printed: str) -> str:
    return printed.rstrip("*")


def _star(printed: str) -> str:
    return "yes" if printed.endswith("*") else "no"


# Table 3


def _reduced(vectors: WordVectors, vocabulary: Vocabulary, seed: int, *, test: str) -> WeatResult:
    """Words missing from BERT's vocabulary are removed from the targets, as §3.1 says; attributes stay."""
    x, y, a, b = (group.words for group in load_set(test, WeatSet).groups)
    kept = [word for word in (*x, *y) if vocabulary.has(word)]
    return weat(vectors, test, vocabulary=[*kept, *a, *b], equalise=True, bootstrap=0, alternative=TWO_SIDED, rng=seed)


def _in_notebook(vectors: WordVectors, seed: int, *, test: str) -> WeatResult:
    x, y, a, b = (group.words for group in load_set(test, WeatSet).groups)
    first, second = NOTEBOOK_WORDS[test]
    return weat(
        vectors, targets=(first or x, second or y), attributes=(a, b), bootstrap=0, alternative=TWO_SIDED, rng=seed
    )


def _with_their_words(test: str, *, star: bool) -> Callable[[Run, WordVectors], Measured]:
    """WEAT on exactly the words of the authors' notebook."""

    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = run.once(_in_notebook, vectors, run.seed, test=test)
        return yes_or_no(result.pvalue < SIGNIFICANT) if star else Measured(result.effect_size, result.missing)

    return compute


def _on_glove(test: str, *, star: bool) -> Callable[[Run, WordVectors, Vocabulary], Measured]:
    def compute(run: Run, vectors: WordVectors, vocabulary: Vocabulary) -> Measured:
        result = run.once(_reduced, vectors, vocabulary, run.seed, test=test)
        return yes_or_no(result.pvalue < SIGNIFICANT) if star else Measured(result.effect_size, result.missing)

    return compute


def _on_bert(test: str, *, star: bool) -> Callable[[Run, Any], Measured]:
    def compute(run: Run, lm: Any) -> Measured:
        result = run.once(masked_weat, lm, test=test, bootstrap=0, alternative=TWO_SIDED, rng=run.seed)
        return yes_or_no(result.pvalue < SIGNIFICANT) if star else Measured(result.effect_size, result.missing)

    return compute


def _test(lm: Any, *, test: str, as_published: bool, rng: int) -> LogProbabilityWeatResult:
    return log_probability_weat(lm, test, as_published=as_published, alternative=TWO_SIDED, rng=rng)


def _score(test: str, *, as_published: bool, star: bool = False) -> Callable[[Run, Any], Measured]:
    def compute(run: Run, lm: Any) -> Measured:
        result = run.once(_test, lm, test=test, as_published=as_published, rng=run.seed)
        if star:
            return yes_or_no(result.pvalue < SIGNIFICANT)
        return Measured(result.effect_size, result.provenance.missing)

    return compute


def _pooled(name: str) -> Callable[[Run, Path], Measured]:
    """The effect size of the authors' own scores: all rows of template × attribute pooled."""

    def compute(run: Run, scores: Path) -> Measured:
        rows = _table(scores / WEAT_SCORES, "difference", "test", "side")
        first, second = (np.array([number for number, *of in rows if of == [name, side]]) for side in "AB")
        if not len(first) or not len(second):
            raise MeasureError(f"'{scores / WEAT_SCORES}' has no scores of both sides of '{name}'.")
        return Measured(effect_size(first, second))

    return compute


def _glove_column(test: str, vectors: str) -> tuple[tuple[str, ...], Any, str]:
    """Return what a cell of the GloVe column needs, how it is computed, and why it may differ from the print."""
    if test in NOTEBOOK_WORDS:
        return (vectors,), lambda star: _with_their_words(test, star=star), ""
    return (vectors, "vocabulary"), lambda star: _on_glove(test, star=star), SWAPPED if test == "weat-3" else GLOVE_WHY


def _table_3() -> tuple[Cell, ...]:
    cells = []
    for row, test, templates, (on_glove, on_bert, score), (glove_d, bert_d, stored), notebook in TABLE_3:
        vectors = "glove-cased" if test in WITH_NAMES else "glove"
        columns: tuple[tuple[str, str, float, tuple[str, ...], Any, str], ...] = (
            ("WEAT on GloVe", on_glove, glove_d, *_glove_column(test, vectors)),
            ("WEAT on BERT", on_bert, bert_d, ("model",), lambda star, t=test: _on_bert(t, star=star),
             BERT_WHY.get(test, "")),
            ("log-probability score", score, stored, ("model",),
             lambda star, t=templates: _score(t, as_published=True, star=star), SCORE_WHY.get(test, "")),
        )  # fmt: skip
        if test in NOTEBOOK_WORDS:
            cells.append(
                Cell("Table 3", row, "WEAT on GloVe", _number(on_glove), (vectors, "vocabulary"),
                     _on_glove(test, star=False), 0.05, "words removed at random", why=GLOVE_WHY)
            )  # fmt: skip
        for column, printed, authors, needs, compute, why in columns:
            cells.append(Cell("Table 3", row, column, _number(printed), needs, compute(False), 0.05, "", authors, why))
            cells.append(Cell("Table 3", row, f"{column}, p < 0.01", _star(printed), needs, compute(True), why=why))
        cells += [
            Cell(
                "Table 3", row, "log-probability score", _number(score), ("model",),
                _score(templates, as_published=False), 0.05, "one score per attribute, prior read at the target",
            ),
            Cell(
                "Table 3", row, "log-probability score", _number(score), ("scores",), _pooled(notebook), 0.0005,
                "our statistic on the authors' scores", stored, SCORE_WHY.get(test, ""),
            ),
        ]  # fmt: skip
    cells.append(Cell("§3.3", "African American names in BERT's vocabulary", "words", "5", ("vocabulary",), _names))
    return tuple(cells)


def _names(run: Run, vocabulary: Vocabulary) -> Measured:
    found = [name for name in FIELD_NAMES if vocabulary.has(name)]
    own = sum(map(vocabulary.has, load_set("weat-3", WeatSet).targets[1].words))
    note = f"of the 18 names of the field experiment, as in the notebook; of the 32 of WEAT 3 it has {own}"
    return Measured(len(found), (), note, ", ".join(found))


# Table 5


def _share(file: str, before: str, template: str, *, as_published: bool) -> Callable[[Run, Any, Path], Measured]:
    def compute(run: Run, lm: Any, lists: Path) -> Measured:
        words = [before + word.lower() for word in read_attributes(lists / file if lists.is_dir() else lists)]
        sides = {"male": ["he"], "female": ["she"]}
        result = log_probability_bias(lm, template, sides, words, as_published=as_published, progress=None)
        note = plural(len(result.scores), "attribute")
        return Measured(100 * result.share.share, result.provenance.missing, note)

    return compute


def _stored(name: str) -> Callable[[Run, Path], Measured]:
    """The percentage of the authors' own scores that are 0 or more."""

    def compute(run: Run, scores: Path) -> Measured:
        column = "bias_prior_corrected_as_in_code"
        rows = [number for number, of in _table(scores / LIST_SCORES, column, "set") if of == name]
        if not rows:
            raise MeasureError(f"'{scores / LIST_SCORES}' has no scores of '{name}'.")
        return Measured(100 * contrast("male", "female", np.array(rows)).share)

    return compute


def _size(file: str) -> Callable[[Run, Path], Measured]:
    return lambda run, lists: Measured(len(read_attributes(lists / file if lists.is_dir() else lists)))


def _skills(run: Run, file: Path) -> Measured:
    return Measured(len(set(read_attributes(file, SKILL))))


def _jobs(run: Run, file: Path) -> Measured:
    return Measured(len(read_attributes(file, SKILL)))


def _skills_share(run: Run, lm: Any, file: Path) -> Measured:
    words = [word.lower() for word in dict.fromkeys(read_attributes(file, SKILL))]
    result = log_probability_bias(lm, CAN_DO, {"male": ["he"], "female": ["she"]}, words, as_published=True)
    return Measured(100 * result.share.share, result.provenance.missing, plural(len(result.scores), "attribute"))


def _table_5() -> tuple[Cell, ...]:
    cells = []
    for row, printed, file, before, notebook, stored in TABLE_5:
        skills = row == "Skills"
        needs = ("model", "job-titles" if row == "Salary" else "lists")
        why = SKILLS_WHY if skills else ""
        published = _share(file, before, IS, as_published=True)
        ways: tuple[tuple[tuple[str, ...], Callable[..., Measured], float, str], ...] = (
            (needs, published, 1.0, "25 skills in demand, after 'good at'" if skills else ""),
            (needs, _share(file, before, IS, as_published=False), 1.0, "prior read at the target"),
            (("scores",), _stored(notebook), 0.05, "our share of the authors' scores"),
            *([(("model", "skills"), _skills_share, 1.0, "")] if skills else []),
        )
        cells += [Cell("Table 5", row, "male, %", printed, n, c, t, way, stored, why) for n, c, t, way in ways]
    sizes = (
        ("job titles with a salary", "6882", ("job-titles",), _size(TABLE_5[0][2]),
         "the paper counts people with a salary; the available list has every title once"),
        ("of these, the best paid, which are used", "1000", ("job-titles",), _size(TABLE_5[0][2]),
         "the available list is not cut"),
        ("positive traits", "234", ("lists",), _size(TABLE_5[1][2]), "the stored list has fewer"),
        ("negative traits", "292", ("lists",), _size(TABLE_5[2][2]), "the stored list has more"),
        ("unique technology skills, O*NET", "17649", ("skills",), _skills, RELEASE_WHY),
        ("jobs with a technology skill, O*NET", "27660", ("skills",), _jobs, RELEASE_WHY),
    )  # fmt: skip
    cells += [Cell("§5", what, "entries", n, needs, compute, why=why) for what, n, needs, compute, why in sizes]
    return tuple(cells)


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


def _open_model(source: Any) -> Any:
    from aslant.models.loading import load_lm

    return load_lm(source)


def _sample() -> Any:
    """Open the demonstration model, if its encoder is on this machine; nothing is downloaded for a stand-in."""
    if find("all-minilm-l6-v2") is None:
        raise DataError("it is made of all-minilm-l6-v2, which --get downloads.")
    return _open_model("sample-mlm")


def _folder(source: Any) -> Path:
    folder = Path(source)
    if not folder.is_dir():
        raise MeasureError(f"'{folder}' is not a folder; give the one that holds the files.")
    return folder


def _named(what: str) -> Callable[[Any], str]:
    return lambda content: f"{what} in {content.name}"


PAPER = Paper(
    id="kurita",
    title="Kurita et al. 2019, bias in contextualized word representations",
    citation="Kurita, K., Vyas, N., Pareek, A., Black, A. W., & Tsvetkov, Y. (2019). Measuring bias in contextualized "
    "word representations. Proceedings of the First Workshop on Gender Bias in NLP, 166–172. arXiv:1906.07337",
    cells=_table_3() + pronouns.cells() + _table_5(),
    notes=(
        "Table 3: effect sizes d and stars for p < 0.01. WEAT on GloVe: the targets of the authors' notebook where "
        "they are known (WEAT 1 and 7), else only targets that are one piece of BERT's vocabulary, the sets made equal "
        "at random (seeded: d of WEAT 1 is then 1.53 to 1.72 over 20 seeds). WEAT on BERT: the procedure of §3.1 in "
        "the templates of Table 1. The score: the templates and targets of Table 2, as the authors' code computes it "
        "(rows of template × attribute pooled, the prior read one token before the attribute) unless the cell says "
        "otherwise.",
        "authors' outputs: what the authors' notebooks (weat_result_replication, its twin _permute_targets, and "
        "Exposing_Bias_BERT) have stored. Their p-values are two-sided.",
        "Table 5: % of attributes with a score of 0 or more for 'he', '[TARGET] is [ATTRIBUTE]' without a full stop, "
        "attributes in lower case.",
        "The tolerances (0.05 in d, 1 point in %) allow for another release of the weights and other words removed.",
        *pronouns.NOTES,
    ),
    roles={
        **{name: replace(role, option="") for name, role in GLOVE.items()},
        "vocabulary": Role(
            "BERT's uncased vocabulary",
            (
                Source(BERT, "vocabulary of bert-base-uncased"),
                Source("all-minilm-l6-v2", "BERT's uncased vocabulary (the same vocab.txt, in all-minilm-l6-v2)"),
            ),
            open=open_vocabulary, label=lambda vocabulary: f"vocabulary of {vocabulary.name}",
        ),
        "model": Role(
            "bert-base-uncased, as a language model", (Source(BERT),), "with", open=_open_model,
            how=f"pip install '.[lm]' allows a demonstration model instead; the paper's own: aslant data get {BERT}",
            label=lambda lm: str(lm.name), is_own=pronouns.is_bert,
            bundled=_sample, bundled_label="sample-mlm, a demonstration model",
        ),
        **pronouns.ROLES,
        "lists": Role("the authors' lists of traits and skills", (Source(LISTS),), open=_folder, label=_named("lists")),
        "job-titles": Role(
            "the job titles of Montgomery County, 2017", (Source(TITLES),), open=Path, label=_named("titles"),
            is_own=lambda path: True,
            how="make a table with a column job_title from the county's open data (the original names its employees)",
        ),
        "skills": Role("O*NET's technology skills", (Source(SKILLS),), open=Path, label=_named("skills")),
        "scores": Role(
            "the scores stored in the authors' notebooks", (Source(SCORES),), open=_folder, label=_named("scores"),
            is_own=lambda path: True,
            how=f"a folder with {WEAT_SCORES} (columns test, side, difference) and {LIST_SCORES} (columns set, "
            "bias_prior_corrected_as_in_code), taken from the notebooks",
        ),
    },
)  # fmt: skip
