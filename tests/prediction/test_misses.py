"""Expected error of a model at the next measurement: by value."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean

import pytest
from scipy.stats import t as student

import toy
from models import data_folder
from sim.data.fitted import read
from sim.prediction.misses import (
    BEYOND,
    MISSED,
    WEIGHT,
    deviation,
    expected_miss,
    misses_of,
    moved_misses,
    next_miss,
    one_sided,
)
from sim.system import find
from sim.system.case import Case
from sim.system.parameters import DEVIATIONS


def longer(freedom):
    """Ratio of the tails of Student's distribution to those of a normal one, at 90 %."""
    return student.ppf(0.95, freedom) / DEVIATIONS


def test_a_system_of_which_nothing_is_known_misses_as_models_do_at_large():
    assert next_miss({}, 0.0, "throughput") == pytest.approx(MISSED * longer(WEIGHT), rel=1e-3)


def test_a_fit_that_was_held_against_nothing_misses_by_its_scatter_with_long_tails():
    """Not by less than one that was held against a figure, and missed it by as much as it scatters."""
    untested = next_miss({}, 0.05, "throughput")
    assert untested == pytest.approx(0.05 * longer(WEIGHT), rel=1e-3)
    assert untested > next_miss({"throughput": (0.05,)}, 0.05, "throughput")


def test_a_job_misses_its_throughput_as_it_misses_its_time():
    known = {"elapsed": (0.1, -0.1, 0.1), "cpu": (0.3,)}
    assert next_miss(known, 0.0, "throughput") == next_miss(known, 0.0, "elapsed")


def test_an_answer_that_was_measured_misses_as_it_did():
    """Twelve misses of 5 %, beside a deviation of the system that counts two."""
    beside = deviation([0.05] * 12, 0.03)
    expected = math.sqrt((2 * beside**2 + 12 * 0.05**2) / 14) * longer(14)
    assert next_miss({"throughput": (0.05,) * 12}, 0.03, "throughput") == pytest.approx(expected, rel=1e-3)


def test_unmeasured_answer_has_the_errors_of_others_of_its_system():
    known = {"throughput": (0.01, -0.01), "cpu": (0.2,)}
    beside = math.sqrt((2 * MISSED**2 + 2 * 0.01**2 + 0.2**2) / 5)
    assert next_miss(known, 0.0, "hits") == pytest.approx(beside * longer(WEIGHT), rel=1e-3)


def test_percentiles_are_missed_as_percentiles_and_all_else_as_all_else():
    tails = {"throughput": (0.01,) * 9, "p50": (1.0,) * 9}
    beside = math.sqrt((2 * MISSED**2 + 9 * 1.0**2) / 11)
    assert next_miss(tails, 0.0, "p99") == pytest.approx(beside * longer(WEIGHT), rel=1e-3)
    assert next_miss(tails, 0.0, "throughput") == next_miss({"throughput": (0.01,) * 9}, 0.0, "throughput")
    assert next_miss({"throughput": (0.5,) * 9}, 0.0, "p99") == next_miss({}, 0.0, "p99")


def test_mean_latency_misses_as_throughput_does_unless_it_was_measured():
    known = {"throughput": (0.01, -0.01, 0.02)}
    assert next_miss(known, 0.0, "mean") == next_miss(known, 0.0, "throughput")
    assert next_miss(known | {"mean": (0.3,)}, 0.0, "mean") > 0.2


def sided(*misses):
    """The toy, whose p99 was missed by these logarithms of predicted over published."""
    return Case.of(replace(toy.TOY, parameters=replace(toy.PARAMETERS, missed={"p99": misses})), {})


def test_unmeasured_percentile_has_a_symmetric_error():
    assert one_sided(sided(), "p99", 0.3) == pytest.approx((0.3, 0.3))
    assert one_sided(sided(0.2, -0.2), "p99", 0.3) == pytest.approx((0.3, 0.3))


