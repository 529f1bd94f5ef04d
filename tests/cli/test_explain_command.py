"""`aslant explain`: terms, measures and word sets, in a few sentences."""

from __future__ import annotations

import pytest

from aslant.catalogue import commands
from aslant.cli.explain import explained, glossary
from aslant.stimuli import names
from command_line import Run


@pytest.mark.parametrize("name", [*glossary(), "p-value", "pvalue", "Effect size", "WEAT-6", "weat", "polarity"])
def test_what_people_ask_about_is_explained(name: str) -> None:
    text = explained(name)
    assert text
    assert len(text) > 150


def test_every_word_set_and_every_measure_is_explained() -> None:
    assert all(explained(name) for name in names())
    measures = [name for name, command in commands().items() if command.group.startswith("Measures")]
    assert [name for name in measures if not explained(name)] == []


def test_what_nobody_knows_is_refused_with_what_is_like_it(run: Run) -> None:
    answer = run("explain", "zeitgeist")
    assert answer.returncode == 2
    assert "did you mean" not in answer.stderr
    for given, meant in (("wefta", "wefat"), ("chanse", "chance"), ("weat-66", "weat-6")):
        assert f"did you mean '{meant}'?" in run("explain", given).stderr
    assert "exact" in run("explain", "p").stdout


def test_without_a_term_all_are_listed(run: Run) -> None:
    shown = run("explain").stdout
    assert all(f"{name}: " in shown for name in glossary())
