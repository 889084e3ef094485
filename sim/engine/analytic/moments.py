"""Moments of the time of a part of a path, as used by the analytic engine."""

from __future__ import annotations

from typing import Protocol

Moments = tuple[float, float]
"""Mean (s) and variance (s²) of a time."""


class Term(Protocol):
    """Part of a path, as an expression of the waits along it."""

    def moments(self) -> Moments:
        """Mean and variance of the time that it takes."""
