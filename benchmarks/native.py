"""The compiled engine against closed.cpp, which knows one model only: the same completions, and how fast."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks import models
from benchmarks.pace import Run, in_turns
from benchmarks.table import Row, at_least, per_second
from sim import Station
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.random_streams import Streams

SEED = 1
BLOCK = 1 << 18
"""Variates of each stream; closed.cpp has the same number."""

COMPARED, TIMED = 200_000, 3_000_000
"""Walks whose completions are compared, and walks that C++ is timed on."""


class Timed(CompiledEngine):
    """A compiled run that knows how long it was in its loop, without the draws between."""

    in_loop_s = 0.0

    def _run(self, *intervals: NDArray[np.int64]) -> int:
        start = process_time()
        why = super()._run(*intervals)
        self.in_loop_s += process_time() - start
        return why


def against_native() -> Iterator[Row]:
    """Whether both agree, and their ratio."""
    compiler = shutil.which("g++")
    if compiler is None:
        yield Row("C++", "no g++ found")
        return
    with tempfile.TemporaryDirectory() as folder:
        for clients in (8, 256):
            program = Program(Path(folder), compiler, clients)
            yield program.agreement(random=True)
            yield program.agreement(random=False)
            yield from program.speed()


class Program:
    """closed.cpp, compiled in ``folder``, for so many clients."""

    def __init__(self, folder: Path, compiler: str, clients: int) -> None:
        self.folder, self.clients = folder, clients
        self.variates, self.completions = folder / "variates", folder / "completions"
        for books in (0, 1):
            source, flags = Path(__file__).with_name("closed.cpp"), ["-O3", "-std=c++17", f"-DBOOKS={books}"]
            self._output(compiler, *flags, str(source), "-o", str(self._made(books)))

    def _made(self, books: int) -> Path:
        return self.folder / f"closed-{books}"

    def _output(self, *words: str) -> str:
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout  # noqa: S603  (our own)

    def _run(self, walks: int, *more: str, books: int = 1) -> float:
        """Visits a second of ``walks`` walks."""
        given = (str(self._made(books)), str(self.clients), str(walks), str(self.variates), *more)
        seconds, visits = self._output(*given).split()
        return int(visits) / float(seconds)

    def agreement(self, *, random: bool) -> Row:
        """Client and time of every completion, bit for bit."""
        export(self.variates, random=random)
        self._run(COMPARED, str(self.completions))
        theirs = np.fromfile(self.completions, dtype=np.int64).reshape(-1, 2)
        same = np.array_equal(theirs, completions(self.clients, random=random))
        times = "random" if random else "constant, with ties"
        what = f"{self.clients} clients, times {times}"
        return Row(what, f"{COMPARED:,} walks", "equal" if same else "DIFFERENT", "equal", same)

    def speed(self) -> Iterator[Row]:
        """Take turns: the loop alone, the loop and its draws, C++ with and without books."""
        export(self.variates, random=True)
        engine = Timed(models.closed(self.clients), SEED)
        whole, loop = Run(CompiledEngine(models.closed(self.clients), SEED)), Run(engine, lambda: engine.in_loop_s)
        takes = (loop, whole, lambda: self._run(TIMED), lambda: self._run(TIMED, books=0))
        alone, drawing, native, bare = in_turns(takes)
        pair = f"{per_second(alone)} : {per_second(native)}"
        yield at_least(f"{self.clients} clients, loop : C++", pair, alone / native, 0.95)
        yield Row("  the loop with its draws", per_second(drawing), f"{drawing / native:.3g} ×")
        yield Row("  C++ that keeps no books", per_second(bare), f"{alone / bare:.3g} ×")


def completions(clients: int, *, random: bool) -> NDArray[np.int64]:
    """Client and time of the first completions of the compiled engine."""
    engine = CompiledEngine(models.closed(clients, random=random), SEED, record=True)
    while len(engine.completions or ()) < COMPARED:
        engine.advance(engine.now_ns + 100_000_000)
    first = (engine.completions or [])[:COMPARED]
    return np.array([(each.client, each.ended_ns) for each in first], dtype=np.int64)


def export(path: Path, *, random: bool) -> None:
    """A block of each stream: channel, cells, choices. A variate of 1 makes an exponential time its mean."""
    streams = Streams(SEED)
    places = [streams.generator(str(Station(name)), "exponential") for name in ("channel", *models.cell_names())]
    times = [each.standard_exponential(BLOCK) if random else np.ones(BLOCK) for each in places]
    np.concatenate([*times, streams.generator("workload 'client'", "uniform").random(BLOCK)]).tofile(path)
