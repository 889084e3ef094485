"""Confidence intervals from the batches of one run, or from several runs of a job.

Each answer is a ratio of sums over the batches, or solves an equation between such sums. So each batch has an
error: the difference between its own sum and the one that it would have if the answer held for it alone. The
errors add up to zero; their standard deviation over the square root of their number is the standard error. Two
things make the plain interval of Student's t too narrow on one side or on both, and are corrected:

(1) Skewness. Errors of latency have a long upper tail: that of a batch that meets a crowd is large, those of the
    others are small and of the other sign. With ``b`` = skewness / (6 √batches), ``t`` becomes
    G(±t) = ((1 + 6 b (±t - b))^(1/3) - 1) / (2 b), which tends to ±t as b vanishes
    (Willink, "A confidence interval and test for the mean of an asymmetric distribution",
    Communications in Statistics - Theory and Methods 34 (2005), 753-766).
(2) Correlation. With the correlation ``phi`` of neighbours the standard error grows by √((1 + phi)/(1 - phi))
    (Tafazzoli and Wilson, "Skart: a skewness- and autoregression-adjusted batch-means procedure for simulation
    analysis", IIE Transactions 43 (2011), 110-128).

A quantile is not estimated batch by batch, because short batches bias it. Its error is that of the *share* of
requests that take no longer; the interval of that share is read back through the histogram of the whole run
(Woodruff, "Confidence intervals for medians and other position measures", Journal of the American Statistical
Association 47 (1952), 635-646).

If a run has controls, errors are those left unexplained by them (``control_variates.py``), if
that makes the standard error much smaller (``WORTH``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np

from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.control_variates import Unexplained, unexplained
from sim.engine.statistics.estimates import Estimate, Series
from sim.engine.statistics.histogram import Counts, Quantiles
from sim.engine.statistics.student_t import quantile as student

MAX_CORRELATION = 0.9
"""Largest correlation used: a larger one is not known well enough to widen by it."""

INDEPENDENT = 0.5
"""Correlation of neighbouring batches up to which they are not parts of one long rise."""

WORST_AGAIN = 2.0
"""Number of batches like the worst one that a run may have missed by chance, added above a mean."""

TOGETHER, FEWEST_LONGER = (2, 4, 8), 7
"""Numbers of batches joined to a longer one, and the fewest longer ones that have a spread."""

_MIN_RUNS, _MIN_BATCHES = 2, 3
"""Fewer replications have no spread; fewer batches have no skewness."""

_ROUNDING = 1e-12
"""Relative error up to which values count as constant."""

_STRAIGHT = 1e-6
"""Skewness term below which it changes nothing."""

_RARE = math.exp(-2.0)
"""An interval has no upper end if fewer than this share of the requests beyond the quantile may lie above it."""

WORTH = 0.8
"""An answer is controlled if that reduces its standard error to this factor, or less: a third of the run is
saved. Six useless controls of 64 batches seem to gain as much in fewer than one run of ten thousand."""


@dataclass(frozen=True)
class Interval:
    """An estimate, its standard error, and the correlation of neighbouring batches, by which both are widened.

    Times are in nanoseconds, rates per nanosecond.

    Attributes:
        narrowed: the standard error as a share of the one without controls; 1 if there are none.
    """

    estimate: Estimate
    standard: float
    correlation: float
    narrowed: float = 1.0

    @property
    def independent(self) -> bool:
        """True if the batches are long enough to be nearly independent."""
        return self.correlation <= INDEPENDENT


@dataclass(frozen=True)
class Batches:
    """The completed requests of one group, batch by batch.

    Attributes:
        times_ns: duration of each batch, shape (batches,).
        completed: number of requests completed, shape (batches,).
        latency_ns: sum of their latencies, shape (batches,).
        histograms: returns the histograms of their latencies, shape (batches, BINS).
        runs: True if each batch is a run of its own; else the batches follow one another in one run.
        controls: quantities with mean zero in the long run, shape (batches, controls); None if there are none.
    """

    times_ns: Series
    completed: Series
    latency_ns: Series
    histograms: Callable[[], Counts]
    runs: bool = False
    controls: Series | None = None

    def answer(self, name: str, confidence: float, *, cautiously: bool = False) -> Interval:
        """Interval of one of ``ANSWERS``, controlled if that is worth it; too few batches give no ends.

        Args:
            cautiously: of throughput and mean latency, take the widest of this interval and those by longer
                batches: rare events that last for several batches hardly show between neighbours.
        """
        interval = self._controlled(name, confidence)
        if not cautiously or name in QUANTILES or self.runs:
            return interval
        longer = [
            self._together(count)._controlled(name, confidence).estimate  # noqa: SLF001  (of the same class)
            for count in TOGETHER
            if len(self.completed) >= FEWEST_LONGER * count
        ]
        value = interval.estimate.value
        below, above = (
            max(abs(end(each) - each.value) for each in (interval.estimate, *longer))
            for end in (attrgetter("low"), attrgetter("high"))
        )
        return replace(interval, estimate=replace(interval.estimate, low=value - below, high=value + above))

    def _together(self, count: int) -> Batches:
        """Longer batches, each of ``count`` neighbours; the remainder at the beginning is left out."""
        left_out = len(self.completed) % count

        def added(each: Series) -> Series:
            longer: Series = each[left_out:].reshape(-1, count, *each.shape[1:]).sum(axis=1)
            return longer

        return replace(
            self,
            times_ns=added(self.times_ns),
            completed=added(self.completed),
            latency_ns=added(self.latency_ns),
            controls=None if self.controls is None else added(self.controls),
        )

    def _controlled(self, name: str, confidence: float) -> Interval:
        if len(self.completed) < _fewest(runs=self.runs):
            return _interval(self._value(name), math.nan, math.nan, _UNKNOWN, confidence)
        plain = self._answer(name, confidence, None)
        if self.controls is None or not plain.standard > 0.0:
            return plain
        controlled = self._answer(name, confidence, self.controls)
        if name not in QUANTILES:
            controlled = self._unseen(controlled, confidence)
        narrowed = controlled.standard / plain.standard
        return replace(controlled, narrowed=narrowed) if narrowed <= WORTH else plain

    def _unseen(self, controlled: Interval, confidence: float) -> Interval:
        """``controlled``, widened for events that none of the requests met, if controls leave less than that.

        At a server that never ran out of work, service times explain all errors; in a longer run it might. What
        none of n requests met happens to less than -ln(1 - confidence) / n of them (the rule of three: Hanley and
        Lippman-Hand, JAMA 249 (1983), 1743-1745), each of which is taken to change the answer by one request.
        """
        estimate, one = controlled.estimate, controlled.estimate.value / float(self.completed.sum())
        if controlled.standard >= one:
            return controlled
        room = -math.log1p(-confidence) * one
        widened = replace(estimate, low=estimate.value - room, high=estimate.value + room)
        return replace(controlled, estimate=widened, standard=one)

    def _value(self, name: str) -> float:
        """One of ``ANSWERS`` from all batches together; nan without requests."""
        if name == "throughput":
            return _share_of(self.completed, self.times_ns)
        if name == "mean":
            return _share_of(self.latency_ns, self.completed)
        return self.whole.at(QUANTILES[name]) if self.whole.total else math.nan

    def _answer(self, name: str, confidence: float, controls: Series | None) -> Interval:
        if name == "throughput":
            return ratio(self.completed, self.times_ns, confidence, runs=self.runs, controls=controls)
        if name == "mean":
            return mean(self.latency_ns, self.completed, confidence, runs=self.runs, controls=controls)
        return _quantile(self.counts, self.whole, QUANTILES[name], confidence, runs=self.runs, controls=controls)

    @cached_property
    def counts(self) -> Counts:
        """Histograms, read once for all percentiles."""
        return self.histograms()

    @cached_property
    def whole(self) -> Quantiles:
        """Quantiles of the latencies of all batches together."""
        return _together(self.counts)


@dataclass(frozen=True)
class _Spread:
    """Distances of the interval of the errors' mean below and above zero, and the standard error."""

    below: float
    above: float
    standard: float
    correlation: float = 0.0


