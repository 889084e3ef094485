"""The text of ``iostat -x``: a table of devices for each report, optionally with time and processors above it.

    Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s  …   f/s f_await  aqu-sz  %util
    vda             71.93   1028.29     3.31   4.40    0.97    14.30  206.74  …  4.95    0.05    0.11   1.36

The first report covers the time since boot and is left out.
Source of the layout: the output of iostat of sysstat 12.6, and its manual pages of 11 to 12.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sim.data.importers import devices
from sim.data.importers.devices import Report
from sim.data.importers.told import Told, cells, number, whole_lines_of
from sim.engine.errors import InputError, shown

_NAMES = ("Device", "Device:")
_JSON = {"%util": "util", "avgqu-sz": "aqu-sz"}
"""Columns that have another name in JSON or in later versions."""


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of text from iostat."""
    return any(line.startswith(_NAMES) and {"tps", "r/s"} & {*line.split()} for line in head.splitlines())


def _is_heading(line: str) -> bool:
    return line.startswith(_NAMES) and {"r/s", "w/s"} <= {*line.split()}


def told(path: Path) -> Iterator[Told]:
    """Means of every device that did any I/O, over all reports but the first.

    Raises:
        InputError: one line with file and line for text that is cut short, in another form, or contradictory.
    """
    reports = [*_reports(path)]
    if len(reports) == 1:
        raise InputError(
            f"{path} has one report, and the first one is that since the machine was started; run iostat -x 10 6"
        )
    yield from devices.told(path, ((1.0, report) for report in reports[1:]))


def _reports(path: Path) -> Iterator[dict[str, Report]]:
    """Yield the devices of each report."""
    heading: list[str] = []
    report: dict[str, Report] = {}
    for line, text in enumerate(whole_lines_of(path), 1):
        place = f"{path}, line {line}"
        if text.startswith(_NAMES):
            if not _is_heading(text):
                raise InputError(f"{place} is '{shown(text.strip())}'; allowed: the columns of iostat -x")
            heading = text.split()
        elif heading and text.strip():
            device, *figures = cells(place, heading, text).items()
            if device[1] in report:
                raise InputError(f"{place} tells of '{shown(device[1])}' twice in a report; is a line missing?")
            numbers = {_JSON.get(name, name): number(place, name, cell) for name, cell in figures}
            report[device[1]] = devices.of_iostat(place, line, numbers)
        elif heading:
            yield report
            heading, report = [], {}
    if heading:  # the empty line after the last report may be missing
        yield report
