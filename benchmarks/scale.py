"""What a request costs where there are more and more nodes, with cells in proportion, and the memory of processes.

``python -m benchmarks.scale PICTURE`` draws time against requests simulated (.svg, .png or .pdf).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.dbfs_run import forget_peak, peak_kib
from benchmarks.pace import ROUNDS, in_turns
from benchmarks.table import Row, at_most
from sim import Model
from sim.engine.events.compiled import CompiledEngine
from sim.output.pictures import static, style
from sim.output.pictures.chart import Axis, Chart, Curve
from sim.prediction import Case, RunOptions, predict_case

NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
CELLS_A_NODE, MIN_CELLS = 1.75, 3
"""As in the published racks."""

MOST_FACTOR, MOST_S = 1.5, 10.0
SLICE_S, MIN_CALL_S = 0.3, 0.03
"""Of one turn, and of one call of the engine in it at least: a call alone takes as long as 30 requests."""

WARM_REQUESTS = 20
"""Of each process, before anything is timed: files and caches fill meanwhile."""

LARGE = {"nodes": 64, "cells": 64}


def scale() -> Iterator[Row]:
    """Requests of dd by the number of nodes, one run to ± 1 %, and memory."""
    systems = [Requests(nodes) for nodes in NODES]
    rates = in_turns(systems)
    for system, rate in zip(systems, rates, strict=True):
        factor, last = rates[0] / rate, system.nodes == NODES[-1]
        what = f"{_nodes(system.nodes)}, {cells_of(system.nodes):,} cells, 1 user each"
        target, met = (f"≤ {MOST_FACTOR:g} ×", factor <= MOST_FACTOR) if last else ("", None)
        yield Row(what, f"{1e9 / rate:.0f} ns a request", f"{factor:.3g} ×", target, met)
    yield Row("  built and lowered, the last", f"{systems[-1].began_s:.2f} s")
    for users in (1, 8):
        what = f"64 nodes × 64 cells × {users}, to ± 1 %"
        yield at_most(what, _predicted_s(LARGE | {"users": users}), MOST_S)
    for nodes in (1, NODES[-1]):
        yield Row(f"memory of 1,000 dd processes, {nodes:,} to a run", f"{_peak_of(nodes) / 1024:.1f} MiB")


def _nodes(nodes: int) -> str:
    return f"{nodes:,} node{'s' if nodes > 1 else ''}"


def cells_of(nodes: int) -> int:
    """Cells for so many nodes."""
    return max(MIN_CELLS, round(CELLS_A_NODE * nodes))


def model(nodes: int, users: int = 1) -> Model:
    """Dd writing through so many mounts into cells in proportion."""
    return Case.of("dbfs", {"nodes": nodes, "cells": cells_of(nodes), "users": users}).scenario.model


class Requests:
    """One run of so many nodes; calling it goes on for a while and returns requests a second of processor time."""

    def __init__(self, nodes: int, clock: Callable[[], float] = process_time) -> None:
        start = clock()
        self.nodes, self._clock = nodes, clock
        simulated = model(nodes)
        self._engine, self._rows = CompiledEngine(simulated, 1), simulated.rows("dd")
        self.began_s = clock() - start
        self._slice_ns = 10_000_000
        while self.completed < WARM_REQUESTS * nodes:
            self._advance()
        while self._advance() < MIN_CALL_S:  # else one node would pay for the calls from Python, and many not
            self._slice_ns *= 2

    @property
    def completed(self) -> int:
        """Requests so far."""
        return int(self._engine.snapshot().workloads[self._rows, 1].sum())

    def __call__(self) -> float:
        before, start = self.completed, self._clock()
        while (took := self._clock() - start) < SLICE_S:
            self._advance()
        return (self.completed - before) / took

    def _advance(self) -> float:
        """Go on for a while; return the seconds that it took."""
        start = self._clock()
        self._engine.advance(self._engine.now_ns + self._slice_ns)
        return self._clock() - start


def _predicted_s(settings: dict[str, int]) -> float:
    """Processor seconds of building and simulating one point, without imports and without its interval."""
    predict_case(Case.of("dbfs", {}), RunOptions())  # imports and compiles
    start = process_time()
    predict_case(Case.of("dbfs", settings), RunOptions())
    return process_time() - start


def _peak_of(nodes: int) -> float:
    """KiB by which the peak grows for a thousand processes of dd on so many nodes, in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.scale", "--peak", str(nodes)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)  # noqa: S603  (our own)


def _print_peak(nodes: int) -> None:
    users = 256 if nodes == 1 else 1
    CompiledEngine(model(1), 1).advance(1_000_000)
    forget_peak()
    before = peak_kib()
    engine = CompiledEngine(model(nodes, users), 1)
    engine.advance(100_000_000)
    sys.stdout.write(f"{(peak_kib() - before) / (nodes * users) * 1000}\n")


def chart() -> Chart:
    """Processor time against requests simulated, a curve for each number of nodes."""
    curves = []
    for nodes in NODES[::2]:
        requests, seconds, system = [0.0], [0.0], Requests(nodes)
        for _ in range(ROUNDS):
            before, start = system.completed, process_time()
            system()
            requests.append(requests[-1] + system.completed - before)
            seconds.append(seconds[-1] + process_time() - start)
        curves.append(Curve(_nodes(nodes), [each / 1e6 for each in requests], seconds))
    shortest = min(curve.x[-1] for curve in curves)
    ends = [np.interp(np.linspace(0.0, shortest, 8), curve.x, curve.y).tolist() for curve in curves]
    x = np.linspace(0.0, shortest, 8).tolist()
    return Chart(
        "dd into DBFS: what a request costs to simulate",
        Axis("requests simulated", "millions"),
        Axis("processor time", "s"),
        [Curve(curve.label, x, y) for curve, y in zip(curves, ends, strict=True)],
    )


if __name__ == "__main__":
    if sys.argv[1] == "--peak":
        _print_peak(int(sys.argv[2]))
    else:
        style.save(static.figure(chart()), Path(sys.argv[1]))
