"""Levels over time: bursts, stalls and saw-teeth against closed forms, and skipped time against every event."""

from __future__ import annotations

import numpy as np
import pytest

import levels_at_random
from examples import sizes
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    IfAny,
    InputError,
    Lock,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    Open,
    Poisson,
    Put,
    Repeat,
    Station,
    Take,
    Use,
    Zipf,
)
from sim.engine.simulation import fast_forward
from sim.engine.simulation.over_time import over_time, p99_of

CPU, DISK = Station("cpu"), Station("disk")


def filling(capacity, in_s, out_s, *steps):
    level = Buffer("level", capacity)
    user = Closed("user", clients=4, path=[Use(CPU, Exponential(in_s)), *steps, Put(level, 1)])
    return Model([user, Closed("drain", clients=1, path=[Take(level, 1), Use(DISK, out_s)])])


def test_burst_lasts_until_the_buffer_is_full():
    answer = over_time(filling(1_000_000, 1e-5, 1 / 40_000), 200.0)
    assert answer.burst.rate == pytest.approx(100_000, rel=0.01)
    assert answer.burst.end_s == pytest.approx(1_000_000 / 60_000, rel=0.02)
    assert answer.sustained == pytest.approx(40_000, rel=0.01)
    assert answer.mean == pytest.approx(40_000 + 1_000_000 / 200, rel=0.01)
    assert answer.simulated_s < 10.0


def test_terabyte_of_cache_takes_few_steps():
    blocks = (1 << 40) // 65536
    answer = over_time(filling(blocks, 1e-5, 1 / 40_000), 3600.0)
    assert answer.burst.end_s == pytest.approx(blocks / 60_000, rel=0.02)
    assert answer.steps < 5_000_000


def test_level_that_stays_near_its_end_is_no_hindrance():
    ios, io_bytes = Buffer("IOs", 1_000_000), Buffer("bytes", 10**12)
    user = Closed("user", clients=128, path=[Put(ios, 1), Put(io_bytes, 4096), Use(CPU, 6.25e-5)])
    refills = [
        Closed("IOs refill", clients=1, path=[Use(Station("IOs rate"), 1 / 3_600), Take(ios, 1)]),
        Closed(
            "bytes refill", clients=1, path=[Use(Station("bytes rate"), 16_384 / 81e6), Take(io_bytes, 16_384)]
        ),
    ]
    answer = over_time(Model([user, *refills]), 300.0)
    assert answer.burst.end_s == pytest.approx(1_000_000 / 12_400, rel=0.01)
    assert answer.sustained == pytest.approx(3_600, rel=0.01)
    assert answer.simulated_s < 60.0


def test_levels_and_requests_are_conserved_in_skipped_time():
    answer = over_time(filling(1_000_000, 1e-5, 1 / 40_000), 15.0, resolution_s=0.5)
    level = answer.levels["level"]
    put = np.cumsum(answer.rates) * 0.5
    assert level[-1] == pytest.approx(put[-1] - 15.0 * 40_000, rel=0.01)
    assert np.all(np.diff(level) > 0.0)


def test_saw_tooth_has_the_period_of_its_watermarks():
    level = Buffer("level", 1_000_000, low=300_000, high=700_000)
    slow = IfAny(level, Delay(1e-4), least=500_000)
    model = Model(
        [
            Closed("user", clients=4, path=[Use(CPU, Exponential(2e-5)), slow, Put(level, 1)]),
            Closed("drain", clients=1, path=[Take(level, 1), Use(DISK, Exponential(1e-5))]),
        ]
    )
    answer = over_time(model, 600.0, resolution_s=0.25)
    fast, slow = answer.cycle.high, answer.cycle.low
    expected = 200_000 * (1 / fast + 1 / slow + 1 / (100_000 - fast) + 1 / (100_000 - slow))
    assert answer.cycle.period_s == pytest.approx(expected, rel=0.05)
    assert answer.simulated_s < 300.0


