"""What one call of ``simulate`` asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim.engines.registry import Create
from sim.model.model import Model
from sim.statistics.answers import tolerances

Progress = Callable[[float], None]
"""Told now and then which share of the run is probably done."""


@dataclass(frozen=True)
class Wish:
    """A model, and the precision asked for. See ``simulate`` for the meaning of each."""

    model: Model
    seed: int
    precision: float
    confidence: float
    watch: str
    answers: tuple[str, ...]
    create: Create
    most_steps: int
    most_completed: int
    parts: bool
    progress: Progress

    @property
    def tolerances(self) -> dict[str, float]:
        """How well each answer has to be known, as a share of its value."""
        return tolerances(self.precision)

    @property
    def rows(self) -> list[int]:
        """Where the watched workloads stand among the workloads of the model."""
        return self.model.rows(self.watch)
