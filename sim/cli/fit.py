"""`stacksim fit`: its measurements, its printed result, and its files."""

from __future__ import annotations

import os
import shlex
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.status import Status
from rich.table import Table

from sim.calibration.assumptions import Assumption, assumption
from sim.calibration.calibrate import Calibration, calibrate
from sim.calibration.design import Advice, advise
from sim.cli import console, measured
from sim.cli.options import takes_output
from sim.data.fitted import ErrorsWithBaselines, Fitted, FittedFigure, record, write
from sim.engine.errors import printable
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import figure_text
from sim.output.pictures import fit as fit_picture
from sim.output.pictures import style
from sim.output.views import fit as fit_view
from sim.output.views.parts import table
from sim.prediction.processes import leaving
from sim.system.installed import find
from sim.system.system import System
from sim.system.what_if import set_values, with_set

_FIGURES = 12
"""Number of figures that are shown beside their predictions."""


@dataclass(frozen=True)
class Often:
    """Number of first guesses and of fits, and whether to cross-validate by folds."""

    starts: int
    repeats: int
    folds: bool


def command(
    words: Sequence[str],
    system: str | None,
    set_: Sequence[str],
    often: Often,
    output: Path | None,
    picture: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit, write, print. All errors of input are raised before the long work begins."""
    silent = takes_output(output, picture, as_json=as_json)
    own_system = find(system) if system else None
    datasets = measured.of(words, own_system) if own_system else measured.published(words)
    fitted_system = with_set(own_system or find(datasets[0].system), set_values(set_))
    if picture:
        check_target("picture", picture, style.FORMATS, or_standard_output=True)
    if output:
        check_target("fit", output, (".json",), or_standard_output=True)
    console.compilation(RunOptions(), quiet=quiet)
    with Status("", console=Console(stderr=True, quiet=quiet)) as status, workers() as processes:
        calibration = calibrate(
            datasets,
            first_guesses=often.starts,
            repeats=often.repeats,
            cross_validated=often.folds,
            workers=processes,
            command=typed(),
            on_stage=status.update,
            system=fitted_system,
        )
        status.update("what would explain the worst error, and which measurements would help most")
        confidence = calibration.certainty
        suspect = assumption(calibration.problem, calibration.solution)
        advice = advise(calibration.problem, calibration.solution.point, confidence.covariance, confidence.scatter)
    if output:
        write(calibration.fitted, output)
    if picture:
        style.save(fit_picture.figure(calibration), picture)
    if as_json:
        console.out_json(record(calibration.fitted))
    if silent or as_json:
        return
    for remark in (remark for dataset in datasets for remark in dataset.remarks):
        console.out(f"note: {printable(remark)}")
    _show(fitted_system, calibration, suspect, advice, figures=not quiet)
    written = f"written     {printable(str(output))}" if output else ""
    console.out(written or "not written: give --output FILE.json to keep it for --fitted")


def workers() -> AbstractContextManager[Executor | None]:
    """Pool of processes; threads would block each other, as Python builds models between the short runs."""
    return leaving(os.cpu_count() or 1)


def typed() -> str:
    """The command line in shell quoting."""
    return shlex.join(["stacksim", *sys.argv[1:]])


def _show(
    system: System,
    calibration: Calibration,
    suspect: Assumption | None,
    advice: Sequence[Advice],
    *,
    figures: bool,
) -> None:
    fitted = calibration.fitted
    console.out(fit_view.parameters(calibration))
    if figures:
        _show_figures(fitted.figures)
    errors = table("error", "figures", "mean", "median", "worst", right=1)
    for name, compared in fitted.errors.items():
        _add(errors, name, compared, system.name)
    console.out(errors)
    _show_repeats(fitted)
    console.out(f"scatter     ±{fitted.scatter:.1%} that no parameter explains; {_held_out(fitted)}")
    console.out(
        f"simulated   {calibration.problem.simulated} runs in all; the fit alone took {calibration.seconds:.0f} s"
    )
    console.out_parts(fit_view.in_words(calibration))
    for text in _trade_offs(calibration):
        console.out(text)
    console.out_parts([*fit_view.suspected(suspect), *fit_view.advised(advice)])
    console.print_warnings(fitted.warnings)


def _held_out(fitted: Fitted) -> str:
    if fitted.coverage is None:
        return "not cross-validated: its error on unseen data is not known"
    figures = len(fitted.held_out)
    inside = round(fitted.coverage * figures)
    return f"in cross-validation, {inside} of {figures} figures lie within their 90% prediction intervals"


def _show_repeats(fitted: Fitted) -> None:
    """Print the random part of errors: means over all repeats, and their range."""
    count = len(next(iter(fitted.repeats.values())))
    if count == 1:
        console.out("once        with one seed and from one first guess; --repeat 5 shows how far others differ")
        return
    rows = table(f"mean error of {count} fits", "mean", "lowest", "highest", "best curve", right=1)
    for name, means in fitted.repeats.items():
        best = min((each.mean for each in fitted.errors[name].baselines.values()), default=None)
        shares = (f"{each:.1%}" for each in (statistics.fmean(means), min(means), max(means)))
        rows.add_row(name, *shares, "" if best is None else f"{best:.1%}")
    console.out(rows)


def _show_figures(figures: Sequence[FittedFigure]) -> None:
    """Print measured figures beside predictions, the largest errors first."""
    rows = table("figure", "measured", "predicted", "error", right=1)
    worst_first = sorted(figures, key=lambda each: -abs(each.error))
    for each in worst_first[:_FIGURES]:
        measured, predicted = (figure_text(value, each.unit) for value in (each.measured, each.predicted))
        rows.add_row(f"{each.row} {each.column}", measured, predicted, f"{each.error:+.1%}")
    console.out(rows)
    if hidden := worst_first[_FIGURES:]:
        console.out(
            f"{len(hidden)} more {'is' if len(hidden) == 1 else 'are'} not shown: missed by "
            f"{abs(hidden[0].error):.1%} or less; --json has every figure"
        )


def _add(rows: Table, name: str, compared: ErrorsWithBaselines, system: str) -> None:
    for label, errors in {system: compared.system, **compared.baselines}.items():
        title = name if label == system else f"  {label}"
        shares = (f"{each:.1%}" for each in (errors.mean, errors.median, errors.worst))
        rows.add_row(title, str(errors.figures), *shares)


def _trade_offs(calibration: Calibration) -> list[str]:
    """Pairs of parameters that the data hardly separate."""
    names, correlation = [each.name for each in calibration.problem.free], calibration.certainty.correlation
    pairs_of = [(i, j) for i in range(len(names)) for j in range(i) if abs(correlation[i, j]) > 0.7]  # noqa: PLR2004
    return [f"trade-off   {names[j]} and {names[i]}: correlation {correlation[i, j]:+.2f}" for i, j in pairs_of]
