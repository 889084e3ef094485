"""A recorded run as a timeline for the Perfetto viewer: one asynchronous track a walk, and one a branch.

The format is the viewer's JSON ("Trace Event Format", Google, 2016): pairs of ``b`` and ``e`` events with one id
nest, and times are microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from sim.engines.trace import Journey
from sim.files import write_atomically

ENDINGS = (".json",)

Event = dict[str, Any]

_NAMES = {"wait": "wait: ", "serve": "", "delay": "time passes", "join": "wait for branches"}


def write(groups: Mapping[str, Sequence[Journey]], path: Path) -> int:
    """Write the journeys of each group to ``path``, whole or not at all; return how many slices there are."""
    events = list(_events(groups))
    content = {"displayTimeUnit": "ns", "traceEvents": events}
    write_atomically(path, json.dumps(content, ensure_ascii=False).encode())
    return sum(event["ph"] == "b" for event in events)


def _events(groups: Mapping[str, Sequence[Journey]]) -> Iterator[Event]:
    numbers = count(1)
    for process, (group, walks) in enumerate(groups.items(), start=1):
        yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": group}}
        for walk in walks:
            yield from _journey(walk, f"{walk.workload}, client {walk.client}", process, numbers)


def _journey(journey: Journey, name: str, process: int, numbers: Iterator[int]) -> Iterator[Event]:
    """The slice of a journey with its stays inside, then its branches, each on a track of its own."""
    track = {"cat": "io", "id": f"{next(numbers):#x}", "pid": process, "tid": 0}
    yield from _slice(name, journey.begin_ns, track, "b")
    for stay in journey.stays:
        text = _NAMES[stay.doing] + stay.place
        yield from _slice(text, stay.begin_ns, track, "b")
        yield from _slice(text, stay.end_ns, track, "e")
    yield from _slice(name, journey.until_ns, track, "e")
    for number, branch in enumerate(journey.branches, start=1):
        yield from _journey(branch, f"{name}: branch {number}", process, numbers)


def _slice(name: str, at_ns: int, track: Event, kind: str) -> Iterator[Event]:
    yield {"ph": kind, "name": name, "ts": at_ns / 1e3, **track}
