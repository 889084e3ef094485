"""Fits as a lesson asks for them: the one that a system is shipped with, and one to figures of its own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.calibration.calibrate import Calibration, calibrate
from sim.data.dataset import OWN, Dataset, Measurement
from sim.data.fitted import Fitted, path_in, read, refitted
from sim.errors import InputError
from sim.notebook.asking import sweep
from sim.notebook.drawing import Picture
from sim.output.pictures import fit as pictured
from sim.prediction.prediction import Prediction
from sim.system.installed import resolved
from sim.system.system import System

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 0.005
"""Half-width of a figure that is written with three digits, at most, as a share of it."""

NOTABLE = 0.5
"""Correlations that are smaller are left out of a table."""


def fitted(system: System | str) -> Fitted:
    """The fit that ``system`` is shipped with.

    Raises:
        InputError: it has none.
    """
    system = resolved(system)
    found = read(path_in(system.data_package, system.name)) if system.data_package else None
    if found is None:
        raise InputError(f"system '{system.name}' has no fit; allowed: one that has, such as dbfs")
    return found


def with_fit(system: System | str, file: str | Path) -> System:
    """``system`` with what `stacksim fit` or `measure` found, from ``file``, for every other function.

    Raises:
        InputError: no such file, or one that is no fit of the system as it is now.
    """
    return refitted(resolved(system), Path(file))


def made_up(system: System | str, truth: Mapping[str, float], **values: Any) -> Dataset:
    """What ``system`` would do if the parameters in ``truth`` had those values, written down with three digits.

    Args:
        values: of settings, each one or a list; a figure for each combination of them.
    """
    swept = sweep(system, parameters={name: [value] for name, value in truth.items()}, **values)
    figures = tuple(_figure(number, each, values) for number, each in enumerate(swept, start=1))
    return Dataset(name="made-up", title="Made up", system=resolved(system).name, measurements=figures)


def fit(figures: Dataset, system: System | str | None = None) -> Calibration:
    """Fit the free parameters of ``system``, by default the one that the figures are of, to ``figures``.

    Raises:
        InputError: nothing to fit, or a fit that is nonsense.
    """
    chosen = resolved(system or figures.system)
    return calibrate(
        [figures], first_guesses=1, workers=None, command="a lesson", on_stage=lambda _: None, system=chosen
    )


def determined(found: Fitted) -> pd.DataFrame:
    """A row for each fitted parameter: its value, its 95 % interval, and whether figures say anything of it."""
    import pandas as pd  # lazily: half a second

    rows = {
        name: {"value": each.value, "low": each.low, "high": each.high, "mostly its prior": each.at_prior}
        for name, each in found.parameters.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def errors(found: Fitted) -> pd.DataFrame:
    """Mean errors as shares: a row for what was held out, a column for the model and for each baseline."""
    import pandas as pd  # lazily: half a second

    means = {
        row: {found.system: each.system.mean, **{name: of.mean for name, of in each.baselines.items()}}
        for row, each in found.errors.items()
    }
    return pd.DataFrame.from_dict(means, orient="index")


def trade_offs(found: Fitted) -> pd.DataFrame:
    """The pairs of parameters that the figures tell apart badly, with their correlation, the strongest first."""
    import pandas as pd  # lazily: half a second

    pairs = [(one, other, found.correlation(one, other)) for one, other in combinations(found.parameters, 2)]
    told = sorted((pair for pair in pairs if abs(pair[2]) > NOTABLE), key=lambda pair: -abs(pair[2]))
    return pd.DataFrame(told, columns=["parameter", "and", "correlation"])


def picture(calibration: Calibration) -> Picture:
    """The intervals of the parameters beside their priors, and the correlations of all pairs."""
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
