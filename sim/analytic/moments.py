"""Moments: what the analytic engine knows of the time that a part of a path takes."""

from __future__ import annotations

from typing import Protocol

Moments = tuple[float, float]
"""Mean and variance of a time, in seconds and their square."""


class Term(Protocol):
    """Part of a path, as an expression of the waits along it."""

    def moments(self) -> Moments:
        """Mean and variance of the time that it takes."""
