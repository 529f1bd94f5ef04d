"""What `tools/fuzz.py` has found: each fault with the smallest input that showed it."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import aslant
from aslant.errors import LONGEST, AslantError, VectorsError
from aslant.results.audit import AuditPart
from aslant.stimuli import WordSet


def test_a_message_is_one_line_of_limited_length_whatever_it_quotes() -> None:
    assert str(AslantError("no word 'a\x1b[2J\nb\ud800\u202e\u2028'.")) == r"no word 'a\x1b[2J\nb\ud800\u202e\u2028'."
    assert str(VectorsError("no word 'é 日本\xa0x'.")) == "no word 'é 日本\xa0x'."
    long = str(AslantError(f"there is no word '{'a' * 10**6}'; check it."))
    assert len(long) <= LONGEST
    assert len(str(AslantError(chr(1) * LONGEST))) <= LONGEST
    assert long.startswith("there is no word 'aaa")
    assert long.endswith("aaa'; check it.")


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd"])
def test_a_word_that_begins_like_packed_data_is_a_word(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"2 2\n" + start + b"he 0.5 1\nshe 1 2\n")
    assert aslant.load(tmp_path / "v.txt", cache=False).words == [f"{start.decode('utf-8', 'replace')}he", "she"]


def test_what_is_packed_inside_lines_of_text_is_not_unpacked(tmp_path: Path) -> None:
    packed = zlib.compress(b"he 0.5 1\nshe 1 2\n")
    (tmp_path / "v.txt").write_bytes(b"2 2\n" + packed + b" 1 2\nshe 1 2\n")
    words = aslant.load(tmp_path / "v.txt", cache=False).words
    assert words[-1] == "she"
    assert "he" not in words


def npy(kind: str, shape: str, data: bytes = b"") -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize("kind", ["<U0", "|S0", "|V0"])
def test_an_array_of_items_without_a_size_is_refused_unread(kind: str, tmp_path: Path) -> None:
    (tmp_path / "v.words").write_text("he\n")
    (tmp_path / "v.npy").write_bytes(npy(kind, "(2147483647, 3)"))
    with pytest.raises(VectorsError, match="is not a plain NumPy array"):
        aslant.load(tmp_path / "v.npy")
    np.save(tmp_path / "words.npy", np.array(["he"]))
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.write(tmp_path / "words.npy", "words.npy")
        archive.writestr("matrix.npy", npy(kind, "(2147483647, 3)"))
    with pytest.raises(VectorsError, match="needs the plain arrays"):
        aslant.load(tmp_path / "v.npz")


def test_a_header_of_python_2_and_odd_escapes_are_read_without_a_warning(tmp_path: Path) -> None:
    (tmp_path / "v.words").write_text("he\n")
    (tmp_path / "v.npy").write_bytes(npy("<f4", "(1L, 3L)", np.ones(3, "<f4").tobytes()))
    assert aslant.load(tmp_path / "v.npy").words == ["he"]
    (tmp_path / "v.npy").write_bytes(npy("<\\o4", "(1, 3)"))
    with pytest.raises(VectorsError, match="is not a plain NumPy array"):
        aslant.load(tmp_path / "v.npy")
    np.save(tmp_path / "1990-w.npy", np.ones((1, 3), np.float32))
    (tmp_path / "1990-vocab.pkl").write_bytes(b"](S'\\uhe'\ne.")
    assert aslant.load(tmp_path / "1990").words == ["\\uhe"]


def test_a_record_with_numbers_that_are_none_is_refused(tmp_path: Path) -> None:
    vectors = aslant.WordVectors.from_arrays(["he"], [[1.0, 2.0]])
    treatment = aslant.vectors.debiasing_record.Treatment("halved", {"by": float("nan")}, (), None)
    treated = vectors.treated(vectors.matrix, treatment)
    for suffix in ("npz", "safetensors"):
        treated.save(tmp_path / f"v.{suffix}")
        with pytest.raises(VectorsError, match=rf"v\.{suffix}' is not"):
            aslant.load(tmp_path / f"v.{suffix}")


def test_a_journal_that_numpy_warns_of_is_as_good_as_absent(tmp_path: Path) -> None:
    from aslant.io.journal import Journal
    from aslant.io.keeper import Keeper

    Keeper(tmp_path).keep({"step/x": npy("<f4", "(1L, 3L)", np.ones(3, "<f4").tobytes())})
    assert Journal(tmp_path).recall("step") is None


def test_no_vector_is_built_from_n_grams_that_hold_no_numbers(tmp_path: Path) -> None:
    from attacks import fasttext

    model = fasttext([b"he"], 2, bucket=1)
    (tmp_path / "m.bin").write_bytes(model)
    assert aslant.load(tmp_path / "m.bin", subwords=True, cache=False).lookup(["nurse"]).found == ("nurse",)
    rows = np.array([1, 1, np.nan, 1], "<f4").tobytes()  # that of the word, which has no n-grams, and the bucket's
    (tmp_path / "m.bin").write_bytes(model.replace(b"he\0", b"</s>\0")[: -len(rows)] + rows)
    damaged = aslant.load(tmp_path / "m.bin", subwords=True, cache=False)
    assert damaged.lookup(["</s>", "nurse"]).missing == ("nurse",)


@pytest.mark.parametrize("kind", ["[]", "{}", "[[1]]", "1", "1979-05-27"])
def test_a_kind_that_is_no_text_is_refused(kind: str) -> None:
    from aslant.stimuli.loading import parse_set

    with pytest.raises(AslantError, match="is not one of weat, pairs"):
        parse_set(f"kind = {kind}", "mine")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
def test_toml_with_numbers_that_are_none_is_refused(number: str) -> None:
    from aslant.io.reading import parse_toml

    with pytest.raises(ValueError, match="not a finite number"):
        parse_toml(f"a = [0.5, {number}]")


def parquet(**columns: Any) -> bytes:
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file, compression="uncompressed")
    return file.getvalue()


def test_a_parquet_file_whose_pages_lie_is_one_sentence_and_kills_nobody(tmp_path: Path) -> None:
    from aslant.stimuli.name_files import read_names

    path, sound = tmp_path / "n.parquet", parquet(name=["Ann", "Bob"], n=[5000, 4000])
    said = set()
    for place in range(4, 60, 9):
        path.write_bytes(sound[:place] + b"\x09" + sound[place + 1 :])
        try:
            said.add(str(read_names(path).names))
        except AslantError as error:
            said.add(str(error).rpartition(": ")[2])
    assert "('Ann', 'Bob')" in said
    assert len(said) > 1


@pytest.mark.parametrize("columns", [
    {"name": [1, 2], "n": [5000, 4000]}, {"name": ["Ann", "Bob"], "n": ["x", "y"]}, {"name": [["Ann"]], "n": [5000]},
    {"name": [None, None], "n": [5000, 4000]}, {"name": ["Ann"], "n": [None]}, {"name": ["Ann"], "n": [float("nan")]},
    {"name": ["Ann"], "x": [5000]}, {"name": [" "], "n": [5000]},
])  # fmt: skip
def test_a_parquet_file_without_names_and_numbers_is_one_sentence(columns: dict[str, Any], tmp_path: Path) -> None:
    from aslant.stimuli.name_files import read_names

    (tmp_path / "n.parquet").write_bytes(parquet(**columns))
    with pytest.raises(AslantError, match=r"no names|cannot be read|needs a column 'name'"):
        read_names(tmp_path / "n.parquet")


def test_shares_of_surnames_are_percentages(tmp_path: Path) -> None:
    from aslant.stimuli.name_files import read_names

    head = "name,count,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic\nSMITH,5000,"
    for share in ("nan", "1e400", "-1", "101", "inf"):
        (tmp_path / "n.csv").write_text(f"{head}{share},1,1,1,1,(S)\n")
        with pytest.raises(AslantError, match="no count or shares"):
            read_names(tmp_path / "n.csv")


def test_a_file_without_sentences_of_winobias_is_one_sentence(tmp_path: Path) -> None:
    from aslant.stimuli.pronoun_sets import read_winobias

    (tmp_path / "pro_stereotyped_type1.txt.dev").write_text("1 [The cook] slept\n")
    with pytest.raises(AslantError, match=r"'1 \[The cook\] slept'\.$"):
        read_winobias(tmp_path)


@pytest.mark.parametrize("content", [b'{"\xff":1}', b'{"a":' + b"[" * 5000, b"[]", b'{"a":{"size":"x"}}'])
def test_damaged_stamps_are_none(content: bytes, tmp_path: Path) -> None:
    from aslant.data.verifying import read_stamps

    (tmp_path / "stamps").write_bytes(content)
    assert read_stamps(tmp_path / "stamps") == {}


@pytest.mark.parametrize("change", [{"column": 1}, {"split": None}, {"top": "x"}, {"case": []}, {"profile": "slow"}])
def test_a_damaged_request_of_a_run_is_one_sentence(change: dict[str, Any], tmp_path: Path) -> None:
    from aslant.cli.audit_run import resumed
    from aslant.io.keeper import Keeper

    request = {"models": [], "output": "out", "settings": {"top": 9, "profile": "quick", "column": "text"}}
    Keeper(tmp_path).keep({"request": json.dumps(request).encode()})
    sound, _ = resumed(tmp_path)
    assert (sound.settings.top, sound.settings.column) == (9, "text")
    Keeper(tmp_path).keep({"request": json.dumps(request | {"settings": change}).encode()})
    with pytest.raises(AslantError, match="is damaged"):
        resumed(tmp_path)
    for unsound in (b'{"models":["\xff"]}', b"{"):
        Keeper(tmp_path).keep({"request": unsound})
        with pytest.raises(AslantError, match="is damaged"):
            resumed(tmp_path)


SCORES = "test\tside\tdifference\nx\tA\t0.5\nx\tA\t1\nx\tB\t-1\nx\tB\t-2\n"


@pytest.mark.parametrize(("old", "new"), [
    ("difference", "gap"), ("test", "tset"), ("side", "x"), ("0.5", "much"), ("0.5", "nan"), ("0.5", "1e300"),
    ("\t0.5", ""),
    ("x\tA\t0.5", "x\tA\t\ud800"),
])  # fmt: skip
def test_scores_that_are_none_are_one_sentence(old: str, new: str, tmp_path: Path) -> None:
    from aslant.replicate.framework import Run
    from aslant.replicate.kurita import WEAT_SCORES, _pooled

    (tmp_path / WEAT_SCORES).write_text(SCORES)
    assert _pooled(Run(0), tmp_path, name="x").value is not None
    (tmp_path / WEAT_SCORES).write_bytes(SCORES.replace(old, new).encode("utf-8", "surrogatepass"))
    with pytest.raises(AslantError, match="kurita_weat_scores"):
        _pooled(Run(0), tmp_path, name="x")


def test_an_archive_that_leads_before_its_beginning_is_damaged_and_not_the_disk(tmp_path: Path) -> None:
    import gzip

    from aslant.data.receiving import Meter, take_out
    from aslant.data.registry import File
    from aslant.errors import DataError
    from attacks import zip_of

    archive = zip_of({"a.txt": b"abc"})
    tarred = bytearray(gzip.compress(b"\0" * 2000))
    tarred[-8:-4] = b"xxxx"  # its checksum
    for content in (archive[archive.index(b"PK\x01\x02") :], bytes(tarred)):
        (tmp_path / "archive").write_bytes(content)
        with pytest.raises(DataError, match=r"it cannot be unpacked|it has no file"):
            take_out(tmp_path / "archive", (File("a.txt", member="a.txt"),), tmp_path, Meter(None), "it")


def test_a_limit_that_no_float_can_hold_is_one_sentence() -> None:
    from aslant.models.elmo_files import _limit

    assert _limit(3, "cell_clip") == 3.0
    with pytest.raises(ValueError, match="cell_clip is 1000"):
        _limit(10**400, "cell_clip")


@pytest.mark.parametrize("name", ["..", "", ".", "a/..", "a\0b", "/", "\ud800"])
def test_an_index_of_weights_names_files_only(name: str, tmp_path: Path) -> None:
    from aslant.models.model_loading import check_folder

    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(AslantError, match="outside its folder"):
        check_folder(tmp_path)


def test_a_trend_with_years_left_out_comes_back_from_its_json() -> None:
    both = aslant.WordVectors.from_arrays(["he", "she", "nurse"], [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    one = aslant.WordVectors.from_arrays(["he", "nurse"], [[1.0, 0.0], [1.0, 2.0]])
    classes = {"male": ["he"], "female": ["she"]}
    trend = aslant.polarity_trend({1900: both, 1910: both, 1920: one}, classes, words=["nurse"], bootstrap=0)
    assert list(trend.years_left_out) == [1920]
    assert type(trend).from_dict(json.loads(trend.to_json())) == trend
    assert type(trend).from_dict(trend.to_dict()) == trend


def test_half_a_pair_where_a_list_should_be_is_one_sentence() -> None:
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.enumeration.survey import Survey
    from aslant.results.codec import part_from_dict

    for kind in (EnumerationResult, Survey):
        with pytest.raises(AslantError, match="is not a complete"):
            kind.from_dict({"kind": kind.kind, "groups": "\ud800", "id": ""})
    with pytest.raises(AslantError, match="is not a complete"):
        part_from_dict(AuditPart, {"measure": "x", "title": "x", "results": "\ud800", "seconds": 1})


@pytest.mark.parametrize("change", [{"group": 3}, {"group": -1}, {"category": 2}, {"category": 2**62}])
def test_an_enumeration_with_cells_of_groups_that_are_not_there_is_refused(change: dict[str, int]) -> None:
    from aslant.measures.enumeration.result import EnumerationResult
    from survey_examples import enumeration

    content = enumeration(groups=3, categories=2, names=4).to_dict()
    assert EnumerationResult.from_dict(content)
    content["cells"][0] |= change
    with pytest.raises(AslantError, match="a cell belongs to a group or category that does not exist"):
        EnumerationResult.from_dict(content)
    with pytest.raises(AslantError, match="the ordering has a category"):
        EnumerationResult.from_dict(enumeration(groups=3, categories=2).to_dict() | {"ordering": [5]})


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "/a", "../a", "a:b", "a\\b", "\u202ea"])
def test_a_file_of_a_data_entry_has_a_name_that_a_file_can_have(name: str) -> None:
    from aslant.data.registry import File
    from aslant.errors import DataError

    assert File("a b/é.txt").name == "a b/é.txt"
    with pytest.raises(DataError, match="must be a plain relative path"):
        File(name)


def test_weights_of_elmo_too_large_for_float32_are_one_sentence(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="ELMo needs h5py: pip install '.[lm]'")
    from aslant.models.elmo_files import ElmoOptions, read_weights

    options = ElmoOptions(1, 3, ((1, 1),), 0, "relu", 1, 1, 1, False, None, None)
    with h5py.File(tmp_path / "w.hdf5", "w") as file:
        for name, shape in options.shapes().items():
            file.create_dataset(name, data=np.full(shape, 1e300))
    with pytest.raises(AslantError, match="holds values that are not numbers"):
        read_weights(tmp_path / "w.hdf5", options)


def test_a_gguf_tensor_beyond_all_places_is_one_sentence(tmp_path: Path) -> None:
    for library in ("gguf", "torch", "transformers"):
        pytest.importorskip(library, reason=f"GGUF files need {library}: pip install '.[lm]'")
    from aslant.models.conversion import convert

    tensor = struct.pack("<Q", 1) + b"x" + struct.pack("<IQIQ", 1, 2, 0, 2**64 - 1)
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + tensor + bytes(64))
    with pytest.raises(AslantError, match="is not a GGUF file"):
        convert(tmp_path / "m.gguf", tmp_path)


def test_arrays_of_strings_of_no_characters_are_one_sentence(tmp_path: Path) -> None:
    bad = npy("<U1", "(1, 2)", b"\xff" * 8)
    (tmp_path / "v.words").write_text("he\n")
    (tmp_path / "v.npy").write_bytes(bad)
    with pytest.raises(VectorsError, match="are not an array of numbers"):
        aslant.load(tmp_path / "v.npy")
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.writestr("words.npy", npy("<U1", "(1,)", b"\xff" * 4))
        archive.writestr("matrix.npy", npy("<f4", "(1, 2)", np.ones(2, "<f4").tobytes()))
    with pytest.raises(VectorsError, match="needs the plain arrays"):
        aslant.load(tmp_path / "v.npz")


def test_a_word_set_has_no_column_twice() -> None:
    from aslant.stimuli.loading import parse_set

    text = (
        'kind = "words"\ntitle = "t"\ncategory = "c"\nlanguage = "en"\nlicence = "l"\ncitation = "c"\n'
        'columns = ["word", "share"]\nrows = [["clerk", 0.5]]'
    )
    assert cast("WordSet", parse_set(text, "mine")).column("share") == {"clerk": 0.5}
    with pytest.raises(AslantError, match="'columns' lists 'word' twice"):
        parse_set(text.replace('"share"', '"word"'), "mine")


def test_nan_that_signals_is_left_out_without_a_warning() -> None:
    rows = np.ones((11, 2))
    rows[0] = np.array([0x7FF0000000000001] * 2, np.uint64).view(np.float64)
    vectors = aslant.WordVectors.from_arrays(list("abcdefghijk"), rows)
    assert vectors.repairs == {"vectors with NaN or infinity left out": 1}


def test_a_surname_is_not_empty(tmp_path: Path) -> None:
    from aslant.stimuli.name_files import read_names

    head = "name,count,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic\n"
    for name in ("", " "):
        (tmp_path / "n.csv").write_text(f"{head}{name},5000,1,1,1,1,1,(S)\n")
        with pytest.raises(AslantError, match="line 2: no name"):
            read_names(tmp_path / "n.csv")


@pytest.mark.parametrize("stamps", [b"", b"1", b"[]", b"null", b"\xff", b"[" * 5000, b'{"config.json":1}'])
def test_a_converted_model_whose_stamps_are_none_is_made_again(stamps: bytes, tmp_path: Path) -> None:
    from aslant.data.verifying import STAMPS, digest, write_stamps
    from aslant.models.conversion import NEEDED, _complete

    for name in NEEDED:
        (tmp_path / name).write_text("{}")
    write_stamps(tmp_path / STAMPS, tmp_path, {name: digest(tmp_path / name) for name in NEEDED})
    assert _complete(tmp_path)
    (tmp_path / STAMPS).write_bytes(stamps)
    assert not _complete(tmp_path)


def test_figures_of_a_store_whose_difference_no_float_can_hold_have_none(tmp_path: Path) -> None:
    from dataclasses import replace

    audit = aslant.audit(only=["weat"], profile="quick")
    store = aslant.ResultsStore(tmp_path / "s.db")
    for effect in (-1e308, 1e308):
        store.append(replace(audit, glance=(replace(audit.glance[0], effect=effect),)), label="a")
    history, change = store.history(), store.compare("a")
    assert [point.difference for point in history.points] == [None, None]
    assert change.figures[0].difference is None
    for result in (history, change):
        assert type(result).from_dict(json.loads(result.to_json())) == result


@pytest.mark.parametrize("name", ["a" * 300 + "/m", "a/" * 3000, "a" * 300 + "/m.txt"])
def test_a_model_with_a_name_too_long_for_a_file_is_one_sentence(name: str, tmp_path: Path) -> None:
    from aslant.auditing.model_list import AuditSettings, read_list
    from aslant.auditing.subjects import kind_of
    from aslant.cli.audit import _check_files, _located
    from aslant.cli.audit_run import Request

    for library in ("torch", "transformers") if name.endswith("/m") else ():
        pytest.importorskip(library, reason=f"language models need {library}: pip install '.[lm]'")
    assert _located([name]) == (name,)
    _check_files(Request((name,), "out", AuditSettings("quick")), [tmp_path], None, None)
    with pytest.raises(AslantError, match=r"File name too long|nor data or a hub model of that name"):
        aslant.audit(name)
    (tmp_path / "models.txt").write_text(f"x = {name}\n")
    if name.endswith("/m"):  # on the hub a model may be called so
        assert [kind_of(entry.source) for entry in read_list(tmp_path / "models.txt")] == ["language model"]
    else:
        with pytest.raises(AslantError, match="'x' of the list: there is no file 'a"):
            read_list(tmp_path / "models.txt")


@pytest.mark.parametrize(
    "line", ['source = " "', 'device = "\\t"', 'only = ["weat", " "]', 'words = ""', "only = ['']"]
)
def test_a_list_of_models_without_patterns_still_refuses_blanks(line: str, tmp_path: Path) -> None:
    from aslant.auditing import model_list

    source = "" if line.startswith("source") else 'source = "sample"\n'
    (tmp_path / "m.toml").write_text(f"[[model]]\n{source}{line}\n")
    with pytest.raises(AslantError, match="is empty; fill it in, or leave it out"):
        model_list.read_list(tmp_path / "m.toml")
    hints = model_list._Model.__annotations__.values()  # with a pattern in them, processes died when they ended
    assert not any("pattern" in str(hint) for hint in hints)
