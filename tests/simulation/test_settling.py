"""Levels that still change, on runs written by hand: a little more than allowed, and a little less."""

from __future__ import annotations

import numpy as np
import pytest

from recorded import snapshots_of
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Fork,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    Put,
    Repeat,
    Sequential,
    Station,
    Take,
    Use,
)
from sim.engine.simulation.settling import Settling

BUFFER = Buffer("buffer", 10_000)
EDGES = [2, 4, 6, 8, 10]
INTERVALS = 10
PRECISION = 0.02  # half of it, 1 % of what is moved, may still change


def changing(loads, **counters):
    model = Model(loads)
    return Settling(model, PRECISION).changing(snapshots_of(model, INTERVALS, **counters), EDGES)


def moved(put, taken, level):
    """In front ``put`` requests an interval of two each, behind ``taken`` of one; and the level of the buffer."""
    front = Closed("front", clients=1, path=[Delay(1e-3), Repeat(2, Put(BUFFER))])
    behind = Closed("behind", clients=1, path=[Take(BUFFER), Delay(1e-3)])
    return changing(
        [front, behind],
        places={"buffer": {"busy_ns": [each * 1000 for each in level]}},
        workloads={"front": {"completed": put}, "behind": {"completed": taken}},
    )


def test_buffer_that_keeps_half_the_precision_of_its_input_still_fills():
    """100 requests in each of eight intervals put 1600; levels count in the first two of them and the last two."""
    assert moved(100, 200, [0, 0, 0, 10, 9, 9, 9, 9, 21, 21.1]) == "buffer 'buffer' still fills"  # 16.05
    assert moved(100, 200, [0, 0, 0, 10, 9, 9, 9, 9, 21, 20.9]) is None  # 15.95
    assert moved(100, 200, [0, 0, 90, 90, 9, 9, 9, 9, 20, 20]) is None


def test_more_put_than_taken_by_half_the_precision_will_not_last():
    level = [5] * INTERVALS
    assert moved(100, 197, level) == "more is put into buffer 'buffer' than taken"  # 24 of 1600
    assert moved(100, 199, level) is None  # 8
    assert moved(100, 201, level) is None
    assert moved(100, 203, level) == "buffer 'buffer' still runs dry"


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("in_flight", "left"), [(0, 232), (3, 229)])
def test_a_trend_of_a_level_exceeds_chance_or_has_waiters(in_flight, left, sign):
    """Of 80,000 requests each puts two or nothing: by chance 2 x 283 more, and one for each in flight and one.

    Of 800 that may be left that leaves 232, and 229 with three in flight.
    """
    front = Closed("front", clients=4, path=[Delay(1e-3), Choose((0.5, Put(BUFFER, 2)), (0.5, ()))])
    behind = Closed("behind", clients=1, path=[Take(BUFFER), Delay(1e-3)])

    def found(more, waits):
        taken = [10_000] * 9 + [10_000 - sign * more]
        return changing(
            [front, behind],
            places={"buffer": {"busy_ns": 5000, "queue_ns": waits}},
            workloads={
                "front": {"completed": 10_000, "population_ns": 1000 * in_flight},
                "behind": {"completed": taken},
            },
        )

    assert found(left - 1, 0) is None
    assert found(left + 1 + (sign < 0) * 2, 0) == f"buffer 'buffer' still {'fills' if sign > 0 else 'runs dry'}"
    assert found(left + 9, 1) is None


@pytest.mark.parametrize(("passed", "found"), [(0, None), (1, "buffer 'buffer' still runs dry")])
def test_single_put_or_take_may_be_chance(passed, found):
    front = Closed("front", clients=1, path=[Delay(1e-3), Put(BUFFER)])
    behind = Closed("behind", clients=1, path=[Take(BUFFER), Delay(1e-3)])
    completed = {name: {"completed": [0] * 9 + [passed]} for name in ("front", "behind")}
    assert changing([front, behind], workloads=completed) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([10, 10, 10, 10, 7, 7, 6], "buffer 'buffer' still fills"),
        ([10, 10, 10, 10, 7, 6, 6], None),
        ([10, 10, 10, 10, 30, -1, 30], None),
        ([-10, -10, -10, -10, -7, -7, -6], "buffer 'buffer' still runs dry"),
        ([10, 10, 10, 0, 30, 10, 10], None),
    ],
)
def test_level_that_always_moves_one_way_is_a_trend(changes, found):
    """In eight parts of an interval each, and by half as much in the latter half as in the first."""
    lock = Lock("lock")
    path = [Delay(1e-3), IfAny(lock, Put(BUFFER), Take(BUFFER)), Hold(lock.exclusive, Delay(1e-3))]
    level = 1000 * np.array([0, 0, *np.cumsum([100, *changes])])
    counters = {"all": {"completed": 1}}
    assert changing([Closed("all", 1, path)], places={"buffer": {"busy_ns": level}}, workloads=counters) == found


def test_buffer_that_changes_most_is_named():
    other = Buffer("other", 10_000)
    path = [Delay(1e-3), Put(BUFFER), Put(other)]
    behind = [Take(BUFFER), Take(other), Delay(1e-3)]
    counters = {"front": {"completed": 100}, "behind": {"completed": 100}}
    found = changing(
        [Closed("front", clients=1, path=path), Closed("behind", clients=1, path=behind)],
        places={
            "buffer": {"busy_ns": [*[0] * 8, 10_000, 10_000]},
            "other": {"busy_ns": [*[0] * 8, 20_000, 20_000]},
        },
        workloads=counters,
    )
    assert found == "buffer 'other' still fills"


