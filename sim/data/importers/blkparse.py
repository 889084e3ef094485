"""The text of ``blkparse``: I/Os of a device as they are issued (D) and completed (C).

      8,0    3       11     0.009507758   697  D   W 223490 + 8 [kjournald]
      8,0    3       12     0.009811032     0  C   W 223490 + 8 [0]

An I/O arrives when it is issued, after it was merged with others; of a device that issues none (dm, md) when it is
queued (Q). Its latency is that from there to its completion, in parts or whole. Discards, and flushes without
data, are passed over.
Source of the layout: the manual page of blkparse, "Output description" and the default output format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sim.data.importers.traces import Recorded, check_response
from sim.engine.errors import InputError, shown

_SECTOR = 512
_EVENT = re.compile(
    r"\s*(?P<device>[0-9]+,[0-9]+)\s+(?P<cpu>[0-9]+)\s+(?P<sequence>[0-9]{1,15})\s+(?P<s>[0-9]{1,9})\.(?P<ns>[0-9]{9})\s+[0-9]+\s+"
    r"(?P<action>[A-Za-z]{1,2})\s+(?P<kind>[A-Z]+)(?P<rest>( .*)?)"
)
_PLACE = re.compile(r" +(?P<sector>[0-9]{1,15}) \+ (?P<sectors>[1-9][0-9]{0,8}) .*")
_MOVES = re.compile(r"[^DRW]*[RW][^DRW]*")
"""Kinds of I/O that move data: with R or W among their letters, and no D, which is a discard."""

_SUMMARY = re.compile(r"(CPU *[0-9]+|Total) \(.*\):")
_OPENED = re.compile(r"Input file .* added\s*")


_OnTheirWay = dict[tuple[int, int], list[tuple[int, int, int]]]
"""Open I/Os by sector and op: number, time in ns and bytes of each."""


@dataclass
class _Device:
    """I/Os by the event of their arrival; those in flight, and those that the device requeued (R)."""

    queued: Recorded
    issued: Recorded
    begun: dict[str, _OnTheirWay] = field(default_factory=lambda: {"Q": {}, "D": {}})
    returned: set[tuple[int, int]] = field(default_factory=set)

    def begin(self, action: str, at_ns: int, op: int, sector: int, size: int) -> None:
        """Record an I/O as queued or issued; a requeued one is issued again, and has arrived before."""
        recorded = self.issued if action == "D" else self.queued
        if action == "D" and (sector, op) in self.returned:
            self.returned.remove((sector, op))
            return
        self.begun[action].setdefault((sector, op), []).append((len(recorded), at_ns, size))
        recorded.add(at_ns, op, sector * _SECTOR, size)

    def end(self, place: str, at_ns: int, op: int, sector: int, size: int) -> None:
        """Complete an I/O or a part of it; one that began before the recording is skipped.

        Of two at one sector the later one is completed: the end of the earlier may have been lost.

        Raises:
            InputError: one line that begins with ``place``: it ended before it began.
        """
        for action, recorded in (("Q", self.queued), ("D", self.issued)):
            begun = self.begun[action].get((sector, op))
            if not begun:
                continue
            number, since_ns, left = begun.pop()
            if not begun:
                del self.begun[action][sector, op]
            if left > size:
                rest = (sector + size // _SECTOR, op)
                self.begun[action].setdefault(rest, []).append((number, since_ns, left - size))
            else:
                recorded.ended(number, check_response(place, at_ns - since_ns))


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of blkparse text."""
    return any(_EVENT.fullmatch(line) for line in head.splitlines()[:200])


def recorded(path: Path) -> Iterator[Recorded]:
    """Yield the I/Os of each device.

    Raises:
        InputError: one line with file and line for an event that is cut short or in another form.
    """
    devices: dict[str, _Device] = {}
    for line, event in _events(path):
        place = _PLACE.fullmatch(event["rest"])
        if event["action"] not in ("Q", "D", "R", "C") or not place or not _MOVES.fullmatch(event["kind"]):
            continue
        name, op = event["device"], 0 if "R" in event["kind"] else 1
        device = devices.setdefault(name, _Device(Recorded(name, line), Recorded(name, line)))
        at_ns, sector, size = _time_ns(event), int(place["sector"]), int(place["sectors"]) * _SECTOR
        if event["action"] == "C":
            device.end(f"{path}, line {line}", at_ns, op, sector, size)
        elif event["action"] == "R":
            device.returned.add((sector, op))
        else:
            device.begin(event["action"], at_ns, op, sector, size)
    if not devices:
        raise InputError(f"{path} has no read and no write; allowed: the events Q, D and C of blkparse")
    for device in devices.values():
        yield device.issued if len(device.issued) else device.queued


def _time_ns(event: re.Match[str]) -> int:
    return int(event["s"]) * 10**9 + int(event["ns"])


def _events(path: Path) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield every event of the recording, up to the totals that blkparse prints after it."""
    last: dict[tuple[str, str], tuple[int, int]] = {}
    summed = False
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            event = _EVENT.fullmatch(line.removesuffix("\n"))
            summed = summed or _SUMMARY.match(line) is not None
            if event:
                now = int(event["sequence"]), _time_ns(event)
                before = last.setdefault((event["device"], event["cpu"]), now)
                if summed or (now[0] < before[0] and now[1] < before[1]):
                    raise InputError(f"{path}, line {number}: another recording begins; give each a file")
                last[event["device"], event["cpu"]] = now
            elif summed or not line.strip() or _OPENED.fullmatch(line):
                continue
            if not event or not line.endswith("\n"):
                raise InputError(
                    f"{path}, line {number} is '{shown(line.strip())}'; allowed: an event in blkparse's own "
                    "format, such as '8,0 3 11 0.009507758 697 D W 223490 + 8 [fio]'; is the file cut short?"
                )
            yield number, event
