"""TPC-C on MySQL: a cache that warms up on a volume, by closed forms and by the published figures themselves."""

from __future__ import annotations

import math
from statistics import mean, median

import pytest

from models.popularity import uniform
from models.systems.tpcc.warm_up import Volume, WarmUp
from sim import simulate
from sim.data.package import DataPackage
from sim.system.case import Case


def rate(**settings):
    model = Case.of("tpcc", settings).scenario.model
    return simulate(model, precision=0.03, answers=("throughput",), watch="transactions").throughput.value


@pytest.fixture(scope="module")
def figures(calibration_data):
    return {each.name: each.value for each in DataPackage(calibration_data).read("tpcc-volumes").measurements}


def test_a_warm_up_reads_each_page_once_and_then_makes_other_ios_alone():
    cache = WarmUp(uniform(1e6), accesses=20.0, others=5.0)
    done = cache.transactions(1e5)
    assert 5.0 * done + 1e6 * -math.expm1(20.0 * done * math.log1p(-1e-6)) == pytest.approx(1e5)
    assert cache.transactions(1.0) == pytest.approx(1 / 25, rel=1e-3)
    assert cache.transactions(1e9) == pytest.approx((1e9 - 1e6) / 5.0)
    assert cache.missed(0.0, 10.0) == pytest.approx(1.0, abs=1e-3)
    assert cache.missed(1e8, 2e8) == pytest.approx(0.0, abs=1e-6)


def test_credits_last_for_an_hour_of_a_volume_of_500_gib():
    volume = Volume(iops=1500.0, burst=3000.0, credits=5.4e6)
    assert volume.passed(3600.0) == 3000.0 * 3600.0
    assert volume.passed(7200.0) == 3000.0 * 3600.0 + 1500.0 * 3600.0


@pytest.mark.parametrize(("engine", "off"), [("MyRocks", 0.006), ("InnoDB", 0.045)])
@pytest.mark.parametrize("iops", [2000, 3000, 4000])
def test_published_transactions_depend_on_the_number_of_ios_alone(figures, engine, off, iops):
    """As many in an hour as in the first half of an hour at twice the rate (equation 1 of the warm-up)."""
    whole = 3600.0 * figures[f"{engine}, {iops:,} IOPS/mean"]
    double = f"{engine}, {2 * iops:,} IOPS/mean"
    first_half = 3600.0 * figures[double] - 1800.0 * figures[f"{double} of the last half"]
    assert whole == pytest.approx(first_half, rel=off)


def test_twice_the_iops_give_more_than_twice_the_rate_while_the_cache_is_cold():
    volume = {"study": "volumes", "drive": "io1", "threads": 72}
    assert rate(**volume, iops=8000) > 2.1 * rate(**volume, iops=4000)


def test_a_gp2_volume_of_500_gib_is_as_fast_as_3000_provisioned_iops_for_an_hour():
    common = {"study": "volumes", "threads": 72}
    assert rate(**common, drive="gp2", volume="500GiB") == pytest.approx(
        rate(**common, drive="io1", iops=3000), rel=0.03
    )


def test_the_buffer_pool_of_a_drive_matters_until_it_holds_the_data():
    rates = [rate(study="drives", drive="sm863", pool=f"{pool}GiB") for pool in (5, 25, 115)]
    assert rates[1] > 2.5 * rates[0]
    assert rates[2] > 2.0 * rates[1]


def test_a_binary_log_that_is_never_synced_costs_less_than_one_that_is():
    common = {"study": "binlog", "drive": "unnamed", "pool": "80GiB"}
    off, never, always = (
        rate(**common, binary_log="off"),
        rate(**common, binary_log="on", sync_binlog=0),
        rate(**common, binary_log="on", sync_binlog=1),
    )
    assert off > never > always


AXES = {
    "tpcc-volumes": ("iops", ("storage_engine", "counted"), (5.7, 0.7)),
    "tpcc-pool": ("pool", ("drive", "page"), (14.5, 8.7)),
    "tpcc-binlog": ("pool", ("binary_log",), (2.5, 4.8)),
}
"""For each dataset its axis, what tells its curves apart, and the median errors of the page in per cent."""


@pytest.mark.parametrize("dataset", AXES)
def test_baselines_of_the_page(calibration_data, dataset):
    """Each figure from the others of its curve: ratio to the nearest, and a straight line in logarithms."""
    axis, kinds, medians = AXES[dataset]
    curves: dict[tuple[str, ...], dict[float, list[float]]] = {}
    for each in DataPackage(calibration_data).read(dataset).measurements:
        at = dict(each.conditions)
        curve = curves.setdefault(tuple(at[kind] for kind in kinds), {})
        curve.setdefault(float(at[axis].removesuffix("GiB")), []).append(each.value)
    ratios, lines = [], []
    for curve in curves.values():
        for x, values in curve.items():
            others = sorted(other for other in curve if other != x)
            nearest = min(others, key=lambda other: abs(math.log(other / x)))
            ratios += [abs(mean(curve[nearest]) * x / nearest / value - 1) for value in values]
            if len(others) > 1:
                after = min(max(sum(other < x for other in others), 1), len(others) - 1)
                low, high = others[after - 1 : after + 1]
                slope = math.log(mean(curve[high]) / mean(curve[low])) / math.log(high / low)
                lines += [abs(mean(curve[low]) * (x / low) ** slope / value - 1) for value in values]
    assert (100 * median(ratios), 100 * median(lines)) == pytest.approx(medians, abs=0.05)
