"""Parts that may fail, in a stack file: read with their lines, and shown by the command."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from typer.testing import CliRunner

from sim.cli.app import app
from sim.system import Failure, find
from sim.system.case import Case

PART = '[[failure]]\npart = "an arm"\nset = { users = 2, block = "8KiB" }\n\n[[layer]]'


def test_stack_file_lists_failures(replaced):
    system = find(str(replaced("[[layer]]", PART)))
    assert system.failures == (Failure("an arm", {"users": 2, "block": 8192}),)
    assert pickle.loads(pickle.dumps(system)).failures == system.failures  # noqa: S301  (made here)
    design = {"op": "write", **system.failures[0].settings}
    assert len(Case.of(system, design).scenario.model.workloads) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("users = 2", "user = 2", r"line 29: failure 'an arm': no setting 'user'; did you mean 'users'"),
        ("users = 2", "users = 0", r"line 29: failure 'an arm': users is '0'; allowed"),
        ("users = 2", "commands = 2", r"line 29: failure 'an arm': no setting 'commands'"),
        ("set = {", "sets = 1\nset = {", r"line 29: failure.0.sets is .*; did you mean 'set'"),
        ('set = { users = 2, block = "8KiB" }', "set = { }", r"line 29: failure.0.set"),
        ('part = "an arm"\n', "", r"line 27: failure.0.part is missing; add it"),
    ],
)
def test_invalid_failure_is_refused_with_its_line(refused, old, new, message):
    line = refused(PART, old, new)
    assert re.search(message, line), line


def test_command_shows_failures(replaced):
    path = str(replaced("[[layer]]", PART))
    assert "an arm              users=2  block=8KiB" in CliRunner().invoke(app, ["systems", path]).output
    record = json.loads(CliRunner().invoke(app, ["systems", path, "--json"]).output)
    assert record["failures"] == [{"part": "an arm", "settings": {"users": 2, "block": 8192}}]
