"""The survey: its plan gives nothing away, known skill comes out again, and bad answers are named by their line."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from aslant.errors import AslantError, MeasureError
from aslant.measures.enumeration.survey import Survey, fingerprint, make_survey
from aslant.measures.enumeration.survey_answers import plurality, proportion, questions_to_rate, score_survey
from aslant.measures.enumeration.survey_result import SurveyResult
from survey_examples import Row, crowd, enumeration, exam_answers, matching_answers, row


@pytest.fixture(scope="module")
def survey() -> Survey:
    return make_survey(enumeration())


# The plan


def test_the_exam_has_three_names_of_each_group_that_are_not_shown(survey: Survey) -> None:
    assert len(survey.exam) == 36
    assert set(Counter(survey.key.exam.values()).values()) == {3}
    shown = {name for group in survey.groups for name in group.names}
    assert all(len(group.names) == 5 for group in survey.groups)
    assert not shown & {question.name for question in survey.exam}
    for question in survey.exam:
        group = int(survey.key.exam[question.id][1:]) - 1
        assert question.name.startswith(f"Name{group}x")


def test_a_plan_is_written_as_people_read_it_and_without_nan(survey: Survey) -> None:
    named = replace(survey, enumeration="Zoë")
    assert '"enumeration": "Zoë"' in named.to_json()
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(survey, settings={"share": float("nan")}).to_json()


def test_a_small_group_is_examined_with_the_names_it_has() -> None:
    small = make_survey(enumeration(groups=3, names=6))
    asked = Counter(small.key.exam.values())
    assert set(asked.values()) == {3}
    for group in small.groups:
        names = {q.name for q in small.exam if small.key.exam[q.id] == group.id}
        assert len(names - set(group.names)) == 1  # the one that is not shown comes first
    tiny = make_survey(enumeration(groups=3, names=2))
    assert set(Counter(tiny.key.exam.values()).values()) == {2}


def test_a_name_of_two_groups_is_never_an_exam_question() -> None:
    found = enumeration(groups=2, names=8)
    shared = found.groups[0].names[7]
    second = found.groups[1]
    names = (*second.names, shared)
    both = type(second)(second.label, 9, second.illustrative, names, None, names)
    plan = make_survey(type(found)(**{**vars(found), "groups": (found.groups[0], both)}), exam_names=9)
    assert shared not in {q.name for q in plan.exam}
    assert len(plan.exam) == 7 + 8


def test_tests_come_in_the_order_of_the_enumeration_and_need_two_significant_cells() -> None:
    plan = make_survey(enumeration(groups=4, significant=[3, 1, 2, 0, 4]), tests=2)
    assert [plan.key.categories[task.id] for task in plan.matching] == ["category 4", "category 2"]
    assert [len(task.questions) for task in plan.matching] == [4, 2]
    assert [len(task.groups) for task in plan.matching] == [4, 2]
    assert plan.significant == 10


def test_the_right_group_of_a_word_set_is_the_cell_s(survey: Survey) -> None:
    for task in survey.matching:
        category = survey.key.categories[task.id].removeprefix("category ")
        assert {survey.key.matching[q.id] for q in task.questions} == set(task.groups)
        for question in task.questions:
            group = int(survey.key.matching[question.id][1:]) - 1
            assert question.words[0] == f"w{category}-{group}-a"
    for rating in survey.rating:
        matched = survey.key.rating[rating.id]
        assert rating.group == survey.key.matching[matched]
    assert sorted(survey.key.rating.values()) == sorted(survey.key.matching)


def test_the_order_of_word_sets_does_not_give_the_answers_away() -> None:
    hits = total = 0
    for seed in range(60):
        for task in make_survey(enumeration(groups=4, significant=[4] * 12), rng=seed).matching:
            order = [q.words[0].split("-")[1] for q in task.questions]
            offered = [str(int(group[1:]) - 1) for group in task.groups]
            hits += sum(a == b for a, b in zip(order, offered, strict=True))
            total += 4
    assert binom.ppf(1e-6, total, 0.25) <= hits <= binom.ppf(1 - 1e-6, total, 0.25)


def test_the_same_seed_makes_the_same_survey_and_another_seed_another() -> None:
    assert make_survey(enumeration(), rng=3) == make_survey(enumeration(), rng=3)
    assert make_survey(enumeration(), rng=3).code != make_survey(enumeration(), rng=4).code
    assert make_survey(enumeration()).enumeration != make_survey(enumeration(name="other")).enumeration


def test_a_plan_survives_json_and_a_changed_one_is_refused(survey: Survey) -> None:
    content = json.loads(survey.to_json())
    assert Survey.from_dict(content) == survey
    content["key"]["matching"]["m01-1"] = "G12"
    with pytest.raises(AslantError, match="changed after it was made"):
        Survey.from_dict(content)
    with pytest.raises(AslantError, match=r"survey\.json"):
        Survey.from_dict({"kind": "weat"})
    with pytest.raises(AslantError, match="not a complete survey plan"):
        Survey.from_dict({"kind": "survey-plan"})


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"tests": 0}, "tests is 0"), ({"names_per_group": 0}, "names_per_group"), ({"exam_names": -1}, "exam_names")],
)
def test_impossible_settings_are_refused(settings: dict[str, int], words: str) -> None:
    with pytest.raises(MeasureError, match=words):
        make_survey(enumeration(), **settings)


def test_nothing_to_match_is_refused() -> None:
    with pytest.raises(MeasureError, match="no test of 3 has two significant cells"):
        make_survey(enumeration(significant=[1, 0, 1]))
    with pytest.raises(MeasureError, match="not the result of an enumeration"):
        make_survey("tiny")  # type: ignore[arg-type]


# Workers of known skill


def test_workers_who_know_every_stereotype_are_wholly_accurate(survey: Survey) -> None:
    result = score_survey(survey, crowd(survey, 5, 1.0))
    assert result.accuracy is not None
    assert (result.accuracy.share, result.single_accuracy) == (1.0, 1.0)
    assert all(worker.agreement == 1.0 for worker in result.workers)
    assert result.accuracy.n == len(survey.key.matching) == sum(len(t.questions) for t in survey.matching)


def test_single_workers_of_known_skill_are_recovered_within_binomial_bounds(survey: Survey) -> None:
    for skill in (0.0, 0.4, 0.8):
        result = score_survey(survey, crowd(survey, 60, skill, seed=int(10 * skill)))
        n = sum(a.answers for a in result.associations)
        assert result.chance is not None
        assert result.single_accuracy is not None
        truth = skill + (1 - skill) * result.chance
        assert binom.ppf(1e-4, n, truth) <= n * result.single_accuracy <= binom.ppf(1 - 1e-4, n, truth)


def test_one_worker_who_guesses_is_accurate_by_chance() -> None:
    """With one worker the plurality is the worker's choice, so accuracy has the chance level itself as its mean."""
    found = enumeration(groups=4, significant=[4] * 12)
    plan = make_survey(found)
    results = [score_survey(plan, crowd(plan, 1, 0.0, seed)) for seed in range(40)]
    count = sum(r.accuracy.count for r in results if r.accuracy)
    total = sum(r.accuracy.n for r in results if r.accuracy)
    assert {r.chance for r in results} == {0.25}
    assert total == 40 * 48
    assert binom.ppf(1e-5, total, 0.25) <= count <= binom.ppf(1 - 1e-5, total, 0.25)


