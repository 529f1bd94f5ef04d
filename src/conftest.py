"""Doctests of the measures on language models speak to a small one whose probabilities are known, called `lm`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def a_language_model(doctest_namespace: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put `lm` where doctests see it."""
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "tests")
    fake = importlib.import_module("fake_lm")
    doctest_namespace["lm"] = fake.FakeMaskedLM(fake.TABLE)
    doctest_namespace["any_lm"] = fake.FakeMaskedLM()
