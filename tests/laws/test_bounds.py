"""Bounds hold for whatever is simulated; and a result that breaks a law is never handed out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from examples import examples
from models.systems.dbfs import DBFS
from sim import Buffer, Closed, Delay, Exponential, Model, Put, StacksimError, Station, Take, Use, simulate
from sim.engine.analytic.bounds import Bounds
from sim.engine.errors import LawError
from sim.engine.model.symmetry import symmetry
from sim.engine.simulation.operational_laws import checked
from sim.system.settings import complete
from strategies import models


@pytest.mark.long
@settings(max_examples=examples(10), derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models(custom=False))
def test_no_random_model_breaks_a_law(model):
    """``simulate`` checks every result; it may refuse a model, but never for a broken law."""
    try:
        simulate(model, precision=0.05, max_steps=20_000)
    except LawError:
        raise
    except StacksimError:
        pass


def queue():
    return Model([Closed("all", clients=5, path=Use(Station("disk"), Exponential(1e-3)))])


def test_the_bound_is_that_of_the_busiest_place():
    bound = Bounds(symmetry(queue())).upper("all")
    assert bound.place == "disk"
    assert bound.throughput == pytest.approx(1000.0)


def test_station_behind_a_buffer_bounds_the_throughput():
    chosen = complete(DBFS.settings, {"users": 8, "block": "128KiB"})
    scenario = DBFS.scenario(chosen, DBFS.parameters)
    bound = Bounds(symmetry(scenario.model)).upper("dd")
    assert bound.place == "node 1 serial work"
    assert bound.throughput * scenario.amount == pytest.approx(
        1e-6 / DBFS.parameters["node_serial_s_per_byte"], rel=1e-3
    )


def through(*, room, group="writer", count=None):
    """A writer, and a drain behind a buffer, perhaps with another buffer for the way back."""
    full, empty, disk = Buffer("full", 4), Buffer("empty", 4, 4), Station("disk")
    taken, given = ((Take(empty),), (Put(empty),)) if room else ((), ())
    writer = Closed("writer", clients=1, path=[Delay(1e-6), *taken, Put(full)], group="writer", count=count)
    return Model([writer, Closed("drain", clients=1, path=[Take(full), Use(disk, 1.0), *given], group=group)])


@pytest.mark.parametrize("room", [False, True])
def test_the_other_side_of_two_buffers_counts_once(room):
    bound = Bounds(symmetry(through(room=room, group="drain"))).upper("writer")
    assert (bound.place, bound.throughput) == ("disk", pytest.approx(1.0))


def test_both_sides_in_one_group_are_not_counted_twice():
    """Two walks a second: one of the writer and one of the drain."""
    model = through(room=False, group="writer")
    assert Bounds(symmetry(model)).upper("writer").throughput >= 2.0
    assert simulate(model).throughput.value == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize("count", [1, 5, 6, 7, 30])
def test_a_job_may_end_while_a_buffer_is_full_and_a_walk_behind_it_has_begun(count):
    result = simulate(through(room=False, count=count))
    assert result.elapsed.value == pytest.approx(max(count - 5, 0), abs=1e-3)


@pytest.mark.parametrize("when", [{"start_s": 1.0}, {"stop_s": 1.0}])
def test_workloads_with_start_or_end_are_not_checked_against_long_run_laws(when):
    """Figures that break a law in the long run do not break it in a part of a run."""
    result = simulate(queue())
    group = result.groups["all"]
    partly = replace(result, groups={"all": replace(group, throughput=group.throughput.scaled(1.2))})
    timed = Model([replaced(queue().workloads[0], when)])
    assert checked(timed, partly) is partly


def test_workloads_at_different_times_are_not_equal():
    early, late = (
        Closed(name, clients=1, path=Delay(1e-3), start_s=start_s, group="all")
        for name, start_s in (("a", 0.0), ("b", 1.0))
    )
    assert len(symmetry(Model([early, late])).workloads) == 2


def test_workloads_whose_requests_begin_at_another_step_are_not_equal():
    path = [Delay(1e-3), Delay(2e-3)]
    whole, half = (Closed(name, 1, path, begins=begins, group="all") for name, begins in (("a", 0), ("b", 1)))
    assert len(symmetry(Model([whole, half])).workloads) == 2


def replaced(workload, when):
    return Closed(workload.name, clients=workload.clients, path=workload.path, **when)


@pytest.mark.parametrize("factor", [1.2, 0.5])
def test_a_broken_law_is_an_internal_error(factor):
    """More than the disk can do; or fewer completions than Little's law makes of those on their way."""
    result = simulate(queue())
    group = result.groups["all"]
    broken = replace(result, groups={"all": replace(group, throughput=group.throughput.scaled(factor))})
    assert checked(queue(), result) is result
    with pytest.raises(LawError, match=r"internal error: .*'all'"):
        checked(queue(), broken)