def test_a_crowd_is_wiser_than_its_members(survey: Survey) -> None:
    result = score_survey(survey, crowd(survey, 101, 0.4))
    assert result.accuracy is not None
    assert result.accuracy.share == 1.0
    assert result.single_accuracy is not None
    assert result.single_accuracy < 0.7


def test_chance_and_mean_c_are_over_the_word_sets() -> None:
    plan = make_survey(enumeration(groups=4, significant=[2, 4]))
    result = score_survey(plan, crowd(plan, 1, 1.0))
    assert result.chance == pytest.approx((2 / 2 + 4 / 4) / 6)
    assert result.mean_groups == pytest.approx((2 * 2 + 4 * 4) / 6)


def test_workers_at_or_below_half_of_the_exam_do_not_count(survey: Survey) -> None:
    random = np.random.default_rng(0)
    rows = crowd(survey, 3, 1.0)
    for right, worker in ((18, "half"), (0, "none")):
        rows += exam_answers(survey, worker, right)
        rows += matching_answers(survey, worker, 0.0, random)
    rows += matching_answers(survey, "absent", 0.0, random)
    result = score_survey(survey, rows)
    assert (result.workers_given, result.workers_qualified) == (6, 3)
    assert all(a.answers == 3 for a in result.associations)
    assert result.single_accuracy == 1.0
    by_name = {w.worker: w for w in result.workers}
    assert by_name["half"].exam_score == 0.5
    assert not by_name["half"].qualified
    more = score_survey(survey, rows + exam_answers(survey, "just", 19) + matching_answers(survey, "just", 1, random))
    assert next(w for w in more.workers if w.worker == "just").qualified


