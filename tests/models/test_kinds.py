"""Contracts of every kind of layer that pyproject.toml registers."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from layers import Below
from models.io import FileIO
from models.parts.host.nodes import Nodes
from sim.engine.model.steps import places_of
from sim.system import Settings
from sim.system.settings import complete
from sim.system.stack.kinds import LAYERS

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
KINDS = {name: EntryPoint(name, where, LAYERS).load() for name, where in PROJECT["entry-points"][LAYERS].items()}

IOS = [
    FileIO("read", 4096),
    FileIO("read", 512, process=1, sequential=True, aligned_bytes=512),
    FileIO("write", 4096, durable="data"),
    FileIO("write", 128 * 1024, file=2, process=2, durable="all", appends=True),
    FileIO("flush", 0, durable="all"),
]


def made(kind):
    return kind(**complete(Settings.of(kind), {}))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_field_is_a_setting_with_a_default_that_it_allows_and_help(kind):
    for setting in Settings.of(kind):
        assert setting.help
        assert setting.parse(setting.default) == getattr(kind(), setting.name)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_places_are_named_after_the_layer_and_equal_whenever_they_are_made(kind):
    paths = [[made(kind).layer("this layer", lambda _name: Below()).path(io) for io in IOS] for _ in range(2)]
    assert paths[0] == paths[1]
    assert all(place.name.startswith("this layer") for path in paths[0] for place in places_of(path))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_fields_of_an_io_that_a_layer_ignores_pass_through(kind):
    below = Below()
    for io in IOS[:2]:
        made(kind).layer("this layer", lambda _name: below).path(io)
        renumbered = kind is Nodes  # on each host, processes count from 0
        assert all(seen.aligned_bytes == io.aligned_bytes for seen in below.seen)
        assert renumbered or all(seen.process == io.process for seen in below.seen)
        below.seen.clear()
