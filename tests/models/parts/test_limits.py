"""A token bucket lets I/Os pass at its rate in the long run, and faster while it has credits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from layered import Below, assert_engines_agree, clients, latency, rate, run
from models.io import FileIO
from models.parts.limits import Limits
from sim import Closed, Constant, Delay, Model, Open, Poisson, over_time, simulate
from sim.engine.analytic.solve import solve
from sim.output.views.explanation import parts
from sim.prediction import RunOptions, predict
from sim.prediction.explanation import explain
from sim.system.case import Case
from sim.system.stack.build import stack_system

KIB, MIB, MS = 1 << 10, 1 << 20, 1e-3
FREE = {"iops": math.inf, "bandwidth": math.inf}


def volume(below=None, **fields):
    below = below or Below(0.5 * MS)
    return Limits(**fields).layer("volume", lambda _: below)


def test_an_io_below_the_limits_does_not_wait():
    assert latency(volume(), 1) == pytest.approx(0.5 * MS)
    assert latency(volume(**FREE), 64, size=MIB) == pytest.approx(0.5 * MS)
    assert volume().path(FileIO("flush", 0)) == (Delay(0.5 * MS),)


@pytest.mark.parametrize(
    ("op", "fields", "limit"),
    [
        ("read", {"only": "read"}, 3000),
        ("write", {"only": "read"}, 32 / (0.5 * MS)),
        ("write", {"only": "write"}, 3000),
        ("flush", {"only": "write"}, 32 / (0.5 * MS)),
        ("flush", {"only": "write", "flushes": True}, 3000),
        ("flush", {"only": "read", "flushes": True}, 32 / (0.5 * MS)),
    ],
)
def test_reads_writes_and_flushes_count_against_their_limits(op, fields, limit):
    layer = volume(**fields)
    size = 0 if op == "flush" else 4 * KIB
    loads = [Closed(f"c{number}", 1, layer.path(FileIO(op, size)), group="all") for number in range(32)]
    model = Model([*loads, *layer.background()])
    assert simulate(model, watch="all", precision=0.02, answers=("throughput",)).throughput.value == pytest.approx(
        limit, rel=0.02
    )


@pytest.mark.parametrize(
    ("written", "free"),
    [({"iops": 7.0}, ["bandwidth"]), ({"bandwidth": 7.0}, ["iops"]), ({}, []), ({"io_size": 512}, [])],
)
def test_limits_left_out_are_unlimited(written, free):
    implied = Limits.filled(written)
    assert sorted(implied) == free
    assert all(each.value == math.inf for each in implied.values())


def test_an_explanation_leaves_out_who_refills():
    """Its times are those of a clock: nobody's request."""
    explained = explain(predict("gp3", {}, RunOptions(precision=0.1, answers=("throughput",))))
    text = "\n".join(map(str, parts(explained)))
    assert "volume IOPS refill" in explained.breakdowns
    assert "refill" not in text
    assert "waiting for volume IOPS throttle" in text


def test_a_bucket_is_refilled_in_times_of_the_mean_that_vary_as_the_limit_says():
    limits = [volume(variation=each) for each in (0.5, 0.0)]
    assert not [*limits[0].background()], "nobody has asked it for anything"
    for each in limits:
        each.path(FileIO("read", 4096))
    (ios, transfers), (fixed, _) = ([*each.background()] for each in limits)
    for load, per_second in ((ios, 3000.0), (transfers, 125.0 * MIB)):
        refilled, taken = load.path
        assert (refilled.time.mean, refilled.time.cv) == (pytest.approx(taken.amount / per_second), 0.5)
    drawn = ios.path[0].time
    times = drawn.scale_s * drawn.draw(np.random.default_rng(1), 100_000)
    assert (times.mean(), times.std() / times.mean()) == (
        pytest.approx(1 / 3000, rel=0.01),
        pytest.approx(0.5, rel=0.01),
    )
    assert fixed.path[0].time == Constant(1 / 3000)


@pytest.mark.parametrize(
    ("fields", "size", "limit"),
    [
        ({}, 4 * KIB, 3000),
        ({}, 128 * KIB, 1000),
        ({}, MIB, 125),
        ({"iops": 100.0}, 256 * KIB, 100),
        ({"iops": 100.0}, 257 * KIB, 50),
        ({"iops": 100.0, "io_size": MIB}, MIB, 100),
        ({"iops": 100.0, "bandwidth": math.inf}, 10 * MIB, 2.5),
    ],
)
def test_many_ios_have_the_rate_of_the_lower_limit(fields, size, limit):
    assert rate(volume(**fields), 32, size=size) == pytest.approx(limit, rel=0.01)
    assert solve(clients(volume(**fields), 32, size=size)).groups["all"].throughput == pytest.approx(
        limit, rel=0.01
    )


