"""Fits for lessons: the one shipped with a system, and new ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.calibration.calibrate import Calibration, calibrate
from sim.data.dataset import OWN, Dataset, Measurement
from sim.data.fitted import Fitted, path_in, read, refitted
from sim.engine.errors import InputError
from sim.output.pictures import fit as pictured
from sim.prediction.prediction import Prediction
from sim.system.installed import resolved
from sim.system.system import System
from stacksim.notebook.asking import sweep
from stacksim.notebook.drawing import Picture

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 0.005
"""Largest relative half-width of a figure with three digits."""

NOTABLE = 0.5
"""Smallest correlation shown in a table."""


def fitted(system: System | str) -> Fitted:
    """The fit shipped with ``system``.

    Raises:
        InputError: ``system`` has none.
    """
    system = resolved(system)
    found = read(path_in(system.data_package, system.name)) if system.data_package else None
    if found is None:
        raise InputError(f"system '{system.name}' has no fit; allowed: one that has, such as dbfs")
    return found


def with_fit(system: System | str, file: str | Path) -> System:
    """``system`` with the fit of `stacksim fit` or `measure` in ``file``, for all other functions.

    Raises:
        InputError: no such file, or it is not a fit of the present system.
    """
    return refitted(resolved(system), Path(file))


def made_up(system: System | str, truth: Mapping[str, float], **values: Any) -> Dataset:
    """Synthetic figures of ``system`` with the parameters ``truth``, rounded to three digits.

    Args:
        values: values of settings, each one or a list; there is a figure for each combination.
    """
    swept = sweep(system, parameters={name: [value] for name, value in truth.items()}, **values)
    figures = tuple(_figure(number, each, values) for number, each in enumerate(swept, start=1))
    return Dataset(name="made-up", title="Made up", system=resolved(system).name, measurements=figures)


def fit(figures: Dataset, system: System | str | None = None) -> Calibration:
    """Fit the free parameters of ``system``, by default the figures' own system, to ``figures``.

    Raises:
        InputError: nothing to fit, or an absurd fit.
    """
    chosen = resolved(system or figures.system)
    return calibrate(
        [figures], first_guesses=1, workers=None, command="a lesson", on_stage=lambda _: None, system=chosen
    )


def determined(found: Fitted) -> pd.DataFrame:
    """A row for each fitted parameter: its value, 95 % interval, and whether it mostly is its prior."""
    import pandas as pd  # lazily: half a second

    rows = {
        name: {"value": each.value, "low": each.low, "high": each.high, "mostly its prior": each.at_prior}
        for name, each in found.parameters.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def errors(found: Fitted) -> pd.DataFrame:
    """Mean errors as shares: a row for each test, a column for the model and for each baseline."""
    import pandas as pd  # lazily: half a second

    means = {
        row: {found.system: each.system.mean, **{name: of.mean for name, of in each.baselines.items()}}
        for row, each in found.errors.items()
    }
    return pd.DataFrame.from_dict(means, orient="index")


def trade_offs(found: Fitted) -> pd.DataFrame:
    """Pairs of parameters that the figures hardly separate, with their correlation, the strongest first."""
    import pandas as pd  # lazily: half a second

    pairs = [(one, other, found.correlation(one, other)) for one, other in combinations(found.parameters, 2)]
    strongest = sorted((pair for pair in pairs if abs(pair[2]) > NOTABLE), key=lambda pair: -abs(pair[2]))
    return pd.DataFrame(strongest, columns=["parameter", "and", "correlation"])


def picture(calibration: Calibration) -> Picture:
    """Picture of parameters' intervals beside their priors, and of the correlations of all pairs."""
    return Picture(pictured.figure(calibration))


def _figure(number: int, prediction: Prediction, values: Mapping[str, Any]) -> Measurement:
    value = float(f"{prediction.throughput.value:.3g}")
    return Measurement(
        dataset="made-up",
        source=OWN,
        table="made up",
        row=" ".join(f"{name}={prediction.shown[name]}" for name in values),
        column="throughput",
        measure="throughput",
        value=value,
        unit=prediction.unit,
        half_width=ROUNDING * value,
        conditions=tuple((name, prediction.shown[name]) for name in values),
        quality="own",
        line=number,
    )
