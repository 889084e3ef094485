"""Sweeps: how busy two cores are, what a store costs, and how quickly it answers.

Shares of the cores say something only on a machine that does nothing else; processor seconds, on any.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter, process_time

from benchmarks.table import Row, at_most
from sim.prediction import Case, RunOptions, predict_case
from sim.prediction.meaning import key_of
from sim.prediction.owner import new_owner
from sim.prediction.records import packed
from sim.prediction.store import Entry, Known, Store
from sim.prediction.sweep import axes, cases_of
from sim.prediction.work import outcomes_of
from sim.system import find

SIMULATED = ("users=1,2,3,4,5,6,7,8", "cells=" + ",".join(map(str, range(1, 126))))
"""A thousand points of `dbfs` with its blocks of 128 KiB, each some 70 ms."""

ANALYTIC = ("users=" + ",".join(map(str, range(1, 101))), "cells=" + ",".join(map(str, range(1, 1001))))
"""A hundred thousand points."""

LEAST_BUSY, MOST_ANALYTIC_S, MOST_OVERHEAD, MOST_ASKED_S = 0.9, 300.0, 0.01, 1.0
STORED, ASKED, PASSES, IN_CHUNK = 1_000_000, 1_000, 40, 5


def sweeps() -> Iterator[Row]:
    """Each target, on `dbfs`."""
    yield from _overhead()
    yield from _stored()
    yield from _busy("1,000 simulated points", SIMULATED, RunOptions(), LEAST_BUSY)
    seconds, rows = _worked("100,000 analytic points", ANALYTIC, RunOptions(engine="analytic"))
    yield from rows
    yield at_most("  on the clock, beside whatever else ran", seconds, MOST_ANALYTIC_S)


def _overhead() -> Iterator[Row]:
    """Processor time of all that a store adds to a point, over that of the point; each the least of several."""
    case, options = Case.of("dbfs", {}), RunOptions()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "a.sqlite")) as store:
        passes = [_kept(case, options, store, number) for number in range(PASSES)]
    alone, kept = (min(each) for each in zip(*passes, strict=True))
    found, share = f"{kept * 1e3:.2f} : {alone * 1e3:.0f} ms", kept / alone
    yield Row(
        "store : run, processor time", found, f"{share:.2%}", f"≤ {MOST_OVERHEAD:.0%}", share <= MOST_OVERHEAD
    )


def _kept(case: Case, options: RunOptions, store: Store, number: int) -> tuple[float, float]:
    """Processor seconds of a run, and of what keeping it takes, when as many as in a chunk are kept at once."""
    start = process_time()
    result = predict_case(case, options).result  # builds the model, which its key takes as it is
    alone, start = process_time() - start, process_time()
    for _ in range(IN_CHUNK):
        key_of(case, options)
        content = packed(result, {})
    keys = [bytes([number, index]) for index in range(IN_CHUNK)]
    store.take(keys, new_owner())
    store.write([Entry(key, Known("done"), "dbfs", content) for key in keys])
    kept = (process_time() - start) / IN_CHUNK
    case.forget()
    return alone, kept


def _stored() -> Iterator[Row]:
    """A million results, asked for their status, and a thousand of them for their content."""
    keys = [number.to_bytes(16, "big") for number in range(STORED)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "a.sqlite")) as store:
        for first in range(0, STORED, 10_000):
            store.write([Entry(key, Known("done"), "dbfs", bytes(1500)) for key in keys[first : first + 10_000]])
        start = process_time()
        assert len(store.known(keys)) == STORED  # noqa: S101  (or the time says nothing)
        yield at_most("what is known of a million points", process_time() - start, MOST_ASKED_S)
        start = process_time()
        for key in keys[:: STORED // ASKED]:
            store.known([key])
            store.content(key)
        yield at_most("a thousand results out of a million", process_time() - start, MOST_ASKED_S)


def _busy(what: str, words: Sequence[str], options: RunOptions, least: float) -> Iterator[Row]:
    """The share of the cores' time that is spent on the sweep."""
    before = _processor_s()
    seconds, rows = _worked(what, words, options)
    yield from rows
    cores = os.cpu_count() or 1
    share = (_processor_s() - before) / (seconds * cores)
    yield Row(f"  share of {cores} cores", f"{seconds:.0f} s", f"{share:.0%}", f"≥ {least:.0%}", share >= least)


def _worked(what: str, words: Sequence[str], options: RunOptions) -> tuple[float, list[Row]]:
    """Seconds on the clock, and processor seconds, of a sweep into a new store."""
    system, before, start = find("dbfs"), _processor_s(), perf_counter()
    cases = cases_of(system, axes(system, words))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "a.sqlite")) as store:
        done = sum(outcome.known.status == "done" for _, outcome in outcomes_of(cases, options, store=store))
    seconds, processor_s = perf_counter() - start, _processor_s() - before
    return seconds, [
        Row(f"{what}, {done} done", f"{processor_s:.0f} s", f"{processor_s / len(cases) * 1e3:.2f} ms each")
    ]


def _processor_s() -> float:
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
