"""The JSON of commands against the schemas that `--schema` prints, in which no further key is allowed here."""

from __future__ import annotations

import json
from functools import cache

import jsonschema
from typer.testing import CliRunner

from sim.cli.app import app

GROUPS = ("stack",)
"""Commands that have commands."""


def command_of(words):
    """The command of a command line."""
    return tuple(words[: 2 if words[0] in GROUPS else 1])


@cache
def schema(*command):
    """The schema that a command prints."""
    return json.loads(CliRunner().invoke(app, [*command, "--schema"]).stdout)


def closed(node):
    """Schema without further keys."""
    if isinstance(node, list):
        return [closed(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {name: closed(each) for name, each in node.items()}
    return made | {"additionalProperties": False} if "properties" in node else made


@cache
def validator(*command):
    """Of what a command prints with `--json`."""
    return jsonschema.Draft202012Validator(closed(schema(*command)))
