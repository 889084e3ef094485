"""Device statistics of ``iostat -x`` and ``sar -d``: rates, sizes, times and queues, each a mean.

Reads, writes and flushes are separate where sysstat separates them; reads and writes also come together. A kB is
1024 bytes; times are in ms. A device that an interval does not name (``-z``) did nothing in it. Source of the
columns: the output of sysstat 12.6, and the manual pages of iostat 11 to 12.7.

The time of an I/O is measured below the block layer and is no latency of a request: its measure is ``await``,
which a system answers only if it declares it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.data.arithmetic import NEAR
from sim.data.importers.told import Number, Told, agree
from sim.engine.errors import InputError, shown
from sim.engine.units import KIB

_HALF = 0.005
"""Half of the last digit in the JSON of sysstat."""

_LARGEST = 1e12

_NOTHING = Number(0.0, 0.0)

LOST = 0.5
"""Share of a mean queue that completed I/Os may leave unexplained: some end after the last interval, and a stall
of a second leaves none in its interval."""


FEW = 0.01
"""Share of bytes and of I/Os up to which the other operation is not the load's: of a log, of a neighbour."""


@dataclass(frozen=True)
class _Kind:
    """One kind of I/O of a report: I/Os/s, milliseconds of each, bytes/s and bytes of each."""

    rate: Number
    await_ms: Number
    bytes_s: Number = _NOTHING
    bytes_: Number = _NOTHING


@dataclass(frozen=True)
class Report:
    """One device in one interval of ``seconds``.

    Attributes:
        ios: I/Os by ``read`` and ``write``; for sar all of them under ``""``.
        moved: bytes a second by ``read`` and ``write``.
        flushes: None where sysstat (before 12.2) or Linux (before 5.5) does not count them.
        queue: I/Os in flight.
        percent: percentage of time with any I/O in flight.
        alone: True if only reads and writes were in flight.
    """

    line: int
    seconds: float
    ios: Mapping[str, _Kind]
    moved: Mapping[str, Number]
    flushes: _Kind | None
    queue: Number
    percent: Number
    alone: bool


def told(path: Path, intervals: Iterable[tuple[float, Mapping[str, Report]]]) -> Iterator[Told]:
    """Means of every device that did any I/O, over all ``intervals`` (seconds, and reports by device).

    Raises:
        InputError: one line with file and line for contradictory figures; or no device did any I/O.
    """
    devices: dict[str, list[Report]] = {}
    seconds = 0.0
    for interval, named in intervals:
        seconds += interval
        for device, report in named.items():
            devices.setdefault(device, []).append(report)
    busy = {name: reports for name, reports in devices.items() if any(_rate(each).value for each in reports)}
    if not busy:
        raise InputError(f"{path} has no interval in which a device did any I/O; measure under the load")
    for device, reports in busy.items():
        _check_queue(f"{path}, line {reports[0].line}: '{shown(device)}'", reports)
        yield from _figures(device, reports, seconds)


def of_iostat(place: str, line: int, disk: Mapping[str, Any]) -> Report:
    """Read one device of a report of iostat, whose intervals are equally long; columns by JSON name.

    Raises:
        InputError: one line that begins with ``place``: a column is missing, or figures contradict one another.
    """
    ios = {name: _reads_or_writes(place, disk, name[0]) for name in ("read", "write")}
    flushes = _Kind(_number(place, disk, "f/s"), _number(place, disk, "f_await")) if "f/s" in disk else None
    others = [_number(place, disk, name).value for name in ("f/s", "d/s") if name in disk]
    moved = {name: each.bytes_s for name, each in ios.items()}
    report = Report(
        line, 1.0, ios, moved, flushes, *_queue(place, disk, "util"), alone=not any(others) and len(others) > 1
    )
    for kind in ios.values():
        _check(place, kind)
    queue = _waiting(report)
    if queue.value > report.queue.value:  # flushes and discards may add to it
        agree(place, report.queue, queue, "I/Os a second and the milliseconds of each leave a queue", NEAR)
    return report


