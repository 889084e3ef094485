"""Structures of a system: weights, the mixture of what they leave open, and what is said of a case."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from models.parts.cell import interleaved_bytes_per_s
from sim.decision.goals import goals_of
from sim.decision.probability import probability
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.mixture import Mixture, Side
from sim.prediction.prediction import predict
from sim.prediction.structures import deciding, structures_of, systems_of, weights, weights_of
from sim.system.case import Case
from sim.system.installed import find
from sim.system.what_if import with_set

LARGE = {"nodes": 8, "cells": 14, "users": 8}


def large(**changed):
    return Case.of("dbfs", {**LARGE, **changed})


@pytest.fixture(scope="module")
def predicted():
    return predict("dbfs", LARGE, RunOptions(precision=0.05))


def test_as_many_misses_as_large_make_structures_as_likely():
    misses = np.random.default_rng(1).normal(0.0, 0.05, 60)
    assert weights_of([misses, misses[::-1]]) == pytest.approx([0.5, 0.5], abs=0.05)


def test_a_structure_that_misses_all_figures_by_more_is_unlikely():
    misses = np.random.default_rng(1).normal(0.0, 0.05, 60)
    near, far = weights_of([misses, 2.0 * misses])
    assert near > 0.999
    assert near + far == pytest.approx(1.0)


def test_a_lead_that_rests_on_one_figure_counts_for_little():
    """One large miss of 60 doubles the squares of all, yet half as likely figures would lack it."""
    misses = np.random.default_rng(1).normal(0.0, 0.05, 60)
    one_far = misses.copy()
    one_far[0] = 0.05 * math.sqrt(60.0)
    likely = weights_of([misses, one_far])
    score = 0.5 * 60 * math.log(float(np.mean(one_far**2) / np.mean(misses**2)))
    assert likely[1] > 100.0 * math.exp(-score)


def test_sums_of_scores_have_twice_their_apparent_error():
    """By the normal approximation of the bootstrap: the sum of differences over twice its deviation."""
    random = np.random.default_rng(1)
    misses = [random.normal(0.0, deviation, 200) for deviation in (0.05, 0.06)]
    one, other = (-0.5 * (np.log(np.mean(each**2)) + each**2 / np.mean(each**2)) for each in misses)
    lead = float(np.sum(one - other)) / (math.sqrt(200.0) * float(np.std(one - other)))
    assert 1.0 < lead < 3.0
    assert weights_of(misses)[0] == pytest.approx(NormalDist().cdf(lead / 2.0), abs=0.03)


def test_weights_of_fits_to_other_figures_are_equal():
    assert weights_of([np.ones(3), np.ones(4)]) == [0.5, 0.5]
    assert weights_of([np.ones(0), np.ones(0)]) == [0.5, 0.5]


def test_ends_of_a_mixture_are_those_of_draws_from_it():
    sides = ((0.5, Side(0.0, 0.1, 0.2)), (0.2, Side(0.7, 0.3, 0.1)), (0.3, Side(1.5, 0.1, 0.1)))
    random = np.random.default_rng(1)
    draws = []
    for weight, side in sides:
        standard = random.standard_normal(round(400_000 * weight))
        draws.append(side.middle + np.where(standard < 0.0, side.below, side.above) * standard)
    values = np.exp(np.concatenate(draws))
    low, high = Mixture(sides).ends(0.9)
    assert (low, high) == pytest.approx(np.quantile(values, (0.05, 0.95)), rel=0.01)
    assert Mixture(sides).share_below(2.0) == pytest.approx(float(np.mean(values < 2.0)), abs=0.005)
    assert Mixture(sides).spread == pytest.approx(
        math.sqrt(0.5 * 0.59**2 + 0.2 * 0.11**2 + 0.3 * 0.91**2), rel=1e-6
    )


def test_a_mixture_can_be_scaled_to_another_unit():
    mixture = Mixture(((0.5, Side.of(3.0, 2.0, 4.0)), (0.5, Side.of(6.0, 5.0, 8.0))))
    low, high = mixture.ends(0.9)
    assert mixture.scaled(10.0).ends(0.9) == pytest.approx((10.0 * low, 10.0 * high))


def test_a_side_without_width_is_a_point():
    side = Side.of(3.0, 3.0, 3.0)
    assert [side.share_below(math.log(value)) for value in (2.9, 3.0, 3.1)] == [0.0, 0.5, 1.0]


def test_band_of_a_larger_rack_covers_each_structure(predicted):
    band, structures = predicted.intervals["throughput"], predicted.structures
    expected = [predicted.throughput.value * each.ratios["throughput"] for each in structures]
    assert [each.system for each in structures] == ["dbfs", "dbfs-cells", "dbfs-free"]
    assert sum(each.weight for each in structures) == pytest.approx(1.0)
    assert expected[0] == predicted.throughput.value
    assert max(expected) > 1.5 * min(expected)
    likely = [each for each, structure in zip(expected, structures, strict=True) if structure.weight > 0.1]
    assert len(likely) == 2
    assert band.low < min(likely) < max(likely) < band.high
    assert band.structures > 0.1
    by_rate, by_time = (predicted.intervals[name] for name in ("throughput", "mean"))
    assert by_time.high / by_time.low == pytest.approx(by_rate.high / by_rate.low, rel=0.1)  # Little's law


def test_a_goal_between_structures_is_kept_as_likely_as_those_that_keep_it(predicted):
    (goal,) = goals_of(["throughput>=5GB/s"], {"throughput": "MB/s"})
    band, value = predicted.intervals["throughput"], predicted.throughput.value
    chance = probability(goal, predicted.throughput, band)
    fast = sum(each.weight for each in predicted.structures if value * each.ratios["throughput"] > 5000.0)
    assert chance == pytest.approx(fast, abs=0.15)
    alone = probability(goal, Estimate(value, value, value, 0.95), None)
    assert alone == 0.0


def test_agreeing_or_single_structures_are_not_mentioned():
    assert not structures_of(Case.of("dbfs", {}))
    assert not structures_of(Case.of("cubefs", {}))
    assert deciding(Case.of("dbfs", {})) is None


def test_a_set_parameter_that_rivals_lack_leaves_one_structure():
    system = with_set(find("dbfs"), {"cluster_chunk_write_s": 1e-6})
    assert [each.name for each in systems_of(system)] == ["dbfs"]
    assert not structures_of(Case.of(system, LARGE))


def test_a_set_parameter_is_set_in_every_structure():
    slow = with_set(find("dbfs"), {"node_serial_s_per_byte": 20e-9})
    assert not structures_of(Case.of(slow, LARGE))  # nodes limit all of them alike
    assert all(each.parameters["node_serial_s_per_byte"] == 20e-9 for each in systems_of(slow))


def test_the_arms_of_a_lone_stream_stay_where_they_are():
    """Of two that take turns, every second run is of the other."""
    assert interleaved_bytes_per_s(1.8e9, 524_288, streams=1) == 1.8e9
    both = 524_288 / (524_288 / 1.8e9 + 36 / 10_800 / 12 / 2)
    assert interleaved_bytes_per_s(1.8e9, 524_288, streams=2) == pytest.approx(both)


def test_deciding_measurement_separates_structures():
    found = deciding(large())
    assert found
    assert max(found.expected) > 1.3 * min(found.expected)
    assert set(found.settings) == {"nodes", "cells"}


def test_full_cells_are_limited_by_their_arms():
    """By hand: 512 KiB a move at 1.8 GB/s take 291 µs, and an arm's 3.33 ms are spread over 12 disks."""
    system = with_set(find("dbfs-free"), {"write_run_bytes": 524_288})
    found = predict(system, {"nodes": 8, "cells": 3, "users": 8}, RunOptions(engine="analytic"))
    cell = 524_288 / (524_288 / 1.8e9 + 36 / 10_800 / 12)
    assert found.throughput.value == pytest.approx(3 * cell / 2 / 1e6, rel=0.02)


def test_weights_are_those_of_the_shipped_fits():
    systems = systems_of(find("dbfs"))
    missed = [np.array(each.parameters.missed["throughput"]) for each in systems]
    assert [len(each) for each in missed] == [72] * 3
    assert weights(systems) == pytest.approx(weights_of(missed))
