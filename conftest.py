"""Doctests of the measures on language models speak to a small one whose probabilities are known, called `lm`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def a_language_model(doctest_namespace: dict[str, Any]) -> None:
    """Put `lm` where doctests see it."""
    sys.path.insert(0, str(Path(__file__).resolve().parent / "tests"))
    fake = importlib.import_module("fake_lm")
    doctest_namespace["lm"] = fake.FakeMaskedLM(fake.TABLE)
    doctest_namespace["any_lm"] = fake.FakeMaskedLM()