@pytest.mark.parametrize(
    ("fields", "size", "lasting", "burst", "seconds"),
    [
        ({"iops": 100.0, "burst_iops": 3000.0, "iops_credits": 20_000}, 4 * KIB, 100, 3000, 20_000 / 2900),
        ({"iops": 100.0, "iops_credits": 20_000}, 4 * KIB, 100, 16_000, 20_000 / 15_900),
        (
            {"bandwidth": 10.0 * MIB, "burst_bandwidth": 100.0 * MIB, "bandwidth_credits": 1000 * MIB},
            64 * KIB,
            160,
            1600,
            1000 / 90,
        ),
    ],
)
def test_credits_allow_bursts_until_they_are_spent(fields, size, lasting, burst, seconds):
    found = run(volume(**FREE | fields), 8, size=size)
    (told,) = found.bursts
    assert found.throughput.value == pytest.approx(lasting, rel=0.01)
    assert told.throughput.value == pytest.approx(burst, rel=0.01)
    assert told.seconds.value == pytest.approx(seconds, rel=0.02)


@pytest.mark.parametrize(
    ("settings", "held", "burst", "lasting"),
    [
        ({"iops": 16_000, "block": "4KiB"}, 27_270_000, 16_000, 3600),
        ({"iops": 6000, "block": "4KiB"}, 27_270_000, 6000, 3600),
        ({"iops": 16_000, "block": "64KiB", "throughput": "500MiB/s"}, 922.5e9, 524.288e6, 81.25e6),
    ],
)
def test_instance_of_gp3_bursts_for_as_long_as_its_credits_last(settings, held, burst, lasting):
    """T = held / (burst − lasting), of I/Os or of bytes: half an hour and more, in steps of 10 s."""
    answer = over_time(
        Case.of("gp3", {"credits": "full", **settings}).scenario.model, 4 * 3600.0, resolution_s=10.0
    )
    unit = 65536 if lasting > 1e6 else 1
    assert answer.burst.rate * unit == pytest.approx(burst, rel=0.01)
    assert answer.burst.end_s == pytest.approx(held / (burst - lasting), rel=0.01)
    assert answer.sustained * unit == pytest.approx(lasting, rel=0.02)


def test_a_limit_of_bytes_does_not_hide_that_credits_are_being_spent():
    """Two I/Os at most are on their way, 16,000 a second; 12,000 last."""
    found = run(volume(Below(0.1 * MS), iops=12_000.0, burst_iops=16_000.0, iops_credits=1000, bandwidth=500e6), 2)
    assert found.throughput.value == pytest.approx(12_000, rel=0.01)


@pytest.mark.parametrize(("of_volume", "of_instance"), [(16_000.0, 2000.0), (2000.0, 16_000.0)])
def test_lower_limit_of_volume_and_instance_holds(of_volume, of_instance):
    inner = volume(iops=of_volume)
    outer = Limits(iops=of_instance).layer("instance", lambda _: inner)
    load = Closed("all", clients=32, path=outer.path(FileIO("read", 4 * KIB)))
    model = Model([load, *outer.background(), *inner.background()])
    found = simulate(model, precision=0.005)
    assert found.throughput.value == pytest.approx(2000, rel=0.01)
    assert found.limits[0].place == f"{'volume' if of_volume < of_instance else 'instance'} IOPS"


def test_without_credits_random_arrivals_wait_as_at_one_server():
    """M/D/1, half loaded, one token ready: E[V] − E[min(V, s)], where P(V ≤ x) = (1 − ρ) exp(λx) for x < s."""

    def mean_s(**fields):
        layer = volume(**fields)
        load = Open("all", arrivals=Poisson(1500.0), path=layer.path(FileIO("read", 4 * KIB)))
        return simulate(Model([load, *layer.background()])).groups["all"].latency.mean.value

    waited_s = (0.5 - 1.0 + math.expm1(0.5)) / 3000
    assert mean_s() == pytest.approx(0.5 * MS + waited_s, rel=0.01)
    assert mean_s(iops_credits=100) == pytest.approx(0.5 * MS, rel=0.001)


def test_odd_sizes_pass_at_the_limit():
    layer = volume(iops=math.inf, bandwidth=64.0 * MIB)
    loads = [
        Closed(f"{size}", clients=4, path=layer.path(FileIO("read", size)), group="all")
        for size in (5000, 256 * KIB)
    ]
    found = simulate(Model([*loads, *layer.background()]))
    assert found.throughput.value * (5000 + 256 * KIB) / 2 == pytest.approx(64 * MIB, rel=0.01)


