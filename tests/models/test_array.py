"""The array system: what each mechanism of its cache does, seen by taking it out, and both engines on it."""

from __future__ import annotations

import pytest

from models.systems.array.system import ARRAY, PHASES
from sim import Model
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.prediction import RunOptions, predict
from sim.system.settings import complete

SMALL = {"cache": 16 << 20, "data": 160 << 20, "disks": 30}
COARSE = RunOptions(precision=0.03, answers=("throughput",))


def asked(**settings):
    return predict(ARRAY, SMALL | settings, COARSE, intervals=False)


def measured(**settings):
    found = asked(**settings)
    return {name: answer.estimate.value for name, answer in found.answers.items()}


@pytest.fixture(scope="module")
def noisy():
    """The measures of three phases under each policy."""
    policies = ("lru", "lru-bottom", "bypass", "2q", "arc", "sarc")
    return {policy: measured(policy=policy, noise=True, seconds=2) for policy in policies}


def test_lru_loses_its_hits_to_the_noise(noisy):
    lru = noisy["lru"]
    assert lru["hit_ratio_during"] < lru["hit_ratio_before"] - 10
    assert lru["latency_during"] > 1.1 * lru["latency_before"]


@pytest.mark.parametrize("policy", ["lru-bottom", "bypass", "2q", "arc", "sarc"])
def test_other_policies_lose_little(noisy, policy):
    kept = noisy[policy]
    assert kept["hit_ratio_during"] > kept["hit_ratio_before"] - 4
    assert kept["hit_ratio_during"] > noisy["lru"]["hit_ratio_during"] + 8


def test_before_the_noise_bottom_insertion_is_lru(noisy):
    for policy in ("lru-bottom", "bypass"):
        assert noisy[policy]["hit_ratio_before"] == noisy["lru"]["hit_ratio_before"]


def test_phases_without_noise_are_equal():
    settings = complete(ARRAY.settings, SMALL | {"noise": True, "seconds": 2})
    scenario = ARRAY.scenario(settings, ARRAY.parameters)
    quiet = Model([each for each in scenario.model.workloads if "noise" not in each.name])
    engine = CompiledEngine(quiet, 1)
    engine.advance(10**11)
    rows = [[each.name for each in quiet.workloads].index(phase) for phase in PHASES]
    books = engine.snapshot().workloads[rows]
    completed, look_ups, hits = books[:, 1], books[:, 5], books[:, 6]
    assert completed.min() > 0.9 * completed.max()
    assert (hits / look_ups).max() - (hits / look_ups).min() < 0.02


def test_a_larger_cache_misses_less():
    ratios = [measured(cache=size << 20)["hit_ratio"] for size in (4, 16, 64)]
    assert ratios == sorted(ratios)
    assert ratios[-1] > ratios[0] + 10


def test_without_batteries_a_write_takes_as_long_as_the_disks():
    on, off = (asked(battery=battery, read=0, users=1, disks=400) for battery in (True, False))
    assert on.result.groups["normal"].latency.p50.value < 0.2e-3
    assert off.result.groups["normal"].latency.p50.value > 5e-3


def test_a_full_cache_of_dirty_pages_makes_writers_wait_for_the_disks():
    """Forced flush: beyond what the disks take, memory only puts it off."""
    found = asked(read=0, users=64, disks=4)
    place = found.result.places
    assert place["dirty pages"].queue > 10
    assert place["disks"].utilisation > 0.98
    once = 1 - place["pages written last"].hit_ratio
    assert found.throughput.value * once == pytest.approx(4 / 2 / (3.3e-3 + 8192 / 120e6), rel=0.03)


@pytest.mark.parametrize(("read", "gain"), [(0, 2.0), (70, 1.4)])
def test_memory_for_writes_gains_much_where_disks_are_the_limit(read, gain):
    """Pages that are written again go to the disks once, and in an order that the arms like."""
    on, off = (asked(battery=battery, read=read, users=64, disks=4).throughput.value for battery in (True, False))
    assert on > gain * off


