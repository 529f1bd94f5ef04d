"""Whole results on small planted inputs stay as they are (see `kept.py`, also for how to write them anew)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kept import compare, differences
from kept_examples import ROOMS
from kept_parts import PARTS

KEPT = Path(__file__).with_name("kept_results")


@pytest.mark.parametrize(("room", "name"), [(room, name) for room, made in ROOMS.items() for name in made()])
def test_a_whole_result_is_the_one_that_was_kept(
    room: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compare(KEPT / f"{room}.json", name, ROOMS[room]()[name]())


@pytest.mark.parametrize(("room", "name"), [(room, name) for room, made in PARTS.items() for name in made()])
def test_what_a_part_of_a_measure_gives_is_what_was_kept(room: str, name: str) -> None:
    compare(KEPT / "parts.json", f"{room}: {name}", PARTS[room]()[name]())


@pytest.mark.parametrize("changed", [1.00001, 2, "1", None, [1.0], {"a": 1.0}])
def test_a_difference_is_seen(changed: object) -> None:
    assert differences({"a": [1.0, 5]}, {"a": [changed, 5]})
    assert differences({"a": [1.0, 5]}, {"a": [1.0000001, 5]}) == []
    assert differences({"a": [1.0]}, {"a": [1.0, 2.0]})
    assert differences({"a": 1.0}, {"b": 1.0})
