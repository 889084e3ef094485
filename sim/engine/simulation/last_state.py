"""The state in which a run over time ends: levels that still move, and a result of some windows more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.result import Result
from sim.engine.simulation.fast_forward import FastForward
from sim.engine.simulation.options import COARSEST, Run, RunOptions
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.summary import result_of
from sim.engine.statistics.answers import THROUGHPUT

WINDOWS, TIMES = 20, 8
"""Windows of the result, and how often as many more are simulated until a request ends."""

SHARE, FEWEST = 0.2, 4
"""Share of the time at the end in which a moving level moves along a straight line, and fewest parts."""

STRAIGHT = 8.0
"""Fewest times that its way exceeds its largest distance from that line."""

FAR = 1_000.0
"""A threshold further away than this many times the time simulated is no matter."""


@dataclass(frozen=True)
class Moving:
    """A level that still moves.

    Attributes:
        rises: True if it rises, False if it falls.
        left_s: time until it meets a threshold: its end, or a watermark.
    """

    name: str
    rises: bool
    left_s: float


def moving(
    buffers: Mapping[Buffer, Sequence[int]], levels: Mapping[str, NDArray[np.float64]], resolution_s: float
) -> Iterator[Moving]:
    """Yield those of ``buffers``, with their thresholds, whose ``levels``, at the edges of parts, still move."""
    for buffer, thresholds in buffers.items():
        level = levels[buffer.name]
        count = max(FEWEST, round(SHARE * (len(level) - 1)))
        way = level[-count - 1 :] - level[-1]
        net = -float(way[0])
        line = way[0] * np.linspace(1.0, 0.0, len(way))
        if abs(net) < 1.0 or abs(net) < STRAIGHT * np.abs(way - line).max():
            continue
        ahead = [abs(each - float(level[-1])) for each in thresholds if (each - level[-1]) * net > 0.0]
        left_s = min(ahead, default=0.0) / abs(net) * (len(way) - 1) * resolution_s
        if resolution_s < left_s < FAR * (len(level) - 1) * resolution_s:
            yield Moving(buffer.name, net > 0.0, left_s)


def last_state(run: FastForward, model: Model, watch: str, seed: int) -> Result | None:
    """Result of some windows after the end of ``run``; None if nothing is left to do, or no request ends."""
    snapshots = Snapshots(run.engine, run.window_ns)
    watched = Run(model, watch, RunOptions(seed=seed, precision=COARSEST, answers=THROUGHPUT))
    for _ in range(TIMES):
        snapshots.extend(WINDOWS)
        if run.engine.finished or run.engine.stuck:
            return None
        completed = snapshots.counter("completed", watched.rows)
        if completed[-1] > completed[0]:
            return result_of(watched, run.engine, snapshots, list(range(snapshots.intervals + 1)), ())
    return None
