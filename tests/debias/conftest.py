"""What the tests of debiasing share."""

from __future__ import annotations

import pytest

from planted import Planted, make


@pytest.fixture(scope="session")
def planted() -> Planted:
    return make()