_UNKNOWN = _Spread(math.nan, math.nan, math.nan)


def _share_of(sums: Series, counts: Series) -> float:
    """Ratio of two sums over batches; nan if the second is zero."""
    total = float(counts.sum())
    return float(sums.sum()) / total if total > 0.0 else math.nan


def _fewest(*, runs: bool) -> int:
    """Least number of batches, or runs, with a spread."""
    return _MIN_RUNS if runs else _MIN_BATCHES


def _spread(left: Unexplained, value: float, scale: float, confidence: float, *, runs: bool) -> _Spread:
    """Spread of ``value``, from the errors of batches of size ``scale``: see (1) and (2)."""
    errors, count = left.errors, len(left.errors)
    if count < _fewest(runs=runs):
        return _UNKNOWN
    squares = float(errors @ errors)
    if squares <= (_ROUNDING * value * scale) ** 2 * count:
        return _Spread(0.0, 0.0, 0.0)
    freedom = count - 1 - left.lost
    limit = student(0.5 + confidence / 2, freedom)
    standard = math.sqrt(squares / freedom / count) / scale * left.wider
    if runs:
        return _Spread(limit * standard, limit * standard, standard)
    # The sample correlation of independent batches is -1 / batches on average, hence the term added.
    correlation = float(errors[1:] @ errors[:-1]) / squares + 1.0 / count
    correlation = min(max(correlation, 0.0), MAX_CORRELATION)
    standard *= math.sqrt((1.0 + correlation) / (1.0 - correlation))
    skewness = float((errors**3).sum()) / count / (squares / count) ** 1.5
    skewness *= math.sqrt(count * (count - 1)) / (count - 2)
    lean = skewness / (6.0 * math.sqrt(count))
    return _Spread(_willink(limit, lean) * standard, -_willink(-limit, lean) * standard, standard, correlation)


