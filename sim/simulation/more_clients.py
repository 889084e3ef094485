"""What more clients would get: asked where what a run has seen does not tell for certain what limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.errors import StacksimError
from sim.model.places import Place
from sim.model.symmetry import Symmetry
from sim.model.workloads import Closed

NO_MORE = 1.05
"""Twice the clients get less than so many times as much where a place limits."""


@dataclass(frozen=True)
class Twice:
    """What twice the clients get: so many times as much, and the place nearest to limiting them, if known."""

    gain: float
    place: str | None = None


class MoreClients:
    """More clients of the watched group of a model, as the analytic engine knows them."""

    def __init__(self, folded: Symmetry, group: str) -> None:
        self._folded, self._group = folded, group

    def twice(self) -> Twice | None:
        """What twice the clients would get; None if that cannot be told."""
        gain = gain_of_twice(self._folded, self._group)
        return None if gain is None else Twice(gain)

    def bring(self, place: Place) -> bool:  # noqa: ARG002 - a model does not tell
        """Whether they come with a ``place`` of their own, like this one."""
        return False

    def brought_by(self, place: Place) -> tuple[str, ...]:  # noqa: ARG002 - a model does not tell
        """The settings that bring more of them with a ``place`` of their own."""
        return ()

    def share(self, place: Place) -> bool:  # noqa: ARG002 - a model does not tell
        """Whether they would share a ``place`` that so few hold that none of them waits."""
        return True


def gain_of_twice(once: Symmetry, group: str) -> float | None:
    """How many times as much twice the clients of ``group`` get; None if the analytic engine cannot tell."""
    if any(each.count is not None for each, _ in once.workloads):
        return None
    from sim.analytic.solve import solved  # lazily: most judgements do without

    try:
        now, then = (solved(folded).groups[group].throughput for folded in (once, _twice(once, group)))
    except StacksimError:
        return None
    return then / now


def _twice(folded: Symmetry, group: str) -> Symmetry:
    """The same with twice the clients of ``group``."""
    workloads = tuple(
        (replace(each, clients=2 * each.clients), copies)
        if isinstance(each, Closed) and each.group == group
        else (each, copies)
        for each, copies in folded.workloads
    )
    before = folded.scaled_from and _twice(folded.scaled_from, group)
    return replace(folded, workloads=workloads, scaled_from=before)
