"""Erased blocks as a level: bursts, rates by history and fullness, and reads behind programs and erases."""

from __future__ import annotations

import numpy as np
import pytest

from layered import clients, rate
from models.io import FileIO
from models.parts.flash import Flash
from models.parts.flash.cleaning import lasting_validity
from sim import Closed, Constant, Delay, InputError, Model, Open, Poisson, Repeat, over_time, simulate
from sim.system.quantities import BySize, TimeTable

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PAGE, UNITS, PROGRAM_S, ERASE_S, READ_S = 4096, 8, 0.5e-3, 4e-3, 50e-6
RATE = UNITS * 32 * KIB / PROGRAM_S
"""Programs of 32 KiB."""

RESERVE = 2 * UNITS * MIB
"""Two blocks of a unit."""


LATENCY = TimeTable(BySize(((1, READ_S),)), BySize(((1, 10e-6),)))


def flash(**fields):
    given = {"latency": LATENCY, "unit_share": 1.0, "units": UNITS, "sustained": RATE, "bandwidth": 100e9}
    given |= {"cache": 2 * MIB, "capacity": 8 * GIB, "spare": 0.28, "history": "fresh"}
    given |= {"block": MIB, "program": PROGRAM_S, "erase": ERASE_S}
    return Flash(**(given | fields))


def writes(**fields):
    return clients(flash(**fields).layer("ssd"), 16, op="write", size=64 * KIB)


def lasting(alpha):
    """Bytes a second when nothing changes any more: of each program's time, moving and erasing take a part."""
    moved = lasting_validity(alpha) / (1.0 - lasting_validity(alpha))
    erase_s = (1.0 + moved) * 32 * KIB / MIB * ERASE_S
    return UNITS * 32 * KIB / (PROGRAM_S + moved * (PROGRAM_S + READ_S) + erase_s)


def test_burst_ends_when_the_erased_blocks_are_gone():
    answer = over_time(writes(), 60.0)
    assert answer.burst.rate * 64 * KIB == pytest.approx(RATE, rel=0.01)
    assert answer.burst.end_s == pytest.approx((8 * GIB * 1.28 - RESERVE) / RATE, rel=0.02)
    assert answer.sustained < 0.7 * answer.burst.rate


@pytest.mark.parametrize(("used", "spare"), [(1.0, 0.28), (1.0, 0.1), (0.6, 0.28)])
def test_rate_in_the_long_run_is_that_of_write_amplification(used, spare):
    answer = over_time(writes(history="random", used=used, spare=spare), 100.0)
    assert answer.rates[-50:].mean() * 64 * KIB == pytest.approx(lasting((1.0 + spare) / used), rel=0.03)


def test_history_is_forgotten():
    histories = ("fresh", "sequential", "random")
    ends = [over_time(writes(history=each), 400.0).rates[-20:].mean() for each in histories]
    assert ends == pytest.approx([ends[2]] * 3, rel=0.02)


def test_drive_filled_in_order_has_its_spare_free_and_then_its_lowest_rate():
    answer = over_time(writes(history="sequential"), 200.0)
    assert answer.burst.end_s == pytest.approx((8 * GIB * 0.28 - RESERVE) / RATE, rel=0.05)
    assert answer.rates[6:12].mean() < 0.85 * answer.rates[-50:].mean()


def test_runs_cost_no_cleaning():
    load = FileIO("write", 64 * KIB, sequential=True)
    layer = flash().layer("ssd")
    model = Model([Closed("all", clients=16, path=layer.path(load)), *layer.background()])
    erased = PROGRAM_S / (PROGRAM_S + 32 * KIB / MIB * ERASE_S)
    assert over_time(model, 60.0).rates[-20:].mean() * 64 * KIB == pytest.approx(RATE * erased, rel=0.02)


def test_writes_slower_than_cleaning_never_wait():
    layer = flash(history="random").layer("ssd")
    load = Open("all", Poisson(0.6 * lasting(1.28) / (64 * KIB)), layer.path(FileIO("write", 64 * KIB)))
    latency = simulate(Model([load, *layer.background()]), precision=0.05).groups["all"].latency
    assert latency.mean.value < 1.2 * 10e-6


