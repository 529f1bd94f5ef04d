"""Every command keeps the same promises: examples in its help, one sentence for bad input, nothing half-written."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant import catalogue
from aslant.cli.app import command_of
from aslant.cli.default_command import DEFAULT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def commands(group: Any = None, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Discover every command, so that a new one is held to the same promises."""
    found = {name: command_of(name) for name in catalogue.commands()} if group is None else group.commands
    for name, command in found.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*prefix, name))
        elif name == DEFAULT:
            yield prefix
        else:
            yield (*prefix, name)


every_command = pytest.mark.parametrize("command", list(commands()), ids=" ".join)


@every_command
def test_help_says_what_it_does_and_gives_examples(run: Run, command: tuple[str, ...]) -> None:
    help_text = run(*command, "--help")
    assert help_text.returncode == 0
    assert "Examples" in help_text.stdout
    assert f"aslant {' '.join(command)}" in " ".join(help_text.stdout.split())
    assert "--quiet" in help_text.stdout


@every_command
def test_an_unknown_option_is_exit_code_2_without_traceback(run: Run, command: tuple[str, ...]) -> None:
    answer = run(*command, "--no-such-option")
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr
    assert "no-such-option" in answer.stderr


#: Commands that measure an embedding, with what makes them quick.
MEASURES = {
    "audit": ["--only", "polarity"],
    "weat": [],
    "wefat": [],
    "multi-weat": ["--groups", "weat-6", "--attributes", "weat-6"],
    "enumerate": ["--groups", "gender-binary", "--words", "2000", "--categories", "8", "--rotations", "100"],
}


