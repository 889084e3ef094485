"""A band is what parameters leave open and how far models miss, as far as the hardware goes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import toy
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import point
from sim.prediction.bands import bands_of, in_order
from sim.prediction.misses import next_miss
from sim.prediction.prediction import predict
from sim.prediction.uncertainty import PredictionInterval
from sim.system import Ceiling
from sim.system.case import Case
from sim.system.parameters import DEVIATIONS
from sim.system.scenario import Answer

ANSWERS = {"throughput": Answer(point(100.0), "1/s"), "idle": Answer(point(0.0), "1")}


def opened(below, above, scatter=0.0):
    """An interval around 100 of these half-widths, in deviations."""
    low, high = 100.0 * math.exp(-DEVIATIONS * below), 100.0 * math.exp(DEVIATIONS * above)
    return PredictionInterval(low, high, 0.9, 0.0, scatter)


def band(interval, system=toy.TOY):
    return bands_of(Case.of(system, {}), ANSWERS, {"throughput": interval})["throughput"]


def halves(found):
    return math.log(100.0 / found.low) / DEVIATIONS, math.log(found.high / 100.0) / DEVIATIONS


def test_a_miss_adds_to_each_side_as_squares():
    miss = next_miss({}, 0.0, "throughput")
    assert halves(band(opened(0.1, 0.0))) == pytest.approx((math.hypot(0.1, miss), miss))
    assert band(opened(0.1, 0.0)).missed == miss


def test_a_miss_takes_the_place_of_the_scatter():
    fitted = replace(toy.PARAMETERS, scatter=0.05, missed={"throughput": (0.2,) * 30})
    miss = next_miss(fitted.missed, 0.05, "throughput")
    found = band(opened(math.hypot(0.1, 0.05), 0.05, scatter=0.05), replace(toy.TOY, parameters=fitted))
    assert halves(found) == pytest.approx((math.hypot(0.1, miss), miss))


def limited(*most):
    limits = tuple(Ceiling("throughput", each, "a card") for each in most)
    return replace(toy.TOY, ceilings=lambda _: (*limits, Ceiling("p99", 1.0, "no rate")))


def test_a_band_ends_at_the_lowest_ceiling():
    unlimited = band(opened(0.1, 0.1))
    assert unlimited.high > 110.0
    found = band(opened(0.1, 0.1), limited(200.0, 105.0, 110.0))
    assert (found.low, found.high) == (unlimited.low, 105.0)


def test_ceiling_below_the_prediction_does_not_cut_it_off():
    assert band(opened(0.1, 0.1), limited(90.0)).high == 100.0


def test_an_answer_of_zero_has_a_band_of_zero():
    nothing = PredictionInterval(0.0, 0.0, 0.9, 0.0, 0.0)
    found = bands_of(Case.of(toy.TOY, {}), ANSWERS, {"idle": nothing})["idle"]
    assert (found.low, found.high) == (0.0, 0.0)


def test_a_share_that_a_system_reads_off_a_result_ends_at_the_whole():
    """Its measures are wrapped, to say where they fail."""
    few = {"statements": 1, "table": 1 << 28}
    card = predict("exadata-ctas", few, RunOptions(precision=0.1, answers=("throughput",)), intervals=False)
    assert card.answers["card"].most == 100.0


def test_no_band_of_a_share_passes_the_whole():
    share = {"share": Answer(point(100.0), "%", most=104.0)}
    found = bands_of(Case.of(toy.TOY, {}), share, {"share": opened(0.1, 0.1)})["share"]
    assert found.low < 90.0
    assert found.high == 104.0


def of_percentiles(**bands):
    """Bands of percentiles whose values are 1, 2 and 4."""
    values = {"p50": 1.0, "p95": 2.0, "p99": 4.0}
    answers = {name: Answer(point(value), "s") for name, value in values.items()}
    found = {name: PredictionInterval(*ends, 0.9, 0.0, 0.0) for name, ends in bands.items()}
    return in_order(found, answers)


def ends(bands):
    return {name: (each.low, each.high) for name, each in bands.items()}


def test_measured_percentiles_are_in_order():
    """p50 is known best, p95 least: what p50 is at least, p95 is; what p99 is at most, the others are."""
    found = of_percentiles(p50=(0.9, 4.5), p95=(0.5, 9.0), p99=(0.8, 4.2))
    assert ends(found) == {"p50": (0.9, 4.2), "p95": (0.9, 4.2), "p99": (0.9, 4.2)}
    kept = {"p50": (0.9, 1.1), "p95": (1.5, 2.5), "p99": (2.0, 8.0)}
    assert ends(of_percentiles(**kept)) == kept
    assert ends(of_percentiles(p50=(0.9, 9.0), p99=(0.8, 4.2))) == {"p50": (0.9, 4.2), "p99": (0.9, 4.2)}


@pytest.mark.parametrize(
    ("low", "high", "known"), [(0.4, 10.0, True), (0.39, 10.0, False), (0.4, 10.1, False), (0.0, 10.0, False)]
)
def test_a_percentile_is_not_known_beyond_five_times_its_value(low, high, known):
    found = of_percentiles(p95=(low, high))
    assert found["p95"].known is known
    assert ends(found) == {"p95": (low, high)}


def test_throughput_is_known_however_wide_its_band():
    wide = replace(toy.PARAMETERS, missed={"throughput": (2.0,) * 30})
    found = band(opened(0.1, 0.1), replace(toy.TOY, parameters=wide))
    assert found.high > 500.0
    assert found.known