@pytest.mark.parametrize(
    ("fields", "size", "allowed"),
    [({"iops": 800.0}, 4 * KIB, 80), ({"bandwidth": 40.0 * MIB, "io_size": MIB}, 64 * KIB, 64)],
)
def test_ios_beyond_a_slice_wait_for_the_next_slice(fields, size, allowed):
    """Of so many I/Os a slice, the last of each client waits for nearly all of it."""
    layer, count = volume(**{**FREE, **fields, "credits": "slice"}), 2
    found = run(layer, count, size=size).groups["all"]
    assert found.throughput.value == pytest.approx(10 * allowed, rel=0.02)
    assert found.latency.mean.value == pytest.approx(count / (10 * allowed), rel=0.02)
    assert found.latency.p50.value == pytest.approx(0.5 * MS, rel=0.01)
    assert found.latency.p99.value == pytest.approx(100 * MS - allowed / count * 0.5 * MS, rel=0.03)


def test_percentiles_alone_are_waited_for_through_the_pause_of_a_slice():
    layer = volume(**{**FREE, "iops": 1500.0, "credits": "slice"})
    found = run(layer, 32, precision=0.02, answers=("p50", "p99"))
    assert found.throughput.value == pytest.approx(1500, rel=0.05)
    assert found.groups["all"].latency.p99.value > 0.09


def test_the_engines_agree():
    assert_engines_agree(volume(iops=800.0, bandwidth=50e6, credits="slice"), 6, size=300 * KIB)
    fields = {"iops": 300.0, "burst_iops": 3000.0, "iops_credits": 20, "bandwidth": 50e6}
    assert_engines_agree(volume(**fields), 6, size=300 * KIB)


VOLUME = """\
title = "a volume"
[settings]
users = 64
[parameters]
allowed = { value = 3000, bounds = [100, 1e6], basis = "BASIS", source = "a made-up data sheet" }
device = { value = "1ms", bounds = ["0.1ms", "1s"], range = ["0.8ms", "1.2ms"], source = "a guess" }
[load]
clients = "users"
block = "4KiB"
[[layer]]
kind = "limits"
iops = "allowed"
[[layer]]
kind = "ssd"
units = 512
latency = "device"
"""


@pytest.mark.parametrize(("basis", "cut"), [("published", True), ("assumed", False), ("derived", False)])
def test_no_band_passes_a_limit_that_is_certain(tmp_path, basis, cut):
    (tmp_path / "volume.toml").write_text(VOLUME.replace("BASIS", basis))
    found = predict(
        stack_system(tmp_path / "volume.toml"), {}, RunOptions(precision=0.05, answers=("throughput",))
    )
    most = 3000 * 4 * KIB / 1e6
    assert found.throughput.value == pytest.approx(most, rel=0.02)
    band = found.intervals["throughput"]
    assert band.low < 0.9 * most
    assert (band.high == pytest.approx(most, rel=0.02)) == cut


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, {"iops": "IOPS", "bandwidth": "bandwidth"}),
        ({"iops_credits": 9}, {"burst_iops": "burst IOPS", "bandwidth": "bandwidth"}),
        ({"iops_credits": 9, "credits": "spent"}, {"iops": "IOPS", "bandwidth": "bandwidth"}),
        ({"bandwidth_credits": 9}, {"iops": "IOPS", "burst_bandwidth": "burst bandwidth"}),
        ({"credits": "slice"}, {}),
    ],
)
def test_sustained_rate_is_no_certain_limit_while_credits_last(fields, kept):
    assert dict(Limits(**fields).kept()) == kept


def test_no_band_of_gp3_exceeds_the_provisioned_limits():
    for settings in ({"block": "4KiB"}, {"block": "1MiB", "credits": "full"}, {"iops": 3500, "block": "4KiB"}):
        found = predict("gp3", settings, RunOptions(precision=0.05, answers=("throughput",)))
        most = min(found.settings["iops"] * found.settings["block"], found.settings["throughput"]) / 1e6
        assert found.intervals["throughput"].high <= most * 1.02, settings


def test_an_idle_limit_with_slow_refills_does_not_limit(tmp_path):
    """One process far below both limits: each refill waits for most of its slice, and no I/O waits for it."""
    text = """
title = "a control group"
[load]
block = "4KiB"
[[layer]]
kind = "limits"
iops = 12000
bandwidth = "1GB/s"
credits = "slice"
[[layer]]
kind = "ssd"
latency = "100us"
variation = 0.5
units = 64
"""
    (tmp_path / "group.toml").write_text(text)
    for seed in (1, 2, 3):
        found = predict(stack_system(tmp_path / "group.toml"), {}, RunOptions(precision=0.1, seed=seed))
        assert (found.limit.kind, found.limit.place) == ("path", "limits IOPS")