def test_reads_wait_for_programs():
    """Programs keep a unit busy for a share of the time; a read that finds one waits for half of it on average."""
    layer, share = flash(capacity=64 * GIB).layer("ssd"), 0.3
    loads = [
        Closed("reads", clients=1, path=layer.path(FileIO("read", 4 * KIB)), think=Constant(1e-3)),
        Open("writes", Poisson(share * RATE / (64 * KIB)), layer.path(FileIO("write", 64 * KIB))),
    ]
    answer = over_time(Model([*loads, *layer.background()]), 20.0, watch="reads")
    assert answer.latencies_s.mean() - READ_S == pytest.approx(share * PROGRAM_S / 2.0, rel=0.1)
    assert answer.phases[0].p99_s == pytest.approx(READ_S + (1.0 - 0.01 / share) * PROGRAM_S, rel=0.05)


def test_reads_wait_longer_while_the_drive_cleans():
    def p99_s(history):
        layer = flash(history=history, capacity=64 * GIB).layer("ssd")
        loads = [
            Closed("reads", clients=1, path=layer.path(FileIO("read", 4 * KIB))),
            Open("writes", Poisson(0.2 * RATE / (64 * KIB)), layer.path(FileIO("write", 64 * KIB))),
        ]
        model = Model([*loads, *layer.background()])
        return over_time(model, 2.0, watch="reads").phases[-1].p99_s

    assert p99_s("random") > 1.5 * p99_s("fresh")
    assert p99_s("random") > PROGRAM_S


def test_fast_flash_in_front_is_emptied_in_idle_time():
    """Bursts of half the fast flash, and pauses in which they are programmed."""
    layer = flash(cache=256 * MIB, write_bandwidth=2e9).layer("ssd")
    path = layer.path(FileIO("write", 64 * KIB))
    load = Closed("all", clients=1, path=(Repeat(2048, *path), Delay(1.0)))
    answer = over_time(Model([load, *layer.background()]), 20.0)
    assert answer.mean == pytest.approx(1.0 / (1.0 + 2048 * (64 * KIB / 2e9 + 10e-6 - 64 * KIB / 100e9)), rel=0.05)
    assert answer.levels["ssd cache"].max() < 128 * MIB / PAGE


def test_fast_flash_gives_a_burst_before_that_of_erased_blocks():
    answer = over_time(writes(cache=GIB, write_bandwidth=2e9), 60.0, resolution_s=0.1)
    assert answer.burst.rate * 64 * KIB == pytest.approx(2e9, rel=0.02)
    assert answer.burst.end_s == pytest.approx(GIB / (2e9 - RATE), rel=0.05)


def test_degraded_drive_programs_and_cleans_slowly():
    fast, slow = (rate(flash(history="random", slow=each).layer("ssd"), 16, "write", 65536) for each in (1.0, 3.0))
    assert slow == pytest.approx(fast / 3.0, rel=0.03)


def test_engines_agree_in_the_burst_and_after():
    model = writes(capacity=256 * MIB, spare=0.28, cache=256 * KIB)
    answers = [over_time(model, 1.5, engine=engine, skip=False) for engine in ("compiled", "reference")]
    assert np.array_equal(answers[0].rates, answers[1].rates)
    assert all(np.array_equal(answers[0].levels[name], answers[1].levels[name]) for name in answers[0].levels)
    assert answers[0].rates.min() < 0.8 * answers[0].rates.max()


def test_spans_that_are_skipped_are_like_those_simulated():
    model = writes(capacity=512 * MIB)
    skipped, simulated = (over_time(model, 10.0, skip=skip) for skip in (True, False))
    assert skipped.mean == pytest.approx(simulated.mean, rel=0.02)


def test_a_drive_of_terabytes_takes_few_steps():
    answer = over_time(writes(capacity=4 * 10**12, block=16 * MIB), 15_000.0)
    assert answer.burst.end_s == pytest.approx((4e12 * 1.28 - 16 * RESERVE) / RATE, rel=0.02)
    assert answer.steps < 10_000_000


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"volatile": True}, "capacity is given; volatile, padding, partial and write_cache = false are not"),
        ({"program": 0.0}, "capacity is given; cache, sustained, block and program are required with it"),
        ({"spare": 0.001}, r"spare is 0.001, too little for 2 erased blocks of 8 units .* at least 0.00195"),
        ({"cache": 32 * KIB}, r"block and cache are 1MiB and 32KiB; allowed: .* programs of 32KiB"),
    ],
)
def test_impossible_drives_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        flash(**fields).layer("ssd")
