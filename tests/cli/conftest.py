"""What the tests of the command share."""

from __future__ import annotations

import sys

import pytest

from sim import Closed, Delay, Model, simulate
from sim.cli import main


@pytest.fixture(autouse=True, scope="session")
def _compiled_already():
    """So that no command says that it compiles, which it does once after an installation."""
    simulate(Model([Closed("c", clients=1, path=Delay(1e-6))]), precision=0.5)


@pytest.fixture
def call(monkeypatch):
    """The command in this process; returns its exit status."""

    def called(*words):
        monkeypatch.setattr(sys, "argv", ["stacksim", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0

    return called


@pytest.fixture
def run(call, capsys):
    """The same; returns what was written to standard output and error, too."""
    return lambda *words: (call(*words), *capsys.readouterr())
