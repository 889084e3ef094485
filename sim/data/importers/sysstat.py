"""What ``iostat -o JSON -x`` and ``sadf -j -- -d`` tell of devices: rates, sizes, times and queues, each a mean.

Source of the layouts: what sysstat 12.6 prints, and its manual pages. A kB is 1024 bytes; times are in ms.
The first report of iostat is that since the machine was started, and is left out.

A device that an interval does not name (``-z``) did nothing in it.

The time of an I/O is that below the block layer, and no latency of a request: it is told as ``await``, which no
system answers unless it says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from sim.data.arithmetic import NEAR
from sim.data.importers.told import Number, Told, agree
from sim.data.package import read_text
from sim.errors import InputError, shown
from sim.system.complaints import broken
from sim.units import KIB

_HALF = 0.005
"""Half of the last digit of whatever sysstat prints."""

_KEY = re.compile(r'"disk[-_]device"\s*:')
_LARGEST = 1e12

LOST = 0.5
"""By what share of itself a mean queue may be more than I/Os that ended account for: some end after the last
interval, and a stall of a second leaves none in its interval."""


@dataclass(frozen=True)
class _Way:
    """One kind of I/O of one report: I/Os a second, bytes a second, bytes and milliseconds of each."""

    rate: Number
    bytes_s: Number
    bytes_: Number
    await_ms: Number


@dataclass(frozen=True)
class _Report:
    """One device in one interval of ``seconds``; ``alone`` if nothing but reads and writes was on its way."""

    line: int
    seconds: float
    ways: tuple[_Way, ...]
    queue: Number
    percent: Number
    alone: bool


def recognises(head: str) -> bool:
    """Whether a file that begins so is JSON of sysstat."""
    return head.lstrip().startswith("{") and re.search(r'^\s*\{\s*"sysstat"\s*:', head) is not None


def told(path: Path) -> Iterator[Told]:
    """The means of every device that did any I/O, over all intervals.

    Raises:
        InputError: one line with file and line for what is no output of sysstat, or contradicts itself.
    """
    devices: dict[str, list[_Report]] = {}
    seconds = 0.0
    for interval, named in _intervals(path):
        seconds += interval
        for device, report in named.items():
            devices.setdefault(device, []).append(report)
    busy = {name: reports for name, reports in devices.items() if any(_rate(each) for each in reports)}
    if not busy:
        raise InputError(f"{path} has no interval in which a device did any I/O; measure under the load")
    for device, reports in busy.items():
        _check_queue(f"{path}, line {reports[0].line}: '{shown(device)}'", reports)
        yield from _figures(device, reports, seconds)


def _intervals(path: Path) -> Iterator[tuple[float, dict[str, _Report]]]:
    """Of each interval how many seconds it had, and the devices that it names."""
    text = read_text(path)
    lines = iter([text.count("\n", 0, match.start()) + 1 for match in _KEY.finditer(text)])
    statistics = _statistics(path, text)
    iostat = any("disk_device" in disk for entry in statistics for disk in entry.get("disk", []))
    if iostat and len(statistics) == 1:
        raise InputError(
            f"{path} has one report, and the first one is that since the machine was started; run "
            "iostat -o JSON -x 10 6"
        )
    told_of = set[str]()
    for number, entry in enumerate(statistics):
        seconds = _seconds(path, number, entry, told_of)
        made = [_report(f"{path}, line {(line := next(lines, 1))}", line, seconds, disk) for disk in entry["disk"]]
        if number or not iostat:
            yield seconds, dict(made)


def _statistics(path: Path, text: str) -> Sequence[Mapping[str, Any]]:
    """The reports of the one host of the file."""
    try:
        whole = from_json(text)
    except ValueError as error:
        said = "allowed: what iostat -o JSON or sadf -j wrote with LC_ALL=C"
        raise InputError(f"{path}: {broken(str(error))}; {said}") from None
    try:
        (host,) = whole["sysstat"]["hosts"]
        statistics = [{**entry, "disk": [*map(dict, entry.get("disk", []))]} for entry in host["statistics"]]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(
            f"{path} has no statistics of one host; allowed: what iostat -o JSON or sadf -j wrote"
        ) from None
    if not any(entry.get("disk") for entry in statistics):
        raise InputError(f"{path} tells of no device; run iostat -o JSON -x 10 6, or sadf -j FILE -- -d")
    return statistics


def _report(place: str, line: int, seconds: float, disk: Mapping[str, Any]) -> tuple[str, _Report]:
    """The device and its figures, which agree with one another."""
    device = disk.get("disk_device") or disk.get("disk-device")
    if not isinstance(device, str):
        raise InputError(f"{place}: the name of the device is {shown(device)}; allowed: a text")
    ways = tuple(_way(place, disk, letter) for letter in "rw") if "disk_device" in disk else (_sar(place, disk),)
    percent = _number(place, disk, "util" if "disk_device" in disk else "util-percent")
    alone = disk.get("f/s") == disk.get("d/s") == 0
    report = _Report(line, seconds, ways, _number(place, disk, "aqu-sz"), percent, alone)
    _check(place, report)
    return device, report


def _seconds(path: Path, number: int, entry: Mapping[str, Any], told_of: set[str]) -> float:
    """How long the interval was, which is not ``told_of`` before; iostat does not say, and its are alike."""
    stamp = entry.get("timestamp")
    if not isinstance(stamp, dict) or "interval" not in stamp:
        return 1.0
    when = f"{stamp.get('date')} {stamp.get('time')}"
    if when in told_of:
        raise InputError(f"{path} tells of {shown(when)} twice; allowed: each interval once; write the file anew")
    told_of.add(when)
    seconds = _number(f"{path}, interval {number + 1}", stamp, "interval").value
    if not seconds:
        raise InputError(f"{path}, interval {number + 1}: interval is 0 s; allowed: above 0; write the file anew")
    return seconds


def _way(place: str, disk: Mapping[str, Any], letter: str) -> _Way:
    """Reads or writes, as iostat tells of them, with -m in MB."""
    mega = f"{letter}MB/s" in disk
    bytes_s = _number(place, disk, f"{letter}{'MB' if mega else 'kB'}/s").times(KIB**2 if mega else KIB)
    size = _number(place, disk, f"{letter}areq-sz").times(KIB)
    return _Way(_number(place, disk, f"{letter}/s"), bytes_s, size, _number(place, disk, f"{letter}_await"))


def _sar(place: str, disk: Mapping[str, Any]) -> _Way:
    """All I/Os together, as sar tells of them."""
    directions = [_number(place, disk, name).times(KIB) for name in ("rkB", "wkB")]
    bytes_s = Number(sum(each.value for each in directions), sum(each.half_width for each in directions))
    rate, size = _number(place, disk, "tps"), _number(place, disk, "areq-sz").times(KIB)
    if disk.get("dkB"):  # discards are in the mean size, and not in what is moved
        size = bytes_s.times(1.0 / rate.value) if rate.value else size
    return _Way(rate, bytes_s, size, _number(place, disk, "await"))


def _number(place: str, disk: Mapping[str, Any], name: str) -> Number:
    if name not in disk:
        raise InputError(f"{place}: '{name}' is missing; run iostat with -x, or sadf -j with -- -d, of sysstat 12")
    value = disk[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise InputError(f"{place}: {name} is {shown(value)}; allowed: a number from 0 to {_LARGEST:g}")
    return Number(float(value), _HALF)


def _check(place: str, report: _Report) -> None:
    """I/Os times their bytes are the bandwidth, and times their milliseconds the queue."""
    for way in report.ways:
        said = f"{way.rate.value:g} I/Os a second of {way.bytes_.value:g} bytes"
        agree(place, way.bytes_s, way.rate.by(way.bytes_), said)
    if len(report.ways) > 1:  # sar's queue has discards and flushes in it, whose times it does not tell
        queue = _waiting(report)
        if queue.value > report.queue.value:  # flushes and discards may add to it
            agree(place, report.queue, queue, "I/Os a second and the milliseconds of each leave a queue", NEAR)


def _check_queue(place: str, reports: Sequence[_Report]) -> None:
    """Over all intervals, few of what waited can have neither begun nor ended in one.

    Raises:
        InputError: one line: much more waits on average than the I/Os and their milliseconds make.
    """
    seconds = sum(each.seconds for each in reports)
    queue = sum(each.queue.value * each.seconds for each in reports) / seconds
    made = sum(_waiting(each).value * each.seconds for each in reports) / seconds
    rounding = max(each.queue.half_width + _waiting(each).half_width for each in reports)
    if all(each.alone for each in reports) and len(reports) > 1:
        says = "I/Os a second and the milliseconds of each leave queues"
        agree(place, Number(queue, rounding), Number(made, rounding), says, LOST)


def _waiting(report: _Report) -> Number:
    """I/Os on their way, by Little's law."""
    made = [way.rate.by(way.await_ms).times(1e-3) for way in report.ways]
    return Number(sum(each.value for each in made), sum(each.half_width for each in made))