@pytest.mark.parametrize("command", MEASURES)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.txt"], "there is no file 'nowhere.txt'"),
        (["empty.bin"], "'empty.bin' is empty"),
        (["garbage.bin"], "not in a format that aslant knows"),
        (["own.csv"], "'aslant weat --words own.csv'"),
        (["--case", "LOUD"], "case='LOUD'"),
        (["--json", "no/such/folder/x.json"], "cannot write 'no/such/folder/x.json'"),
        (["--json", "-", "--csv", "-"], "the same file"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run: Run, command: str, arguments: list[str], words: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "own.csv").write_text("group,word\nold,aged\nyoung,teen\n")
    (tmp_path / "garbage.bin").write_bytes(bytes(range(1, 256)) * 40)
    answer = run(command, *MEASURES[command], *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert answer.stderr.startswith("aslant: ")
    assert len(answer.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.glob("**/*.partial"))


@pytest.mark.parametrize("command", MEASURES)
def test_json_to_standard_output_is_only_json(run: Run, command: str) -> None:
    answer = run(command, *MEASURES[command], "--json", "-")
    assert answer.returncode == 0
    content = json.loads(answer.stdout)
    assert content["kind"] in ("audit", "weat-suite", "wefat", "generalised-weat", "enumeration")


@pytest.mark.parametrize("command", MEASURES)
def test_quiet_prints_nothing_and_piped_output_has_no_escape_codes(run: Run, command: str) -> None:
    quiet = run(command, *MEASURES[command], "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert "\x1b" not in run(command, *MEASURES[command]).stdout


def test_weat_writes_every_format_it_offers(run: Run, tmp_path: Path) -> None:
    answer = run("weat", "--json", "a.json", "--csv", "a.csv", "--markdown", "a.md", "--latex", "a.tex")
    assert answer.returncode == 0
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["test"] for row in rows] == [f"weat-{i}" for i in range(1, 11)]
    data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert float(rows[5]["effect_size"]) == data["results"][5]["effect_size"]
    assert (tmp_path / "a.md").read_text(encoding="utf-8").startswith("| test |")
    assert r"\begin{tabular}" in (tmp_path / "a.tex").read_text(encoding="utf-8")


def test_weat_runs_one_test_and_gives_what_the_function_gives(run: Run) -> None:
    answer = run("weat", "--test", "weat-7", "--seed", "4", "--json", "-")
    assert json.loads(answer.stdout) == json.loads(aslant.weat(aslant.load(), "weat-7", min_found=0.5, rng=4).to_json())


def test_weat_on_a_reduced_vocabulary_says_what_was_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("math\nalgebra\npoetry\nhe\nshe\n", encoding="utf-8")
    answer = run("weat", "--test", "weat-7", "--vocabulary", "known.txt", "--equalise", "--csv", "a.csv")
    assert answer.returncode == 0, answer.stderr
    shown = " ".join(answer.stdout.split())
    assert "weat-7: not in the vocabulary of known.txt: geometry, calculus, equations" in shown
    assert "weat-7: removed at random, for target sets of equal size: " in shown
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert row["removed"] in ("math", "algebra")
    assert len(row["not_in_vocabulary"].split()) == 27
    nothing = run("weat", "--vocabulary", "gap")
    assert (nothing.returncode, "kind 'benchmark'" in nothing.stderr) == (2, True)


def test_weat_runs_a_users_own_words(run: Run, tmp_path: Path) -> None:
    shown = run("words", "show", "weat-6").stdout
    (tmp_path / "mine.toml").write_text(shown.replace("Male names", "Men"), encoding="utf-8")
    assert run("words", "check", "mine.toml").returncode == 0
    content = json.loads(run("weat", "--words", "mine.toml", "--json", "-").stdout)
    assert content["test"] == "mine"
    assert content["targets"][0]["name"] == "Men"


def test_multi_weat_gives_what_the_function_gives(run: Run, tmp_path: Path) -> None:
    groups = {"young": ["girl", "boy"], "adult": ["woman", "man"], "old": ["grandmother", "grandfather"]}
    attributes = {"school": ["school", "play"], "work": ["office", "salary"], "home": ["garden", "chair"]}
    for name, sets in (("groups", groups), ("attributes", attributes)):
        text = f'kind = "classes"\ntitle = "{name}"\ncategory = "age"\nlanguage = "en"\n'
        text += 'licence = "own"\ncitation = "own"\n'
        text += "".join(
            f'[[classes]]\nname = "{label}"\nwords = {json.dumps(words)}\n' for label, words in sets.items()
        )
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    answer = run("multi-weat", "--groups", "groups.toml", "--attributes", "attributes.toml", "--json", "-")
    assert answer.returncode == 0, answer.stderr
    content, expected = json.loads(answer.stdout), aslant.generalised_weat(aslant.load(), groups, attributes)
    assert (content["value"], content["pvalue"], content["n_partitions"]) == (expected.value, expected.pvalue, 90)
    table = run("multi-weat", "--groups", "groups.toml", "--attributes", "attributes.toml").stdout
    assert "of 6 words into groups of the same sizes" in " ".join(table.split())
    assert run("multi-weat", "--groups", "weat-6").returncode == 2


SMALL = ["--groups", "gender-binary", "--words", "2000", "--categories", "8", "--rotations", "99"]


def test_the_choices_of_an_enumeration_reach_it(run: Run) -> None:
    choices = ["--keep-names", "--no-voronoi", "--demographics-by", "bearers"]
    settings = json.loads(run("enumerate", *SMALL, *choices, "--json", "-").stdout)["provenance"]["settings"]
    assert {name: settings[name] for name in ("drop_names", "voronoi", "demographics_by")} == {
        "drop_names": False, "voronoi": False, "demographics_by": "bearers",
    }  # fmt: skip
    default = json.loads(run("enumerate", *SMALL, "--json", "-").stdout)["provenance"]["settings"]
    assert (default["drop_names"], default["voronoi"], default["vocabulary"]) == (True, True, "lower-cased")
    for wrong, words in (
        (["--demographics-by", "people"], "--demographics-by is 'people'"),
        (["--names", "embedding", "--groups", "4"], "'sample' is lower-cased"),
    ):
        answer = run("enumerate", *SMALL, *wrong)
        assert answer.returncode == 2
        assert words in answer.stderr


def test_enumerate_against_a_debiased_embedding_says_what_is_left(run: Run, tmp_path: Path) -> None:
    assert run("debias", "--method", "hard", "-o", "hard.safetensors", "-q").returncode == 0
    own = tmp_path / "own.toml"
    text = run("words", "show", "gender-binary").stdout
    own.write_text(text.replace('"female"]', '"female", "she", "woman"]').replace('"male"]', '"male", "he", "man"]'))
    small = ["--groups", str(own), *SMALL[2:-1], "999"]
    found = json.loads(run("enumerate", *small, "--json", "-").stdout)
    answer = run("enumerate", *small, "--against", "hard.safetensors", "--json", "both.json", "--html", "both.html")
    assert answer.returncode == 0, answer.stderr
    content = json.loads((tmp_path / "both.json").read_text(encoding="utf-8"))
    assert content["kind"] == "enumeration-comparison"
    assert {"kind": "enumeration", **content["before"]} == found
    before, after = (sum(c["significant"] for c in content[part]["cells"]) for part in ("before", "after"))
    assert before > 0
    assert f"{before} of 16 cells before, {after} after" in " ".join(answer.stdout.split())
    assert "Associations before and after debiasing" in (tmp_path / "both.html").read_text(encoding="utf-8")
    refused = run("enumerate", *small, "--against", "hard.safetensors", "--heatmap", "x.svg")
    assert refused.returncode == 2
    assert "--heatmap draws one embedding" in refused.stderr


def test_every_setting_of_the_function_reaches_it(run: Run) -> None:
    answer = run(
        "weat", "--test", "weat-6", "--alternative", "less", "--method", "monte carlo", "--n-resamples", "99",
        "--bootstrap", "10", "--confidence", "0.5", "--chance", "40", "--chance-words", "coherent",
        "--equalise", "--json", "-",
    )  # fmt: skip
    settings = json.loads(answer.stdout)["provenance"]["settings"]
    assert settings == {
        "alternative": "less", "method": "monte carlo", "n_resamples": 99, "bootstrap": 10, "confidence": 0.5,
        "chance": 40, "chance_words": "coherent", "equalise": True, "min_found": 0.5,
    }  # fmt: skip


def test_wrong_kind_of_words_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "list.toml").write_text(run("words", "show", "gender-binary").stdout, encoding="utf-8")
    answer = run("weat", "--words", "list.toml")
    assert answer.returncode == 2
    assert "one of kind 'weat' is needed" in answer.stderr


