"""Exactly known luck of a run: each control is zero in the long run, and long runs end sooner by them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sim import (
    Choose,
    Closed,
    Delay,
    Exponential,
    Gamma,
    Model,
    Open,
    PerItem,
    Poisson,
    Station,
    Use,
    simulate,
)
from sim.engine.simulation import controls
from sim.engine.simulation.controls import Controls
from sim.engine.simulation.options import Run
from sim.engine.simulation.snapshots import Snapshots
from textbook import mva

MS = 1e-3
DISK, LINK = Station("disk"), Station("link", 2)
BATCHES = 80


def closed(**more):
    path = [Use(DISK, Exponential(MS)), Use(LINK, Gamma(2 * MS, 2.0))]
    return Model([Closed("all", clients=5, path=path, think=Exponential(3 * MS), **more)])


def opened():
    path = Use(DISK, Exponential(MS))
    return Model([Open(name, arrivals=Poisson(250.0), path=path) for name in ("one", "other")])


def in_batches(model, seed=1, batch_ns=200_000_000):
    """The controls of a run, shape (batches, controls), and its snapshots and edges."""
    snapshots = Snapshots(Run(model, model.groups[0]).start(seed), batch_ns)
    snapshots.extend(BATCHES + 1)
    edges = list(range(1, BATCHES + 2))
    return Controls(model).in_batches(snapshots, edges), snapshots, edges


@pytest.fixture
def at_once(monkeypatch):
    """Short runs have controls, too."""
    monkeypatch.setattr(controls, "FROM_STEPS", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("model", "count"), [(closed(), 3), (opened(), 2)])
def test_every_control_is_zero_in_the_long_run(model, count):
    means = np.array([in_batches(model, seed)[0].mean(axis=0) for seed in range(40)])
    assert means.shape == (40, count)
    assert (np.abs(means.mean(axis=0)) < 3.0 * means.std(axis=0) / np.sqrt(40)).all()


@pytest.mark.usefixtures("at_once")
def test_controls_equal_values_by_hand():
    """Of the counters themselves: busy less 1 ms a visit, arrivals at 250 a second, twice."""
    found, snapshots, edges = in_batches(opened())
    window = snapshots.window(edges[0], edges[-1])
    visits, busy_ns = window.places[0, :2]
    started = window.workloads[:, 0].sum()
    sums = {round(float(each)) for each in found.sum(axis=0)}
    assert sums == {int(busy_ns - visits * 1_000_000), int(started * 4_000_000 - 2 * window.now_ns)}


@pytest.mark.usefixtures("at_once")
def test_equal_stations_are_added_up():
    disks = [Station(f"disk {number}") for number in range(50)]
    path = Choose(*((0.02, Use(disk, Exponential(MS))) for disk in disks))
    assert in_batches(Model([Closed("all", clients=9, path=path)]))[0].shape == (BATCHES, 1)


@pytest.mark.usefixtures("at_once")
def test_number_of_controls_is_limited():
    path = [Use(Station(f"disk {number}"), Exponential(number * MS)) for number in range(1, 10)]
    assert in_batches(Model([Closed("all", clients=9, path=path)]))[0].shape == (BATCHES, controls.MOST)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "steps",
    [
        [Use(DISK, MS)],
        [Use(DISK, Exponential(MS)), Use(DISK, Exponential(2 * MS))],
        [Use(DISK, PerItem(Exponential(MS), MS))],
        [Use(DISK, Exponential(0.5e-6))],
        [Delay(Exponential(MS))],
    ],
    ids=["constant", "two times", "by batch", "rounded by the clock", "nowhere"],
)
def test_controls_without_counters_are_left_out(steps):
    assert in_batches(Model([Closed("all", clients=3, path=[*steps, Delay(MS)])]))[0] is None


@pytest.mark.usefixtures("at_once")
def test_workload_with_a_start_time_has_no_controls():
    assert in_batches(closed(start_s=0.5))[0] is None


def test_short_runs_have_no_controls(monkeypatch):
    found, snapshots, edges = in_batches(closed())
    assert found is None
    monkeypatch.setattr(controls, "FROM_STEPS", snapshots.steps)
    assert Controls(closed()).in_batches(snapshots, edges) is not None
    assert Controls(closed()).in_batches(snapshots, edges[:21]) is None  # a run of fixed length has few batches


@pytest.mark.usefixtures("at_once")
def test_batches_shorter_than_requests_have_no_controls():
    """Whose services a batch of a tenth of a second had is not told by the requests of a second that end in it."""
    model = Model([Closed("all", clients=5, path=[Use(DISK, Exponential(MS)), Delay(1.0)])])
    assert in_batches(model, batch_ns=100_000_000)[0] is None
    assert in_batches(model, batch_ns=2_000_000_000)[0] is not None


def network():
    path = [Use(DISK, Exponential(MS)), Use(Station("network"), Exponential(0.8 * MS))]
    return Model([Closed("all", clients=5, path=path)])


@pytest.mark.usefixtures("at_once")
def test_answers_come_nearer_to_the_truth_and_say_so():
    exact = mva((MS, 0.8 * MS), 5)
    runs = [simulate(network(), seed=seed).groups["all"] for seed in range(60)]
    for name, truth in (("throughput", exact.throughput), ("mean", exact.response_s)):
        told = [run.answers[name] for run in runs]
        assert np.mean([each.low <= truth <= each.high for each in told]) >= 0.85
        assert 0.2 < np.mean([run.narrowed[name] for run in runs]) < 0.6


@pytest.mark.usefixtures("at_once")
def test_no_place_allows_less_than_the_throughput_beside_it():
    """A disk that is never idle: what was counted was luck, and its bound is not to lie below what is printed."""
    model = Model([Closed("all", clients=5, path=Use(DISK, Exponential(MS)))])
    runs = [simulate(model, seed=seed) for seed in range(8)]
    assert all(run.limits[0].throughput >= run.throughput.value for run in runs)
    assert [run.limits[0].throughput for run in runs] == [max(1000.0, run.throughput.value) for run in runs]
    assert all(run.throughput.low <= 1000.0 <= run.throughput.high for run in runs)
    assert min(run.groups["all"].narrowed.get("throughput", 1.0) for run in runs) < 0.5


def test_a_long_run_ends_sooner_by_them(monkeypatch):
    usual = controls.FROM_STEPS
    monkeypatch.setattr(controls, "FROM_STEPS", sys.maxsize)
    long = simulate(network(), precision=0.003)
    assert not long.groups["all"].narrowed
    monkeypatch.setattr(controls, "FROM_STEPS", usual)
    shorter = simulate(network(), precision=0.003)
    assert shorter.throughput.known
    assert shorter.throughput.precision <= 0.003
    assert shorter.steps < 0.7 * long.steps
    assert shorter.groups["all"].narrowed["throughput"] < 0.8


@pytest.mark.usefixtures("at_once")
def test_corrected_answers_obey_little_s_law():
    for seed in range(20):
        group = simulate(closed(), seed=seed).groups["all"]
        assert group.throughput.value * group.latency.mean.value == pytest.approx(group.population, rel=0.002)