def test_without_a_qualified_worker_nothing_is_computed(survey: Survey) -> None:
    result = score_survey(
        survey, exam_answers(survey, "w", 18) + matching_answers(survey, "w", 1.0, np.random.default_rng(0))
    )
    assert result.accuracy is result.offensive is result.chance is result.mean_rating is result.single_accuracy is None
    assert {a.agrees for a in result.associations} == {None}
    assert result.table_row()["accurate_percent"] is None


def test_an_exam_of_no_questions_lets_everyone_in() -> None:
    plan = make_survey(enumeration(groups=3, significant=[2]), exam_names=0)
    result = score_survey(plan, matching_answers(plan, "w", 1.0, np.random.default_rng(0)))
    assert result.workers_qualified == 1
    assert result.workers[0].exam_score is None


def test_a_tie_is_no_agreement_even_with_the_embedding_s_group_in_it(survey: Survey) -> None:
    task = survey.matching[0]
    question = task.questions[0].id
    right = survey.key.matching[question]
    other = next(group for group in task.groups if group != right)
    rows = [r for w in ("a", "b") for r in exam_answers(survey, w, 36)]
    tied = [row(survey, "a", "matching", question, right), row(survey, "b", "matching", question, other)]
    association = next(a for a in score_survey(survey, rows + tied).associations if a.answers)
    assert (association.plurality, association.agrees) == (None, False)
    third = [*exam_answers(survey, "c", 36), row(survey, "c", "matching", question, right)]
    decided = score_survey(survey, rows + tied + third)
    association = next(a for a in decided.associations if a.answers)
    assert (association.plurality, association.agrees) == (right, True)
    assert decided.accuracy is not None
    assert (decided.accuracy.count, decided.accuracy.n) == (1, 1)
    # The others of a, and those of c, are tied; those of b both chose the other group.
    assert {w.worker: w.agreement for w in decided.workers} == {"a": None, "b": 0.0, "c": None}


def rated(plan: Survey, ratings: dict[str, list[int]], skill: float = 1.0) -> list[Row]:
    rows = crowd(plan, max(len(given) for given in ratings.values()), skill)
    return rows + [row(plan, f"w{i}", "rating", q, n) for q, given in ratings.items() for i, n in enumerate(given)]


def test_the_offensive_share_is_the_one_planted(survey: Survey) -> None:
    items = [q.id for q in survey.rating]
    ratings = {q: [5, 3] if i < 7 else [4, 3] for i, q in enumerate(items)}
    result = score_survey(survey, rated(survey, ratings))
    assert result.offensive is not None
    assert (result.offensive.count, result.offensive.n) == (7, len(items))
    assert result.mean_rating == pytest.approx((7 * 4 + (len(items) - 7) * 3.5) / len(items))
    offensive = {survey.key.rating[q] for q in items[:7]}
    words = {q.words for task in survey.matching for q in task.questions if q.id in offensive}
    assert {a.words for a in result.associations if a.offensive} == words
    strict = score_survey(survey, rated(survey, ratings), offensive_from=4.5)
    assert strict.offensive is not None
    assert strict.offensive.count == 0