def test_a_percentile_that_was_predicted_too_short_is_missed_above():
    """Three misses of 20 % below what was published, beside one at large on each side."""
    beside = MISSED**2
    low, high = one_sided(sided(-0.2, -0.2, -0.2), "p99", 0.3)
    assert low == pytest.approx(0.3 * math.sqrt(2 * beside / (2 * beside + 0.12)))
    assert high == pytest.approx(0.3 * math.sqrt(2 * (beside + 0.12) / (2 * beside + 0.12)))
    assert one_sided(sided(0.2, 0.2, 0.2), "p99", 0.3) == pytest.approx((high, low))
    assert one_sided(sided(-0.2, -0.2, -0.2), "p50", 0.3) == pytest.approx((0.3, 0.3))


def test_larger_misses_widen_the_band_of_their_answer_alone():
    known = {"throughput": (0.02,) * 20, "p99": (0.02,) * 20}
    worse = known | {"p99": (0.3,) * 20}
    assert next_miss(worse, 0.0, "p99") > 10 * next_miss(known, 0.0, "p99")
    assert next_miss(worse, 0.0, "throughput") < 0.3 * next_miss(worse, 0.0, "p99")


def test_misses_of_a_fit_and_those_of_a_package_come_together(tmp_path):
    (tmp_path / "misses.csv").write_text("dataset,row,column,system,measure,miss\na,b,c,toy,p99,0.2\n")
    fitted = replace(toy.PARAMETERS, missed={"throughput": (0.1,), "p99": (0.3,)})
    system = replace(toy.TOY, parameters=fitted, data_package=tmp_path)
    assert misses_of(system) == {"p99": (0.2, 0.3), "throughput": (0.1,)}


def test_model_error_grows_beyond_the_measured_range():
    within, outside = (expected_miss(Case.of("nvme", {"devices": each}), "p99") for each in (1, 16))
    assert outside == pytest.approx(BEYOND * within)


def test_errors_beyond_the_measured_range_are_those_of_transfers():
    """Twenty of 30 %, beside two of 1.5 times the 2 % within; and no fewer than within."""
    known, moved = {"throughput": (0.02,) * 20}, {"throughput": (0.3,) * 20}
    beside = (1.5 * deviation(known["throughput"], 0.02)) ** 2
    expected = math.sqrt((2 * beside + 20 * 0.09) / 22) * student.ppf(0.95, 22) / DEVIATIONS
    assert next_miss(known, 0.02, "throughput", moved) == pytest.approx(expected, rel=1e-3)
    near = next_miss(known, 0.02, "throughput")
    assert next_miss(known, 0.02, "throughput", {"throughput": (0.0001,) * 20}) == near
    assert next_miss(known, 0.02, "throughput", {"p99": (0.3,) * 20}) == pytest.approx(BEYOND * near)


def test_errors_between_machines_apply_to_settings_of_the_machine_alone():
    def moved(**settings):
        parameters = replace(
            find("cubefs").parameters,
            missed_along={"throughput": (0.1,)},
            missed_elsewhere={"throughput": (0.4,)},
            machine="hardware",
        )
        return moved_misses(Case.of(replace(find("cubefs"), parameters=parameters), settings))

    assert moved() is None
    assert moved(clients=16) == {"throughput": (0.1,)}
    newer = {"hardware": "newer", "data_nodes": 5, "ssds_per_node": 4, "cpus_per_node": 80, "follower_read": "no"}
    assert moved(**newer, nic="50Gbit/s", clients=4) == {"throughput": (0.4,)}


def test_errors_grow_after_a_transfer_by_the_stated_ratio():
    """Of each fit the root mean square over its transfers; then over fits."""
    ratios = []
    for path in sorted((data_folder() / "fitted").glob("*.json")):
        fitted = read(path)
        known = [fitted.errors[name].system.mean for name in fitted.along()]
        moved = [(mean / fitted.errors["cross-validated"].system.mean) ** 2 for mean in known]
        ratios += [fmean(moved)] if moved else []
    assert len(ratios) >= 3
    assert math.sqrt(fmean(ratios)) == pytest.approx(BEYOND, abs=0.2)