def test_words_check_names_the_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('kind = "weat"\ntitle = "x"\n', encoding="utf-8")
    answer = run("words", "check", "bad.toml")
    assert answer.returncode == 2
    assert "missing required field `targets`" in answer.stderr


def test_words_list_shows_every_set_and_filters_by_kind(run: Run) -> None:
    from aslant.stimuli import names

    listed = run("words", "list").stdout
    assert all(name in listed for name in names())
    only = run("words", "list", "--kind", "pairs").stdout
    assert "definitional-pairs" in only
    assert "weat-1" not in only
    assert run("words", "list", "--kind", "x").returncode == 2


def test_audit_writes_the_page_and_the_data(run: Run, tmp_path: Path) -> None:
    aslant.load(top=8_000).save(tmp_path / "v.safetensors")
    answer = run("audit", "v.safetensors", "--quick", "--skip", "residual,geometry")
    assert answer.returncode == 0
    assert "aslant-report.html" in answer.stdout
    data = json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8"))
    audit = aslant.AuditResult.from_dict(data)
    assert audit.weat.results[0].test == "weat-6"  # whose words are all among the first 8,000
    assert audit.enumeration is not None
    assert len(audit.enumeration.significant) > 50
    assert audit.enumeration.rotations.work < 1
    page = (tmp_path / "aslant-report.html").read_text(encoding="utf-8")
    assert "<!doctype html>" in page
    assert "may repeat offensive stereotypes" in page
    for cell in audit.enumeration.significant[:20]:
        assert all(f">{escape(word)}<" in page for word in cell.words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--html", "no/such/x.html"], "there is no folder 'no/such'"),
        (["--heatmap", "x.pdf"], "cannot be written as '.pdf'"),
        (["--html", "x", "--json", "x"], "the same file"),
        (["--html", "-"], "standard output"),
        (["--groups", "²"], "²"),
    ],
)
def test_enumerate_refuses_bad_outputs_before_any_work(run: Run, arguments: list[str], words: str) -> None:
    answer = run("enumerate", "--top", "10", *arguments)  # the embedding would be refused, too, but later
    assert answer.returncode == 2
    assert words in answer.stderr


