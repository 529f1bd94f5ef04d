"""`aslant data list | get | path | licence`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aslant.data import data_folder, names
from serving import Registry, Server, described, whole

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def toy(registry: Registry, server: Server) -> Server:
    registry.add("toy", {"url": server.on("/v.txt", whole()), "files": [described("v.txt")]}, note="Mind this.")
    registry.add("trusted", {"url": server.url("/v.txt"), "files": [{"name": "v.txt"}]})
    return server


def test_list_names_everything_and_what_is_here(run: Run, toy: Server) -> None:
    listed = run("data", "list").stdout
    assert all(name in listed for name in names())
    assert "* no published checksum" in listed
    row = next(line for line in listed.splitlines() if line.startswith("toy "))
    assert row.split() == ["toy", "vectors", "0.1", "MB", "url", "L"]
    assert run("data", "get", "toy").returncode == 0
    rows = run("data", "list", "--kind", "vectors").stdout.splitlines()
    assert next(line for line in rows if line.startswith("toy ")).split()[4] == "here"
    assert not any(line.startswith("gap ") for line in rows)
    assert "there is no kind 'x'" in run("data", "list", "--kind", "x").stderr


def test_list_fits_a_narrow_terminal_on_one_line_each_and_says_where_licences_are(
    run: Run, toy: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("data", "list").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(sum(line.startswith(f"{name} ") for line in lines) == 1 for name in names())
    table = lines[: lines.index("")]
    assert len(table) == 3 + len(names())
    assert "licences: aslant data licence NAME, --json, or a wider terminal." in lines
    monkeypatch.setenv("COLUMNS", "140")
    assert "licences: aslant data" not in run("data", "list").stdout


def test_list_as_json_is_only_json(run: Run, toy: Server, tmp_path: Path) -> None:
    content = json.loads(run("data", "list", "--json", "-").stdout)
    facts = {item["name"]: item for item in content}
    assert facts["toy"]["checksums"] == "published"
    assert facts["trusted"]["checksums"] == "recorded at first use"
    assert facts["gn-glove"]["where"] == "by hand"
    assert run("data", "list", "--json", "list.json").returncode == 0
    assert json.loads((tmp_path / "list.json").read_text(encoding="utf-8")) == content


def test_get_prints_where_it_is_and_nothing_when_quiet(run: Run, toy: Server) -> None:
    path = data_folder() / "toy" / "v.txt"
    answer = run("data", "get", "toy")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, f"toy: {path}\n", "")
    quiet = run("data", "get", "toy", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert "note: trusted: no published checksum" in run("data", "get", "trusted").stdout


def test_get_of_an_unknown_name_fetches_nothing_at_all(run: Run, toy: Server) -> None:
    answer = run("data", "get", "toy", "toyy")
    assert answer.returncode == 2
    assert answer.stderr == (
        "aslant: there is no data named 'toyy'; did you mean toy? 'aslant data list' shows all.\n"
    )  # fmt: skip
    assert not data_folder().exists()


def test_path_prints_the_path_or_what_to_do(run: Run, toy: Server) -> None:
    absent = run("data", "path", "toy")
    assert (absent.returncode, absent.stdout) == (2, "")
    assert "'toy' is not on this machine: run 'aslant data get toy'" in absent.stderr
    assert len(absent.stderr.splitlines()) == 1
    run("data", "get", "toy")
    assert run("data", "path", "toy").stdout == f"{data_folder() / 'toy' / 'v.txt'}\n"


def test_licence_says_what_to_cite_and_to_know(run: Run, toy: Server) -> None:
    said = run("data", "licence", "toy").stdout
    assert all(line in said for line in ("licence: L", "cite: C", "note: Mind this.", "source: https://"))
    assert "checksum: no published checksum" in run("data", "licence", "trusted").stdout


def test_what_was_fetched_is_no_part_of_the_cache(run: Run, toy: Server) -> None:
    run("data", "get", "toy")
    assert "in 0 files" in run("data", "cache").stdout
    run("data", "cache", "--clear")
    assert run("data", "path", "toy").returncode == 0


def test_the_bar_goes_to_standard_error_of_a_terminal_only(toy: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from aslant.cli.progress import bar

    with bar(in_bytes=True, quiet=True) as progress:
        assert progress is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with bar(quiet=True, in_bytes=True) as progress:
        assert progress is None
    with bar(in_bytes=True) as progress:
        assert progress is not None
        progress("toy", 1, 0)
        progress("toy", 1, 2)