@pytest.mark.parametrize("name", ["requests", "bytes"])
def test_a_buffer_of_bytes_counts_as_much_as_one_of_requests(name):
    """Of 3200 puts into each of the two, one keeps some: 1 % of 6400 may be kept."""
    amounts = {"requests": 1, "bytes": 4096}
    buffers = {each: Buffer(each, 1 << 30) for each in amounts}

    def found(kept, taken):
        put, take = ({each: kind(buffers[each], amounts[each]) for each in amounts} for kind in (Put, Take))
        loads = [Closed("front", clients=1, path=[Delay(1e-3), *put.values()])]
        loads += [Closed(each, clients=1, path=[step, Delay(1e-3)]) for each, step in take.items()]
        level_ns = kept * amounts[name] * 1000
        return changing(
            loads,
            places={name: {"busy_ns": [*[0] * 8, level_ns, level_ns]}},
            workloads={each: {"completed": 400} for each in ("front", *amounts)} | {name: {"completed": taken}},
        )

    assert found(65, 400) == f"buffer '{name}' still fills"
    assert found(63, 400) is None
    assert found(0, 391) == f"more is put into buffer '{name}' than taken"
    assert found(0, 398) is None


def test_use_of_a_station_is_no_level_that_has_to_settle():
    station = Closed("all", clients=9, path=Use(Station("disk"), 1e-3))
    counters = {"disk": {"busy_ns": [*[0] * 8, 900, 900]}}
    assert changing([station], places=counters, workloads={"all": {"completed": 1}}) is None


def cache(hit, miss, rise, busy_ns, on_the_way_ns):
    """A cache whose mean level rises by ``rise`` blocks; a disk, ``busy_ns`` in use in eight intervals of 1 µs."""
    blocks = Cache("blocks", 1000)
    path = Lookup(blocks, Sequential(5000), hit, miss)
    return changing(
        [Closed("all", clients=1, path=path)],
        places={
            "blocks": {"busy_ns": [0, 0, 100_000, 100_000, 0, 0, 0, 0, *[100_000 + rise * 1000] * 2]},
            "disk": {"busy_ns": busy_ns / 8},
        },
        workloads={"all": {"completed": 10, "population_ns": on_the_way_ns / 8}},
    )


DISK = Station("disk")


def test_avoidable_misses_count_by_the_time_saved_at_a_place():
    """40 blocks more, 100 ns of the disk for each instead of 30: 2800 ns of it, 1 % of 280,000."""
    hit, miss = Use(DISK, 30e-9), Use(DISK, 100e-9)
    assert cache(hit, miss, 40, 279_000, 1e9) == "cache 'blocks' still fills (14.0% full)"
    assert cache(hit, miss, 40, 281_000, 1e9) is None
    assert cache(hit, miss, 0, 0, 1e9) is None
    assert cache(hit, miss, -40, 0, 1e9) is None


def test_a_cache_that_fills_is_found_behind_one_that_does_not():
    first, second = (Cache(name, 1000) for name in ("first", "second"))
    path = [Lookup(each, Sequential(5000), Use(DISK, 30e-9), Use(DISK, 100e-9)) for each in (first, second)]
    levels = {"first": {"busy_ns": 5}, "second": {"busy_ns": [*[0] * 8, 40_000, 40_000]}, "disk": {"busy_ns": 9}}
    found = changing([Closed("all", 1, path)], places=levels, workloads={"all": {"completed": 10}})
    assert found == "cache 'second' still fills (4.0% full)"


def test_avoidable_misses_count_by_the_time_saved_of_a_request():
    hit, miss = [Use(DISK, 10e-9), Delay(20e-9)], [Use(DISK, 10e-9), Delay(90e-9)]
    assert cache(hit, miss, 40, 1e9, 279_000) == "cache 'blocks' still fills (14.0% full)"
    assert cache(hit, miss, 40, 1e9, 281_000) is None


def test_hits_that_cost_more_save_nothing():
    assert cache(Use(DISK, 100e-9), Use(DISK, 30e-9), 40, 1000, 1000) is None


@pytest.mark.parametrize(("requests", "piles"), [(10_040, None), (10_060, "work for station 'disk' (100.6% of")])
def test_background_work_beyond_capacity_piles_up(requests, piles):
    """100 ns of the disk a request, in the latter half of a run of 2 ms: 10,000 requests are all it can do."""
    left = Closed("all", clients=1, path=[Delay(1e-6), Fork(Use(DISK, 100e-9), wait=False)])
    model = Model([left])
    snapshots = snapshots_of(model, 10, 200_000, workloads={"all": {"completed": [9000] * 5 + [requests / 5] * 5}})
    found = Settling(model, PRECISION).overloaded(snapshots)
    assert found is None if piles is None else found.startswith(piles)


def test_demand_above_capacity_is_chance_if_everybody_waits():
    model = Model([Closed("all", clients=1, path=Use(DISK, 100e-9))])
    snapshots = snapshots_of(model, 10, 200_000, workloads={"all": {"completed": 4000}})
    assert Settling(model, PRECISION).overloaded(snapshots) is None


@pytest.mark.parametrize(("completed", "overloaded"), [(101, True), (99, False)])
def test_background_work_piles_up_beyond_the_capacity_of_its_place(completed, overloaded):
    """A nanosecond of 1,000 for each of 101 or 99 branches of ten: 101 or 99 %."""
    behind = Station("behind")
    path = [Delay(1e-6), Fork([Use(behind, 10e-9)], wait=False)]
    model = Model([Closed("load", clients=1, path=path)])
    snapshots = snapshots_of(model, INTERVALS, workloads={"load": {"completed": completed}})
    found = Settling(model, PRECISION).overloaded(snapshots)
    assert bool(found) == overloaded
    if overloaded:
        assert found == "work for station 'behind' (101.0% of what it can do) still piles up"