def _rate(report: _Report) -> float:
    return sum(way.rate.value for way in report.ways)


def _figures(device: str, reports: Sequence[_Report], seconds: float) -> Iterator[Told]:
    """Means over all ``seconds``, also those of which no report tells; that of the latency over I/Os."""
    line = reports[0].line

    def mean(values: Sequence[float]) -> float:
        return sum(value * each.seconds for value, each in zip(values, reports, strict=True)) / seconds

    ways = len(reports[0].ways)
    rate = mean([_rate(each) for each in reports])
    bytes_s = mean([sum(way.bytes_s.value for way in each.ways) for each in reports])
    waited_ms = mean([sum(way.rate.value * way.await_ms.value for way in each.ways) for each in reports])
    rounding = mean([sum(way.bytes_s.half_width for way in each.ways) for each in reports])
    for measure, value, half_width, unit in (
        ("throughput", bytes_s / 1e6, rounding / 1e6, "MB/s"),
        ("throughput", rate, ways * _HALF, "IO/s"),
        ("iops", rate, ways * _HALF, "IO/s"),
        ("await", waited_ms / rate * 1e-3, _HALF * 1e-3, "s"),
        ("size", bytes_s / rate, _HALF * KIB, "bytes"),
        ("queue", mean([each.queue.value for each in reports]), _HALF, "I/Os"),
        ("utilisation", mean([each.percent.value for each in reports]), _HALF, "%"),
    ):
        yield Told(line, measure, value, half_width, unit, part=device)
