"""States, places and holdings of each request over time: the spans of a trace as dots."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sim.engine.events.trace import Held, Interval, Span

State = Literal["wait", "serve", "delay", "join", "gathered", "idle"]
"""States of a trace, and two at a gate: gathered into a batch that is under way, and idle: waiting for a first
request to gather."""

TIME = "time passes"
"""Place of a request that is at no place and holds none."""

BRANCHES = "waits for its branches"
"""Place of a request that waits for its branches."""


@dataclass(frozen=True)
class Stay:
    """Stay of a request at ``place`` from ``begin_ns`` until ``end_ns``.

    Attributes:
        batch: number of the batch that it is gathered in, counted over all gates; -1 in other states.
    """

    begin_ns: int
    end_ns: int
    state: State
    place: str
    batch: int = -1


@dataclass(frozen=True)
class Holding:
    """Holding of something of a lock, a pool or a gate from ``begin_ns`` until ``end_ns``."""

    begin_ns: int
    end_ns: int
    held: Held


@dataclass(frozen=True)
class Dot:
    """A request, or a branch of one.

    Attributes:
        number: number of the request in its group, from 1; a branch has that of its request.
        open: True if it was still in flight when the record ended, at ``end_ns``.
        parent: index of the dot that forked this branch; None for a request.
        stays, holdings: in the order of their beginning; stays have no gaps between them.
    """

    group: str
    number: int
    workload: str
    client: int
    parent: int | None
    begin_ns: int
    end_ns: int
    open: bool
    stays: tuple[Stay, ...]
    holdings: tuple[Holding, ...]


def dots(groups: Mapping[str, Sequence[Span]], gates: Collection[str], end_ns: int) -> list[Dot]:
    """A dot for each request of each of the ``groups`` that begins before ``end_ns``, followed by its branches."""
    drawn: list[Dot] = []
    for group, requests in groups.items():
        for number, request in enumerate(requests, start=1):
            family = _family(request, None, len(drawn), end_ns)
            drawn += [_dot(span, group, number, parent, gates) for span, parent in family]
    return drawn


def _dot(span: Span, group: str, number: int, parent: int | None, gates: Collection[str]) -> Dot:
    in_flight = span.end_ns is None and span.doing is not None and span.doing.end_ns > span.until_ns
    intervals = [*span.intervals, span.doing] if in_flight and span.doing else span.intervals
    return Dot(
        group,
        number,
        span.workload,
        span.client,
        parent,
        span.begin_ns,
        intervals[-1].end_ns if intervals else span.until_ns,
        span.end_ns is None,
        tuple(_stay(interval, gates) for interval in intervals),
        tuple(_holdings(intervals)),
    )


def _family(span: Span, parent: int | None, number: int, end_ns: int) -> list[tuple[Span, int | None]]:
    """``span``, which is dot ``number``, then its branches, each with the number of its parent."""
    if span.begin_ns >= end_ns:
        return []
    family = [(span, parent)]
    for branch in span.branches:
        family += _family(branch, number, number + len(family), end_ns)
    return family


def _stay(interval: Interval, gates: Collection[str]) -> Stay:
    """Make a stay; during a delay a request is at the innermost lock or pool that it holds."""
    place = interval.place
    if interval.activity == "join":
        place = BRANCHES
    elif interval.activity == "delay":
        place = next((each.place for each in reversed(interval.held) if each.place not in gates), TIME)
    return Stay(interval.begin_ns, interval.end_ns, interval.activity, place)


def _holdings(intervals: Sequence[Interval]) -> Iterator[Holding]:
    """Yield holdings; those of adjacent intervals are merged."""
    began_ns: dict[Held, int] = {}
    last_ns = 0
    for interval in intervals:
        for held in [held for held in began_ns if held not in interval.held]:
            yield Holding(began_ns.pop(held), last_ns, held)
        for held in interval.held:
            began_ns.setdefault(held, interval.begin_ns)
        last_ns = interval.end_ns
    for held, begin_ns in began_ns.items():
        yield Holding(begin_ns, last_ns, held)
