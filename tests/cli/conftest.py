"""What the tests of the command share."""

from __future__ import annotations

import pytest

from sim import Closed, Delay, Model, simulate


@pytest.fixture(autouse=True, scope="session")
def _compiled_already():
    """So that no command says that it compiles, which it does once after an installation."""
    simulate(Model([Closed("c", clients=1, path=Delay(1e-6))]), precision=0.5)
