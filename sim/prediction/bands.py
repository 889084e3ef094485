"""Bands: where a measurement would lie, by what is open about parameters, and by how far models miss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sim.model.workloads import Open
from sim.prediction.misses import expected_miss
from sim.prediction.uncertainty import PredictionInterval
from sim.statistics.answers import ANSWERS
from sim.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.parameters import DEVIATIONS
from sim.system.scenario import Answer


def bands_of(
    case: Case, answers: Mapping[str, Answer], opened: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """The bands of the ``answers`` to ``case``, by measure; only of those that ``opened`` has.

    Args:
        opened: what is open about the parameters, an interval around each answer.
    """
    return {
        name: banded(case, answers, name, interval, expected_miss(case, name)) for name, interval in opened.items()
    }


def banded(
    case: Case, answers: Mapping[str, Answer], name: str, opened: PredictionInterval, miss: float
) -> PredictionInterval:
    """The band of one answer, whose next measurement misses it by ``miss`` in deviations of the logarithm."""
    estimate = answers[name].estimate
    value = estimate.value
    if _decided(case, name, estimate, opened):
        return opened
    band = _widened(value, opened, miss)
    if name == "elapsed":
        rate = answers["throughput"].estimate.value
        return _above(value * rate / _most(case, answers, "throughput"), value, band)
    return _below(_most(case, answers, name), value, band)


def _decided(case: Case, name: str, estimate: Estimate, opened: PredictionInterval) -> bool:
    """Whether settings alone decide the answer, so that nobody misses it.

    That is the throughput of arrivals without end that are all served; and what no time moves, such as the
    duration that a job is given, or a capacity.
    """
    if name == "throughput":
        scenario = case.scenario
        loads = [each for each in scenario.model.workloads if each.group == scenario.watch]
        return all(isinstance(each, Open) and each.count is None for each in loads)
    return name not in ANSWERS and estimate.low == estimate.high and opened.low == opened.high


def _most(case: Case, answers: Mapping[str, Answer], name: str) -> float:
    """The most that the hardware allows of an answer; infinite where nobody says."""
    ceilings = [each.most for each in case.system.limits(case.settings) if each.measure == name]
    return min(*ceilings, answers[name].most) if ceilings else answers[name].most


def _widened(value: float, opened: PredictionInterval, miss: float) -> PredictionInterval:
    """The interval ``opened`` around ``value``, with the miss in the place of the scatter about the fit."""
    if not value > 0.0:
        return replace(opened, missed=miss)
    added = DEVIATIONS**2 * (miss**2 - opened.scatter**2)
    below, above = (math.sqrt(max(0.0, math.log(end / value) ** 2 + added)) for end in (opened.low, opened.high))
    return replace(opened, low=value * math.exp(-below), high=value * math.exp(above), missed=miss)


def _above(least: float, value: float, band: PredictionInterval) -> PredictionInterval:
    """``band`` from the time on that a job takes at the most throughput, unless the model takes less."""
    return replace(band, low=max(band.low, min(least, value)))


def _below(most: float, value: float, band: PredictionInterval) -> PredictionInterval:
    """``band`` as far as the hardware goes; no measurement passes ``most``, unless the model does."""
    return replace(band, high=min(band.high, max(most, value)))
