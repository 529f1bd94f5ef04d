"""What machines read of a command: lines of a log, and exit codes that tell what happened apart."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.cli.exit_codes import BAD_INPUT, LOST
from aslant.errors import LostWorkersError, WorkersError


def test_a_log_in_json_has_time_run_model_step_and_seconds(run: Any, tmp_path: Path) -> None:
    (tmp_path / "models.txt").write_text("ours = sample\n")
    answer = run("audit", "--models", "models.txt", "--quick", "--only", "polarity", "--run", "march", "--log", "json")
    lines = [json.loads(line) for line in answer.stderr.splitlines()]
    assert all({"time", "level", "message"} <= line.keys() for line in lines)
    [measured] = [line for line in lines if line["message"] == "measured"]
    assert (measured["run"], measured["model"], measured["step"]) == ("march", "ours", "polarity")
    assert measured["seconds"] > 0
    assert [line["message"] for line in lines][-2:] == ["model ends", "run ends"]


def test_what_is_refused_is_a_line_of_the_log(run: Any, tmp_path: Path) -> None:
    (tmp_path / "models.txt").write_text("ours = sample\none.txt\ntwo.txt\n")
    answer = run("audit", "--models", "models.txt", "--log", "json")
    lines = [json.loads(line) for line in answer.stderr.splitlines()]
    assert (answer.returncode, {line["level"] for line in lines}) == (2, {"error"})
    assert [line.get("model") for line in lines] == ["one.txt", "two.txt", None]


def test_progress_is_lines_where_a_log_is_wanted(run: Any) -> None:
    answer = run("audit", "--quick", "--only", "polarity", "--log", "text", "-q")
    assert "progress step=audit done=0 total=1" in answer.stderr
    assert "progress step=audit done=1 total=1" in answer.stderr
    refused = run("audit", "--only", "polarity", "--log", "xml")
    assert (refused.returncode, "give json or text" in refused.stderr) == (2, True)


def test_messages_go_through_logging(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="aslant"):
        aslant.audit(only=["polarity"], profile="quick")
    assert [record.getMessage() for record in caplog.records] == ["measured"]


def test_what_a_stopped_run_had_measured_is_told_apart(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.INFO, logger="aslant"):
        for _ in range(2):
            aslant.audit(only=["polarity"], profile="quick", run_folder=tmp_path / "r")
    assert [record.getMessage() for record in caplog.records] == ["measured", "measured before"]


def test_quiet_commands_without_a_measure_print_nothing(run: Any, tmp_path: Path) -> None:
    assert run("audit", "--quick", "--only", "polarity", "-o", "r", "-q").returncode == 0
    for command in (["words", "list"], ["card", "r.json", "-o", "card.md"], ["card", "r.json", "-o", "card.md"],
                    ["rerun", "r.json"]):  # fmt: skip
        answer = run(*command, "-q")
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize(("error", "code"), [(LostWorkersError, LOST), (WorkersError, BAD_INPUT)])
def test_a_lost_cluster_is_not_bad_input(
    run: Any, monkeypatch: pytest.MonkeyPatch, error: type[Exception], code: int
) -> None:
    def lost(*_: object, **__: object) -> None:
        raise error("the workers are gone.")

    monkeypatch.setattr("aslant.measures.association.measure.weat_suite", lost)
    answer = run("weat")
    assert (answer.returncode, answer.stderr) == (code, "aslant: the workers are gone.\n")


def test_a_note_on_several_models_is_said_once(run: Any, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{w} 1 2 3\n" for w in ("a", "b", "a")))
    (tmp_path / "models.txt").write_text("one.txt\ntwo.txt\nthree.txt\n")
    answer = run("audit", "--models", "models.txt", "--quick", "--only", "polarity")
    told = [line for line in answer.stderr.splitlines() if line.startswith("note:")]
    assert len(told) == len(set(told))
    assert answer.returncode == 3


def test_the_cache_is_cleared_by_age_size_and_model(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import time

    cache = tmp_path / "cache"
    monkeypatch.setenv("ASLANT_CACHE", str(cache))
    for number, name in enumerate(("vectors/old.bin", "encoders/deep/er/new.bin", "data/kept.bin")):
        (cache / name).parent.mkdir(parents=True)
        (cache / name).write_bytes(b"x" * 1000)
        os.utime(cache / name, (0, time.time() - (90 - 40 * number) * 86400))
    shown = run("data", "cache").stdout
    assert "vectors/old.bin" in shown
    assert "encoders/deep/er/new.bin" in shown
    assert "of downloaded data" in shown
    for name in ("nobody", "ol", "vectors", "e", ""):  # a part of a name is not a name
        assert run("data", "cache", "--model", name).stdout.startswith("0 files deleted")
    assert run("data", "cache", "--older-than", "60d").stdout.startswith("1 file deleted")
    assert run("data", "cache", "--max-size", "1kb").stdout.startswith("0 files deleted")
    assert run("data", "cache", "--max-size", "0.5kb").stdout.startswith("1 file deleted")
    assert (cache / "data/kept.bin").exists()
    (cache / "vectors/my.txt-0123.safetensors").write_bytes(b"x")
    assert run("data", "cache", "--model", "My").stdout.startswith("1 file deleted")
    assert run("data", "cache", "--older-than", "soon").returncode == 2
