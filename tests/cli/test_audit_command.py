"""`aslant audit`: reports, runs that go on by themselves, models side by side, and failures that are told."""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing import running
from aslant.auditing.running import STEPS
from aslant.io.keeper import FILE, Keeper
from fake_lm import FakeMaskedLM

QUICK = ("audit", "--quick", "--only", "polarity,geometry")


def replaced(name: str, run: Any) -> Any:
    from dataclasses import replace

    return tuple(replace(step, run=run) if step.id == name else step for step in STEPS)


def stop(work: Any) -> Any:
    raise KeyboardInterrupt


def fail(work: Any) -> Any:
    raise ZeroDivisionError("a fault of ours")


def test_an_audit_writes_a_page_json_and_long_csv_and_leaves_no_run_behind(
    run: Any, tmp_path: Path, cache: Path
) -> None:
    answer = run(*QUICK)
    assert answer.returncode == 0
    assert answer.stdout.splitlines()[-1] == "next: aslant check aslant-report.json"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"aslant-report.{s}" for s in ("csv", "html", "json")]
    audit = aslant.AuditResult.from_dict(json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8")))
    assert audit.profile == "quick"
    with (tmp_path / "aslant-report.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["measure"], row["stimuli"]) for row in rows] == [(g.measure, g.stimuli) for g in audit.glance]
    assert float(rows[0]["effect"]) == audit.glance[0].effect
    assert list((cache / "audits").iterdir()) == []


def test_ctrl_c_names_the_command_that_goes_on_and_both_ways_work(
    run: Any, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("geometry", stop))
        answer = run(*QUICK, "-o", "named")
    assert answer.returncode not in (0, 2)
    words = shlex.split(answer.stderr.partition("To resume (or the same command again): ")[2].splitlines()[0])
    [kept] = (cache / "audits").iterdir()
    assert words == ["aslant", "audit", "--resume", str(kept)]
    assert [key.rpartition("/")[2] for key in Keeper(kept / "model-1").under("step/")] == ["polarity"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("polarity", fail))  # finished before, so it does not run
        assert run(*words[1:]).returncode == 0
    assert (tmp_path / "named.html").is_file()
    assert not kept.exists()
    gone = run(*words[1:])
    assert gone.returncode == 2
    assert "there is no run in" in gone.stderr


def test_the_same_command_goes_on_by_itself(run: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("geometry", stop))
        run(*QUICK)
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("polarity", fail))
        assert run(*QUICK).returncode == 0


def test_without_cache_nothing_is_kept(run: Any, cache: Path) -> None:
    assert run(*QUICK, "--no-cache").returncode == 0
    assert not (cache / "audits").exists()


def test_a_failed_measure_is_told_with_exit_code_3_and_the_report_has_the_rest(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("geometry", fail))
        answer = run(*QUICK, "--run-folder", "kept")
    assert answer.returncode == 3
    assert "ZeroDivisionError: a fault of ours" in answer.stderr
    assert "Traceback" in answer.stderr
    assert "aslant audit --resume" in answer.stderr
    audit = aslant.AuditResult.from_dict(json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8")))
    assert set(audit.failed) == {"geometry"}
    assert [part.measure for part in audit.parts] == ["polarity"]
    assert run("audit", "--resume", "kept").returncode == 0


def test_models_side_by_side_write_one_report(run: Any, tmp_path: Path) -> None:
    aslant.load(top=20_000).save(tmp_path / "small.txt")
    answer = run(*QUICK, "sample", "small.txt")
    assert answer.returncode == 0
    content = json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8"))
    assert content["kind"] == "audit-comparison"
    assert [a["representation"]["name"] for a in content["audits"]] == ["sample", "small.txt"]
    assert "small.txt" in (tmp_path / "aslant-report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--quick", "--full"], "--quick and --full were both given"),
        (["--resume", "nowhere"], "there is no run in 'nowhere'"),
        (["--resume", "nowhere", "sample"], "leave out a model"),
        (["--resume", "nowhere", "--skip", "weat"], "leave out --skip"),
        (["--resume", "nowhere", "--seed", "3"], "leave out --seed"),
        (["--resume", "nowhere", "--top", "3"], "leave out --top"),
        (["--figures", "full-of-files/x"], "is a file; give a folder"),
        (["--only", "wheat"], "did you mean weat"),
        (["--words", "nowhere.toml"], "cannot open 'nowhere.toml'"),
        (["gap"], "is data of the kind 'benchmark'"),
        (["--corpus", "full-of-files/x"], "has no encoder that could read it"),
        (["--corpus", "nowhere.txt"], "there is no file 'nowhere.txt'"),
        (["--corpus", "full-of-files/x", "--corpus", "bald"], "there is no file 'bald', nor data of that name; did"),
        (["--resume", "nowhere", "--corpus", "x"], "leave out --corpus"),
        (["--run-folder", "full-of-files"], "holds other files and no run"),
    ],
)
def test_bad_input_is_refused_before_any_work(run: Any, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "full-of-files").mkdir()
    (tmp_path / "full-of-files" / "x").write_text("mine")
    answer = run("audit", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["full-of-files"]
    assert [path.name for path in (tmp_path / "full-of-files").iterdir()] == ["x"]


def test_a_command_that_is_refused_leaves_the_run_as_it_was(run: Any, tmp_path: Path, cache: Path) -> None:
    asked = ("audit", "--quick", "--only", "polarity", "--run-folder", "run", "-q")
    assert run(*asked).returncode == 0
    kept = Keeper(tmp_path / "run").get("request")
    refused = run(*asked, "--seed", "3")
    assert refused.returncode == 2
    assert "was made with seed 0, not 3" in refused.stderr
    assert Keeper(tmp_path / "run").get("request") == kept
    assert run("audit", "--resume", "run", "-q").returncode == 0
    assert run("audit", "--only", "polarty", "--run-folder", "new").returncode == 2
    assert run("audit", "--only", "polarty").returncode == 2
    assert not (tmp_path / "new").exists()
    assert not list((cache / "audits").glob("*"))


def test_a_request_that_is_damaged_is_one_clear_error(run: Any, tmp_path: Path) -> None:
    for content in (b"{", b"[]", b'{"models": 3}'):
        Keeper(tmp_path / "r").keep({"request": content})
        answer = run("audit", "--resume", "r")
        assert answer.returncode == 2
        assert "is damaged" in answer.stderr


WITHOUT_EXTRAS = """
import sys
for name in ("torch", "transformers", "huggingface_hub", "h5py"):
    sys.modules[name] = None
from aslant.cli import main
sys.argv = ["aslant", "audit", "--quick", "--only", "polarity", "-q"]
main()
"""


def test_an_embedding_is_audited_without_what_language_models_need(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "aslant-report.html").is_file()


def test_a_language_model_is_audited_the_same_way(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda name, device=None: FakeMaskedLM())
    answer = run("audit", "sample-mlm", "--quick", "--only", "attribute-lists")
    assert answer.returncode == 0
    assert "occupations-" in answer.stdout
    assert "occupations-share-of-women" in (tmp_path / "aslant-report.html").read_text(encoding="utf-8")
    both = run("audit", "sample", "sample-mlm", "--quick", "--only", "attribute-lists,polarity")
    assert both.returncode == 0
    none = run("audit", "sample", "sample-mlm", "--quick", "--only", "polarity")
    assert none.returncode == 2
    assert "of polarity, nothing fits 'fake masked', a masked language model" in none.stderr


def test_the_report_is_never_written_over_what_is_read(run: Any, tmp_path: Path) -> None:
    aslant.load(top=3000).save(tmp_path / "v.txt")
    (tmp_path / "v.txt").rename(tmp_path / "v.csv")
    before = (tmp_path / "v.csv").read_bytes()
    answer = run("audit", "v.csv", "-o", "v")
    assert answer.returncode == 2
    assert "is an input and would be overwritten" in answer.stderr
    assert (tmp_path / "v.csv").read_bytes() == before


def test_clearing_the_cache_takes_runs_with_it(run: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("geometry", stop))
        run(*QUICK)
    assert FILE in run("data", "cache").stdout
    assert run("data", "cache", "--clear").returncode == 0
    assert list((cache / "audits").iterdir()) == []
    assert run(*QUICK).returncode == 0
