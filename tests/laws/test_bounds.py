"""Bounds hold for whatever is simulated; and a result that breaks a law is never handed out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from models.systems.dbfs import DBFS
from sim import Closed, Exponential, Model, Station, Use, simulate
from sim.bounds import upper
from sim.errors import LawError, StacksimError
from sim.settings import complete
from sim.symmetry import symmetry
from sim.twin import checked
from strategies import models


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models(custom=False))
def test_no_random_model_breaks_a_law(model):
    """``simulate`` checks every result; it may refuse a model, but never for a broken law."""
    try:
        simulate(model, precision=0.05, most_steps=20_000)
    except LawError:
        raise
    except StacksimError:
        pass


def queue():
    return Model([Closed("all", clients=5, path=Use(Station("disk"), Exponential(1e-3)))])


def test_the_bound_is_that_of_the_busiest_place():
    bound = upper(symmetry(queue()), "all")
    assert bound.place == "disk"
    assert bound.throughput == pytest.approx(1000.0)


def test_what_is_behind_a_buffer_bounds_too():
    chosen = complete(DBFS.settings, {"users": 8, "block": "128KiB"})
    scenario = DBFS.build(chosen, DBFS.parameters)
    bound = upper(symmetry(scenario.model), "dd")
    assert bound.place == "node 1 memory"
    assert bound.throughput * scenario.amount == pytest.approx(917.5, rel=1e-3)


@pytest.mark.parametrize("factor", [1.2, 0.5])
def test_a_broken_law_is_an_internal_error(factor):
    """More than the disk can do; or fewer completions than Little's law makes of those on their way."""
    found = simulate(queue())
    group = found.groups["all"]
    broken = replace(found, groups={"all": replace(group, throughput=group.throughput.scaled(factor))})
    assert checked(queue(), found) is found
    with pytest.raises(LawError, match=r"internal error: .*'all'"):
        checked(queue(), broken)