def test_audit_into_a_folder_that_is_not_there_is_refused_before_any_work(run: Run, tmp_path: Path) -> None:
    answer = run("audit", "-o", "nowhere/report")
    assert answer.returncode == 2
    assert "there is no folder 'nowhere'" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_cache_lists_and_clears(run: Run, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a 1 2\nb 2 1\nc 3 1\n", encoding="utf-8")
    aslant.load(tmp_path / "v.txt")
    assert "v.txt" in run("data", "cache").stdout
    assert "1 file deleted" in run("data", "cache", "--clear").stdout
    assert "in 0 files" in run("data", "cache").stdout


def test_repairs_are_said_on_standard_error(run: Run, tmp_path: Path) -> None:
    words = [word for group in aslant.weat(aslant.load(), "weat-6").targets for word in group.used]
    v = aslant.load().lookup([*words, "executive", "home"])
    lines = [f"{t} {' '.join(map(str, row))}" for t, row in zip(v.tokens, v.vectors.tolist(), strict=True)]
    (tmp_path / "v.txt").write_text("\n".join([*lines, lines[0]]), encoding="utf-8")
    answer = run("weat", "v.txt", "--test", "weat-6", "--min-found", "0.1")
    assert answer.returncode == 0
    assert "duplicate words left out: 1" in answer.stderr
    assert "management" in answer.stdout


def test_python_dash_m_aslant_is_the_command(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "aslant", "--version"], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert answer.stdout.strip() == f"aslant {aslant.__version__}"


def test_a_fault_of_ours_keeps_its_traceback_and_is_exit_code_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("aslant.measures.association.measure.weat_suite", broken)
    answer = run("weat")
    assert answer.returncode == 3
    assert answer.stderr.rstrip().endswith("ZeroDivisionError: ours")
    assert "Traceback" in answer.stderr


def test_polarity_of_one_and_of_several_embeddings(run: Run, tmp_path: Path) -> None:
    one = json.loads(run("polarity", "--classes", "she,he", "--words", "nurse,engineer", "--json", "-").stdout)
    assert [w["leans_to"] for w in one["by_word"]] == ["she", "he"]
    aslant.load(top=30_000).save(tmp_path / "a.safetensors")
    two = run("polarity", "a.safetensors", "a.safetensors", "--drop-last", "0,1", "--csv", "-")
    assert two.returncode == 0
    rows = list(csv.DictReader(two.stdout.splitlines()))
    assert [row["representation"] for row in rows] == ["a.safetensors (1)", "a.safetensors (2)"]
    assert float(rows[1]["difference"]) != 0
    assert run("polarity", "a.safetensors", "--drop-last", "0,1").returncode == 2


def histwords(folder: Path, years: range) -> None:
    import pickle

    import numpy as np

    v = aslant.load(top=30_000)
    for year in years:
        np.save(folder / f"{year}-w.npy", v.matrix + 0.01 * np.random.default_rng(year).normal(size=v.matrix.shape))
        (folder / f"{year}-vocab.pkl").write_bytes(pickle.dumps(list(v.words), protocol=2))


def test_trend_reads_a_histwords_folder_and_draws_a_chart(run: Run, tmp_path: Path) -> None:
    histwords(tmp_path, range(1950, 2000, 10))
    for chart, start in (("t.svg", b"<svg"), ("t.png", b"\x89PNG"), ("t.html", b"<!doctype html>")):
        answer = run("trend", ".", "--words", "nurse,engineer,clerk,judge", "--chart", chart, "--csv", "t.csv")
        assert answer.returncode == 0, answer.stderr
        assert (tmp_path / chart).read_bytes().startswith(start)
    assert "Mann–Kendall" in answer.stdout
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["year"] for row in rows] == ["1950", "1960", "1970", "1980", "1990"]


