"""An audit goes to each tracker with its real library, where that is installed; and its numbers have names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import aslant
from aslant.auditing import compare_audits
from aslant.errors import AslantError, MissingExtraError
from aslant.integrations.trackers import facts, metrics
from aslant.results.audit import AuditResult

LINE = "aslant/weat/weat-6/d"


@pytest.fixture(scope="module")
def audit() -> AuditResult:
    return aslant.audit(only=["weat", "polarity"], profile="quick")


def test_every_number_of_a_report_has_a_name_that_all_trackers_take(audit: AuditResult) -> None:
    found = metrics(audit)
    assert all(re.fullmatch(r"[\w./-]+", name) for name in found)
    assert found[LINE] == next(line.effect for line in audit.glance if line.stimuli == "weat-6")
    assert {f"{LINE}_{beside}" for beside in ("standardised", "qvalue", "chance_qvalue")} <= found.keys()
    assert found["aslant/lines"] == len([line for line in audit.glance if line.evidence != "not tested"])


def test_two_models_of_one_name_do_not_share_a_metric(audit: AuditResult) -> None:
    both = compare_audits([audit, audit])
    assert {name.split("/")[1] for name in metrics(both)} == {"sample", "sample-2"}
    assert len(metrics(both)) == 2 * len(metrics(audit))
    assert facts(both)["aslant.fingerprint"].count(",") == 1


def test_a_missing_library_says_what_to_install(audit: AuditResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[wandb\]'"):
        aslant.log_to("wandb", audit)
    with pytest.raises(AslantError, match="there is no tracker 'tensorboard'"):
        aslant.log_to("tensorboard", audit)


@pytest.mark.filterwarnings("default")
def test_mlflow_has_the_numbers_the_facts_and_the_report(
    audit: AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed (pip install '.[mlflow]')")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_experiment("training")
    with mlflow.start_run() as run:
        aslant.log_to("mlflow", audit, step=3)
        assert mlflow.active_run() is not None  # a run of the user's stays open
    client = mlflow.MlflowClient()
    (point,) = client.get_metric_history(run.info.run_id, LINE)
    assert (point.value, point.step) == (metrics(audit)[LINE], 3)
    assert client.get_run(run.info.run_id).data.tags["aslant.fingerprint"] == audit.representation.fingerprint
    kept = [file.path for file in client.list_artifacts(run.info.run_id, "aslant")]
    assert kept == ["aslant/aslant-report.html", "aslant/aslant-report.json"]
    aslant.log_to("mlflow", audit, project="bias")
    assert mlflow.active_run() is None
    assert mlflow.get_experiment_by_name("bias") is not None


@pytest.mark.filterwarnings("default")
def test_wandb_has_the_numbers_and_the_report(
    audit: AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb", reason="wandb is not installed (pip install '.[wandb]')")
    monkeypatch.chdir(tmp_path)
    for name, value in (("WANDB_MODE", "offline"), ("WANDB_SILENT", "true"), ("WANDB_DIR", str(tmp_path))):
        monkeypatch.setenv(name, value)
    run = wandb.init(project="training")
    aslant.log_to("wandb", audit, step=3)
    assert wandb.run is run  # a run of the user's stays open
    assert run.config["aslant.fingerprint"] == audit.representation.fingerprint
    run.log({"loss": 1.0}, step=4)  # a later step, so that the one before is complete
    assert run.summary[LINE] == pytest.approx(metrics(audit)[LINE])
    wandb.finish()
    aslant.log_to("wandb", audit, project="bias")
    assert wandb.run is None
    assert len(list(tmp_path.glob("wandb/offline-run-*/*.wandb"))) == 2


@pytest.mark.filterwarnings("default")
def test_trackio_has_the_numbers_and_the_report(
    audit: AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    pytest.importorskip("trackio", reason="trackio is not installed (pip install '.[trackio]')")
    from trackio.sqlite_storage import SQLiteStorage

    aslant.log_to("trackio", audit, project="bias", step=3)
    (run,) = SQLiteStorage.get_runs("bias")
    (row,) = SQLiteStorage.get_logs("bias", run)
    assert row[LINE] == pytest.approx(metrics(audit)[LINE])
    assert SQLiteStorage.get_run_config("bias", run)["aslant.fingerprint"] == audit.representation.fingerprint
    assert list((tmp_path / "artifacts").rglob("*"))
