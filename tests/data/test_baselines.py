"""Baselines: each finds its own law again, and all refuse, repeat and scale alike."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from sim import InputError
from sim.data.baselines import Shape, baselines

SHAPE = Shape("block", (("nodes", "users"), ("nodes",), ()), ("op",))
SMOOTH, SCALED, SCALABILITY, POWER, PROCESS, NEIGHBOUR, CAPPED_POWER, LINEAR, LINE = baselines(SHAPE)
KIB = 1024

every_baseline = pytest.mark.parametrize("baseline", baselines(SHAPE), ids=lambda each: each.name)


def at(nodes=1, users=1, block=8 * KIB, op="write", **others):
    return {"nodes": nodes, "users": users, "block": block, "op": op, **others}


def grid(nodes=(1, 4), users=(1, 4, 8), blocks=(KIB, 8 * KIB, 128 * KIB), ops=("write", "read")):
    return [at(*each) for each in product(nodes, users, blocks, ops)]


def blend(conditions, sharpness=3.0):
    """MB/s of a stack with every limit that a smooth minimum knows; reads take longer than writes."""
    slower = 1.25 if conditions["op"] == "read" else 1.0
    nodes, streams, size = conditions["nodes"], conditions["nodes"] * conditions["users"], conditions["block"]
    limits = (
        streams * size / (27 + 1.5e-3 * size),
        streams * 400,
        nodes * size / 7,
        nodes * 950,
        size / 1.5,
        2900,
    )
    return sum((limit / slower) ** -sharpness for limit in limits) ** (-1 / sharpness)


def scalability(conditions, rate=100.0, contention=0.05, coherence=0.002):
    streams = conditions["nodes"] * conditions["users"]
    return rate * streams / (1 + contention * (streams - 1) + coherence * streams * (streams - 1))


def figures(law, settings):
    return np.array([law(conditions) for conditions in settings])


def fitted(baseline, law, settings):
    return baseline.fit(settings, figures(law, settings))


def mean_error(predictor, law, settings):
    return float(np.mean([abs(predictor(conditions) / law(conditions) - 1) for conditions in settings]))


# Each finds its own law.


def test_the_smooth_minimum_is_found_again():
    training = grid(nodes=(1, 2, 4), users=(1, 2, 4, 8), blocks=(KIB, 4 * KIB, 16 * KIB, 64 * KIB, 512 * KIB))
    between = grid(nodes=(3,), users=(3, 6), blocks=(2 * KIB, 32 * KIB, 128 * KIB))
    predictor = fitted(SMOOTH, blend, training)
    assert mean_error(predictor, blend, training) < 0.003
    assert mean_error(predictor, blend, between) < 0.005


def test_the_sharpness_of_the_minimum_is_fitted():
    def hard(given):
        return blend(given, sharpness=12.0)

    training = grid(nodes=(1, 2, 4), users=(1, 2, 4, 8))
    assert mean_error(fitted(SMOOTH, hard, training), hard, training) < 0.01


def test_an_unobserved_saturation_level_is_no_limit():
    predictor = fitted(SMOOTH, blend, grid(nodes=(1,)))
    for given in grid(nodes=(1,)):
        assert predictor({**given, "nodes": 4}) == pytest.approx(4 * predictor(given), rel=1e-9)


def test_an_observed_saturation_level_is_a_limit():
    predictor = fitted(SMOOTH, blend, grid(nodes=(1, 2, 4)))
    assert predictor(at(nodes=400, users=8, block=128 * KIB, op="write")) == pytest.approx(2900, rel=0.1)


def test_efficiency_lost_to_more_streams_is_lost_to_more_nodes():
    """Of one node, with an exponent of 0.9 for its streams; without one, four nodes do four times as much."""

    def law(given):
        return (given["nodes"] * given["users"]) ** 0.9 * given["block"] / (27 + 1.5e-3 * given["block"])

    training = grid(nodes=(1,), users=(1, 2, 4, 8))
    scaled, smooth = fitted(SCALED, law, training), fitted(SMOOTH, law, training)
    for given in grid(nodes=(4,), users=(1, 8)):
        assert scaled(given) == pytest.approx(law(given), rel=0.02)
        assert smooth(given) == pytest.approx(4 * smooth({**given, "nodes": 1}), rel=1e-6)


def test_the_power_law_is_found_again():
    def law(given):
        slower = 1.25 if given["op"] == "read" else 1.0
        return 3.0 * slower * given["nodes"] ** 0.8 * given["users"] ** 0.5 * given["block"] ** 0.3

    predictor = fitted(POWER, law, grid())
    for given in grid(nodes=(16,), users=(2,), blocks=(KIB * KIB,)):
        assert predictor(given) == pytest.approx(law(given), rel=0.01)


def test_power_law_is_proportional_in_settings_that_never_varied():
    predictor = POWER.fit([at(users=4)], np.array([400.0]))
    assert predictor(at(nodes=2, users=4, block=64 * KIB)) == pytest.approx(800)


def test_the_scalability_law_is_found_again():
    predictor = fitted(SCALABILITY, scalability, grid(nodes=(1,), users=(1, 2, 4, 8, 16)))
    for users in (3, 12, 64):
        assert predictor(at(users=users)) == pytest.approx(scalability(at(users=users)), rel=0.01)


def test_scalability_comes_to_a_peak_and_falls():
    predictor = fitted(SCALABILITY, scalability, grid(nodes=(1,), users=(1, 4, 16, 64)))
    peak = math.sqrt((1 - 0.05) / 0.002)
    assert predictor(at(users=round(peak))) > predictor(at(users=round(peak / 2)))
    assert predictor(at(users=round(peak))) > predictor(at(users=round(2 * peak)))


def test_one_figure_scales_in_proportion():
    predictor = SCALABILITY.fit([at(users=4)], np.array([400.0]))
    assert predictor(at(users=4)) == pytest.approx(400)
    assert predictor(at(nodes=2, users=4)) == pytest.approx(800)


def test_scalability_is_at_most_linear():
    training = [at(users=users) for users in (1, 2, 4)]
    predictor = SCALABILITY.fit(training, np.array([100.0, 250.0, 600.0]))
    assert predictor(at(users=8)) == pytest.approx(2 * predictor(at(users=4)), rel=1e-3)


def test_sizes_in_between_lie_on_a_line_and_those_beyond_are_the_nearest():
    predictor = SCALABILITY.fit([at(block=KIB), at(block=4 * KIB)], np.array([100.0, 400.0]))
    assert predictor(at(block=2 * KIB)) == pytest.approx(200)
    assert predictor(at(block=64 * KIB)) == pytest.approx(400)
    assert predictor(at(block=512)) == pytest.approx(100)


def wave(conditions):
    """Smooth in the logarithms of size and users, and of nothing else."""
    height = math.sin(math.log(conditions["block"]) / 2) + 0.3 * math.log(conditions["users"]) ** 2
    return 100 * math.exp(height - (0.5 if conditions["op"] == "read" else 0.0))


WAVES = grid(nodes=(1,), users=(1, 2, 4, 8), blocks=[KIB << power for power in range(8)])


def test_process_interpolates_its_figures():
    predictor = fitted(PROCESS, wave, WAVES)
    between = grid(nodes=(1,), users=(3, 6), blocks=(3 * KIB, 12 * KIB, 48 * KIB))
    assert mean_error(predictor, wave, between) < 0.01
    assert predictor.noise < 0.005


def test_the_process_finds_the_noise():
    scatter = np.exp(np.random.default_rng(1).normal(0.0, 0.08, len(WAVES)))
    surface = PROCESS.fit(WAVES, figures(wave, WAVES) * scatter)
    assert surface.noise == pytest.approx(0.08, rel=0.25)
    seen = np.array([surface(given) for given in WAVES])
    assert np.std(np.log(seen / figures(wave, WAVES))) < 0.06


def test_the_process_returns_to_its_mean_far_from_all_figures():
    predictor = fitted(PROCESS, wave, WAVES)
    assert predictor(at(block=1 << 800)) == pytest.approx(predictor(at(users=1 << 500, op="read")), rel=1e-6)
    assert predictor(at()) != pytest.approx(predictor(at(op="read")), rel=0.1)


def test_the_neighbour_is_the_nearest_in_logarithms():
    predictor = NEIGHBOUR.fit([at(block=1 * KIB), at(block=64 * KIB)], np.array([10.0, 90.0]))
    assert predictor(at(block=7 * KIB)) == pytest.approx(10)
    assert predictor(at(block=9 * KIB)) == pytest.approx(90)


def test_equally_near_neighbours_are_averaged():
    predictor = NEIGHBOUR.fit([at(block=KIB), at(block=64 * KIB)], np.array([10.0, 90.0]))
    assert predictor(at(block=8 * KIB)) == pytest.approx(30)


def test_distance_to_another_kind_is_the_range_of_a_setting():
    training = [at(users=1), at(users=8), at(users=4, op="read"), at(users=1, op="read")]
    predictor = NEIGHBOUR.fit(training, np.array([10.0, 80.0, 400.0, 100.0]))
    assert predictor(at(users=4)) == pytest.approx(80)
    assert predictor(at(users=1, op="read")) == pytest.approx(100)


def test_a_cap_is_the_largest_figure_of_the_kind():
    training = [at(users=1), at(users=2), at(users=8, op="read")]
    predictor = CAPPED_POWER.fit(training, np.array([10.0, 20.0, 500.0]))
    assert predictor(at(users=64)) == pytest.approx(20.0)
    assert predictor(at(users=1)) == pytest.approx(10.0, rel=0.01)
    assert predictor(at(users=64, op="read")) == pytest.approx(500.0)


def test_capped_linear_is_proportional_down_to_the_fewest_streams_and_constant_beyond_the_most():
    predictor = LINEAR.fit([at(users=2), at(users=8), at(users=64)], np.array([20.0, 60.0, 90.0]))
    found = [predictor(at(users=users)) for users in (1, 4, 8, 16, 64)]
    assert found == pytest.approx([10.0, 40.0, 80.0, 90.0, 90.0])


def test_a_line_in_logarithms_goes_through_the_two_figures_around_or_the_last_two():
    predictor = LINE.fit([at(users=1), at(users=4), at(users=8)], np.array([10.0, 40.0, 40.0]))
    found = [predictor(at(users=users)) for users in (2, 8, 16)]
    assert found == pytest.approx([20.0, 40.0, 40.0])
    assert predictor(at(nodes=3, users=1)) == pytest.approx(10.0)  # no line: the nearest figure


# All behave alike.


@every_baseline
def test_another_unit_changes_nothing_else(baseline):
    values = figures(blend, grid())
    one, thousandfold = baseline.fit(grid(), values), baseline.fit(grid(), 1000 * values)
    for given in (at(), at(nodes=2, users=6, block=20 * KIB, op="read")):
        assert thousandfold(given) == pytest.approx(1000 * one(given), rel=1e-3)


@every_baseline
def test_the_order_of_figures_does_not_matter(baseline):
    there, back = fitted(baseline, blend, grid()), fitted(baseline, blend, grid()[::-1])
    for given in (at(), at(nodes=2, users=6, block=20 * KIB, op="read")):
        assert there(given) == pytest.approx(back(given), rel=1e-3)


@every_baseline
def test_a_fit_repeats_itself(baseline):
    first, second = fitted(baseline, blend, grid()), fitted(baseline, blend, grid())
    for given in grid(nodes=(2,)):
        assert first(given) == second(given)


@every_baseline
def test_settings_without_a_part_are_not_seen(baseline):
    dressed = [{**given, "cells": number, "cached": True} for number, given in enumerate(grid())]
    plain, other = fitted(baseline, blend, grid()), fitted(baseline, blend, dressed)
    assert plain(at(users=3)) == other(at(users=3, cells=7, cached=False))


@every_baseline
@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_figures_are_enough(baseline, count):
    training = [at(users=1), at(users=4), at(users=4, block=64 * KIB)][:count]
    predictor = fitted(baseline, blend, training)
    for given in training:
        assert predictor(given) == pytest.approx(blend(given), rel=0.6)
    for given in grid():
        assert 0 < predictor(given) < math.inf


@every_baseline
def test_a_kind_without_figures_is_predicted_between_the_others(baseline):
    training = [{**given, "op": op} for given in grid() for op in ("copy", "scan")]
    values = np.array([blend(given) * (1 if given["op"] == "copy" else 4) for given in training])
    predictor = baseline.fit(training, values)
    assert predictor(at(op="sort")) == pytest.approx(2 * predictor(at(op="copy")), rel=0.1)


@every_baseline
@pytest.mark.parametrize(
    ("settings", "values", "message"),
    [
        ([], [], "there is no published figure"),
        ([at()], [0.0], "published figure 1 is 0.0; allowed: a finite number above 0"),
        ([at(), at()], [5.0, -1.0], "published figure 2 is -1.0; allowed"),
        ([at()], [math.nan], "published figure 1 is nan; allowed"),
        ([at()], [math.inf], "published figure 1 is inf; allowed"),
        ([at()], [1.0, 2.0], "2 published figures for 1 settings"),
        ([at(block=0)], [1.0], "block is 0; allowed: a finite number above 0"),
        ([at(users="many")], [1.0], "users is many; allowed"),
        ([{"nodes": 1, "block": 1, "op": "read"}], [1.0], "lack 'users'"),
        ([{"nodes": 1, "block": 1, "users": 1}], [1.0], "lack 'op'"),
    ],
)
def test_unfittable_training_data_is_refused_in_one_line(baseline, settings, values, message):
    with pytest.raises(InputError) as caught:
        baseline.fit(settings, np.array(values))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@every_baseline
def test_settings_outside_the_law_are_refused(baseline):
    predictor = baseline.fit([at()], np.array([1.0]))
    with pytest.raises(InputError, match="nodes is 0; allowed"):
        predictor(at(nodes=0))


def test_a_shape_has_streams():
    with pytest.raises(InputError, match="levels is empty"):
        Shape("block", ())


def test_process_predicts_a_left_out_figure_from_the_others():
    settings = grid(nodes=(1,), users=(1, 2, 4, 8), ops=("read",))
    values = np.array([blend(each) for each in settings])
    values[5] *= 3.0  # which the others know nothing of
    said = PROCESS.left_out(settings, values, PROCESS.fit(settings, values))
    for number in (0, 5, 11):
        others = [each for each in range(len(settings)) if each != number]
        again = PROCESS.fit([settings[each] for each in others], values[others])(settings[number])
        assert said[number] == pytest.approx(again, rel=0.05)
    assert said[5] < 0.5 * values[5]