def wrongly(plan: Survey, worker: str) -> list[Row]:
    """Pass the exam, and match every word set with a group that is not the embedding's."""
    rows = exam_answers(plan, worker, len(plan.exam))
    for task in plan.matching:
        for question in task.questions:
            other = next(group for group in task.groups if group != plan.key.matching[question.id])
            rows.append(row(plan, worker, "matching", question.id, other))
    return rows


def test_all_wrong_answers_give_no_offensive_share_however_they_are_rated(survey: Survey) -> None:
    rows = wrongly(survey, "w") + [row(survey, "w", "rating", q.id, 7) for q in survey.rating]
    result = score_survey(survey, rows)
    assert result.accuracy is not None
    assert result.accuracy.share == 0
    assert result.offensive is result.mean_rating is None
    assert result.table_row()["offensive_percent"] is None
    assert {(a.mean_rating, a.offensive) for a in result.associations} == {(7.0, None)}
    with pytest.raises(MeasureError, match="most frequent choice is the embedding's group for no word set"):
        questions_to_rate(survey, wrongly(survey, "w"))


def test_only_what_people_matched_is_rated_and_counts(survey: Survey) -> None:
    """Three workers match every second word set rightly; these alone are rated, and make the share."""
    asked = [q.id for task in survey.matching for q in task.questions]
    right = set(asked[::2])
    rows = []
    for worker in ("a", "b", "c"):
        for given in wrongly(survey, worker):
            question = given["item"].partition("-")[2]
            known = question in right
            rows.append({**given, "answer": survey.key.matching[question]} if known else given)
    questions = questions_to_rate(survey, rows)
    assert {survey.key.rating[q.id] for q in questions} == right
    assert [q for q in survey.rating if q in questions] == list(questions)  # in the plan's shuffled order
    ratings = [row(survey, "a", "rating", q.id, 7 if i < 5 else 1) for i, q in enumerate(questions)]
    result = score_survey(survey, rows + ratings)
    assert result.offensive is not None
    assert (result.offensive.count, result.offensive.n) == (5, len(right))
    assert len(result.matched) == len(right)
    # What was not matched may be rated, by mistake, and changes nothing.
    stray = [row(survey, "b", "rating", q.id, 7) for q in survey.rating if survey.key.rating[q.id] not in right]
    assert score_survey(survey, rows + ratings + stray).offensive == result.offensive


def test_nobody_who_passed_the_exam_leaves_nothing_to_rate(survey: Survey) -> None:
    failed = exam_answers(survey, "w", 18) + matching_answers(survey, "w", 1.0, np.random.default_rng(0))
    with pytest.raises(MeasureError, match=r"no worker passed the exam \(1 took part\), so there is nothing to rate"):
        questions_to_rate(survey, failed)


def test_the_table_row_is_embedding_associations_accurate_offensive(survey: Survey) -> None:
    rows = crowd(survey, 1, 1.0) + [
        row(survey, "w0", "rating", q.id, 7 if i else 1) for i, q in enumerate(survey.rating)
    ]
    n = len(survey.rating)
    made = score_survey(survey, rows).table_row()
    assert made == {
        "embedding": "tiny",
        "significant": survey.significant,
        "accurate_percent": 100.0,
        "offensive_percent": pytest.approx(100 * (n - 1) / n),
    }


def test_the_interval_covers_the_share_and_is_clopper_pearson_s(survey: Survey) -> None:
    from scipy.stats import beta

    result = score_survey(survey, crowd(survey, 1, 0.3), confidence=0.9)
    assert (a := result.accuracy) is not None
    assert a.low == pytest.approx(beta.ppf(0.05, a.count, a.n - a.count + 1))
    assert a.high == pytest.approx(beta.ppf(0.95, a.count + 1, a.n - a.count))
    assert a.low < a.share < a.high