def of_sar(place: str, line: int, seconds: float, disk: Mapping[str, Any]) -> Report:
    """Read one device of an interval of sar, which gives one time for all I/Os; InputError as above.

    Its queue includes discards and flushes, whose times sar does not report.
    """
    moved = {name: _number(place, disk, f"{name[0]}kB").times(KIB) for name in ("read", "write")}
    bytes_s, rate = _sum([*moved.values()]), _number(place, disk, "tps")
    size = _number(place, disk, "areq-sz").times(KIB)
    if disk.get("dkB"):  # discards are in the mean size, and not in what is moved
        size = bytes_s.times(1.0 / rate.value) if rate.value else size
    kind = _Kind(rate, _number(place, disk, "await"), bytes_s, size)
    _check(place, kind)
    queue, percent = _queue(place, disk, "util-percent")
    return Report(line, seconds, {"": kind}, moved, None, queue, percent, alone=False)


def _reads_or_writes(place: str, disk: Mapping[str, Any], letter: str) -> _Kind:
    """Read one kind. With ``-m`` bandwidths are in MB; before 11.6 iostat lacks sizes of each kind."""
    rate, mega = _number(place, disk, f"{letter}/s"), f"{letter}MB/s" in disk
    bytes_s = _number(place, disk, f"{letter}{'MB' if mega else 'kB'}/s").times(KIB**2 if mega else KIB)
    if "avgrq-sz" in disk:
        size = bytes_s.times(1.0 / rate.value) if rate.value else _NOTHING
    else:
        size = _number(place, disk, f"{letter}areq-sz").times(KIB)
    return _Kind(rate, _number(place, disk, f"{letter}_await"), bytes_s, size)


def _queue(place: str, disk: Mapping[str, Any], percent: str) -> tuple[Number, Number]:
    """I/Os in flight, and the percentage of time with any in flight."""
    return _number(place, disk, "aqu-sz"), _number(place, disk, percent)


def _number(place: str, disk: Mapping[str, Any], name: str) -> Number:
    if name not in disk:
        raise InputError(f"{place}: '{name}' is missing; run iostat with -x, or sadf -j with -- -d, of sysstat 12")
    value = disk[name]
    if isinstance(value, Number):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise InputError(f"{place}: {name} is {shown(value)}; allowed: a number from 0 to {_LARGEST:g}")
    return Number(float(value), _HALF)


def _check(place: str, kind: _Kind) -> None:
    """Check that I/Os times their bytes give the bandwidth."""
    said = f"{kind.rate.value:g} I/Os a second of {kind.bytes_.value:g} bytes"
    agree(place, kind.bytes_s, kind.rate.by(kind.bytes_), said)


def _check_queue(place: str, reports: Sequence[Report]) -> None:
    """Check Little's law over all intervals, where few I/Os have neither begun nor ended.

    Raises:
        InputError: one line: the mean queue is much longer than I/Os × their milliseconds.
    """
    seconds = sum(each.seconds for each in reports)
    queue = sum(each.queue.value * each.seconds for each in reports) / seconds
    made = sum(_waiting(each).value * each.seconds for each in reports) / seconds
    rounding = max(each.queue.half_width + _waiting(each).half_width for each in reports)
    if all(each.alone for each in reports) and len(reports) > 1:
        says = "I/Os a second and the milliseconds of each leave queues"
        agree(place, Number(queue, rounding), Number(made, rounding), says, LOST)


def _waiting(report: Report) -> Number:
    """Reads and writes in flight, by Little's law."""
    return _sum([kind.rate.by(kind.await_ms).times(1e-3) for kind in report.ios.values()])


def _rate(report: Report) -> Number:
    return _sum([kind.rate for kind in report.ios.values()])


def _sum(numbers: Sequence[Number]) -> Number:
    return Number(sum(each.value for each in numbers), sum(each.half_width for each in numbers))


