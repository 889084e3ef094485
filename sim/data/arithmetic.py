"""Consistency of the figures of one run: some of them determine others.

A second holds a number of I/Os; times the bytes of each it is the bandwidth, and times the mean latency of each it
is how many are in flight at a time (J. D. C. Little, "A proof for the queuing formula: L = λW", Operations
Research 9 (1961), 383-387). A load that always has the same number in flight states that number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sim.data.dataset import SCATTER, Measurement
from sim.engine.errors import InputError
from sim.engine.units import bytes_of, factor, ios_per_second
from sim.engine.units.reading import count

IN_FLIGHT = ("nodes", "hosts", "clients", "processes", "jobs", "users", "writers", "threads", "depth")
"""Conditions whose product is the number of I/Os in flight."""

CLOSE = 0.02
"""Tolerance between a bandwidth and I/Os × bytes, beyond their rounding, as a share."""

NEAR = 0.15
"""Tolerance of I/Os in flight: a process also works between I/Os, and a mean latency may leave that out."""

APART = 4.0
"""Standard deviations by which two runs under the same conditions may differ."""


def contradictions(figures: Iterable[Measurement]) -> Iterator[tuple[Measurement, str]]:
    """Yield each figure that another answer under the same conditions contradicts, with the reason."""
    for run in _runs(figures):
        yield from _bandwidth(run)
        yield from _in_flight(run)


@dataclass(frozen=True)
class Disagreement:
    """Runs under the same conditions that differ by more than repeats do.

    Attributes:
        other: the run that differs most from ``first``.
        runs: number of runs, these two included.
    """

    first: Measurement
    other: Measurement
    runs: int

    @property
    def apart(self) -> float:
        """Distance between the two values, as the logarithm of their ratio."""
        return _off(self.other.value, self.first.value)

    def __str__(self) -> str:
        first = self.first
        where = f"line {first.line}" if first.table == self.other.table else f"line {first.line} of {first.table}"
        runs = f", the first of {self.runs} runs," if self.runs > 2 else ""  # noqa: PLR2004  (both are told of)
        text = f"{where}{runs} has {first.value:g} {first.unit} under the same conditions"
        return f"{text}; add the condition that differs, or fix one of the two"


def disagreements(figures: Iterable[Measurement], scatter: float = SCATTER) -> Iterator[Disagreement]:
    """Yield each answer whose runs under the same conditions disagree.

    Args:
        scatter: run-to-run variation, one standard deviation as a share.
    """
    for run in _runs(figures):
        yield from _repeats(run, scatter)


BANDWIDTH = "bandwidth of the I/Os a second beside it"
IN_FLIGHT_TIME = "mean latency of a load that always has as many in flight"


def follows(figures: Iterable[Measurement]) -> dict[str, tuple[str, ...]]:
    """Return the names of figures that follow from others of the same run, by reason.

    A bandwidth follows from I/Os a second and the block, and the mean latency of a load that always has the same
    number in flight from its rate.
    """
    reasons: dict[str, list[str]] = {}
    for run in _runs(figures):
        rates = any(ios_per_second(each.unit) for each in run)
        stated = _stated(run[0])
        for figure in run:
            if rates and _block(figure) and factor(figure.unit, "bytes/s"):
                reasons.setdefault(BANDWIDTH, []).append(figure.name)
            elif figure.measure == "mean" and stated and any(map(_per_second, run)):
                reasons.setdefault(IN_FLIGHT_TIME, []).append(figure.name)
    return {why: tuple(names) for why, names in reasons.items()}


def _runs(figures: Iterable[Measurement]) -> Iterable[list[Measurement]]:
    """Group the figures by their conditions."""
    runs: dict[tuple[tuple[str, str], ...], list[Measurement]] = {}
    for figure in figures:
        runs.setdefault(tuple(sorted(figure.conditions)), []).append(figure)
    return runs.values()


def _bandwidth(run: Sequence[Measurement]) -> Iterator[tuple[Measurement, str]]:
    """Yield bandwidths that no repeat's I/Os times their bytes explain."""
    block, rates = _block(run[0]), [(each, ios) for each in run if (ios := ios_per_second(each.unit))]
    for bandwidth in run:
        bytes_s = factor(bandwidth.unit, "bytes/s")
        if not (block and bytes_s and rates):
            continue
        made, rate = _nearest(bandwidth.value, [(each.value * ios * block / bytes_s, each) for each, ios in rates])
        if _off(bandwidth.value, made) > CLOSE + _rounding(rate) + _rounding(bandwidth):
            said = f"{rate.value:g} {rate.unit} of {block:g} bytes are {made:.4g} {bandwidth.unit}"
            yield bandwidth, f"{said}; fix the unit, the block or one of the figures"


