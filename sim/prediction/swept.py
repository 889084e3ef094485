"""A finished sweep: its predictions, to be selected, tabled and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.engine.display import Shown
from sim.engine.errors import InputError, nearest
from sim.engine.simulation.options import RunOptions
from sim.prediction.points import DONE, Outcome
from sim.prediction.prediction import Prediction
from sim.prediction.sweep import cases_of, checked, predict_all
from sim.prediction.table import Point, table
from sim.system.installed import resolved
from sim.system.system import System

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Sweep(Shown):
    """Predictions of all combinations of values of settings and parameters.

    Attributes:
        varied: the values of each setting or parameter that varies.
        predictions: in order; the last of ``varied`` varies fastest.
    """

    varied: Mapping[str, Sequence[Any]]
    predictions: tuple[Prediction, ...]

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.predictions)

    def __len__(self) -> int:
        return len(self.predictions)

    def only(self, **shown: str | float) -> Sweep:
        """The predictions with these settings, as values or text: ``only(block="8KiB", users=8)``.

        Raises:
            InputError: a setting that does not vary, or values without a prediction.
        """
        for name in shown:
            if name not in self.varied:
                raise InputError(f"'{name}' does not vary in this sweep; {nearest(name, self.varied)}")
        kept = [
            each
            for each in self.predictions
            if all(str(value) in (each.shown[name], str(each.inputs[name])) for name, value in shown.items())
        ]
        if not kept:
            asked = ", ".join(f"{name}={value}" for name, value in shown.items())
            raise InputError(f"nothing was predicted under {asked}; allowed: {self._allowed(shown)}")
        left = {name: [each.inputs[name] for each in kept] for name in self.varied}
        return Sweep({name: list(dict.fromkeys(values)) for name, values in left.items()}, tuple(kept))

    @property
    def points(self) -> list[Point]:
        """Each prediction as a point with status ``done``."""
        return [Point(each.case, Outcome(DONE, each)) for each in self.predictions]

    def values(self, measure: str = "throughput") -> list[float]:
        """Values of the answer ``measure``, in the order of ``predictions``.

        Raises:
            InputError: no such answer.
        """
        return [each.value(measure) for each in self.predictions]

    def table(self) -> pd.DataFrame:
        """One row for each prediction: settings that vary, answers, limit; then intervals."""
        return table(self.points, list(self.varied))

    def to_frame(self) -> pd.DataFrame:
        """Return ``table()``."""
        return self.table()

    def _allowed(self, names: Mapping[str, Any]) -> str:
        values = {name: dict.fromkeys(each.shown[name] for each in self.predictions) for name in names}
        return "; ".join(f"{name}={','.join(texts)}" for name, texts in values.items())


def sweep(
    system: System | str,
    values: Mapping[str, Sequence[Any]],
    options: RunOptions | None = None,
    parameters: Mapping[str, Sequence[Any]] | None = None,
) -> Sweep:
    """Predict every combination of ``values`` of settings, and of ``parameters``; without prediction intervals.

    Raises:
        StacksimError: a setting or value that is not allowed, or the first prediction that fails.
    """
    system = resolved(system)
    varied = checked(system, values, {} if parameters is None else parameters)
    return Sweep(varied, tuple(predict_all(cases_of(system, varied), options or RunOptions())))
