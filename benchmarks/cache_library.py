"""Cache look-ups against libCacheSim's C code, where it is installed: the same trace, and how many are missed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.native import Timed
from benchmarks.pace import in_turns
from benchmarks.table import Row, at_least, missing, per_second
from sim import Cache, Closed, Lookup, Model, Repeat, Replayed, Uniform

PACKAGE = "libcachesim"
CLASSES = {"lru": "LRU", "fifo": "FIFO", "2q": "TwoQ", "arc": "ARC"}
BLOCKS, LOOK_UPS, A_REQUEST = 10_000, 1_000_000, 1_000
LEAST = 0.5

BUCKETS_BITS = (BLOCKS - 1).bit_length()
"""As many buckets as our cache has. Left alone, the library has 16 million, and waits for their memory."""

ROW = np.dtype([("time", "<u4"), ("block", "<u8"), ("size", "<u4"), ("next", "<i8")])
"""A look-up in the format of traces that libCacheSim calls oracleGeneral; it is told nothing of the next use."""


def against_library() -> Iterator[Row]:
    """Look-ups a second, those of the engine without reading the trace, those of the library with it."""
    if not find_spec(PACKAGE):
        yield missing(PACKAGE)
        return
    generator = np.random.default_rng(1)
    trace = next(Uniform(BLOCKS * 3 // 2).blocks(generator, LOOK_UPS)).astype(np.int64)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace"
        _write(trace, file)
        for policy, name in CLASSES.items():
            yield from _compared(policy, Library(file, name), Own(policy, trace))


def _write(trace: NDArray[np.int64], file: Path) -> None:
    rows = np.zeros(len(trace), dtype=ROW)
    rows["block"], rows["size"], rows["next"] = trace + 1, 1, -2
    rows.tofile(file)


class Own:
    """Runs of the compiled engine over a trace; calling it takes one and returns look-ups a second."""

    def __init__(self, policy: str, trace: NDArray[np.int64]) -> None:
        step = Repeat(A_REQUEST, Lookup(Cache("cache", BLOCKS, policy), Replayed(trace.tolist())))
        self._model = Model([Closed("reader", clients=1, count=len(trace) // A_REQUEST, path=[step])])
        self.missed = 0.0

    def __call__(self) -> float:
        engine = Timed(self._model, 1)
        engine.advance(1)
        visits, hits = engine.snapshot().places[0, [0, -1]]
        self.missed = 1 - int(hits) / int(visits)
        return int(visits) / engine.in_loop_s


class Library:
    """The same of libCacheSim."""

    def __init__(self, file: Path, name: str) -> None:
        import libcachesim  # here: only benchmarks have it

        self._library: Any = libcachesim
        self._file, self._name = str(file), name
        self.missed = 0.0

    def __call__(self) -> float:
        cache = getattr(self._library, self._name)(BLOCKS, hashpower=BUCKETS_BITS)
        trace = self._library.TraceReader(self._file, self._library.TraceType.ORACLE_GENERAL_TRACE)
        start = process_time()
        self.missed, _ = cache.process_trace(trace)
        return LOOK_UPS / (process_time() - start)


def _compared(policy: str, library: Library, own: Own) -> Iterator[Row]:
    ours, theirs = in_turns([own, library])
    pair = f"{per_second(ours)} : {per_second(theirs)}"
    yield at_least(f"{policy}, {BLOCKS:,} blocks", pair, ours / theirs, LEAST)
    yield Row("  missed", f"{own.missed:.3%} : {library.missed:.3%}")
