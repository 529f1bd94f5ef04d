"""pytest finds this by its entry point; it imports nothing until the fixture is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def assert_audit() -> Callable[..., Any]:
    """Fail a test unless a model meets a policy: assert_audit(model, policy); see aslant.assert_audit."""
    from aslant.integrations.testing import assert_audit

    return assert_audit
