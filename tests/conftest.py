"""For all tests: no random example fails because a machine was slow, no printed table because of COLUMNS."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def no_edge(monkeypatch):
    """The tests' own tools export the width of their terminal, at which tables would be folded."""
    monkeypatch.delenv("COLUMNS", raising=False)
