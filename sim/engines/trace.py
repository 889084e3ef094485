"""What a recorded run tells of each walk: where it stood, and from when until when.

A journey is one walk of a client, or one branch of a fork on its way. It stays at one thing at a time, so its
stays follow one another without a gap and add up to its length. A join stands for the branches waited for.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal

MOST = 200_000
"""Stays that are kept: about a hundred megabytes."""

Doing = Literal["wait", "serve", "delay", "join"]
"""Wait for a place; be served there; let time pass; wait for branches."""


@dataclass(frozen=True)
class Stay:
    """At one thing, from ``begin_ns`` until ``end_ns``; ``place`` is empty for a delay and a join."""

    doing: Doing
    place: str
    begin_ns: int
    end_ns: int

    @property
    def ns(self) -> int:
        """How long."""
        return self.end_ns - self.begin_ns


@dataclass(eq=False)
class Journey:
    """One walk, or one branch of one.

    Attributes:
        parent: who sent this branch; None for a walk.
        background: whether nobody waits for this branch.
        end_ns: None while it is on its way.
    """

    workload: str
    client: int
    begin_ns: int
    parent: Journey | None = None
    background: bool = False
    end_ns: int | None = None
    stays: list[Stay] = field(default_factory=list)
    branches: list[Journey] = field(default_factory=list)

    @property
    def until_ns(self) -> int:
        """How far it is known: to its end, or to that of its last stay."""
        return self.end_ns or (self.stays[-1].end_ns if self.stays else self.begin_ns)


class Journeys:
    """Written by an engine while it runs; ``who`` is whatever tells those apart who are on their way.

    Args:
        since_ns: walks that began earlier are not kept.
        most: stays that are kept; nothing is taken down any more once there are so many.
    """

    def __init__(self, since_ns: int = 0, most: int = MOST) -> None:
        self.walks: list[Journey] = []
        self._since_ns = since_ns
        self._left = most
        self._on_the_way: dict[Hashable, Journey] = {}

    @property
    def full(self) -> bool:
        """Whether no stay more is kept."""
        return self._left == 0

    def begin(self, who: Hashable, workload: str, client: int, now_ns: int) -> None:
        """A walk begins."""
        if now_ns >= self._since_ns and self._left:
            self._on_the_way[who] = journey = Journey(workload, client, now_ns)
            self.walks.append(journey)

    def send(self, who: Hashable, parent: Hashable, now_ns: int, *, background: bool) -> None:
        """A branch sets out."""
        above = self._on_the_way.get(parent)
        if above:
            branch = Journey(above.workload, above.client, now_ns, above, background)
            self._on_the_way[who] = branch
            above.branches.append(branch)

    def stay(self, who: Hashable, doing: Doing, place: str, begin_ns: int, end_ns: int) -> None:
        """Time passed at one thing; what happens between walks is nobody's."""
        journey = self._on_the_way.get(who)
        if journey and self._left:
            self._left -= 1
            journey.stays.append(Stay(doing, place, begin_ns, end_ns))

    def end(self, who: Hashable, now_ns: int) -> None:
        """A walk or a branch ends."""
        journey = self._on_the_way.pop(who, None)
        if journey and self._left:
            journey.end_ns = now_ns
