"""Terms: a path as an expression whose value is mean and variance of the response time for given waits.

Evaluating a term also updates the visits whose times depend on waits: those of holds, whose holding time is the
response time of the steps inside (*surrogate delay*, equation 13 of docs/dev/analytic.md), and those whose service
time depends on the gathered batch.

Jacobson and Lazowska, "Analyzing queueing networks with simultaneous resource possession", Comm. ACM 25 (1982); by
layers: Rolia and Sevcik, "The method of layers", IEEE Trans. Software Engineering 21 (1995).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sim.engine.analytic.forks import greatest
from sim.engine.analytic.gates import Batches
from sim.engine.analytic.moments import Moments, Term
from sim.engine.analytic.stations import Visit


@dataclass(eq=False)
class Fixed:
    """A delay without queueing."""

    mean_s: float
    variance_s2: float

    def moments(self) -> Moments:
        return self.mean_s, self.variance_s2


@dataclass(eq=False)
class Served:
    """A wait, taken as exponential, and then a service."""

    visit: Visit
    mean_s: float
    variance_s2: float

    def moments(self) -> Moments:
        wait_s = self.visit.wait_s
        return wait_s + self.mean_s, wait_s * wait_s + self.variance_s2


@dataclass(eq=False)
class PerBatch:
    """A service whose time grows with the size of the gathered batch."""

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
    """A wait, followed by the steps inside, during which tokens, a lock or a gathered batch are held."""

    visit: Visit
    weight: float
    inside: Term

    def moments(self) -> Moments:
        mean_s, variance = self.inside.moments()
        # Equation 13 of docs/dev/analytic.md: the time inside is the service of the hold.
        self.visit.add(self.weight, mean_s, mean_s * mean_s + variance)
        wait_s = self.visit.wait_s
        return wait_s + mean_s, wait_s * wait_s + variance


@dataclass(eq=False)
class Met:
    """A wait at a buffer or gate."""

    visit: Visit

    def moments(self) -> Moments:
        return self.visit.wait_s, self.visit.wait_s**2


@dataclass(eq=False)
class Series:
    """Terms in sequence. Parts that do not change between evaluations are summed once."""

    terms: Sequence[Term]

    def __post_init__(self) -> None:
        fixed = [term for term in self.terms if isinstance(term, Fixed | Served)]
        self._fixed = (math.fsum(term.mean_s for term in fixed), math.fsum(term.variance_s2 for term in fixed))
        self._waited = [term.visit for term in fixed if isinstance(term, Served)]
        self._others = [term for term in self.terms if not isinstance(term, Fixed | Served)]

    def moments(self) -> Moments:
        mean_s, variance = self._fixed
        for visit in self._waited:
            mean_s += visit.wait_s
            variance += visit.wait_s * visit.wait_s
        for term in self._others:
            term_mean_s, term_variance = term.moments()
            mean_s += term_mean_s
            variance += term_variance
        return mean_s, variance


@dataclass(eq=False)
class Mixture:
    """One of several terms, each with its probability."""

    options: Sequence[tuple[float, Term]]

    def moments(self) -> Moments:
        return mixed([(share, term.moments()) for share, term in self.options])


def mixed(options: Sequence[tuple[float, Moments]]) -> Moments:
    """Moments of a mixture of times, each with its probability."""
    mean_s = sum(share * mean for share, (mean, _) in options)
    square = sum(share * (variance + mean * mean) for share, (mean, variance) in options)
    return mean_s, max(square - mean_s * mean_s, 0.0)


@dataclass(eq=False)
class Repeated:
    """A term repeated independently ``times`` times."""

    times: int
    term: Term

    def moments(self) -> Moments:
        mean_s, variance = self.term.moments()
        return self.times * mean_s, self.times * variance


@dataclass(eq=False)
class Joined:
    """A fork with a join: all branches begin together, and the last one to end counts.

    Attributes:
        branches: number and term of each kind of identical branches.
    """

    branches: Sequence[tuple[int, Term]]

    def moments(self) -> Moments:
        return greatest([(count, branch.moments()) for count, branch in self.branches])


@dataclass(eq=False)
class LeftBehind:
    """Branches that nobody waits for: their load counts, their time does not."""

    branches: Sequence[Term]

    def moments(self) -> Moments:
        for branch in self.branches:
            branch.moments()
        return 0.0, 0.0
