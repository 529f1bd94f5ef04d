"""HolisticBias' axes as word sets: by data name and by path, single words only, and refused where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aslant
from aslant.errors import StimuliError
from aslant.stimuli import WordSet, load_set, text_of

CONTENT = {
    "religion": {"all": ["Hindu", "Roman Catholic", {"descriptor": "Sunni"}, "Hindu"]},
    "ability": {"visual": [{"descriptor": "blind", "preference": "reviewed"}], "speech": [
        {"descriptor": "mute", "preference": "dispreferred"}]},
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "descriptors.json"
    path.write_text(json.dumps(CONTENT), encoding="utf-8")
    return path


def test_an_axis_is_a_set_of_its_single_words(file: Path) -> None:
    found = load_set(f"{file}/religion", WordSet)
    assert found.words == ("Hindu", "Sunni")
    assert found.category == "religion"
    assert found.note == "Left out: 1 descriptor of several words."
    assert found.content_warning == ""


def test_what_its_makers_advise_against_is_said(file: Path) -> None:
    found = load_set(f"{file}/ability", WordSet)
    assert found.words == ("blind", "mute")
    assert found.category == "disability"
    assert found.note.endswith("found disputed: mute.")
    assert found.content_warning


def test_it_is_measured_like_any_other_set(file: Path) -> None:
    result = aslant.wefat(aslant.load(), f"{file}/religion", attributes="weat-1", chance=0)
    assert [word.word for word in result.words] == ["Hindu", "Sunni"]
    assert result.provenance.stimuli == f"{file}/religion"


def test_by_data_name_it_is_found_where_data_are(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    (tmp_path / "holisticbias").mkdir()
    file.rename(tmp_path / "holisticbias" / file.name)
    entry = 'title = "t"\nkind = "benchmark"\nlicence = "MIT"\ncitation = "Smith et al. 2022"\n[[sources]]\n'
    for name in ("descriptors.json", "nouns.json"):
        entry += ('by_hand = "copy it"\n' if "by_hand" not in entry else "") + f'[[sources.files]]\nname = "{name}"\n'
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "holisticbias.toml").write_text(entry, encoding="utf-8")
    (tmp_path / "holisticbias" / "nouns.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("ASLANT_REGISTRY", str(tmp_path / "registry"))
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path))
    assert load_set("holisticbias/religion").words == ("Hindu", "Sunni")
    own = tmp_path / "holisticbias" / "mine.toml"  # a file in a folder of that name
    own.write_text(text_of("weat-6"), encoding="utf-8")
    assert load_set(own).words == load_set("weat-6").words


@pytest.mark.parametrize(
    ("content", "axis", "words"),
    [
        (CONTENT, "wealth", "has no axis 'wealth'; it has religion, ability"),
        ({"religion": ["Hindu"]}, "religion", "is not a file of HolisticBias: Expected `object`"),
        ([1], "religion", "is not a file of HolisticBias"),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(tmp_path: Path, content: object, axis: str, words: str) -> None:
    path = tmp_path / "descriptors.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(StimuliError, match=words):
        load_set(f"{path}/{axis}")


def test_the_published_file_has_13_axes_of_single_words(real_data: Path) -> None:
    path = real_data / "holisticbias" / "descriptors.json"
    if not path.exists():
        pytest.skip("needs holisticbias among the shared real data")
    axes = json.loads(path.read_text(encoding="utf-8"))
    sets = {axis: load_set(f"{path}/{axis}", WordSet) for axis in axes}
    assert len(sets) == 13
    assert all(len(found.words) >= 8 for found in sets.values())
    assert "Muslim" in sets["religion"].words
    assert not any(" " in word for found in sets.values() for word in found.words)
