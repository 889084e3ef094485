"""Confidence intervals from the batches of one run, or from several runs of a job.

Each answer is a ratio of sums over the batches, or solves an equation between such sums, so that each batch has
an error: by how much it misses what it would have, were the answer true of it alone. The errors add up to zero;
their standard deviation ``s`` over the square root of their number is the standard error. Two things make plain
Student's t too narrow on one side or on both, and are mended:

(1) Skewness. Latency errors have a long upper tail: a batch that meets a crowd misses by much, the others by
    little to the other side. With ``b`` = skewness / (6 √batches), ``t`` becomes
    G(±t) = ((1 + 6 b (±t - b))^(1/3) - 1) / (2 b), which tends to ±t as b vanishes
    (Willink, "A confidence interval and test for the mean of an asymmetric distribution",
    Communications in Statistics - Theory and Methods 34 (2005), 753-766).
(2) Correlation. With the correlation ``phi`` of neighbours the standard error grows by √((1 + phi)/(1 - phi))
    (Tafazzoli and Wilson, "Skart: a skewness- and autoregression-adjusted batch-means procedure for simulation
    analysis", IIE Transactions 43 (2011), 110-128).

A quantile is not estimated batch by batch, as short batches bias it. Its error is that of the *share* of walks
that take no longer; the interval of that share is read back through the histogram of the whole run (Woodruff,
"Confidence intervals for medians and other position measures", Journal of the American Statistical Association 47
(1952), 635-646).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim.statistics.answers import QUANTILES
from sim.statistics.estimates import Estimate, Series
from sim.statistics.histogram import Counts, Quantiles
from sim.statistics.student_t import quantile as student

MOST_CORRELATION = 0.9
"""Above, the correlation is not known well enough to widen by it."""

INDEPENDENT = 0.5
"""Correlation of neighbouring batches up to which they may be told from parts of one long rise."""

WORST_AGAIN = 2.0
"""Batches like the worst one that chance may have kept from a run: room for them above a mean."""

_LEAST_RUNS, _LEAST_BATCHES = 2, 3
"""Fewer have no spread, or no skewness."""

_ROUNDING = 1e-12
"""Of what is constant."""

_STRAIGHT = 1e-6
"""A skewness by which nothing changes."""

_RARE = math.exp(-2.0)
"""Of the walks beyond a quantile: where fewer may be left above its interval, nothing bounds it."""


@dataclass(frozen=True)
class Interval:
    """An estimate, its standard error, and the correlation of neighbouring batches that both were widened by.

    Times in nanoseconds, rates per nanosecond.
    """

    estimate: Estimate
    standard: float
    correlation: float

    @property
    def independent(self) -> bool:
        """Whether the batches are long enough to tell anything."""
        return self.correlation <= INDEPENDENT


@dataclass(frozen=True)
class Batches:
    """What the walks of one group did, batch by batch.

    Attributes:
        times_ns: how long each batch took, shape (batches,).
        completed: walks completed, shape (batches,).
        latency_ns: their latencies, added up, shape (batches,).
        histograms: reads their latencies, shape (batches, BINS).
        runs: whether each batch is a run of its own; else they are cut from one run, one after the other.
    """

    times_ns: Series
    completed: Series
    latency_ns: Series
    histograms: Callable[[], Counts]
    runs: bool = False

    def answer(self, name: str, confidence: float) -> Interval:
        """The interval of one of ``ANSWERS``."""
        if name == "throughput":
            return ratio(self.completed, self.times_ns, confidence, runs=self.runs)
        if name == "mean":
            return mean(self.latency_ns, self.completed, confidence, runs=self.runs)
        return quantile(self.histograms(), QUANTILES[name], confidence, runs=self.runs)


@dataclass(frozen=True)
class _Spread:
    """How far the true mean of the errors may lie below and above zero."""

    below: float
    above: float
    standard: float
    correlation: float = 0.0


def _spread(errors: Series, value: float, scale: float, confidence: float, *, runs: bool) -> _Spread:
    """Of a ``value`` that misses batches of size ``scale`` by ``errors``, shape (batches,): see (1) and (2)."""
    count = len(errors)
    if count < (_LEAST_RUNS if runs else _LEAST_BATCHES):
        return _Spread(math.nan, math.nan, math.nan)
    squares = float(errors @ errors)
    if squares <= (_ROUNDING * value * scale) ** 2 * count:
        return _Spread(0.0, 0.0, 0.0)
    limit = student(0.5 + confidence / 2, count - 1)
    standard = math.sqrt(squares / (count - 1) / count) / scale
    if runs:
        return _Spread(limit * standard, limit * standard, standard)
    # Independent batches show a correlation of -1 / batches on average.
    correlation = float(errors[1:] @ errors[:-1]) / squares + 1.0 / count
    correlation = min(max(correlation, 0.0), MOST_CORRELATION)
    standard *= math.sqrt((1.0 + correlation) / (1.0 - correlation))
    skewness = float((errors**3).sum()) / count / (squares / count) ** 1.5
    skewness *= math.sqrt(count * (count - 1)) / (count - 2)
    lean = skewness / (6.0 * math.sqrt(count))
    return _Spread(_willink(limit, lean) * standard, -_willink(-limit, lean) * standard, standard, correlation)


def _willink(limit: float, lean: float) -> float:
    """G of (1)."""
    if abs(lean) < _STRAIGHT:
        return limit
    return float((np.cbrt(1.0 + 6.0 * lean * (limit - lean)) - 1.0) / (2.0 * lean))


def ratio(numerators: Series, denominators: Series, confidence: float, *, runs: bool = False) -> Interval:
    """The ratio of two sums over batches, each of shape (batches,), such as completions per unit of time."""
    total = float(denominators.sum())
    if total <= 0.0:
        return _nothing(confidence)
    value = float(numerators.sum()) / total
    errors = numerators - value * denominators
    spread = _spread(errors, value, total / len(errors), confidence, runs=runs)
    return _interval(value, value - spread.below, value + spread.above, spread, confidence)


def mean(sums: Series, counts: Series, confidence: float, *, runs: bool = False) -> Interval:
    """The mean of what ``sums`` adds up and ``counts`` counts in each batch, shape (batches,).

    A run that has not met the worst yet looks better known than it is: above there is room for two more batches
    like its worst one.
    """
    found = ratio(sums, counts, confidence, runs=runs)
    if runs or not found.standard > 0.0:
        return found
    errors = sums - found.estimate.value * counts
    room = WORST_AGAIN * found.standard * float(np.abs(errors).max() / math.sqrt(float(errors @ errors)))
    return replace(found, estimate=replace(found.estimate, high=found.estimate.high + room))


def quantile(histograms: Counts, share: float, confidence: float, *, runs: bool = False) -> Interval:
    """The time (nanoseconds) that ``share`` of all walks do not exceed.

    Args:
        histograms: of the latencies in each batch, shape (batches, BINS).
        share: 0.95 for the 95th percentile.
        confidence: of the interval; it has no upper end where too few walks were slower to tell.
        runs: whether each batch is a run of its own.

    Returns:
        The interval, with the standard error of the share.
    """
    whole = Quantiles(histograms.sum(axis=0))
    if not whole.total:
        return _nothing(confidence)
    index, part = whole.position(share)
    counts = histograms.sum(axis=1).astype(np.float64)
    below = histograms[:, :index].sum(axis=1) + part * histograms[:, index]
    spread = _spread(below - share * counts, share, whole.total / len(counts), confidence, runs=runs)
    if math.isnan(spread.below):
        return _interval(whole.at(share), math.nan, math.nan, spread, confidence)
    bounded = 1.0 - share - spread.below >= _RARE * (1.0 - share)
    high = whole.most(share + spread.below) if bounded else math.inf
    return _interval(whole.at(share), whole.least(share - spread.above), high, spread, confidence)


def _interval(value: float, low: float, high: float, spread: _Spread, confidence: float) -> Interval:
    return Interval(Estimate(value, low, high, confidence), spread.standard, spread.correlation)


def _nothing(confidence: float) -> Interval:
    """Of no walks at all."""
    return Interval(Estimate(math.nan, math.nan, math.nan, confidence), math.nan, 0.0)