def test_without_rewritten_pages_only_sorting_speeds_up_writes():
    once = {"read": 0, "users": 64, "disks": 4, "skew": 0.0, "data": 10 << 30}
    on, off = (asked(**once, battery=battery).throughput.value for battery in (True, False))
    assert on / off == pytest.approx(5.47 / 3.37, rel=0.05)


def test_a_run_is_fetched_ahead_as_fast_as_the_paths_carry_it():
    """Without prefetch eight users wait for eight disks: 144 MB/s, and no hits."""
    run = asked(sequential=100, read=100)
    assert run.throughput.value * 131072 / 1e6 == pytest.approx(392, rel=0.02)
    assert run.answers["hit_ratio"].estimate.value > 98  # of 1,250 pieces the first 16 of each round miss
    alone = asked(sequential=100, read=100, users=1, cache=1 << 20)  # a quarter of it: two pieces ahead
    piece_s = 5.4e-3 + 131072 / 120e6 + 131072 / 200e6 + 50e-6
    assert alone.throughput.value == pytest.approx(3 / piece_s, rel=0.05)


@pytest.mark.parametrize("cache_mib", [1, 2, 3, 4, 16])
def test_nothing_of_a_run_is_fetched_twice_into_a_small_cache(cache_mib):
    """With eight users and 1 MiB, what is ahead would be pushed out, and read from the disks again."""
    run = asked(sequential=100, read=100, cache=cache_mib << 20)
    busy_s = run.result.places["disks"].utilisation * SMALL["disks"]
    assert busy_s / run.throughput.value == pytest.approx(5.4e-3 + 131072 / 120e6, rel=0.04)


def test_prefetch_does_not_disturb_random_reads():
    alone, beside = (measured(read=100, sequential=sequential)["hit_ratio"] for sequential in (0, 50))
    assert beside > alone


def test_destaging_waits_for_the_high_watermark_and_stops_at_the_low_one():
    settings = complete(ARRAY.settings, SMALL | {"read": 0, "users": 1, "disks": 400})
    model = ARRAY.scenario(settings, ARRAY.parameters).model
    dirty = next(place for place in model.places if place.name == "dirty pages")
    engine = CompiledEngine(model, 1)
    row, levels, before = model.places.index(dirty), [], 0
    for slice_number in range(1, 400):
        engine.advance(slice_number * 1_000_000)
        area = int(engine.snapshot().places[row, 1])
        levels.append((area - before) / 1_000_000)
        before = area
    peak = levels.index(max(levels))
    assert max(levels) == pytest.approx(dirty.high, rel=0.05)
    assert min(levels[peak:]) == pytest.approx(dirty.low, rel=0.05)


@pytest.mark.parametrize("policy", ["lru", "2q", "sarc"])
@pytest.mark.parametrize("extra", [{}, {"battery": False}, {"noise": True, "seconds": 1}])
def test_both_engines_agree(policy, extra):
    tiny = {"cache": 1 << 20, "data": 8 << 20, "disks": 3, "sequential": 20, "policy": policy}
    settings = complete(ARRAY.settings, tiny | extra)
    model = ARRAY.scenario(settings, ARRAY.parameters).model
    engines = [engine(model, 2, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(1_300_000_000)
    first, second = (engine.snapshot() for engine in engines)
    assert engines[0].completions == engines[1].completions
    assert first.places.tolist() == second.places.tolist()
    assert first.workloads.tolist() == second.workloads.tolist()


@pytest.mark.parametrize(
    ("settings", "kind", "place"),
    [({"users": 2}, "path", "disks"), ({"read": 0, "users": 64}, "place", "disks")],
)
def test_destagers_that_wait_for_the_high_watermark_do_not_limit(settings, kind, place):
    """They hold their tokens all the time, and have nothing to do."""
    limit = predict(ARRAY, settings, RunOptions(precision=0.1, answers=("throughput",)), intervals=False).limit
    assert (limit.kind, limit.place) == (kind, place)
