"""The noise floor of a dataset: how far apart repeats of the same run lie, which no model could foretell."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from sim.data.dataset import Measurement
from sim.statistics.estimates import percentile_95

_REPEAT = re.compile(r"(?P<what>.*) repeat \d+")
"""A column that has one of several repeats of a run, such as *writes/s repeat 2*."""


@dataclass(frozen=True)
class Repeats:
    """Differences of so many ``pairs`` of repeats, over the mean of both: median and 95th percentile."""

    pairs: int
    median: float
    p95: float


def repeats(figures: Iterable[Measurement]) -> Repeats | None:
    """How far apart repeats among ``figures`` lie; None where nothing was repeated."""
    runs: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        if found := _REPEAT.fullmatch(figure.column):
            runs.setdefault((figure.row, found["what"]), []).append(figure.value)
    pairs = [pair for values in runs.values() for pair in combinations(values, 2)]
    differences = sorted(abs(one - other) / statistics.fmean((one, other)) for one, other in pairs)
    if not differences:
        return None
    return Repeats(len(differences), statistics.median(differences), percentile_95(differences))