def _in_flight(run: Sequence[Measurement]) -> Iterator[tuple[Measurement, str]]:
    """Yield mean latencies that contradict the I/Os in flight which the conditions state, at any rate."""
    stated = _stated(run[0])
    wanted, rates = math.prod(stated), [(per_second, rate) for rate in run if (per_second := _per_second(rate))]
    for latency in run:
        seconds = factor(latency.unit, "s") if latency.measure == "mean" else None
        if not (seconds and stated and rates):
            continue
        in_flight, rate = _nearest(
            wanted, [(per_second * latency.value * seconds, rate) for per_second, rate in rates]
        )
        if _off(in_flight, wanted) > NEAR + _rounding(rate) + _rounding(latency):
            said = f"with {rate.value:g} {rate.unit} it leaves {in_flight:.3g} in flight"
            yield (
                latency,
                f"{said}, and conditions say {wanted}; fix the unit, the conditions or one of the figures",
            )


def _stated(figure: Measurement) -> list[int]:
    """The numbers in the conditions of ``figure`` whose product is how many I/Os are in flight."""
    return [
        number for name, text in figure.conditions if name in IN_FLIGHT and (number := count(text)) is not None
    ]


def _repeats(run: Sequence[Measurement], scatter: float) -> Iterator[Disagreement]:
    """For each measure and unit, yield the figure furthest from the first if it exceeds run-to-run scatter."""
    repeats: dict[tuple[str, str], list[Measurement]] = {}
    for figure in run:
        repeats.setdefault((figure.measure, figure.unit), []).append(figure)
    for first, *others in repeats.values():
        apart = [each for each in others if _off(each.value, first.value) > _usual(first, each, scatter)]
        if apart:
            furthest = max(apart, key=lambda each: _off(each.value, first.value))
            yield Disagreement(first, furthest, 1 + len(others))


def _usual(one: Measurement, other: Measurement, scatter: float) -> float:
    """Largest expected distance of two runs under the same conditions, as a logarithm."""
    return APART * math.sqrt(2.0) * scatter + _rounding(one) + _rounding(other)


def _per_second(figure: Measurement) -> float | None:
    """I/Os a second that ``figure`` states or implies; None if it says nothing of them."""
    if ios := ios_per_second(figure.unit):
        return figure.value * ios
    bytes_s, block = factor(figure.unit, "bytes/s"), _block(figure)
    return figure.value * bytes_s / block if bytes_s and block else None


def _block(figure: Measurement) -> float | None:
    block = dict(figure.conditions).get("block")
    try:
        return bytes_of("block", block) if block else None
    except InputError:
        return None  # without a unit: what it counts depends on the system


def _rounding(figure: Measurement) -> float:
    return figure.half_width / figure.value


def _nearest(value: float, made: Iterable[tuple[float, Measurement]]) -> tuple[float, Measurement]:
    """The pair of ``made``, a derived value and its figure, whose value is nearest to ``value``."""
    return min(made, key=lambda each: _off(value, each[0]))


def _off(value: float, other: float) -> float:
    return abs(math.log(value / other))
