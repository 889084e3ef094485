"""What ``iostat -o JSON -x`` and ``sadf -j -- -d`` tell of devices: rates, sizes, times and queues, each a mean.

Source of the layouts: what sysstat 12.6 prints, and its manual pages. A kB is 1024 bytes; times are in ms.
The first report of iostat is that since the machine was started, and is left out.

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


@dataclass(frozen=True)
class _Way:
    """One kind of I/O of one report: I/Os a second, bytes a second, bytes and milliseconds of each."""

    rate: Number
    bytes_s: Number
    bytes_: Number
    await_ms: Number


@dataclass(frozen=True)
class _Report:
    """One device in one interval of ``seconds``."""

    line: int
    seconds: float
    ways: tuple[_Way, ...]
    queue: Number
    percent: Number


def recognises(head: str) -> bool:
    """Whether a file that begins so is JSON of sysstat."""
    return head.lstrip().startswith("{") and re.search(r'^\s*\{\s*"sysstat"\s*:', head) is not None


def told(path: Path) -> Iterator[Told]:
    """The means of every device that did any I/O, over all intervals.

    Raises:
        InputError: one line with file and line for what is no output of sysstat, or contradicts itself.
    """
    devices: dict[str, list[_Report]] = {}
    for device, report in _reports(path):
        devices.setdefault(device, []).append(report)
    busy = {name: reports for name, reports in devices.items() if any(_rate(each) for each in reports)}
    if not busy:
        raise InputError(f"{path} has no interval in which a device did any I/O; measure under the load")
    for device, reports in busy.items():
        yield from _figures(device, reports)


def _reports(path: Path) -> Iterator[tuple[str, _Report]]:
    text = read_text(path)
    lines = iter([text.count("\n", 0, match.start()) + 1 for match in _KEY.finditer(text)])
    statistics = _statistics(path, text)
    iostat = any("disk_device" in disk for entry in statistics for disk in entry.get("disk", []))
    if iostat and len(statistics) == 1:
        raise InputError(
            f"{path} has one report, and the first one is that since the machine was started; run "
            "iostat -o JSON -x 10 6"
        )
    for number, entry in enumerate(statistics):
        for disk in entry.get("disk", []):
            line = next(lines, 1)
            if number or not iostat:
                yield _report(f"{path}, line {line}", line, entry, disk)


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


def _report(place: str, line: int, entry: Mapping[str, Any], disk: Mapping[str, Any]) -> tuple[str, _Report]:
    """The device and its figures, which agree with one another."""
    device = disk.get("disk_device") or disk.get("disk-device")
    if not isinstance(device, str):
        raise InputError(f"{place}: the name of the device is {shown(device)}; allowed: a text")
    ways = tuple(_way(place, disk, letter) for letter in "rw") if "disk_device" in disk else (_sar(place, disk),)
    percent = _number(place, disk, "util" if "disk_device" in disk else "util-percent")
    report = _Report(line, _seconds(place, entry), ways, _number(place, disk, "aqu-sz"), percent)
    _check(place, report)
    return device, report


def _seconds(place: str, entry: Mapping[str, Any]) -> float:
    """How long the interval was; iostat does not say, and its intervals are alike."""
    stamp = entry.get("timestamp")
    if isinstance(stamp, dict) and "interval" in stamp:
        return _number(place, stamp, "interval").value or 1.0
    return 1.0


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
        made = [way.rate.by(way.await_ms).times(1e-3) for way in report.ways]
        queue = Number(sum(each.value for each in made), sum(each.half_width for each in made))
        if queue.value > report.queue.value:  # flushes and discards may add to it
            agree(place, report.queue, queue, "I/Os a second and the milliseconds of each leave a queue", NEAR)


def _rate(report: _Report) -> float:
    return sum(way.rate.value for way in report.ways)


def _figures(device: str, reports: Sequence[_Report]) -> Iterator[Told]:
    """Means over time; that of the latency over I/Os."""
    line, seconds = reports[0].line, sum(each.seconds for each in reports)

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
