"""Results of ``fio --output-format=json`` under the names that a simulation of the same jobs gives them.

The first job has ``throughput``, ``iops``, for a mix ``read`` and ``write``, and latencies; other jobs have the
same names behind their own. Reads, writes and flushes have a mean latency each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from sim.data.importers import fio, fio_results
from sim.data.importers.figures import Reading
from sim.data.importers.fio import SIX_DIGITS
from sim.data.importers.fio_results import BUCKET, MIXED, WORKLOADS, Ran, Side
from sim.engine.errors import InputError, shown
from sim.engine.units import MB

_NS = 1e-9
_FOLLOWS = "the bandwidth or the mean latencies, with the sizes of I/Os and the share of reads"


def readings(path: Path) -> Iterator[Reading]:
    """Yield all figures of the jobs of the file, which ran at once.

    Raises:
        InputError: one line with the line of an unusable job; or jobs that ran one after the other.
    """
    first, *others = fio.groups(path)
    if others:
        raise InputError(
            f"{path}, line {others[0][0].line}: job '{shown(others[0][0].job.name)}' ran after another; allowed: "
            "jobs that ran at once; give each group a file"
        )
    fio.processes_of(path, first)
    for number, (name, entries) in enumerate(groupby(first, key=lambda ran: ran.job.name)):
        yield from _job(path, [*entries], f"{name} " if number else "")


def _job(path: Path, entries: Sequence[Ran], prefix: str) -> Iterator[Reading]:
    """The figures of one job, all of its clones together."""
    for ran in entries:
        place = f"{path}, line {ran.line}: job '{shown(ran.job.name)}'"
        fio.check_ended(place, ran)
        fio.check_moved(place, ran)
        for side in ran.sides:
            fio.check_bandwidth(place, side)
    op, _ = WORKLOADS[entries[0].options["rw"]]
    sides = {
        name: [getattr(ran.job, name) for ran in entries] for name in ("read", "write") if op in (name, MIXED)
    }
    for measure, value, half_width, unit, follows in (
        *_rates(sides),
        *_latencies(sides, entries, first=not prefix),
    ):
        yield Reading(
            file=path,
            line=entries[0].line,
            settings={},
            measure=f"{prefix}{measure}",
            value=value,
            half_width=half_width,
            unit=unit,
            of_tool=True,
            follows=follows,
        )


_Sides = Mapping[str, Sequence[Side]]
_Figure = tuple[str, float, float, str, str]
"""Measure, value, half-width, unit, and the figures that it follows from."""


def _rates(sides: _Sides) -> Iterator[_Figure]:
    """Yield bandwidth and I/Os a second; for a mix, the bandwidth of each kind."""
    every = [side for each in sides.values() for side in each]
    yield "throughput", sum(each.bw_bytes for each in every) / MB, 0.5 * len(every) / MB, "MB/s", ""
    if rate := fio_results.iops(every):
        yield "iops", rate, SIX_DIGITS * len(every), "IO/s", _FOLLOWS
    for name, each in sides.items():
        if len(sides) > 1:
            yield name, sum(side.bw_bytes for side in each) / MB, 0.5 * len(each) / MB, "MB/s", _FOLLOWS


def _latencies(sides: _Sides, entries: Sequence[Ran], *, first: bool) -> Iterator[_Figure]:
    """Yield mean latencies of reads, writes and flushes; for a ``first`` job without flushes that of all I/Os."""
    rounding = SIX_DIGITS * _NS
    flushes_s = fio_results.mean_s([ran.job.sync for ran in entries])
    if flushes_s:
        yield "sync_latency", flushes_s, rounding, "s", ""
    of_all = first and not flushes_s
    for name, each in sides.items():
        if (mean_s := fio_results.mean_s(each)) and (len(sides) > 1 or not of_all):
            yield f"{name}_latency", mean_s, rounding, "s", ""
    every = [side for each in sides.values() for side in each]
    if of_all and (mean_s := fio_results.mean_s(every)):
        yield "mean", mean_s, rounding, "s", _FOLLOWS if len(sides) > 1 else ""
    if of_all and (p99_s := fio_results.p99_s(every)):
        yield "p99", p99_s, p99_s * BUCKET, "s", ""
