"""Questions about one design, or two: what it does, why, what is left of it, and what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.calibration.calibrate import Calibration, calibrate
from sim.data.dataset import Dataset
from sim.data.fitted import refitted
from sim.decision.compare import Comparison
from sim.decision.compare import compare as compared
from sim.engine import checks
from sim.engine.checks import quoted
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction import report as reports
from sim.prediction.degraded import Degraded, degraded
from sim.prediction.explanation import Explanation
from sim.prediction.explanation import explain as explained
from sim.prediction.over_time import PredictionOverTime, Span, predict_over_time
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.swept import Sweep
from sim.prediction.swept import sweep as swept
from sim.system.case import Case
from sim.system.installed import resolved
from sim.system.stack.hardware import with_hardware
from sim.system.system import System
from sim.system.what_if import with_set

Side = Case | tuple[System | str, Mapping[str, Any]]
"""One of two designs: a system and its settings."""


def system(
    name: System | str,
    *,
    parameters: Mapping[str, float] | None = None,
    hardware: Sequence[str] = (),
    fitted: str | Path | None = None,
) -> System:
    """A system to ask, with what is changed about it.

    Args:
        name: name of an installed system, of a stack file or of a system in Python; or a system.
        parameters: values that take the place of the system's own, in SI units.
        hardware: names of the catalogue, or ``"LAYER=NAME"``, put into the layers of a stack.
        fitted: a file that ``stacksim fit`` or ``stacksim measure`` wrote for this system.

    Returns:
        The system, for every other function.

    Raises:
        InputError: no such system, parameter, hardware or file; or a fit of another system.
    """
    made = resolved(name)
    if not isinstance(fitted, str | Path | None):
        raise InputError(f"fitted is {quoted(fitted)}; allowed: the name of a file of `stacksim fit --output`")
    if fitted is not None:
        made = refitted(made, Path(fitted))
    if hardware:
        made = with_hardware(made, hardware)
    return with_set(made, parameters) if parameters else made


def predict(
    system: System | str,
    *,
    precision: float = 0.01,
    engine: str = "auto",
    seed: int = 1,
    intervals: bool = True,
    **settings: Any,
) -> Prediction:
    """Predict throughput and latency of a system, what limits it, and where a measurement would lie.

    Args:
        precision: half-width of the interval of the simulated throughput, as a share.
        engine: ``auto``, ``compiled``, ``reference`` or ``analytic``.
        seed: seed of the random numbers; results are equal for equal seeds.
        intervals: whether to compute where measurements would lie, which takes 17 to 33 runs more.
        settings: values of settings of the system; all others keep their defaults.

    Returns:
        Answers in ``throughput``, ``latency`` and ``further``, each with its interval; ``intervals`` by answer.

    Raises:
        InputError: a system, setting or option that is not allowed.

    Examples:
        >>> import stacksim
        >>> answer = stacksim.predict("gp3", block="64KiB", precision=0.05, intervals=False)
        >>> f"{answer.throughput.value:.0f} {answer.unit}, limited by {answer.limit.place}"
        '81 MB/s, limited by instance bandwidth'
    """
    options = RunOptions(engine=engine, precision=precision, seed=seed)
    return predict_case(Case.of(resolved(system), settings), options, intervals=intervals)


def over_time(
    system: System | str,
    *,
    duration_s: float,
    resolution_s: float | None = None,
    engine: str = "auto",
    seed: int = 1,
    intervals: bool = True,
    **settings: Any,
) -> PredictionOverTime:
    """Predict what a system does from its start on: burst, sustained rate, lowest part, stalls and saw-teeth.

    Args:
        duration_s: the time that the answer covers, in seconds.
        resolution_s: length of its parts: by default a second, or what suits the time.
        engine, seed, settings: as for ``predict``.
        intervals: whether to compute where measurements would lie, which takes 17 or 33 runs more.

    Returns:
        Answers by name in ``answers``, each with its interval in ``intervals``; rates and levels in ``record``.

    Raises:
        InputError: a system, setting, time or option that is not allowed, or a load that ends by itself.

    Examples:
        >>> import stacksim
        >>> answer = stacksim.over_time("gp3", duration_s=7200, iops=16000, block="4KiB", credits="full",
        ...                             intervals=False)
        >>> f"{answer.value('burst'):.0f} {answer.unit} for {answer.value('burst_length') / 60:.0f} minutes"
        '66 MB/s for 37 minutes'
    """
    options = RunOptions(engine=engine, seed=seed)
    return predict_over_time(
        Case.of(resolved(system), settings), Span(duration_s, resolution_s), options, intervals=intervals
    )


def sweep(
    system: System | str,
    *,
    parameters: Mapping[str, Sequence[float]] | None = None,
    precision: float = 0.01,
    engine: str = "auto",
    seed: int = 1,
    **values: Any,
) -> Sweep:
    """Predictions under every combination of values, without intervals of measurements.

    Args:
        parameters: lists of values that replace the system's own, in SI units; crossed like settings.
        precision, engine, seed: as for ``predict``.
        values: one value, or a list of values, of each setting.

    Returns:
        Predictions in order; the last setting varies fastest.

    Raises:
        InputError: a system, setting or value that is not allowed.

    Examples:
        >>> import stacksim
        >>> len(stacksim.sweep("gp3", block=["4KiB", "64KiB"], jobs=[1, 8], engine="analytic"))
        4
    """
    lists = {name: value if isinstance(value, list | tuple | range) else [value] for name, value in values.items()}
    options = RunOptions(engine=engine, precision=precision, seed=seed)
    return swept(resolved(system), lists, options, parameters)


def explain(
    system: System | str, *, precision: float = 0.01, engine: str = "auto", seed: int = 1, **settings: Any
) -> Explanation:
    """Where a request spends its time, what limits, and which parameters throughput hangs on.

    Args:
        precision, engine, seed, settings: as for ``predict``.

    Returns:
        Shares of latency by place, limits, and elasticities with their intervals.

    Raises:
        InputError: a system, setting or option that is not allowed.
    """
    return explained(predict(system, precision=precision, engine=engine, seed=seed, intervals=False, **settings))


def compare(a: Side, b: Side, *, precision: float = 0.01, engine: str = "auto", seed: int = 1) -> Comparison:
    """Two designs side by side, simulated in pairs with random numbers in common.

    Args:
        a, b: a system and its settings: ``("dbfs", {"users": 8})``.
        precision, engine, seed: as for ``predict``.

    Returns:
        The difference of each answer that both have, with its interval, and the place that makes it.

    Raises:
        InputError: a design that is not allowed, or two that have no answer in common.
    """
    return compared(_case(a), _case(b), RunOptions(engine=engine, precision=precision, seed=seed))


def fail(
    system: System | str,
    *,
    duration_s: float | None = None,
    precision: float = 0.01,
    engine: str = "auto",
    seed: int = 1,
    **settings: Any,
) -> Degraded:
    """Predict performance of a system after each of its parts fails.

    Args:
        duration_s: seconds of an answer over time, ``over`` of each part; by default it is the long run.
        precision, engine, seed, settings: as for ``predict``.

    Returns:
        The prediction before, and one for each part that may fail.

    Raises:
        InputError: a system, setting or option that is not allowed.
    """
    options = RunOptions(engine=engine, precision=precision, seed=seed)
    over = None if duration_s is None else Span(duration_s)
    return degraded(Case.of(resolved(system), settings), options, over)


def report(
    *datasets: str | Dataset, precision: float = 0.01, engine: str = "auto", seed: int = 1
) -> reports.Report:
    """Published figures beside what is predicted under their conditions.

    Processes share the work, and each imports the script that asks: let it ask below
    ``if __name__ == "__main__":``.

    Args:
        datasets: names of published datasets, folders of one's own, or datasets; none: all that are published.
        precision, engine, seed: as for ``predict``.

    Returns:
        Each figure with its prediction and error, and a summary by dataset.

    Raises:
        InputError: no such dataset, or an option that is not allowed.
    """
    return reports.report(_datasets(datasets), RunOptions(engine=engine, precision=precision, seed=seed))


def fit(system: System | str, *datasets: str | Dataset, starts: int = 1, folds: bool = False) -> Calibration:
    """Fit the free parameters of a system to figures.

    Args:
        datasets: as for ``report``; of this system.
        starts: first guesses; the best fit is kept.
        folds: whether to fit again without each fold, which tells how figures not seen are predicted.

    Returns:
        The fit, which ``sim.data.fitted.write`` keeps in a file.

    Raises:
        InputError: nothing to fit, or a fit that makes no sense.
    """
    made = resolved(system)
    figures = _datasets(datasets)
    if not datasets:
        figures = [each for each in figures if each.system == made.measured_as]
    if not figures:
        raise InputError(
            f"no dataset of '{made.name}' is published, and none is given; give a folder of your own as text"
        )
    return calibrate(
        figures,
        first_guesses=checks.whole("starts", starts, 1),
        cross_validated=folds,
        workers=None,
        command="stacksim.fit",
        on_stage=lambda _: None,
        system=made,
    )


def _datasets(given: Sequence[str | Dataset]) -> list[Dataset]:
    """Data sets ``given``, with names looked up; all published ones if none is given."""
    for each in given:
        if not isinstance(each, str | Dataset):
            raise InputError(
                f"dataset is {quoted(each)}; allowed: the name of one, a folder as text, or a Dataset"
            )
    names = [each for each in given if isinstance(each, str)]
    read = reports.datasets(names) if names or not given else []
    return [*read, *(each for each in given if isinstance(each, Dataset))]


def _case(side: Side) -> Case:
    if isinstance(side, Case):
        return side
    if not (isinstance(side, tuple) and len(side) == 2):  # noqa: PLR2004  (a pair)
        raise InputError(
            f'a design is {quoted(side)}; allowed: a system and its settings, as ("dbfs", {{"users": 8}})'
        )
    named, settings = side
    return Case.of(resolved(named), settings)