def _willink(limit: float, lean: float) -> float:
    """G of equation (1)."""
    if abs(lean) < _STRAIGHT:
        return limit
    return float((np.cbrt(1.0 + 6.0 * lean * (limit - lean)) - 1.0) / (2.0 * lean))


def ratio(
    numerators: Series,
    denominators: Series,
    confidence: float,
    *,
    runs: bool = False,
    controls: Series | None = None,
) -> Interval:
    """Interval of the ratio of two sums over batches, each of shape (batches,), such as completions over time."""
    total = float(denominators.sum())
    if total <= 0.0:
        return _nothing(confidence)
    value, scale = float(numerators.sum()) / total, total / len(denominators)
    left = unexplained(numerators - value * denominators, controls)
    value -= left.luck / scale
    spread = _spread(left, value, scale, confidence, runs=runs)
    return _interval(value, value - spread.below, value + spread.above, spread, confidence)


def mean(
    sums: Series, counts: Series, confidence: float, *, runs: bool = False, controls: Series | None = None
) -> Interval:
    """Interval of the mean of values, from their sum and count in each batch, both of shape (batches,).

    A run that has not met the worst yet has too narrow an interval: it is extended upwards by two more batches
    like the worst one.
    """
    interval = ratio(sums, counts, confidence, runs=runs, controls=controls)
    if runs or not interval.standard > 0.0:
        return interval
    estimate = interval.estimate
    errors = unexplained(sums - float(sums.sum()) / float(counts.sum()) * counts, controls).errors
    room = WORST_AGAIN * interval.standard * float(np.abs(errors).max() / math.sqrt(float(errors @ errors)))
    return replace(interval, estimate=replace(estimate, high=estimate.high + room))


def quantile(
    histograms: Counts, share: float, confidence: float, *, runs: bool = False, controls: Series | None = None
) -> Interval:
    """Interval of the latency, in nanoseconds, that ``share`` of all requests do not exceed.

    Args:
        histograms: histograms of the latencies in each batch, shape (batches, BINS).
        share: 0.95 for the 95th percentile.
        confidence: level of the interval, which has no upper end if too few requests were slower.
        runs: True if each batch is a run of its own.

    Returns:
        The interval, with the standard error of the share.
    """
    return _quantile(histograms, _together(histograms), share, confidence, runs=runs, controls=controls)


def _together(histograms: Counts) -> Quantiles:
    """The quantiles of all batches; the sum of one is itself."""
    return Quantiles(histograms[0] if len(histograms) == 1 else histograms.sum(axis=0))


def _quantile(
    histograms: Counts, whole: Quantiles, share: float, confidence: float, *, runs: bool, controls: Series | None
) -> Interval:
    """Interval of a quantile, given the quantiles ``whole`` of all batches."""
    if not whole.total:
        return _nothing(confidence)
    if len(histograms) < _fewest(runs=runs):
        return _interval(whole.at(share), math.nan, math.nan, _UNKNOWN, confidence)
    index, fraction = whole.position(share)
    used, row = histograms[:, whole.used], index - whole.used.start
    counts = used.sum(axis=1).astype(np.float64)
    below = used[:, :row].sum(axis=1) + fraction * used[:, row]
    scale = whole.total / len(counts)
    left = unexplained(below - share * counts, controls)
    spread = _spread(left, share, scale, confidence, runs=runs)
    share += left.luck / scale  # if by chance more requests were faster, the quantile is higher
    bounded = 1.0 - share - spread.below >= _RARE * (1.0 - share)
    high = whole.most(share + spread.below) if bounded else math.inf
    return _interval(whole.at(share), whole.least(share - spread.above), high, spread, confidence)


def _interval(value: float, low: float, high: float, spread: _Spread, confidence: float) -> Interval:
    return Interval(Estimate(value, low, high, confidence), spread.standard, spread.correlation)


def _nothing(confidence: float) -> Interval:
    """The interval of an answer without requests."""
    return Interval(Estimate(math.nan, math.nan, math.nan, confidence), math.nan, 0.0)
