"""Paths that depend on a level: one for each band between thresholds, found by halving."""

from __future__ import annotations

from collections.abc import Sequence

from sim import Buffer, IfAny, Path


def by_level(level: Buffer, thresholds: Sequence[int], paths: Sequence[Path]) -> Path:
    """The path of the band in which ``level`` is; ``paths`` has one more than ``thresholds``, which rise."""
    if not thresholds:
        return paths[0]
    middle = len(thresholds) // 2
    above = by_level(level, thresholds[middle + 1 :], paths[middle + 1 :])
    below = by_level(level, thresholds[:middle], paths[: middle + 1])
    return (IfAny(level, above, below, least=thresholds[middle]),)
