"""What a part of a path is to the analytic engine: the mean and the variance of the time that it takes."""

from __future__ import annotations

from typing import Protocol

Moments = tuple[float, float]
"""Mean and variance of a time, in seconds and their square."""


class Term(Protocol):
    """Part of a path."""

    def moments(self) -> Moments:
        """Mean and variance of the time that it takes."""