def test_a_result_survives_json_and_says_where_it_comes_from(survey: Survey) -> None:
    result = score_survey(survey, crowd(survey, 2, 0.5))
    assert SurveyResult.from_dict(json.loads(result.to_json())) == result
    assert result.provenance.settings["offensive_from"] == 4.0
    assert (result.survey, result.enumeration) == (survey.id, survey.enumeration)
    assert len(result.rows()) == len(survey.rating)


def test_an_enumeration_stands_for_its_default_survey(survey: Survey) -> None:
    assert score_survey(enumeration(), crowd(survey, 1, 1.0)) == score_survey(survey, crowd(survey, 1, 1.0))


# Reading answers


def write(path: Path, rows: list[Row], header: str = "worker,task,item,answer") -> Path:
    lines = [header, *(",".join(r.values()) for r in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_files_in_either_format_give_what_rows_give(survey: Survey, tmp_path: Path) -> None:
    rows = crowd(survey, 3, 0.5)
    expected = score_survey(survey, rows)
    assert score_survey(survey, write(tmp_path / "long.csv", rows)) == expected
    platform = write(tmp_path / "platform.csv", rows, "WorkerId,Input.task,Input.item,Answer.answer")
    assert score_survey(survey, str(platform)) == expected
    semicolons = tmp_path / "semicolons.csv"  # as a spreadsheet saves it where commas are decimal
    semicolons.write_text((tmp_path / "long.csv").read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    assert score_survey(survey, semicolons) == expected
    wide = []
    for worker in ("w0", "w1", "w2"):
        own = [r for r in rows if r["worker"] == worker]
        path = tmp_path / f"{worker}.csv"
        header, cells = ",".join(f"Answer.{r['item']}" for r in own), ",".join(r["answer"].lower() for r in own)
        path.write_text(f"\ufeffWorkerId,HITId,{header}\r\n{worker},x,{cells}\r\n", encoding="utf-8")
        wide.append(path)
    assert score_survey(survey, wide) == expected


def test_an_empty_cell_is_a_question_left_out(survey: Survey) -> None:
    rows = crowd(survey, 1, 1.0)
    left_out = next(i for i, r in enumerate(rows) if r["task"] == "matching")
    rows[left_out] = {**rows[left_out], "answer": " "}
    result = score_survey(survey, rows)
    assert result.accuracy is not None
    assert result.accuracy.n == len(survey.rating) - 1


BAD = [
    ("worker,task,item,answer\nw,exam,{e1},G1\nw,quiz,{e2},G1\n", r"line 3: the task is 'quiz'"),
    ("worker,task,item,answer\nw,rating,{e1},G1\n", r"line 2: the task is 'rating', but .* belongs to the task 'exam'"),
    ("worker,task,item,answer\nw,exam,{code}-e99,G1\n", r"line 2: there is no item '{code}-e99'"),
    ("worker,task,item,answer\nw,exam,Anna,G1\n", r"line 2: there is no item 'Anna'"),
    ("worker,task,item,answer\nw,exam,s00000000-e01,G1\n", r"line 2: 's00000000-e01' belongs to another survey"),
    ("worker,s00000000-e01\nw,G1\n", r"line 2: 's00000000-e01' belongs to another survey"),
    ("worker,task,item,answer\nw,exam,{e1},G13\n", r"line 2: 'G13' is not an answer to {e1}"),
    ("worker,task,item,answer\nw,matching,{m1},{absent}\n", r"line 2: '{absent}' is not an answer to {m1}"),
    ("worker,task,item,answer\nw,rating,{r1},9\n", r"line 2: '9' is not a rating of {r1}; give 1 to 7"),
    ("worker,task,item,answer\nw,rating,{r1},0\n", r"line 2: '0' is not a rating"),
    ("worker,task,item,answer\nw,rating,{r1},4.5\n", r"line 2: '4.5' is not a rating"),
    ("worker,task,item,answer\nw,exam,{e1},G1\nv,exam,{e1},G1\nw,exam,{e1},G1\n", r"line 4: worker 'w' .* line 2\)"),
    ("worker,{e1},Answer.{e1}\nw,G1,G1\n", r"line 2: worker 'w' .* a second time"),
    ("worker,{e1},{e1}\nw,G1,G1\n", r"line 1: the column '{e1}' appears twice"),
    ("worker,item,answer\nw,{e1},G1\n", r"line 1: there is no column 'task'"),
    ("worker|task|item|answer\nw|exam|{e1}|G1\n", r"line 1: there is no column 'worker' or 'task'"),
    ("{e1},{e2}\nG1,G1\n", r"line 1: there is no column 'worker'"),
    ("worker,task,item,answer\nw,exam,{e1}\n", r"line 2: 3 cells, but 4 columns"),
    ("worker,task,item,answer\n,exam,{e1},G1\n", r"line 2: the worker is not named"),
    ('worker,task,item,answer\nw,exam,"{e1},G1\n', r"line 2: this is not CSV"),
    ("worker,task,item,answer\n", r"there are no answers"),
    ("", r"is empty"),
]


@pytest.mark.parametrize(("text", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_answers_are_one_sentence_with_the_line(survey: Survey, tmp_path: Path, text: str, words: str) -> None:
    task = survey.matching[0]
    ids = {
        "code": survey.code, "e1": survey.public_id("e01"), "e2": survey.public_id("e02"),
        "m1": survey.public_id(task.questions[0].id), "r1": survey.public_id("r01"),
        "absent": next(g.id for g in survey.groups if g.id not in task.groups),
    }  # fmt: skip
    path = tmp_path / "answers.csv"
    path.write_text(text.format(**ids), encoding="utf-8")
    with pytest.raises(MeasureError, match=words.format(**ids)) as raised:
        score_survey(survey, path)
    assert len(str(raised.value).splitlines()) == 1


def test_a_file_that_is_not_utf8_or_not_there_is_one_sentence(survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("worker,task,item,answer\nJosé,exam,x,G1\n".encode("latin-1"))
    with pytest.raises(MeasureError, match=r"latin\.csv', line 2: this is not UTF-8"):
        score_survey(survey, path)
    with pytest.raises(MeasureError, match="cannot open"):
        score_survey(survey, tmp_path / "nowhere.csv")


def test_answers_to_another_survey_are_refused() -> None:
    first, second = make_survey(enumeration()), make_survey(enumeration(name="other"))
    with pytest.raises(MeasureError, match=f"another survey.*{second.code}"):
        score_survey(second, crowd(first, 1, 1.0))


@pytest.mark.parametrize("threshold", [0, 8, float("nan"), True, "4"])
def test_a_threshold_that_is_no_rating_is_refused(survey: Survey, threshold: object) -> None:
    with pytest.raises(MeasureError, match=re.escape(f"offensive_from is {threshold!r}")):
        score_survey(survey, crowd(survey, 1, 1.0), offensive_from=threshold)  # type: ignore[arg-type]


@pytest.mark.parametrize("answers", [5, {"worker": "w"}, [5], []])
def test_what_are_no_answers_is_refused(survey: Survey, answers: object) -> None:
    with pytest.raises(MeasureError, match=r"(not|no) (an )?answer"):
        score_survey(survey, answers)  # type: ignore[arg-type]


def test_a_plurality_has_no_ties_and_a_proportion_needs_outcomes() -> None:
    assert (plurality({"a": 3, "b": 2}), plurality({"a": 2, "b": 2, "c": 1}), plurality({})) == ("a", None, None)
    share = proportion([True, True], 0.95)
    assert share is not None
    assert share.share == 1.0
    assert proportion([], 0.95) is None


def test_the_order_of_keys_does_not_change_a_fingerprint() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1}) != fingerprint({"a": 1, "b": 3})
