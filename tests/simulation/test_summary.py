"""The record of a run whose counters are written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from recorded import Recorded, run_of, snapshots_of
from sim import (
    Await,
    Buffer,
    Cache,
    Closed,
    Delay,
    Gate,
    Gather,
    Hold,
    Lookup,
    Model,
    Open,
    Poisson,
    Pool,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
)
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.summary import PlaceResults, needed, result_of
from sim.engine.statistics.answers import ANSWERS

DISK, POOL, BLOCKS, GATE, LEVEL = Station("disk", 2), Pool("pool", 4), Cache("k", 50), Gate("g"), Buffer("b", 40)
PATH = [
    Hold(POOL, Use(DISK, 4e-9), tokens=2),
    Lookup(BLOCKS, Uniform(90), Delay(1e-9), Use(DISK, 2e-9)),
    Put(LEVEL),
    Await(GATE),
]
MODEL = Model(
    [
        Closed("a", clients=3, path=PATH),
        Closed("second", clients=3, path=PATH, group="a"),
        Open("o", arrivals=Poisson(1e3), path=Delay(1e-9)),
        Closed("w", clients=1, path=[Gather(GATE), Take(LEVEL, 4), Delay(1e-9), Wake(GATE)]),
    ]
)
INTERVALS = 44
EDGES = list(range(4, 45, 2))
WAVE = np.where(np.arange(INTERVALS) % 4 < 2, 1, -1)  # of one batch, of the next


def made(**changes):
    """A warm-up of four intervals of 1 µs, and twenty batches of two."""
    counts = {"started": 100, "completed": 100 + 10 * WAVE, "latency_ns": 30_000, "population_ns": 400, "steps": 9}
    counts |= {"background": [7, *[0] * 43], "lookups": 100, "hits": 40 + 8 * WAVE}
    counters = {
        "workloads": {
            "a": counts,
            "second": {"started": 3, "completed": 2, "latency_ns": 600, "population_ns": 100, "lookups": 0},
            "o": {"started": 1, "completed": 1, "latency_ns": 100},
        },
        "places": {
            "disk": {"visits": 200, "busy_ns": 900, "queue_ns": 3000},
            "pool": {"visits": 100, "busy_ns": 1000, "queue_ns": 0},
            "k": {"visits": 100, "busy_ns": 25_000, "extra": 40},
            "b": {"visits": 100, "busy_ns": 10_000},
            "g": {"visits": 100, "busy_ns": 500, "extra": 25},
        },
        "latencies_ns": {"a": {300: 90, 500: 12}, "o": {100: 1}},
    }
    run = run_of(MODEL, **changes)
    return result_of(
        run, Recorded(MODEL, INTERVALS), snapshots_of(MODEL, INTERVALS, **counters), EDGES, ("as told",)
    )


def test_a_group_adds_up_its_workloads():
    found = made().groups["a"]
    assert found.completed == 40 * 102
    assert found.throughput.value == pytest.approx(102e6)
    assert found.latency.mean.value == pytest.approx(30_600 / 102 * 1e-9)
    assert found.latency.p50.value == pytest.approx(300e-9, rel=0.01)
    assert found.latency.p99.value == pytest.approx(500e-9, rel=0.01)
    assert found.in_flight == INTERVALS  # three begun and two done in every interval
    assert found.background == 7
    assert found.population == pytest.approx(0.5)
    assert found.hit_ratio.value == pytest.approx(0.4)


def test_intervals_are_those_of_the_batches_and_known_at_the_requested_precision():
    """Twenty batches, of one completion in 102 · 10 more or less; they alternate, so that nothing is widened."""
    half = stats.t.ppf(0.975, 19) * 10 / 102 / math.sqrt(19)
    for precision, known in ((1.01 * half, True), (0.99 * half, False)):
        throughput = made(precision=precision).groups["a"].throughput
        assert throughput.high / throughput.value == pytest.approx(1 + half)
        assert throughput.known is known
    ratio = stats.t.ppf(0.975, 19) * 8 / math.sqrt(19) / 40  # of the hits, within five times the precision
    for precision, known in ((1.01 * ratio / 5, True), (0.99 * ratio / 5, False)):
        hits = made(precision=precision).groups["a"].hit_ratio
        assert hits.high == pytest.approx(0.4 * (1 + ratio))
        assert hits.known is known


@pytest.mark.parametrize("answer", ["throughput", "mean"])
def test_answer_at_exactly_the_requested_precision_is_known(monkeypatch, answer):
    group = made().groups["a"]
    wanted = group.answers[answer].precision if answer == "throughput" else group.hit_ratio.precision
    monkeypatch.setattr(
        "sim.engine.simulation.options.tolerances", lambda _precision, _own: dict.fromkeys(ANSWERS, wanted)
    )
    group = made().groups["a"]
    assert group.throughput.known if answer == "throughput" else group.hit_ratio.known


def test_no_hit_ratio_without_look_ups_and_equal_times_have_equal_percentiles():
    found = made().groups["o"]
    assert found.hit_ratio is None
    assert found.latency.p50 == found.latency.p99 == found.latency.mean
    assert found.latency.mean.value == pytest.approx(100e-9)


def test_places_over_the_measured_time():
    found = made().places
    assert (found["disk"].visits, found["disk"].queue) == pytest.approx((200e6, 3.0))
    assert (found["disk"].utilisation, found["disk"].wait_s) == pytest.approx((0.45, 15e-9))
    assert found["pool"].utilisation == pytest.approx(0.25)
    assert (found["pool"].wait_s, found["pool"].hit_ratio, found["pool"].batch) == (0.0, None, None)
    assert (found["k"].utilisation, found["k"].hit_ratio) == pytest.approx((0.5, 0.4))
    assert found["b"].utilisation == pytest.approx(0.25)
    assert (found["g"].batch, found["g"].utilisation) == pytest.approx((4.0, 0.5))
    assert [each.kind for each in found.values()] == ["pool", "station", "cache", "buffer", "gate"]


def test_the_record_says_how_it_was_made():
    found = made(seed=7)
    assert (found.seed, found.engine, found.watched) == (7, "recorded", "a")
    assert (found.measured_s, found.warmup_s) == pytest.approx((40e-6, 4e-6))
    assert found.steps == 9 * INTERVALS
    assert (found.warnings, found.parts, found.elapsed) == (("as told",), (), None)


def test_parts_are_twenty_pieces_of_the_batches():
    found = made(parts=True)
    assert len(found.parts) == 20
    assert all(each.measured_s == pytest.approx(2e-6) for each in found.parts)
    assert [each.throughput.value for each in found.parts[:2]] == pytest.approx([112e6, 92e6])
    assert found.parts[0].warmup_s == pytest.approx(4e-6)
    assert found.groups["a"] == made().groups["a"]


@pytest.mark.parametrize(("batches", "parts"), [(1, 1), (19, 19), (20, 20), (39, 39), (40, 20)])
def test_parts_are_of_whole_batches_and_reach_to_the_end(batches, parts):
    edges = list(range(4, 5 + batches))
    found = result_of(run_of(MODEL, parts=True), Recorded(MODEL, 44), snapshots_of(MODEL, 44), edges, ()).parts
    assert len(found) == parts
    assert found[0].warmup_s == pytest.approx(4e-6)
    assert found[-1].warmup_s + found[-1].measured_s == pytest.approx(1e-6 * (4 + batches))


def test_unvisited_place_has_no_waits():
    found = PlaceResults(MODEL, snapshots_of(MODEL, 1).window(0))
    assert {each.wait_s for each in found.values()} == {0.0}
    assert (found["k"].hit_ratio, found["g"].batch) == (0.0, 0.0)


def test_need_of_a_place_is_the_demand_of_its_requests():
    """102 requests a µs of 4 ns: of two servers 0.204; of a pool of four, two tokens a request as long."""
    window = snapshots_of(MODEL, 10, workloads={"a": {"completed": 100}, "second": {"completed": 2}}).window(0)
    found = {place.name: each for place, each in needed(MODEL, window).items()}
    assert (found["disk"], found["pool"]) == pytest.approx((0.204, 0.204))


def test_limits_are_capacities_of_places():
    """Two servers, and two who hold two of four tokens each, for 4 ns a request: 500 requests a µs."""
    found = {each.place: each.throughput for each in made().limits}
    assert found == pytest.approx({"disk": 2 / 4e-9, "pool": 2 / 4e-9})


@pytest.mark.parametrize(("seconds", "known"), [(1, True), (12, True), (18, True), (19, False)])
def test_level_of_bytes_is_known_up_to_the_range_of_its_counter(seconds, known):
    """A gigabyte, half full: its level times nanoseconds begins anew at 18.4 · 10^18."""
    model = Model([Closed("a", clients=1, path=[Put(Buffer("b", 10**9)), Take(Buffer("b", 10**9)), Delay(1e-3)])])
    area = np.uint64(seconds * 10**18 // 2).astype(np.int64)
    counters = {"b": {"busy_ns": [area]}}
    share = PlaceResults(model, snapshots_of(model, 1, seconds * 10**9, places=counters).window(0))[
        "b"
    ].utilisation
    assert share == pytest.approx(0.5) if known else math.isnan(share)


def test_counters_are_subtracted_once_for_all_groups(monkeypatch):
    """Else a result takes a time that grows with the square of the number of groups."""
    windows, subtract = [], Snapshots.window
    monkeypatch.setattr(Snapshots, "window", lambda *given: windows.append(1) or subtract(*given))
    assert len(made().groups) == 3
    assert len(windows) == 1
