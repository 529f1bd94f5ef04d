"""WinoBias and Winogender are read whole: every line is paired, or named with the reason why it is not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from aslant.errors import StimuliError
from aslant.stimuli import pronoun_sets
from aslant.stimuli.pronoun_sets import PronounSet, parse_line, read_winobias, read_winogender
from fake_pronouns import winobias_lines, write_winobias, write_winogender

#: Lines of the published files that cannot be compared, as found by reading them.
UNFIT = {
    "type 1 test 157", "type 1 test 255", "type 1 test 279", "type 1 test 296", "type 2 dev 190", "type 2 dev 215",
    "type 2 test 382", "type 2 test 384",
}  # fmt: skip
#: Lines whose two sentences differ in other words too ("rude" and "careless").
DIFFERENT = {
    "type 1 dev 92", "type 1 dev 212", "type 1 test 289", "type 2 dev 90", "type 2 dev 102", "type 2 dev 119",
    "type 2 dev 176", "type 2 dev 207", "type 2 dev 208", "type 2 dev 209", "type 2 test 92", "type 2 test 103",
    "type 2 test 307",
}  # fmt: skip


@pytest.fixture(scope="module")
def winobias(real_data: Path) -> PronounSet:
    return read_winobias(real_data / "winobias")


def test_the_published_winobias_has_1584_pairs_of_which_8_cannot_be_compared(winobias: PronounSet) -> None:
    found = winobias
    assert {remark.id for remark in found.left_out} == UNFIT
    assert {item.id for item in found.items if len(item.texts) == 2} == DIFFERENT
    by_part = Counter(item.id.rsplit(" ", 1)[0] for item in found.items)
    lost = Counter(name.rsplit(" ", 1)[0] for name in UNFIT)
    parts = ("type 1 dev", "type 1 test", "type 2 dev", "type 2 test")
    assert {part: by_part[part] + lost[part] for part in parts} == dict.fromkeys(parts, 396)
    assert len({item.occupation for item in found.items}) == 40
    assert {item.occupation.lower() for item in found.items} <= {name.lower() for name in found.shares}


def test_the_published_stereotypes_are_those_of_the_lists_of_occupations(real_data: Path, winobias: PronounSet) -> None:
    listed = {
        name.lower(): gender
        for gender in ("male", "female")
        for name in (real_data / "winobias" / f"{gender}_occupations.txt").read_text().splitlines()
    }
    assert {(item.occupation.lower(), item.stereotype) for item in winobias.items} == set(listed.items())


def test_repeated_articles_gendered_words_and_duplicates_are_named(winobias: PronounSet) -> None:
    reasons: dict[str, set[str]] = {}
    for remark in winobias.odd:
        reasons.setdefault(remark.reason.split(";")[0].split(" as ")[0], set()).add(remark.id)
    assert reasons["an article is repeated"] == {"type 2 dev 176", "type 2 test 3"}
    assert reasons["'man' stays in the sentence and reveals a gender too"] == {"type 1 test 93", "type 1 test 109"}
    assert reasons["the same sentence"] == {"type 1 test 1", "type 2 test 1", "type 2 test 2"}


def test_the_case_of_her_follows_from_the_other_sentence(winobias: PronounSet) -> None:
    items = {item.id: item.texts[0] for item in winobias.items}
    assert (items["type 1 dev 2"].male, items["type 1 dev 2"].female) == ((("his",),), (("her",),))
    assert (items["type 2 dev 1"].male, items["type 2 dev 1"].female) == ((("him",),), (("her",),))
    assert items["type 1 dev 27"].male == (("he", "his"),)
    assert items["type 1 dev 27"].shown.endswith("because [he/she] needed to cut [his/her] hair.")


def test_the_published_winogender_has_240_triples_of_60_occupations(real_data: Path) -> None:
    found = read_winogender(real_data / "winogender")
    assert len(found.items) == 240
    assert not found.left_out
    assert Counter(item.occupation for item in found.items) == Counter(dict.fromkeys(found.shares, 4))
    assert len(found.shares) == 60
    assert sum(item.texts[0].neutral is None for item in found.items) == 34
    wordings = Counter((item.texts[0].male[0][0], item.texts[0].female[0][0]) for item in found.items)
    assert wordings == {("he", "she"): 178, ("his", "her"): 54, ("him", "her"): 8}


def test_lines_in_another_order_find_each_other(tmp_path: Path) -> None:
    lines = winobias_lines()
    straight = read_winobias(write_winobias(tmp_path / "straight", lines))
    turned = read_winobias(write_winobias(tmp_path / "turned", {**lines, "anti 1": lines["anti 1"][::-1]}))
    assert turned.items == straight.items
    assert not turned.left_out


def test_lines_that_cannot_be_paired_are_left_out_with_the_reason(tmp_path: Path) -> None:
    lines = winobias_lines()
    lines["anti 1"][0] = "[The carpenter] met the nurse because [he] was late."
    lines["anti 1"][2] = "[The carpenter] met the secretary because [she] was late."
    lines["anti 1"][4] = "[The driver] met the cleaner because she was late."
    lines["pro 1"][6] = "[The sheriff met the librarian because [he] was late."
    lines["anti 1"][8] = "[The mover] met the teacher because [she] was late with [his] car."
    lines["pro 1"].append("[The cook] was alone because [he] was late.")
    found = read_winobias(write_winobias(tmp_path / "w", lines))
    reasons = {(remark.id, remark.reason.split(":")[0]) for remark in found.left_out}
    assert ("type 1 dev 1", "the two sentences have pronouns of one gender") in reasons
    assert ("type 1 dev 3", "the two sentences are about different persons") in reasons
    said = " ".join(remark.reason for remark in found.left_out)
    assert "1 persons and 0 pronouns in brackets" in said
    assert "a bracket is not closed or not opened" in said
    assert "are not of one gender" in said
    assert "only the pro-stereotyped file has this sentence" in said
    assert len(found.items) == 36 - 5


def test_one_file_is_enough_and_her_answers_to_him_and_his(tmp_path: Path) -> None:
    folder = write_winobias(tmp_path / "w", {"anti 2": ["The nurse met [the cook] and thanked [her]."]})
    (item,) = read_winobias(folder / "anti_stereotyped_type2.txt.dev").items
    assert item.stereotype == "male"
    assert item.texts[0].male == (("him",), ("his",))
    assert item.texts[0].female == (("her",),)


def test_one_file_takes_its_counterpart_and_no_other(tmp_path: Path) -> None:
    folder = write_winobias(tmp_path / "w")
    whole = read_winobias(folder)
    part = read_winobias(folder / "pro_stereotyped_type2.txt.dev")
    assert part.groups == ("type 2",)
    assert [item.id for item in part.items] == [item.id for item in whole.items if item.id.startswith("type 2")]


@pytest.mark.parametrize(
    "line",
    [
        "[The cook] is late because [he] slept.",
        "1 The cook slept.",
        "2 [The cook] and [the nurse] like [him].",
        f"{'9' * 5000} [The cook] is late because [he] slept.",
    ],
)
def test_a_line_that_is_no_sentence_of_winobias_is_refused(line: str) -> None:
    with pytest.raises(StimuliError):
        parse_line(line)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("all_sentences.tsv", "sentid\tsentence", "id\tsentence", "has no column 'sentid'"),
        ("all_sentences.tsv", "nurse.visitor.0.male.txt", "nurse.visitor.0.txt", "is not an id such as"),
        ("all_sentences.tsv", "nurse.visitor.0.male.txt", "nurse.visitor.0.female.txt", "twice"),
        ("all_sentences.tsv", "could help.\n", "could help.\tmore\n", "has 3 cells"),
        ("occupations-stats.tsv", "bls_pct_female", "share", "has no column 'bls_pct_female'"),
        ("occupations-stats.tsv", "\t5\t", "\tmany\t", "is not a number"),
        ("occupations-stats.tsv", "\t5\t", "\t101\t", "is not a percentage"),
    ],
)
def test_damaged_winogender_tables_are_one_clear_error(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = write_winogender(tmp_path / "w")
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    with pytest.raises(StimuliError, match=message):
        read_winogender(folder)


def test_winogender_versions_that_do_not_fit_are_left_out_with_the_reason(tmp_path: Path) -> None:
    folder = write_winogender(tmp_path / "w")
    file = folder / "all_sentences.tsv"
    text = file.read_text()
    text = text.replace("The nurse told the visitor that she could help.", "The nurse said that she could help.")
    text = text.replace("The nurse told someone", "The nurse [PRONOUN] told someone")
    file.write_text(text.replace("The cook told the visitor that he could", "The cook told the visitor that it could"))
    stats = folder / "occupations-stats.tsv"
    stats.write_text("".join(line for line in stats.read_text().splitlines(keepends=True) if "guard" not in line))
    found = read_winogender(folder)
    reasons = {remark.id: remark.reason for remark in found.left_out}
    assert "do not differ in one word" in reasons["nurse.visitor.0"]
    assert "which are placeholders here" in reasons["nurse.someone.0"]
    assert "not pronouns of either gender" in reasons["cook.visitor.0"]
    assert all("no share of women" in reasons[f"guard.{other}.{k}"] for other in ("visitor", "someone") for k in "01")
    assert len(found.items) == 72 - 8


def test_pronouns_have_one_gender_and_other_words_reveal_one() -> None:
    assert (pronoun_sets.gender_of(("she", "her")), pronoun_sets.gender_of(("she", "his"))) == ("female", None)
    assert pronoun_sets.gendered_words("The lawyer is a generous man.") == ["man"]
    assert pronoun_sets.shares_of_women()["tailor"] == 80.0
    found = pronoun_sets._difference("He said his name.", "He said her name.")
    assert found == ("He said [PRONOUN] name.", "his", "her")
