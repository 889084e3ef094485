"""Runs written by hand: what an engine would have counted, slice by slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.engines.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Snapshot
from sim.simulation.options import Run, RunOptions
from sim.simulation.snapshots import History
from sim.statistics.histogram import BINS, bin_of


class Recorded:
    """An engine that has nothing to do but to hand out its ``snapshots``.

    Args:
        places: of each place by its name, what each of its columns grows by: a number, or one a slice.
        workloads: of each workload likewise.
        latencies_ns: of each group, latencies counted in every slice, each with how often.
    """

    name = "recorded"
    stuck = False

    def __init__(self, model, slices, slice_ns=1000, places=None, workloads=None, latencies_ns=None):
        names = [place.name for place in model.places], [workload.name for workload in model.workloads]
        self._counts = [
            _counted(rows, columns, told or {}, slices)
            for rows, columns, told in zip(
                names, (PLACE_COLUMNS, WORKLOAD_COLUMNS), (places, workloads), strict=True
            )
        ]
        self._histogram = np.zeros((len(model.groups), BINS), np.int64)
        for group, latencies in (latencies_ns or {}).items():
            for latency_ns, often in latencies.items():
                self._histogram[model.groups.index(group), bin_of(latency_ns)] += often
        self._slice_ns, self._at = slice_ns, 0

    def snapshot(self):
        """At the present slice."""
        at = self._at
        places, workloads = (counts[at] for counts in self._counts)
        return Snapshot(at * self._slice_ns, places, workloads, at * self._histogram)

    def intervals(self, interval_ns, count):
        """The next ones, each so many slices long."""
        found = []
        for _ in range(count):
            self._at += interval_ns // self._slice_ns
            found.append(self.snapshot())
        return found


def _counted(names, columns, told, slices):
    """Counters at every snapshot, shape (slices + 1, names, columns)."""
    counts = np.zeros((slices + 1, len(names), len(columns)), np.int64)
    for name, grown in told.items():
        for column, each in grown.items():
            counts[1:, names.index(name), columns.index(column)] = np.cumsum(
                np.broadcast_to(np.asarray(each, np.int64), slices)
            )
    return counts


def history(model, slices, slice_ns=1000, **told):
    """The history of a run of ``slices``."""
    made = History(Recorded(model, slices, slice_ns, **told), slice_ns)
    made.extend(slices)
    return made


@dataclass(frozen=True)
class MadeBy(Run):
    """A run whose engine is made by ``create``."""

    create: Any = None

    def start(self, seed=None, *, most_steps=None):
        more = {} if most_steps is None else {"most_steps": most_steps}
        return self.create(self.model, self.options.seed if seed is None else seed, **more)


def asked(model, create=None, **changes):
    """What a call of ``simulate`` with nothing but ``changes`` asks for."""
    about = {name: changes.pop(name) for name in ("watch", "parts", "progress") if name in changes}
    changes.setdefault("most_completed", 5 * 10**7)
    run = {"model": model, "watch": model.groups[0], "options": RunOptions(**changes), **about}
    return MadeBy(**run, create=create) if create else Run(**run)
