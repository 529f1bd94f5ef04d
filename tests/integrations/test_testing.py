"""`assert_audit` in a test, as a function and as pytest's fixture; and what the pre-commit hooks run."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import aslant
from aslant.integrations.hook import main, model_of
from aslant.results.audit import AuditResult

ROOT = Path(__file__).resolve().parents[2]
STRICT = '[[rule]]\nname = "small"\nmeasure = "weat"\nstimuli = "weat-6"\nmax = 0.5\n'
LAX = STRICT.replace("0.5", "1.9")


@pytest.fixture(scope="module")
def audit() -> AuditResult:
    return aslant.audit(only=["weat"], profile="quick")


@pytest.fixture
def policies(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in (("strict.toml", STRICT), ("lax.toml", LAX)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "strict.toml", tmp_path / "lax.toml"


def test_a_report_that_meets_the_policy_passes_and_one_that_does_not_names_the_rule(
    audit: AuditResult, policies: tuple[Path, Path], tmp_path: Path
) -> None:
    strict, lax = policies
    assert aslant.assert_audit(audit, lax).passed
    with pytest.raises(AssertionError, match=r"small: weat weat-6: effect_size is 1\.718; required: at most 0\.5"):
        aslant.assert_audit(audit, strict)
    audit.save(tmp_path / "report.json")
    assert aslant.assert_audit(tmp_path / "report.json", lax, baseline=audit).passed
    with pytest.raises(AssertionError, match="small"):
        aslant.assert_audit(aslant.load(), strict, only=["weat"])


def test_pytest_has_the_fixture_and_starts_without_heavy_libraries(
    tmp_path: Path, audit: AuditResult, policies: tuple[Path, Path]
) -> None:
    audit.save(tmp_path / "report.json")
    (tmp_path / "test_model.py").write_text(
        "import sys\n\n"
        "def test_light():\n"
        "    assert not {'numpy', 'polars', 'numba', 'altair', 'torch'} & sys.modules.keys()\n\n"
        "def test_met(assert_audit):\n    assert_audit('report.json', 'lax.toml')\n\n"
        "def test_broken(assert_audit):\n    assert_audit('report.json', 'strict.toml')\n",
        encoding="utf-8",
    )
    plugins = ["-p", "aslant.integrations.pytest_plugin", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "."],
        cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "1 failed, 2 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "required: at most 0.5" in ran.stdout


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"aslant": "aslant.integrations.pytest_plugin"}


def test_the_hook_checks_reports(
    audit: AuditResult, policies: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strict, lax = policies
    report = str(tmp_path / "aslant-report.json")
    audit.save(report)
    assert main([report, report, "--policy", str(lax)]) == 0
    assert capsys.readouterr().out.count("is met") == 1
    assert main([report, "--policy", str(strict)]) == 1
    assert "small: weat weat-6" in capsys.readouterr().out
    assert main(["--policy", str(lax)]) == 0
    assert main([str(tmp_path / "nowhere.vec")]) == 2
    assert capsys.readouterr().err.startswith("aslant: there is no file")


def test_a_part_of_a_model_stands_for_its_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert model_of(str(tmp_path / "model.safetensors")) == str(tmp_path)
    assert model_of(str(tmp_path / "report.json")) == str(tmp_path / "report.json")
