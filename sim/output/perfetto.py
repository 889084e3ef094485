"""A recorded run as a timeline for the Perfetto viewer: an asynchronous track for each request and each branch.

The format is the viewer's JSON ("Trace Event Format", Google, 2016): pairs of ``b`` and ``e`` events with one id
nest, and times are microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from sim.engine.events.trace import Span
from sim.engine.files import write_atomically

ENDINGS = (".json",)

Event = dict[str, Any]

_NAMES = {"wait": "wait: ", "serve": "", "delay": "time passes", "join": "wait for branches"}


def write(groups: Mapping[str, Sequence[Span]], path: Path) -> int:
    """Write the spans of each group to ``path`` atomically; return the number of slices."""
    events = list(_events(groups))
    content = {"displayTimeUnit": "ns", "traceEvents": events}
    write_atomically(path, json.dumps(content, ensure_ascii=False).encode())
    return sum(event["ph"] == "b" for event in events)


def _events(groups: Mapping[str, Sequence[Span]]) -> Iterator[Event]:
    tracks = count(1)
    for number, (group, requests) in enumerate(groups.items(), start=1):
        yield {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": group}}
        for span in requests:
            yield from _span(span, f"{span.workload}, client {span.client}", number, tracks)


def _span(span: Span, name: str, group: int, tracks: Iterator[int]) -> Iterator[Event]:
    """The slice of ``span`` with its intervals inside, then its branches, each on a track of its own."""
    track = {"cat": "io", "id": f"{next(tracks):#x}", "pid": group, "tid": 0}
    yield _edge("b", name, span.begin_ns, track)
    for interval in span.intervals:
        text = _NAMES[interval.activity] + interval.place
        yield _edge("b", text, interval.begin_ns, track)
        yield _edge("e", text, interval.end_ns, track)
    yield _edge("e", name, span.until_ns, track)
    for number, branch in enumerate(span.branches, start=1):
        yield from _span(branch, f"{name}: branch {number}", group, tracks)


def _edge(kind: str, name: str, at_ns: int, track: Event) -> Event:
    """The begin (``b``) or end (``e``) of a slice."""
    return {"ph": kind, "name": name, "ts": at_ns / 1e3, **track}
