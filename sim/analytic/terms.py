"""Terms: a path as an expression whose value is the mean and variance of its time, given what waits are known.

Evaluating a term also counts, at the visits of holds and of times that depend on the batch, the time for
which they are needed: the *surrogate delay* of whatever is asked while something is held (Jacobson and
Lazowska, "Analyzing queueing networks with simultaneous resource possession", Comm. ACM 25 (1982); by
layers: Rolia and Sevcik, "The method of layers", IEEE Trans. Software Engineering 21 (1995)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sim.analytic.forks import greatest
from sim.analytic.gates import Batches
from sim.analytic.moments import Moments, Term
from sim.analytic.stations import Visit


@dataclass(eq=False)
class Fixed:
    """Time that passes without queueing."""

    mean_s: float
    variance_s2: float

    def moments(self) -> Moments:
        return self.mean_s, self.variance_s2


@dataclass(eq=False)
class Served:
    """A wait, taken as exponential, and a service."""

    visit: Visit
    mean_s: float
    variance_s2: float

    def moments(self) -> Moments:
        wait_s = self.visit.wait_s
        return wait_s + self.mean_s, wait_s * wait_s + self.variance_s2


@dataclass(eq=False)
class PerBatch:
    """A service whose time grows with the batch in hand."""

    visit: Visit
    weight: float
    mean_s: float
    variance_s2: float
    each_s: float
    gate: Batches

    def moments(self) -> Moments:
        mean_s = self.mean_s + self.each_s * self.gate.batch
        self.visit.add(self.weight, mean_s, self.variance_s2 + mean_s * mean_s)
        wait_s = self.visit.wait_s
        return wait_s + mean_s, wait_s * wait_s + self.variance_s2


@dataclass(eq=False)
class Held:
    """A wait for what is kept while the steps inside are taken: tokens, a lock, or a batch from gather to wake."""

    visit: Visit
    weight: float
    inside: Term

    def moments(self) -> Moments:
        mean_s, variance = self.inside.moments()
        self.visit.add(self.weight, mean_s, mean_s * mean_s + variance)
        wait_s = self.visit.wait_s
        return wait_s + mean_s, wait_s * wait_s + variance


@dataclass(eq=False)
class Met:
    """A wait for a partner, at a buffer or gate."""

    visit: Visit

    def moments(self) -> Moments:
        return self.visit.wait_s, self.visit.wait_s**2


@dataclass(eq=False)
class Series:
    """One term after the other; what is the same in every round is added up once."""

    terms: Sequence[Term]

    def __post_init__(self) -> None:
        fixed = [term for term in self.terms if isinstance(term, Fixed | Served)]
        self._fixed = (math.fsum(each.mean_s for each in fixed), math.fsum(each.variance_s2 for each in fixed))
        self._waited = [each.visit for each in fixed if isinstance(each, Served)]
        self._others = [term for term in self.terms if not isinstance(term, Fixed | Served)]

    def moments(self) -> Moments:
        mean_s, variance = self._fixed
        for visit in self._waited:
            mean_s += visit.wait_s
            variance += visit.wait_s * visit.wait_s
        for term in self._others:
            more_s, more = term.moments()
            mean_s += more_s
            variance += more
        return mean_s, variance


@dataclass(eq=False)
class Mixture:
    """One of several terms, by probability."""

    options: Sequence[tuple[float, Term]]

    def moments(self) -> Moments:
        return mixed([(share, term.moments()) for share, term in self.options])


def mixed(options: Sequence[tuple[float, Moments]]) -> Moments:
    """Moments of one of several times, by probability."""
    mean_s = sum(share * mean for share, (mean, _) in options)
    square = sum(share * (variance + mean * mean) for share, (mean, variance) in options)
    return mean_s, max(square - mean_s * mean_s, 0.0)


@dataclass(eq=False)
class Repeated:
    """The same several times."""

    times: int
    term: Term

    def moments(self) -> Moments:
        mean_s, variance = self.term.moments()
        return self.times * mean_s, self.times * variance


@dataclass(eq=False)
class Joined:
    """All branches at once, each so many times, until the last is done."""

    branches: Sequence[tuple[int, Term]]

    def moments(self) -> Moments:
        return greatest([(count, branch.moments()) for count, branch in self.branches])


@dataclass(eq=False)
class LeftBehind:
    """Branches for which nobody waits: their load counts, their time does not."""

    branches: Sequence[Term]

    def moments(self) -> Moments:
        for branch in self.branches:
            branch.moments()
        return 0.0, 0.0
