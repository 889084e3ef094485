"""Every `--json` has a `--schema`; tests that read JSON hold it against that schema, those here for commands and
options that no other test runs."""

from __future__ import annotations

import jsonschema
import pytest

from schemas import command_of, schema, validator
from sim.cli.app import app
from sim.engine.extensions import registered

QUICK = ("--precision", "20%")


def commands():
    """Each command with ``--json``, as words."""
    apps = (app, *(point.load() for point in registered("stacksim.commands").values()))
    groups = [((), each) for each in apps]
    groups += [((each.name,), each.typer_instance) for each in app.registered_groups]
    for outer, each in groups:
        for command in each.registered_commands:
            if "as_json" in command.callback.__annotations__:
                yield *outer, command.name


@pytest.mark.parametrize("command", [*commands()], ids=" ".join)
def test_a_command_with_json_prints_the_schema_of_it(command):
    jsonschema.Draft202012Validator.check_schema(schema(*command))


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "dbfs", "users=2", "--explain", "--profile", *QUICK),
        ("predict", "raft-sql", "--engine", "analytic"),
        ("sweep", "redo", "sessions=1,20", *QUICK),
        ("sweep", "dbfs", "users=1,2", "--dry-run"),
        ("compare", "san", "san paths=1", *QUICK),
        ("find", "san", "throughput>=1GB/s", "streams=1..4", "--engine", "analytic"),
        ("growth", "dbfs", "mean<=20ms", "--load", "users=8", "--months", "3", *QUICK),
        ("fail", "dbfs", *QUICK),
        ("report", "exadata-v1"),
        ("systems", "dbfs"),
        ("hardware", "fc-2"),
        ("trace", "dbfs", "users=2", "--output", "x.json", "--picture", "x.svg", "--animate", "x.html", *QUICK),
        ("stack", "host"),
    ],
    ids=" ".join,
)
def test_json_follows_its_schema(run, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*words, "--json")
    assert (status, bool(out)) == (0, True), err


def test_a_key_too_many_or_too_few_is_seen():
    validate, error = validator(*command_of(("trace", "dbfs"))).validate, jsonschema.ValidationError
    written = {"timeline": {"file": "x.json", "slices": 3}, "picture": None, "animation": None}
    validate(written)
    for wrong in (written | {"film": None}, {"timeline": None}, written | {"timeline": {"file": "x.json"}}):
        with pytest.raises(error):
            validate(wrong)
