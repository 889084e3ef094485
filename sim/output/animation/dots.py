"""What each request does and holds, and when: the spans of a trace as dots, each drawn somewhere at any time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sim.engines.trace import Held, Interval, Span

State = Literal["wait", "serve", "delay", "join", "gathered", "idle"]
"""As in a trace, and at a gate two more: gathered into a batch, which is under way; and to wait for the first one
to gather."""

TIME = "time passes"
"""Where a request is drawn that is at no place, and holds none."""

BRANCHES = "waits for its branches"
"""Where a request is drawn that has forked, until it goes on."""


@dataclass(frozen=True)
class Stay:
    """From ``begin_ns`` until ``end_ns`` a request is drawn at ``place``.

    Attributes:
        batch: the number of the batch that it is gathered in, counted over all gates; -1 in all other states.
    """

    begin_ns: int
    end_ns: int
    state: State
    place: str
    batch: int = -1


@dataclass(frozen=True)
class Holding:
    """From ``begin_ns`` until ``end_ns`` a request has something of a lock, a pool or a gate."""

    begin_ns: int
    end_ns: int
    held: Held


@dataclass(frozen=True)
class Dot:
    """A request, or a branch of one.

    Attributes:
        number: of the request in its group, counted from 1; a branch has that of its request.
        open: whether it was still in flight when the record ended, at ``end_ns``.
        parent: which of all dots forked this branch; None for a request.
        stays, holdings: in the order in which they begin; the stays follow one another without a gap.
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
    """``span``, which is the dot of that ``number``, then its branches, each with the number of its parent."""
    if span.begin_ns >= end_ns:
        return []
    family = [(span, parent)]
    for branch in span.branches:
        family += _family(branch, number, number + len(family), end_ns)
    return family


def _stay(interval: Interval, gates: Collection[str]) -> Stay:
    """Whoever holds a lock or a pool while time passes is drawn there, at the innermost."""
    place = interval.place
    if interval.activity == "join":
        place = BRANCHES
    elif interval.activity == "delay":
        place = next((each.place for each in reversed(interval.held) if each.place not in gates), TIME)
    return Stay(interval.begin_ns, interval.end_ns, interval.activity, place)


def _holdings(intervals: Sequence[Interval]) -> Iterator[Holding]:
    """What is held in one interval after the other is one holding."""
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
