"""Shared by the tests of the command."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext

import pytest

import measured_machine
from schemas import command_of, validator
from sim import Closed, Delay, Model, simulate
from sim.cli import main
from stacksim.measuring.neighbours import Times


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
    """Run it, and return standard output and error, too. All JSON follows its schema."""

    def ran(*words):
        status, (out, err) = call(*words), capsys.readouterr()
        if out and "--json" in words:
            validator(*command_of(words)).validate(json.loads(out))
        return status, out, err

    return ran


@pytest.fixture
def machine(tmp_path, monkeypatch, run):
    """A folder with a file in it, a stack file, and a fio; returns what measures there.

    There are no further processes, and nobody looks at how busy this machine is, which would be told.
    """
    monkeypatch.setattr("sim.cli.fit.workers", nullcontext)
    monkeypatch.setattr("stacksim.measuring.neighbours.LOOKS_SECONDS", 0.0)
    monkeypatch.setattr("stacksim.measuring.neighbours._times", lambda _: Times(0.0, 0.0, 0.0))
    (tmp_path / "bin").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/theirs").write_text("precious")
    (tmp_path / "stack.toml").write_text(measured_machine.STACK)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    def measured(*words, fault="", path="data"):
        measured_machine.put_fio(tmp_path / "bin", fault)
        return run("measure", path, "--stack", "stack.toml", *words)

    return measured