def test_regular_cycles_stand_for_those_to_come(monkeypatch):
    level = Buffer("level", 1_000_000, low=300_000, high=700_000)
    slow = IfAny(level, Delay(1e-4), least=500_000)
    user = Closed("user", clients=4, path=[Use(CPU, Exponential(2e-5)), slow, Put(level, 1)])
    model = Model([user, Closed("drain", clients=1, path=[Take(level, 1), Use(DISK, Exponential(1e-5))])])
    monkeypatch.setattr(fast_forward, "LOOK_AFTER", 10**12)
    simulated = over_time(model, 1300.0)
    monkeypatch.setattr(fast_forward, "LOOK_AFTER", 10_000)
    repeated = over_time(model, 1300.0)
    assert repeated.simulated_s < 0.7 * simulated.simulated_s
    assert len(repeated.rates) == len(repeated.levels["level"]) - 1 == 1300
    assert repeated.mean == pytest.approx(simulated.mean, rel=0.02)
    assert repeated.cycle.period_s == pytest.approx(simulated.cycle.period_s, rel=0.02)
    assert repeated.phases[-1].end_s == pytest.approx(1300.0, rel=0.03)
    assert p99_of(repeated.phases) == pytest.approx(p99_of(simulated.phases), rel=0.05)
    put, taken = (np.abs(np.diff(each.levels["level"])).sum() for each in (repeated, simulated))
    assert put == pytest.approx(taken, rel=0.03)


def test_cycles_of_a_level_stand_for_those_to_come_though_the_rate_is_steady():
    """As of a log whose checkpoints cost little: the rate shows none, and the level repeats every ten seconds."""
    log = Buffer("log", 200_000, low=0, high=10_000)
    user = Closed("user", clients=1, path=[Use(CPU, Exponential(1e-3)), Put(log, 1)])
    emptying = Closed("emptying", clients=1, path=[Take(log, 1), Use(DISK, 1e-6)])
    answer = over_time(Model([user, emptying]), 200.0, skip=False)
    assert answer.cycle is None
    assert np.diff(answer.repeats) == pytest.approx(10.0, abs=1.0)
    longer = answer.repeated(1000)
    assert len(longer.rates) == len(longer.levels["log"]) - 1 == 1000
    assert longer.mean == pytest.approx(1000.0, rel=0.02)
    assert np.ptp(longer.levels["log"][-100:]) > 8_000


def test_cycles_do_not_stand_for_those_to_come_while_another_level_rises():
    log, cold = Buffer("log", 200_000, low=0, high=10_000), Buffer("cold", 10_000_000)
    user = Closed("user", clients=1, path=[Use(CPU, Exponential(1e-3)), Put(log, 1), Put(cold, 1)])
    emptying = Closed("emptying", clients=1, path=[Take(log, 1), Use(DISK, 1e-6)])
    slow = Closed("slow", clients=1, path=[Take(cold, 1), Use(Station("archive"), 2e-3)])
    assert over_time(Model([user, emptying, slow]), 200.0, skip=False).repeats is None


@pytest.mark.parametrize("seed", range(4))
def test_chance_is_no_saw_tooth(seed):
    user = Closed("user", clients=16, path=[Use(DISK, Exponential(3e-4))])
    answer = over_time(Model([user]), 2.0, resolution_s=0.01, seed=seed)
    assert np.ptp(answer.rates) > 0.3 * answer.mean
    assert (answer.cycle, answer.teeth) == (None, 0)


def test_timer_is_due_when_it_should_be():
    path = [Delay(50.0), Repeat(20_000, Use(DISK, 2e-4))]
    user = Closed("user", clients=8, path=[Use(DISK, Exponential(1.5e-4))])
    answer = over_time(Model([user, Closed("timer", clients=1, path=path)]), 300.0)
    slow = np.flatnonzero(answer.rates < 0.95 * answer.rates.max())
    begins = [int(part) for part, before in zip(slow, [-9, *slow[:-1]], strict=True) if part - before > 10]
    assert begins[0] in (49, 50)
    assert len(begins) == 4  # a checkpoint of 4 s of service takes some 30 s beside eight clients


def test_share_of_time_stalled():
    level = Buffer("level", 1_000, 1_000)
    user = Closed("user", clients=2, path=[Use(CPU, 1e-4), Take(level, 1)])
    refill = Closed("refill", clients=1, path=[Delay(1.0), Put(level, 1_000)])
    answer = over_time(Model([user, refill]), 50.0, resolution_s=0.01)
    assert answer.stalled == pytest.approx(0.9, abs=0.03)
    assert answer.lowest == 0.0


def test_both_engines_agree_when_nothing_is_skipped():
    models = [levels_at_random.model(number) for number in range(6)]
    for model in models:
        compiled, reference = (
            over_time(model, 0.2, engine=engine, skip=False) for engine in ("compiled", "reference")
        )
        assert np.array_equal(compiled.rates, reference.rates)
        assert all(np.array_equal(compiled.levels[name], reference.levels[name]) for name in compiled.levels)


