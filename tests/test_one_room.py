"""The test of the house: a new measure is one new folder, and no other file changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aslant

ROOM = Path(__file__).parent / "measures" / "new_room"


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one folder more."""
    top = tmp_path_factory.mktemp("extended")
    skipped = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(Path(aslant.__file__).parent, top / "aslant", ignore=skipped)
    shutil.copytree(ROOM, top / "aslant" / "measures" / "group_distances", ignore=skipped)
    return top


def python(extended: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(extended), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=extended, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_folder_is_all_that_a_command_takes(extended: Path) -> None:
    shown = python(extended, "-m", "aslant", "--help")
    assert shown.index("Data and words:") < shown.index("Distances:") < shown.index("group-distance")
    assert "Examples" in python(extended, "-m", "aslant", "group-distance", "--help")
    content = json.loads(python(extended, "-m", "aslant", "group-distance", "--json", "-"))
    assert content["kind"] == "group-distance"
    assert [w["word"] for w in content["by_word"]] == ["nurse", "engineer"]


def test_a_folder_is_all_that_an_audit_its_report_and_its_json_take(extended: Path) -> None:
    python(extended, "-m", "aslant", "audit", "--only", "group-distance", "--quick", "--quiet")
    content = json.loads((extended / "aslant-report.json").read_text(encoding="utf-8"))
    assert [part["measure"] for part in content["parts"]] == ["group-distance"]
    assert [(line["measure"], line["effect_name"]) for line in content["glance"]] == [("group-distance", "distance")]
    page = (extended / "aslant-report.html").read_text(encoding="utf-8")
    assert "Do words lie nearer to one group of words than to another?" in page
    read = "import aslant, json; r = aslant.AuditResult.from_dict(json.load(open('aslant-report.json')))"
    assert (
        python(extended, "-c", f"{read}; print(type(r.parts[0].results[0]).__name__)").strip() == "GroupDistanceResult"
    )


def test_a_folder_is_all_that_the_reference_takes(extended: Path) -> None:
    said = python(extended, "-c", "from aslant.catalogue import rooms; print([r.functions for r in rooms()])")
    assert "measure:group_distance" in said


def test_a_file_with_a_kind_of_an_older_version_is_read(extended: Path) -> None:
    older = (
        "import json, aslant; from aslant.measures.group_distances.measure import group_distance; "
        "from aslant.results import result_from_dict; new = group_distance(aslant.load()); "
        "print(result_from_dict({**new.to_dict(), 'kind': 'group-distances'}) == new)"
    )
    assert python(extended, "-c", older).strip() == "True"
