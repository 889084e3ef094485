"""Runs written by hand: what an engine would have counted in each interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.engine.events.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Snapshot, history_of
from sim.engine.simulation.options import Run, RunOptions
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics.histogram import BINS, bin_of


class Recorded:
    """An engine that has nothing to do but to hand out its ``snapshots``.

    Args:
        places: by how much each counter of a place grows, by name: a number for all intervals, or one for each.
        workloads: the same of each workload.
        latencies_ns: by group, the latencies counted in every interval, each with how often.
    """

    name = "recorded"
    stuck = False

    def __init__(self, model, intervals, interval_ns=1000, places=None, workloads=None, latencies_ns=None):
        names = [place.name for place in model.places], [workload.name for workload in model.workloads]
        self._counts = [
            _counted(rows, columns, growth or {}, intervals)
            for rows, columns, growth in zip(
                names, (PLACE_COLUMNS, WORKLOAD_COLUMNS), (places, workloads), strict=True
            )
        ]
        self._histogram = np.zeros((len(model.groups), BINS), np.int64)
        for group, latencies in (latencies_ns or {}).items():
            for latency_ns, often in latencies.items():
                self._histogram[model.groups.index(group), bin_of(latency_ns)] += often
        self._interval_ns, self._at = interval_ns, 0

    def snapshot(self):
        """The counters at present."""
        at = self._at
        places, workloads = (counts[at] for counts in self._counts)
        return Snapshot(at * self._interval_ns, places, workloads, at * self._histogram)

    def intervals(self, interval_ns, count):
        """The next ``count`` snapshots, ``interval_ns`` apart."""
        snapshots = []
        for _ in range(count):
            self._at += interval_ns // self._interval_ns
            snapshots.append(self.snapshot())
        return history_of(snapshots, like=self.snapshot())


def _counted(names, columns, growth, intervals):
    """Counters at every snapshot, shape (intervals + 1, names, columns)."""
    counts = np.zeros((intervals + 1, len(names), len(columns)), np.int64)
    for name, by_column in growth.items():
        for column, grown in by_column.items():
            counts[1:, names.index(name), columns.index(column)] = np.cumsum(
                np.broadcast_to(np.asarray(grown, np.int64), intervals)
            )
    return counts


def snapshots_of(model, intervals, interval_ns=1000, **growth):
    """The snapshots of a run of so many ``intervals``."""
    snapshots = Snapshots(Recorded(model, intervals, interval_ns, **growth), interval_ns)
    snapshots.extend(intervals)
    return snapshots


@dataclass(frozen=True)
class MadeBy(Run):
    """A run whose engine is made by ``create``."""

    create: Any = None

    def start(self, seed=None, *, max_steps=None):
        more = {} if max_steps is None else {"max_steps": max_steps}
        return self.create(self.model, self.options.seed if seed is None else seed, **more)


def run_of(model, create=None, **changes):
    """The run that a call of ``simulate`` with nothing but ``changes`` makes."""
    rest = {name: changes.pop(name) for name in ("watch", "parts", "progress") if name in changes}
    changes.setdefault("max_completed", 5 * 10**7)
    run = {"model": model, "watch": model.groups[0], "options": RunOptions(**changes), **rest}
    return MadeBy(**run, create=create) if create else Run(**run)