def test_trend_gives_a_figure_of_lu_by_one_command(run: Run, tmp_path: Path) -> None:
    histwords(tmp_path, range(1950, 2000, 10))
    answer = run("trend", ".", "--figure", "1", "--bootstrap", "10", "--chart", "f.svg", "--csv", "f.csv")
    assert answer.returncode == 0, answer.stderr
    chart = (tmp_path / "f.svg").read_text(encoding="utf-8")
    labels = ["baseline", "ovo (g1)", "ovr (g1)", "ovr (g2)"]
    assert all(label in chart and f"{label}: " in answer.stdout for label in labels)
    assert answer.stdout.count("Mann–Kendall") == 4
    rows = list(csv.DictReader((tmp_path / "f.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["year"] for row in rows] == ["1950", "1960", "1970", "1980", "1990"]
    assert all(float(row[label]) > 0 for row in rows for label in labels)
    assert "leave out --classes race-four" in run("trend", ".", "--figure", "2", "--classes", "race-four").stderr
    assert "leave out --scheme one-vs-one" in run("trend", ".", "--figure", "2", "--scheme", "one-vs-one").stderr
    assert run("trend", ".", "--figure", "3").returncode == 2


def test_trend_draws_a_line_for_each_of_several_classes(run: Run, tmp_path: Path) -> None:
    histwords(tmp_path, range(1970, 2000, 10))
    given = ("--classes", "she,he", "--classes", "race-four:one-vs-rest", "--bootstrap", "0")
    content = json.loads(run("trend", ".", *given, "--json", "-").stdout)
    assert content["kind"] == "polarity-trends"
    assert {label: trend["scheme"] for label, trend in content["trends"].items()} == {
        "she,he": "binary",
        "race-four:one-vs-rest": "one-vs-rest",
    }
    one = json.loads(run("trend", ".", "--classes", "race-four:one-vs-rest", "--bootstrap", "0", "--json", "-").stdout)
    assert one["points"] == content["trends"]["race-four:one-vs-rest"]["points"]


def test_trend_takes_files_with_years_in_their_names(run: Run, tmp_path: Path) -> None:
    for year in (1990, 2000):
        aslant.load(top=30_000).save(tmp_path / f"v-{year}.safetensors")
    answer = run("trend", "v-1990.safetensors", "v-2000.safetensors", "--json", "-")
    assert [p["year"] for p in json.loads(answer.stdout)["points"]] == [1990, 2000]
    aslant.load(top=10).save(tmp_path / "latest.safetensors")
    bad = run("trend", "v-1990.safetensors", "latest.safetensors")
    assert bad.returncode == 2
    assert "no year in its name" in bad.stderr
    assert run("trend", "v-1990.safetensors", "v-2000.safetensors", "--chart", "t.docx").returncode == 2
    (tmp_path / "empty").mkdir()
    assert "holds no HistWords decades" in run("trend", "empty").stderr


def test_a_vocabulary_pickle_made_to_run_code_is_refused(run: Run, tmp_path: Path) -> None:
    histwords(tmp_path, range(1950, 1970, 10))
    harm = b"cos\nsystem\n(S'touch " + str(tmp_path / "harmed").encode() + b"'\ntR."
    (tmp_path / "1960-vocab.pkl").write_bytes(harm)
    answer = run("trend", ".")
    assert answer.returncode == 2
    assert "1960-vocab.pkl" in answer.stderr
    assert not (tmp_path / "harmed").exists()


def test_compare_puts_two_embeddings_side_by_side(run: Run, tmp_path: Path) -> None:
    aslant.load(top=30_000).save(tmp_path / "a.safetensors")
    answer = run("compare", "a.safetensors", "a.safetensors", "--drop-last", "0,50", "--json", "-")
    content = json.loads(answer.stdout)
    assert content["kind"] == "comparison"
    assert any(abs(w["difference"]["difference"]) > 0.01 for w in content["weat"])


def test_replicate_lists_papers_and_fills_the_table(run: Run, tmp_path: Path) -> None:
    assert "lu" in run("replicate", "list").stdout
    content = json.loads(run("replicate", "lu", "--json", "-").stdout)
    assert [c["verdict"].partition(",")[0] for c in content["cells"]][:6] == ["met"] * 6
    assert run("replicate", "lu", "--markdown", "t.md").returncode == 0
    assert "0.0976" in (tmp_path / "t.md").read_text(encoding="utf-8")
    assert "is not NAME=PATH" in run("replicate", "lu", "--data", "x").stderr
    assert "'lu' has no data named 'x'" in run("replicate", "lu", "--data", "x=y").stderr
    assert run("replicate", "nobody").returncode == 2


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_number_is_cut_whatever_the_width(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("weat").stdout
    table = shown[: shown.index("d > 0")]
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= width
    for number in ("1.72", "7.8e-05", "0.009"):
        assert number in table


def test_an_embedding_without_the_words_is_an_error_not_an_empty_report(run: Run, tmp_path: Path) -> None:
    for command in ("audit", "weat"):
        answer = run(command, "--top", "10")
        assert answer.returncode == 2
        assert "no test could be run" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_report_needs_a_name(run: Run) -> None:
    for name in (".", ""):
        answer = run("audit", "-o", name)
        assert answer.returncode == 2
        assert "does not name a file" in answer.stderr


def test_compare_keeps_its_labels_in_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("compare", "sample", "sample", "--drop-last", "0,1", "--classes", "she,he").stdout
    table = shown[: shown.index("only words that both have")]
    assert "weat-6" in table
    assert "polarity binary: she, he" in " ".join(table.split())
    assert "…" not in table


def test_polarity_shows_the_words_that_lean_most_and_says_so(run: Run) -> None:
    shown = run("polarity").stdout
    assert "shown: the 20 words" in shown
    assert len(shown.splitlines()) < 45


def test_files_of_one_result_appear_together_or_not_at_all(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text("old")
    (tmp_path / "w.csv").mkdir()
    answer = run("weat", "--test", "weat-6", "-q", "--json", "w.json", "--csv", "w.csv")
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)
    assert "cannot write 'w.csv': Is a directory" in answer.stderr
    assert (tmp_path / "w.json").read_text() == "old"
