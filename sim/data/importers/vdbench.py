"""Results of vdbench: the printed average of each run, checked against its intervals.

Runs that format files (``SD_format…``) are skipped. The number of threads is used only if Little's law gives as
many I/Os in flight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from sim.data.arithmetic import NEAR
from sim.data.importers import vdbench_rows
from sim.data.importers.told import Number, Told, agree
from sim.data.importers.vdbench_rows import Row
from sim.engine.errors import InputError, shown
from sim.engine.units.reading import number

_AVERAGE = re.compile(r"avg_(?P<first>[0-9]+)-(?P<last>[0-9]+)")
_FORMATS = "SD_format"
_MIB = 1024.0**2
_HUNDRED = 100.0


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of a ``summary.html`` or a ``flatfile.html`` of vdbench."""
    return vdbench_rows.is_summary(head) or vdbench_rows.is_flat(head)


def told(path: Path) -> Iterator[Told]:
    """Yield rate, bandwidth and mean response time of every run.

    Raises:
        InputError: one line with file and line for text that is cut short or contradictory.
    """
    runs = 0
    for run, group in groupby(vdbench_rows.rows(path), key=lambda row: row.run):
        if run.startswith(_FORMATS):
            continue
        runs += 1
        yield from _figures(path, [*group])
    if not runs:
        raise InputError(f"{path} has no interval of any run; is it cut short? let vdbench run to its end")


def _figures(path: Path, rows: Sequence[Row]) -> Iterator[Told]:
    average = _average(path, rows)
    place = f"{path}, line {average.line}"
    if not average.rate.value:
        raise InputError(f"{place}: run '{shown(average.run)}' moved nothing; let vdbench run for longer")
    said = f"{average.rate.value:g} I/Os a second of {average.bytes_.value:g} bytes"
    agree(place, average.mib_s, average.rate.by(average.bytes_).times(1 / _MIB), said)
    load = _load(rows, average)
    rate, bandwidth = average.rate, average.mib_s.times(_MIB / 1e6)
    if "bssplit" not in load:  # more exact than the bandwidth, which has two digits
        bandwidth = rate.by(average.bytes_).times(1e-6)
    for measure, figure, unit in (
        ("throughput", bandwidth, "MB/s"),
        ("throughput", rate, "IO/s"),
        ("iops", rate, "IO/s"),
        ("mean", average.resp_ms.times(1e-3), "s"),
    ):
        yield Told(average.line, measure, figure.value, figure.half_width, unit, part=average.run, load=load)


def _average(path: Path, rows: Sequence[Row]) -> Row:
    """The average of a run; InputError if it is missing, or not the mean of its intervals."""
    average = rows[-1]
    named = _AVERAGE.fullmatch(average.interval)
    if not named:
        raise InputError(
            f"{path}, line {average.line}: run '{shown(average.run)}' ends without its average (avg_2-…); is the "
            "file cut short?"
        )
    place, first, last = f"{path}, line {average.line}", int(named["first"]), int(named["last"])
    counted = [row for row in rows[:-1] if row.interval.isdigit() and first <= int(row.interval) <= last]
    if len(counted) != last - first + 1:
        raise InputError(
            f"{place} is the average of intervals {first} to {last}; {len(counted)} of them are there"
        )
    mean = sum(row.rate.value for row in counted) / len(counted)
    rounding = sum(row.rate.half_width for row in counted) / len(counted)
    agree(place, average.rate, Number(mean, rounding), f"intervals {first} to {last} have rates")
    if mean:
        made = [row.rate.by(row.resp_ms).times(1.0 / len(counted) / mean) for row in counted]
        resp_ms = Number(sum(each.value for each in made), sum(each.half_width for each in made))
        agree(place, average.resp_ms, resp_ms, f"intervals {first} to {last} have response times")
    return average


def _load(rows: Sequence[Row], average: Row) -> dict[str, str]:
    """The requested load as options of fio."""
    sizes = {row.bytes_.value for row in rows if row.rate.value}
    size = {"bs": f"{average.bytes_.value:.0f}"} if len(sizes) == 1 else {"bssplit": "several sizes"}
    limit = {"rate_iops": average.asked["iorate"]} if "iorate" in average.asked else {}
    return {**_direction(average), **size, **limit, **_threads(average)}


def _direction(average: Row) -> dict[str, str]:
    """Reads, writes or a mix, at random unless seekpct is 0 or a word for sequential."""
    order = "" if average.asked.get("seekpct", "100") in ("0", "0.00", "seq", "seqnz", "eof") else "rand"
    reads = average.read_percent.value
    if reads in (0.0, _HUNDRED):
        return {"rw": f"{order}{'read' if reads else 'write'}"}
    percent = number(average.asked.get("rdpct", ""))
    return {"rw": f"{order}rw", "rwmixread": f"{reads if percent is None or percent >= _HUNDRED else percent:.0f}"}


def _threads(average: Row) -> Mapping[str, str]:
    """The requested threads, if as many I/Os were in flight: several disks have that many each."""
    threads = number(average.asked.get("threads", ""))
    if threads is None or threads % 1.0:
        return {}
    in_flight = average.rate.by(average.resp_ms).times(1e-3)
    apart = abs(in_flight.value - threads)
    return {"numjobs": f"{threads:.0f}"} if apart <= NEAR * threads + in_flight.half_width else {}
