"""Accuracy of an approximate answer, by the mechanisms of the model and by features of the answer.

Random models of every kind were simulated, and the results are kept in ``studied.py``, which
``benchmarks/accuracy.py`` writes: for each mechanism a few cases, distinguished by *features*, and for each the
range of nine of ten true answers, as shares of the computed one. If several mechanisms meet, the
range is the widest of all of them, and of models with several mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sim.engine.analytic.stations import Chain, Node
from sim.engine.statistics.estimates import Estimate

CONFIDENCE = 0.9

EDGE = 1e-4
"""Share by which a run may exceed a bound: among ten thousand requests one more may be done by its end."""


@dataclass(frozen=True)
class Ends:
    """Range of nine of ten true values, as shares of the computed one."""

    low: float
    high: float

    def __str__(self) -> str:
        """Both ends in percent of the computed value.

        >>> str(Ends(0.97, 1.12))
        '-3% … +12%'
        """
        return f"{self.low - 1.0:+.0%} … {self.high - 1.0:+.0%}"

    def around(self, value: float, most: float = math.inf) -> Estimate:
        """``value`` with its interval, cut at ``most``."""
        high = min(value * self.high, max(most, value) * (1.0 + EDGE))
        return Estimate(value, value * min(self.low, 1.0), high, CONFIDENCE)

    def holds(self, ratio: float) -> bool:
        """True if ``ratio``, true / computed value, is in the range."""
        return self.low <= ratio <= self.high

    def or_wider(self, other: Ends) -> Ends:
        """The range that contains both."""
        return Ends(min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True)
class Features:
    """Features of an answer for a group.

    Attributes:
        waiting: share of a cycle, or of an open request, in which its clients wait.
        reached: its throughput as a share of its bound.
        variation: largest squared coefficient of variation of a service or hold in the model.
        clients: number of clients; infinite for open ones.
    """

    waiting: float
    reached: float
    variation: float
    clients: float

    @classmethod
    def of(cls, chains: Sequence[Chain], nodes: Iterable[Node], bound: float) -> Features:
        """Features of the group of ``chains`` in a model with ``nodes``, with an upper ``bound`` of throughput."""
        throughput = sum(chain.throughput * chain.copies for chain in chains)
        variations = [
            each.square_s2 / each.means_s2 - 1.0 for node in nodes for each in node.visits if each.means_s2 > 0.0
        ]
        return cls(
            waiting=_waiting(chains),
            reached=min(throughput / bound, 1.0) if bound > 0.0 and math.isfinite(bound) else 1.0,
            variation=max(variations, default=0.0),
            clients=sum(chain.clients * chain.copies for chain in chains),
        )


def _waiting(chains: Sequence[Chain]) -> float:
    """Share of the time of the clients of ``chains`` in which they wait."""
    there = active = 0.0
    for chain in chains:
        outside = math.isinf(chain.clients)
        there += chain.copies * (chain.throughput * chain.response_s if outside else chain.clients)
        active += chain.copies * chain.throughput * chain.unqueued[0]
    return min(max(1.0 - active / there, 0.0), 1.0) if there else 0.0


@dataclass(frozen=True)
class Case:
    """Random models with similar features.

    Attributes:
        models: number of models simulated.
        limits: by feature, the range (above, up to).
    """

    models: int
    limits: Mapping[str, tuple[float, float]]
    throughput: Ends
    latency: Ends

    def has(self, features: Features) -> bool:
        """True if a group with ``features`` belongs to the case."""
        return all(low < getattr(features, name) <= high for name, (low, high) in self.limits.items())


NOT_STUDIED = Case(11, {}, Ends(1 / 2.2, 2.2), Ends(1 / 2.2, 2.2))
"""Case of a mechanism without random models: the worst of eleven rebuilds that are paced at random."""


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of an answer.

    Attributes:
        names: the mechanisms of the model.
        features: features of the group.
    """

    names: tuple[str, ...]
    features: Features
    throughput: Ends
    latency: Ends

    @property
    def what(self) -> str:
        """The mechanisms as text."""
        return " and ".join(self.names[:-1] or self.names)

    @property
    def warning(self) -> str:
        """The warning that an approximate answer carries, one line."""
        return (
            f"approximate: of models like this one ({self.what}), nine of ten are within {self.throughput} in "
            f"throughput, {self.latency} in latency; simulate to be sure"
        )


def accuracy(names: Sequence[str], features: Features, studied: Mapping[str, Sequence[Case]]) -> Accuracy:
    """Accuracy by ``studied`` of a group with ``features`` in a model with the mechanisms ``names``."""
    cases = [next((case for case in studied.get(name, ()) if case.has(features)), NOT_STUDIED) for name in names]
    throughput, latency = cases[0].throughput, cases[0].latency
    for case in cases[1:]:
        throughput, latency = throughput.or_wider(case.throughput), latency.or_wider(case.latency)
    return Accuracy(tuple(names), features, throughput, latency)