def _figures(device: str, reports: Sequence[Report], seconds: float) -> Iterator[Told]:
    """Means over all ``seconds``, including unreported ones: of all I/Os, then of each kind."""

    def mean(numbers: Iterable[Number]) -> Number:
        written = [*numbers]
        total = sum(each.value * report.seconds for each, report in zip(written, reports, strict=True))
        return Number(total / seconds, max(each.half_width for each in written))

    load = _operation(reports)
    request_bytes = _request_bytes(reports, load.get("op", ""))

    def figure(measure: str, number: Number, unit: str) -> Told:
        line, value, half_width = reports[0].line, number.value, number.half_width
        return Told(line, measure, value, half_width, unit, device, settings=load, request_bytes=request_bytes)

    bytes_s, rate = mean(_sum([*each.moved.values()]) for each in reports), mean(map(_rate, reports))
    yield figure("throughput", bytes_s.times(1e-6), "MB/s")
    yield figure("throughput", rate, "IO/s")
    yield figure("iops", rate, "IO/s")
    yield figure("await", _await([(each.seconds, kind) for each in reports for kind in each.ios.values()]), "s")
    rounding = max(kind.bytes_.half_width for each in reports for kind in each.ios.values())
    yield figure("size", Number(bytes_s.value / rate.value, rounding), "bytes")
    yield figure("queue", mean(each.queue for each in reports), "I/Os")
    yield figure("utilisation", mean(each.percent for each in reports), "%")
    for name in ("read", "write"):
        apart = mean(each.moved[name] for each in reports)
        yield figure(f"{name}_throughput", apart.times(1e-6), "MB/s")
        kinds = [(each.seconds, each.ios[name]) for each in reports if name in each.ios]
        if kinds and any(kind.rate.value for _, kind in kinds):
            of_kind = mean(kind.rate for _, kind in kinds)
            yield figure(f"{name}_iops", of_kind, "IO/s")
            yield figure(f"{name}_await", _await(kinds), "s")
            yield figure(f"{name}_size", Number(apart.value / of_kind.value, rounding), "bytes")
    flushes = [(each.seconds, each.flushes) for each in reports if each.flushes]
    if len(flushes) == len(reports) and any(kind.rate.value for _, kind in flushes):
        yield figure("flushes", mean(kind.rate for _, kind in flushes), "flushes/s")
        yield figure("flush_await", _await(flushes), "s")


def _operation(reports: Sequence[Report]) -> dict[str, str]:
    """The setting ``op`` of a device that did little but read, or little but write; else empty."""
    bytes_ = {name: sum(each.moved[name].value * each.seconds for each in reports) for name in ("read", "write")}
    ios = {
        name: sum(each.ios[name].rate.value * each.seconds for each in reports if name in each.ios)
        for name in ("read", "write")
    }
    for op, other in (("read", "write"), ("write", "read")):
        if all(moved[other] <= FEW * (moved[op] + moved[other]) for moved in (bytes_, ios)) and bytes_[op]:
            return {"op": op}
    return {}


def _request_bytes(reports: Sequence[Report], op: str) -> float:
    """Mean bytes of an I/O of kind ``op``; of all I/Os if it is empty, or sar counts them together."""
    bytes_ = sum(
        each.seconds * moved.value for each in reports for name, moved in each.moved.items() if op in ("", name)
    )
    ios = sum(
        each.seconds * kind.rate.value
        for each in reports
        for name, kind in each.ios.items()
        if "" in (op, name) or op == name
    )
    return bytes_ / ios


def _await(kinds: Sequence[tuple[float, _Kind]]) -> Number:
    """Mean time of an I/O in seconds, over all ``kinds``."""
    ios = sum(seconds * kind.rate.value for seconds, kind in kinds)
    waited_ms = sum(seconds * kind.rate.value * kind.await_ms.value for seconds, kind in kinds)
    return Number(waited_ms / ios, max(kind.await_ms.half_width for _, kind in kinds)).times(1e-3)
