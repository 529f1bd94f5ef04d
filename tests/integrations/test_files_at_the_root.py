"""The action's own steps run; the hooks, the action and the image name what there is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import aslant

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return content


def test_no_input_is_pasted_into_a_script_and_every_one_is_used(action: dict[str, Any]) -> None:
    steps = action["runs"]["steps"]
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]
    assert all(step.get("shell") == "bash" for step in steps if "run" in step)
    used = set(re.findall(r"inputs\.([\w-]+)", yaml.safe_dump(steps)))
    assert used == action["inputs"].keys()
    assert all("description" in given and "default" in given for given in action["inputs"].values())


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(("limit", "code"), [(1.9, 0), (0.5, 1)])
def test_the_steps_of_the_action_audit_and_check(
    action: dict[str, Any], tmp_path: Path, limit: float, code: int
) -> None:
    rule = f'[[rule]]\nname = "small"\nmeasure = "weat"\nstimuli = "weat-6"\nmax = {limit}\n'
    (tmp_path / "policy.toml").write_text(rule, encoding="utf-8")
    given = {name: found["default"] for name, found in action["inputs"].items()}
    given |= {"policy": "policy.toml", "profile": "quick", "arguments": "--only weat --seed 0", "output": "ours"}
    shown, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    codes = [
        subprocess.run(
            [str(BASH), "-eo", "pipefail", "-c", step["run"]], cwd=tmp_path, check=False, capture_output=True,
            env=_environment(tmp_path, step["env"], given, shown, outputs),
        ).returncode
        for step in action["runs"]["steps"]
        if step.get("id") in ("audit", "check")
    ]  # fmt: skip
    assert codes == [0, code]
    assert outputs.read_text().split() == ["report=ours.json", f"passed={str(not code).lower()}"]
    assert "| verdict |" in shown.read_text(encoding="utf-8")
    assert {path.name for path in tmp_path.glob("ours*")} >= {"ours.html", "ours.json", "ours.csv", "ours-check.xml"}


def _environment(
    folder: Path, wanted: dict[str, str], given: dict[str, str], shown: Path, outputs: Path
) -> dict[str, str]:
    """What the runner of GitHub puts in place of the expressions."""
    values = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: given[m[1]], text) for name, text in wanted.items()
    }
    command = folder / "bin" / "aslant"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aslant "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    return {**os.environ, **values, "PATH": path, "GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(shown)}


def test_the_hooks_run_what_there_is() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["aslant-check", "aslant-audit"]
    for hook in hooks:
        assert hook["language"] == "python"
        assert hook["entry"] == "python -m aslant.integrations.hook"
        assert re.search(hook["files"], {"aslant-check": "out/aslant-report.json", "aslant-audit": "a.vec"}[hook["id"]])


def test_the_image_copies_what_there_is_and_does_not_run_as_root() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.M) for word in line.split()]
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{name}\n" in ignored
    assert re.findall(r"^USER (\S+)$", text, re.M) == ["10001:10001"]
    assert 'ENTRYPOINT ["aslant"]' in text
    assert re.search(r"^VOLUME /cache$", text, re.M)


def test_the_public_names_are_there() -> None:
    assert callable(aslant.log_to)
    assert callable(aslant.assert_audit)
    assert callable(aslant.model_card)
