"""The histogram of a wait event: bounds of its median and 99th percentile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sim.data.importers.oracle_tables import Row
from sim.data.importers.told import Number, Told, agree, number

_BOUND = re.compile(r"(?P<sign><=|<|>=|>) ?(?P<number>[0-9]{1,4})(?P<unit>us|ms|s)$")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.024}
"""Units in seconds; a second is 1,024 ms there, as the report says above the table."""

_PERCENTILES = {"p50": 50.0, "p99": 99.0}
_HALF = 0.05
"""Half of the last digit of a share in percent."""


@dataclass(frozen=True)
class _Bucket:
    """Share of waits, in percent, that took from ``least_s`` to below ``most_s``, which may be infinite."""

    least_s: float
    most_s: float | None
    percent: float


def percentiles(place: str, row: Row, measure: str) -> Iterator[Told]:
    """Median and 99th percentile of the event, each the middle of its bucket ± half its width.

    Raises:
        InputError: one line that begins with ``place``, for shares that do not make 100 %.
    """
    buckets = [*_buckets(place, row)]
    if not buckets:
        return
    whole = Number(sum(each.percent for each in buckets), len(buckets) * _HALF)
    agree(place, Number(100.0, 0.0), whole, "the shares of the histogram", slack=0.0)
    for name, percent in _PERCENTILES.items():
        bucket = _holding(buckets, percent * whole.value / 100.0)
        if bucket.most_s is not None:
            middle, half = (bucket.least_s + bucket.most_s) / 2.0, (bucket.most_s - bucket.least_s) / 2.0
            yield Told(row.line, f"{measure}_{name}", middle, half, "s")


def _buckets(place: str, row: Row) -> Iterator[_Bucket]:
    least_s = 0.0
    for heading, text in row.cells.items():
        bound = _BOUND.search(heading)
        if not bound:
            continue
        seconds = int(bound["number"]) * _SECONDS[bound["unit"]]
        percent = number(place, heading, text).value if text else 0.0
        open_ended = bound["sign"] in (">", ">=")
        yield _Bucket(least_s, None if open_ended else seconds, percent)
        least_s = seconds


def _holding(buckets: list[_Bucket], percent: float) -> _Bucket:
    """The bucket in or below which ``percent`` of the waits lie."""
    below = 0.0
    for bucket in buckets:
        below += bucket.percent
        if below >= percent:
            return bucket
    return buckets[-1]
