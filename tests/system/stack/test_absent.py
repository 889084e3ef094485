"""Messages on a missing kind of layer: the kinds and the systems that they name exist."""

import re

import pytest

from sim.system.installed import installed
from sim.system.stack.absent import NEAREST
from sim.system.stack.kinds import LAYERS, registered


@pytest.mark.parametrize("word", NEAREST)
def test_kinds_and_systems_that_are_named_exist(word):
    nearest, systems = NEAREST[word]
    named = re.findall(r'kind = "([^"]*)"', nearest)
    assert named
    assert set(named) <= set(registered(LAYERS))
    assert set(systems.split(", ")) <= set(installed())
    assert word not in registered(LAYERS)
