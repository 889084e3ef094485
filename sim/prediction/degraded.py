"""A system in order, and its remaining performance when each of its parts has failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.engine.display import Shown
from sim.engine.errors import InputError, nearest
from sim.engine.simulation.options import RunOptions
from sim.prediction.over_time import PredictionOverTime, Span
from sim.prediction.prediction import Prediction
from sim.prediction.timeline import Phase, intact, without
from sim.system.case import Case


@dataclass(frozen=True)
class Degraded(Shown):
    """Performance in the long run with each part failed.

    Attributes:
        before: prediction while nothing has failed.
        parts: prediction with each part failed; if the system cannot work without a part, its ``refused`` is the
            reason.
        over: prediction over time while nothing has failed, if that was asked for.
    """

    before: Prediction
    parts: tuple[Phase, ...]
    over: PredictionOverTime | None = None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Performance without each part; where there is no answer, the reason."""
        for part, found, refused in (
            ("nothing", self.before, ""),
            *((phase.part, phase.prediction, phase.refused) for phase in self.parts),
        ):
            yield {
                "failed": part,
                "throughput": found.throughput.value if found else None,
                "unit": self.before.unit,
                "mean_s": found.latency.mean.value if found else None,
                "limit": found.limit.family if found else None,
                "refused": refused or None,
            }

    def without(self, part: str) -> Prediction:
        """The prediction while ``part`` has failed.

        Raises:
            InputError: there is no such part, or the system cannot work without it.
        """
        phases = {phase.part: phase for phase in self.parts}
        if part not in phases:
            hint = nearest(part, phases) if phases else "none can be lost in this model"
            raise InputError(f"no part '{part}'; {hint}")
        prediction = phases[part].prediction
        if prediction is None:
            raise InputError(f"{part}: {phases[part].refused}")
        return prediction


def degraded(case: Case, options: RunOptions, over: Span | None = None) -> Degraded:
    """Predict ``case``, and again without each part that may fail by its system; with ``over``, over that time.

    Raises:
        StacksimError: it cannot be predicted even while nothing has failed.
    """
    whole = intact(case, options, over)
    assert whole.prediction  # noqa: S101  (it is not refused, or else has raised)
    parts = tuple(without(case, failure, options, over) for failure in case.system.failures)
    return Degraded(whole.prediction, parts, whole.over)
