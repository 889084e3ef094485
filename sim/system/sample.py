"""A stationary sample of a job that is too long to simulate: one of many equal parts, its times multiplied."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.engine import checks
from sim.engine.statistics.estimates import Estimate


@dataclass(frozen=True)
class Sample:
    """The simulated part of a job.

    Work at the beginning and the end of the job is in each part as well; so times of the whole may differ by
    ``ends`` from the sum of its parts, and intervals are widened by it.

    Attributes:
        parts: equal parts of the job, of which one is simulated; 1: the whole job.
        ends: the share of a part that lies at its beginning and its end.

    >>> Sample(parts=50, ends=0.01).time(Estimate(2.0, 1.9, 2.1, 0.95))
    Estimate(value=100.0, low=94.05, high=106.05, confidence=0.95, known=True)
    """

    parts: int = 1
    ends: float = 0.0

    def __post_init__(self) -> None:
        checks.whole("parts of a sample", self.parts, 1)
        checks.number("ends of a sample", self.ends, low=0.0, high=1.0)

    def time(self, estimate: Estimate) -> Estimate:
        """The time of the whole job, from that of the part."""
        return self.widened(estimate.scaled(self.parts))

    def widened(self, estimate: Estimate) -> Estimate:
        """The estimate with its interval widened by the error of sampling."""
        return replace(estimate, low=estimate.low * (1.0 - self.error), high=estimate.high * (1.0 + self.error))

    @property
    def error(self) -> float:
        """Share by which the times of all parts may differ from those of the whole."""
        return self.ends if self.parts > 1 else 0.0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for readers of the answers."""
        if self.parts == 1:
            return ()
        return (f"sampled: one of {self.parts} equal parts of the job is simulated, and its times are multiplied",)
