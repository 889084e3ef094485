"""Throughput with more clients, needed if a run alone does not determine the limit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.engine.errors import StacksimError
from sim.engine.model.places import Place
from sim.engine.model.symmetry import Symmetry
from sim.engine.model.workloads import Closed

NO_MORE = 1.05
"""A place limits if twice the clients get less than this many times as much."""


@dataclass(frozen=True)
class Twice:
    """Throughput ratio with twice the clients, and the place nearest to limiting them, if known."""

    gain: float
    place: str | None = None


class MoreClients:
    """More clients of the watched group of a model, by the analytic engine."""

    def __init__(self, folded: Symmetry, group: str) -> None:
        self._folded, self._group = folded, group

    def twice(self) -> Twice | None:
        """Throughput with twice the clients; None if it cannot be computed."""
        gain = gain_of_twice(self._folded, self._group)
        return None if gain is None else Twice(gain)

    def bring(self, place: Place) -> bool:  # noqa: ARG002 - unknown from a model alone
        """True if each brings a ``place`` of its own, like this one."""
        return False

    def brought_by(self, place: Place) -> tuple[str, ...]:  # noqa: ARG002 - unknown from a model alone
        """Settings that add clients with a ``place`` of their own."""
        return ()

    def adding(self) -> tuple[str, ...]:
        """Names of what settings that add clients count, such as ``jobs``."""
        return ()

    def gaining(self, twice: Twice | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of what settings that add clients count, with and without a gain; both empty if not known of all.

        Args:
            twice: throughput with twice the clients.
        """
        only = self.adding() if len(self.adding()) == 1 else ()
        return ((), only or ("clients",)) if twice and twice.gain < NO_MORE else (only, ())

    def share(self, place: Place) -> bool:  # noqa: ARG002 - unknown from a model alone
        """True if they would share a ``place`` whose holders are now too few to wait."""
        return True


def gain_of_twice(once: Symmetry, group: str) -> float | None:
    """Throughput ratio with twice the clients of ``group``; None if the analytic engine cannot solve it."""
    if any(each.count is not None for each, _ in once.workloads):
        return None
    from sim.engine.analytic.solve import solved  # lazily: most judgements need no analytic engine

    try:
        now, then = (solved(folded).groups[group].throughput for folded in (once, _twice(once, group)))
    except StacksimError:
        return None
    return then / now


def _twice(folded: Symmetry, group: str) -> Symmetry:
    """A copy with twice the clients of ``group``."""
    workloads = tuple(
        (replace(each, clients=2 * each.clients), copies)
        if isinstance(each, Closed) and each.group == group
        else (each, copies)
        for each, copies in folded.workloads
    )
    before = folded.scaled_from and _twice(folded.scaled_from, group)
    return replace(folded, workloads=workloads, scaled_from=before)
