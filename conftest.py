"""Doctests of the measures on models speak to small ones whose answers are known.

They are `lm`, `any_lm`, `texts_lm`, `writing_lm` and `encoder`.
`gap_samples` are like those of GAP.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def toy_models(doctest_namespace: dict[str, Any]) -> None:
    """Put the models where doctests see them."""
    fake = importlib.import_module("fake_lm")
    doctest_namespace["lm"] = fake.FakeMaskedLM(fake.TABLE)
    doctest_namespace["any_lm"] = fake.FakeMaskedLM()
    doctest_namespace["texts_lm"] = importlib.import_module("fake_texts").FakeTexts()
    doctest_namespace["writing_lm"] = importlib.import_module("fake_texts").FakeWriter()
    doctest_namespace["encoder"] = importlib.import_module("fake_encoder").FakeEncoder()
    doctest_namespace["gap_samples"] = importlib.import_module("gap_like").gap_like(80, {"male": 0.2, "female": 0.6})