@sizes("models", 16, 200)
def test_skipped_time_is_like_time_simulated(models):
    errors = []
    for number in range(models):
        model = levels_at_random.model(number)
        skipped, simulated = (over_time(model, 20.0, skip=skip) for skip in (True, False))
        errors.append(abs(skipped.mean / simulated.mean - 1.0))
        assert all(np.all(level >= 0) for level in skipped.levels.values())
    assert max(errors) <= 0.02
    assert np.median(errors) <= 0.003


def alike(model, seconds, rel=0.02):
    """The skipped and the simulated run of ``model``, whose mean rates are alike."""
    skipped, simulated = (over_time(model, seconds, skip=skip) for skip in (True, False))
    assert skipped.mean == pytest.approx(simulated.mean, rel=rel)
    return skipped, simulated


def test_take_of_many_is_a_threshold():
    log = Buffer("log", 1_000_000)
    user = Closed("user", clients=4, path=[Use(CPU, Exponential(1e-5)), Put(log, 1)])
    checkpoint = Closed("checkpoint", clients=1, path=[Take(log, 500_000), Repeat(20_000, Use(CPU, 1e-4))])
    skipped, simulated = alike(Model([user, checkpoint]), 60.0)
    assert skipped.burst.end_s == pytest.approx(simulated.burst.end_s, rel=0.05)
    assert skipped.cycle.period_s == pytest.approx(simulated.cycle.period_s, rel=0.05)
    assert skipped.levels["log"].max() < 1.05 * simulated.levels["log"].max()


def test_rare_events_come_as_often_as_if_simulated():
    rare = Choose((0.99999, []), (0.00001, [Use(CPU, 0.5)]))
    alike(Model([Closed("user", clients=4, path=[Use(CPU, Exponential(1e-5)), rare])]), 60.0)


def test_level_with_few_large_takes_does_not_stand_still():
    level = Buffer("level", 20_000, 20_000)
    user = Closed("user", clients=4, path=[Use(CPU, Exponential(1.5e-4)), Put(level, 1)])
    drain = Closed("drain", clients=2, path=[Take(level, 5_000), Use(DISK, Lognormal(1.5, 3.0))])
    alike(Model([user, drain]), 12.0)


def test_heavy_tails_need_more_windows():
    alike(Model([Closed("user", clients=4, path=[Use(CPU, Lognormal(1e-4, 30.0))])]), 100.0)


def test_time_in_which_a_cache_filled_is_not_repeated():
    cache = Cache("cache", 200_000)
    lookup = Lookup(cache, Zipf(1_000_000, 0.9), [], [Use(DISK, Exponential(1e-4))])
    model = Model([Closed("user", clients=4, path=[Use(CPU, Exponential(1e-5)), lookup])])
    skipped, _ = alike(model, 100.0)
    assert skipped.cycle is None
    assert skipped.rates[50:].min() > 0.9 * skipped.rates[50:].max()


def test_open_load_below_its_limit_keeps_its_rate():
    model = Model([Open("user", Poisson(800.0), [Use(CPU, Exponential(1e-3)), Use(DISK, Exponential(1e-3))])])
    answer = over_time(model, 1000.0)
    assert answer.mean == pytest.approx(800, rel=0.01)
    assert answer.simulated_s < 300.0


def test_constant_load_is_one_phase():
    answer = over_time(Model([Closed("user", clients=4, path=[Use(CPU, Exponential(1e-4))])]), 100.0)
    assert answer.burst is None
    assert answer.cycle is None
    assert answer.sustained == pytest.approx(10_000, rel=0.01)
    assert answer.phases[-1].p99_s == pytest.approx(1e-3, rel=0.15)


def test_threshold_beyond_the_buffer_is_refused():
    level = Buffer("level", 10)
    with pytest.raises(ModelError, match=r"least of IfAny at buffer 'level' is 11; allowed: 1 to its capacity 10"):
        IfAny(level, Delay(1.0), least=11)
    with pytest.raises(ModelError, match="only buffers have levels"):
        IfAny(Lock("lock"), Delay(1.0), least=2)


def test_odd_times_are_refused():
    model = filling(10, 1e-3, 1e-3)
    for seconds, resolution in ((0.0, None), (float("nan"), None), (10.0, 20.0), (10.0, 1e-9)):
        with pytest.raises(InputError):
            over_time(model, seconds, resolution_s=resolution)
