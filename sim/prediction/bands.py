"""Prediction intervals, or bands, by the uncertainty of parameters and the models' errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from sim.engine.model.workloads import Closed, Open
from sim.engine.statistics.answers import ANSWERS, QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.prediction.misses import expected_miss, one_sided
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case
from sim.system.parameters import DEVIATIONS
from sim.system.scenario import Answer

FURTHEST = 5.0
"""Largest factor between a percentile and its band's ends; bands that reach further are marked not known."""


def bands_of(
    case: Case, answers: Mapping[str, Answer], opened: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """Bands of the ``answers`` to ``case``, by measure, under its own structure; only for those in ``opened``.

    Args:
        opened: interval of each answer by uncertain parameters alone.
    """
    bands = {
        name: banded(case, answers, name, interval, expected_miss(case, name)) for name, interval in opened.items()
    }
    return in_order(bands, answers)


def in_order(bands: dict[str, PredictionInterval], answers: Mapping[str, Answer]) -> dict[str, PredictionInterval]:
    """``bands``, with the ends of percentiles in order; those that reach too far are marked not known.

    Measured percentiles are always in order: p50 is not above the upper end of p95.
    """
    names = [name for name in QUANTILES if name in bands]
    for lower, higher in pairwise(names):
        bands[higher] = replace(bands[higher], low=max(bands[lower].low, bands[higher].low))
    for higher, lower in pairwise(reversed(names)):
        bands[lower] = replace(bands[lower], high=min(bands[lower].high, bands[higher].high))
    for name in names:
        band, value = bands[name], answers[name].estimate.value
        if not (band.high <= FURTHEST * value and value <= FURTHEST * band.low):
            bands[name] = replace(band, known=False)
    return bands


def banded(
    case: Case, answers: Mapping[str, Answer], name: str, opened: PredictionInterval, miss: float
) -> PredictionInterval:
    """The band of the answer ``name``; ``miss`` is the standard deviation of the logarithm of its next error."""
    estimate = answers[name].estimate
    value = estimate.value
    if _decided(case, name, estimate, opened):
        return opened
    below, above = one_sided(case, name, miss) if name in QUANTILES else (miss, miss)
    band = replace(_widened(value, opened, (below, above)), missed=miss)
    if name == "elapsed":
        rate = answers["throughput"].estimate.value
        return band.within(value * rate / _most(case, answers, "throughput"), math.inf, value)
    if name == "mean":
        return band.within(_shortest(case, answers), math.inf, value)
    return band.within(0.0, _most(case, answers, name), value)


def _decided(case: Case, name: str, estimate: Estimate, opened: PredictionInterval) -> bool:
    """True if settings alone decide the answer, so that models do not miss it.

    These are the throughput of endless arrivals that are all served, and answers without time, such as the
    given duration of a job, or a capacity.
    """
    if name == "throughput":
        scenario = case.scenario
        loads = [each for each in scenario.model.workloads if each.group == scenario.watch]
        return all(isinstance(each, Open) and each.count is None for each in loads)
    return name not in ANSWERS and estimate.low == estimate.high and opened.low == opened.high


def _most(case: Case, answers: Mapping[str, Answer], name: str) -> float:
    """The hardware's ceiling of the answer ``name``; infinite if there is none."""
    ceilings = [each.most for each in case.system.limits(case.settings) if each.measure == name]
    return min(*ceilings, answers[name].most) if ceilings else answers[name].most


def _shortest(case: Case, answers: Mapping[str, Answer]) -> float:
    """The shortest mean latency of closed clients, at the ceiling of throughput; 0 without a ceiling.

    By Little's law a cycle of all clients takes their number over the rate; the part of it that is not latency
    stays as it is.
    """
    rate, mean_s = (answers[name].estimate.value for name in ("throughput", "mean"))
    most, scenario = _most(case, answers, "throughput"), case.scenario
    loads = [each for each in scenario.model.workloads if each.group == scenario.watch]
    if math.isinf(most) or not rate > 0.0 or not all(isinstance(each, Closed) for each in loads):
        return 0.0
    clients = sum(each.clients for each in loads if isinstance(each, Closed))
    return max(0.0, mean_s - clients * scenario.amount * (1.0 / rate - 1.0 / most))


def _widened(value: float, opened: PredictionInterval, misses: tuple[float, float]) -> PredictionInterval:
    """``opened`` around ``value``, with ``misses`` below and above in place of the scatter about the fit."""
    if not value > 0.0:
        return opened
    below, above = (
        math.sqrt(max(0.0, _apart(end, value) ** 2 + DEVIATIONS**2 * (miss**2 - opened.scatter**2)))
        for end, miss in zip((opened.low, opened.high), misses, strict=True)
    )
    return replace(opened, low=value * math.exp(-below), high=value * math.exp(above))


def _apart(end: float, value: float) -> float:
    """Logarithm of ``end`` / ``value``; infinite for an end of 0, which stays there."""
    return math.log(end / value) if end > 0.0 else -math.inf
