"""The JSON of ``iostat -o JSON -x`` and ``sadf -j -- -d``: devices in intervals.

The first report of iostat covers the time since boot and is left out.
Source of the layouts: the output of sysstat 12.6, and its manual pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from sim.data.importers import devices
from sim.data.importers.devices import Report
from sim.data.importers.told import Told
from sim.data.package import read_text
from sim.engine.errors import InputError, shown
from sim.system.complaints import broken

_KEY = re.compile(r'"disk[-_]device"\s*:')
_LONGEST_S = 1e12


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of JSON from sysstat."""
    return head.lstrip().startswith("{") and re.search(r'^\s*\{\s*"sysstat"\s*:', head) is not None


def told(path: Path) -> Iterator[Told]:
    """Means of every device that did any I/O, over all intervals.

    Raises:
        InputError: one line with file and line for text that is no output of sysstat, or contradictory.
    """
    yield from devices.told(path, _intervals(path))


def _intervals(path: Path) -> Iterator[tuple[float, dict[str, Report]]]:
    """Yield the length in seconds and the devices of each interval."""
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


def _report(place: str, line: int, seconds: float, disk: Mapping[str, Any]) -> tuple[str, Report]:
    """Name and figures of a device, which are consistent."""
    device = disk.get("disk_device") or disk.get("disk-device")
    if not isinstance(device, str):
        raise InputError(f"{place}: the name of the device is {shown(device)}; allowed: a text")
    if "disk_device" in disk:
        return device, devices.of_iostat(place, line, disk)
    return device, devices.of_sar(place, line, seconds, disk)


def _seconds(path: Path, number: int, entry: Mapping[str, Any], told_of: set[str]) -> float:
    """Length of the interval, which must not be in ``told_of``; 1 for iostat, whose intervals are equal."""
    stamp = entry.get("timestamp")
    if not isinstance(stamp, dict) or "interval" not in stamp:
        return 1.0
    when = f"{stamp.get('date')} {stamp.get('time')}"
    if when in told_of:
        raise InputError(f"{path} tells of {shown(when)} twice; allowed: each interval once; write the file anew")
    told_of.add(when)
    seconds = stamp["interval"]
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST_S:
        raise InputError(
            f"{path}, interval {number + 1}: interval is {shown(seconds)} s; allowed: above 0, up to "
            f"{_LONGEST_S:g}; write the file anew"
        )
    return float(seconds)
