"""The noise floor of a dataset: differences between repeats of a run, which no model could predict."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from sim.data.dataset import Measurement
from sim.engine.statistics.estimates import percentile_95

_REPEAT = re.compile(r"(?P<what>.*) repeat \d+")
"""Name of a column with one of several repeats of a run, such as *writes/s repeat 2*."""


@dataclass(frozen=True)
class Repeats:
    """Relative differences of ``pairs`` pairs of repeats, over the mean of both: median and 95th percentile."""

    pairs: int
    median: float
    p95: float


def repeats(figures: Iterable[Measurement]) -> Repeats | None:
    """Differences of repeats among ``figures``; None if nothing was repeated."""
    runs: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        if match := _REPEAT.fullmatch(figure.column):
            runs.setdefault((figure.row, match["what"]), []).append(figure.value)
    pairs = [pair for values in runs.values() for pair in combinations(values, 2)]
    differences = sorted(abs(one - other) / statistics.fmean((one, other)) for one, other in pairs)
    if not differences:
        return None
    return Repeats(len(differences), statistics.median(differences), percentile_95(differences))
