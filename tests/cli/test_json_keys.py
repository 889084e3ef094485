"""Every key of the JSON of an answer stands in docs/command.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schemas import schema

PAGE = (Path(__file__).parents[2] / "docs" / "command.md").read_text()
NAMED = set(re.findall(r"`([a-z0-9_]+)`", PAGE.partition("## For programs")[2]))


def keys(node):
    if isinstance(node, list):
        for each in node:
            yield from keys(each)
    if isinstance(node, dict):
        yield from node.get("properties", ())
        for each in node.values():
            yield from keys(each)


@pytest.mark.parametrize("command", ["predict", "sweep"])
def test_every_key_is_named(command):
    assert set(keys(schema(command))) - NAMED == set()
