"""The commands, and what each is given."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.errors import InputError
from sim.prediction import Choices, Prediction, listing, predict
from sim.settings import complete, pairs, whole
from sim.solvers import ANALYTIC, SOLVERS, check_solver
from sim.system import System, find, systems

if TYPE_CHECKING:
    from sim.explanation import Explanation

app = typer.Typer(
    name="stacksim",
    help="Predict what a database storage stack does, from simulations held against published measurements.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

Engine = Annotated[str, typer.Option(help=f"which engine: {', '.join(SOLVERS)}")]
Precision = Annotated[str, typer.Option(help="half-width of the 95% interval, such as 1% or 0.01")]
Seed = Annotated[str, typer.Option(help="root seed, a whole number from 0")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON, a stable interface")]
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help="see `stacksim systems`")]
FittedFile = Annotated[
    Path | None,
    typer.Option("--fitted", metavar="FILE", help="parameters from this file of `stacksim fit --output`"),
]

_FINEST, _COARSEST = 0.0001, 0.5
"""Between these ``sim.simulate`` takes a precision."""


def _choices(engine: str, precision: str, seed: str) -> Choices:
    check_solver(engine)  # refused before anything is compiled or computed
    return Choices(engine, _share(precision), _whole(seed))


def _share(text: str) -> float:
    written = re.fullmatch(r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)(%?)", text)
    share = float(written[1]) / (100 if written[2] else 1) if written else 0.0
    if not _FINEST <= share <= _COARSEST:
        allowed = f"a share from {_FINEST:.2%} to {_COARSEST:.0%}, such as 1% or 0.01"
        raise InputError(f"precision is '{text}'; allowed: {allowed}")
    return share


def _whole(text: str, name: str = "seed", least: int = 0) -> int:
    number = whole(text)
    if number is None or number < least:
        raise InputError(f"{name} is '{text}'; allowed: a whole number from {least}, of at most 18 digits")
    return number


def _system(name: str, fitted: Path | None) -> System:
    """The system ``name``, with the parameters in the file ``fitted`` if there is one."""
    if fitted is None:
        return find(name)
    from sim.fitted import refitted  # lazily: pydantic

    return refitted(find(name), fitted)


def _print_json(record: Any) -> None:
    typer.echo(json.dumps(record, indent=2, allow_nan=False))


@app.command("systems")
def list_systems() -> None:
    """List what can be predicted, with settings, defaults and parameters."""
    from sim.cli import show  # lazily: rich

    for system in systems().values():
        show.system(system)


@app.command("predict")
def predict_one(
    system: SystemName,
    settings: Annotated[list[str] | None, typer.Argument(metavar="[SETTING=VALUE]…")] = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    as_json: AsJson = False,
    program: Annotated[bool, typer.Option("--program", help="print the program that the event loop runs")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="say where the time goes, and what limits")] = False,
    fitted: FittedFile = None,
) -> None:
    """Predict one system under given settings; the others keep their defaults."""
    from sim.cli import show  # lazily: rich

    choices, found = _choices(engine, precision, seed), _system(system, fitted)
    given = complete(found.settings, pairs(settings or []))
    if program:
        typer.echo(listing(found, given))
        return
    show.compilation(choices)
    with show.share_done("simulating") as progress:
        prediction = predict(found, given, choices, progress)
    why = _explained(found, prediction) if explain else None
    if as_json:
        _print_json(prediction.record() | ({"explanation": why.record()} if why else {}))
        return
    show.prediction(prediction)
    if why:
        from sim.cli.explain import explanation  # lazily: with what it shows

        explanation(why)


def _explained(system: System, prediction: Prediction) -> Explanation:
    from sim.explanation import explain  # lazily: a plain prediction does without

    if prediction.result.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and --explain records simulated I/Os; choose engine auto")
    return explain(system, prediction)


@app.command("sweep")
def sweep_settings(
    system: SystemName,
    settings: Annotated[list[str], typer.Argument(metavar="SETTING=VALUE[,VALUE…]…")],
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    picture: Annotated[Path | None, typer.Option(help="draw into this .png or .svg file")] = None,
    draw: Annotated[str, typer.Option(help="what the picture shows: answers of one unit")] = "throughput",
    csv: Annotated[Path | None, typer.Option(help="write the table into this .csv file")] = None,
    fitted: FittedFile = None,
) -> None:
    """Predict every combination of the given values; print a table, and draw it if asked."""
    from sim import plot, sweep  # lazily: a single prediction does without
    from sim.cli import show  # lazily: rich
    from sim.files import check_target, write_atomically  # lazily: with them

    choices, found = _choices(engine, precision, seed), _system(system, fitted)
    varied = sweep.axes(found, settings)
    if picture:
        check_target("picture", picture, plot.FORMATS)
        plot.horizontal(varied)
        plot.check_measures(found, varied, draw.split(","))
    elif draw != "throughput":
        raise InputError(f"--draw is '{draw}', and there is no picture to draw; give --picture FILE.png, too")
    if csv:
        check_target("table", csv, (".csv",))
    show.compilation(choices)
    with show.count_done("simulating") as done:
        asked = [(found, combination) for combination in sweep.crossed(varied)]
        predictions = sweep.predict_all(asked, choices, done=done)
    if csv:
        table = sweep.table(predictions, list(varied))
        write_atomically(csv, table.to_csv(index=False).encode())
    if picture:
        plot.save(plot.sweep_figure(predictions, varied, draw.split(",")), picture)
    show.sweep(predictions, list(varied))
    show.warnings(found.parameters.warnings)


@app.command("fit")
def fit_parameters(
    datasets: Annotated[list[str], typer.Argument(metavar="DATASET…|FILE [SETTING=VALUE]…")],
    system: Annotated[str | None, typer.Option(help="what a file of your own measures, such as dbfs")] = None,
    starts: Annotated[str, typer.Option(help="first guesses of the fit, a whole number from 1")] = "1",
    output: Annotated[Path | None, typer.Option(help="write the fit into this .json file")] = None,
    picture: Annotated[Path | None, typer.Option(help="draw what the data tell, as .png or .svg")] = None,
) -> None:
    """Fit a system's parameters to published figures, or to your own; say how far the fit can be trusted."""
    from sim.cli import fit  # lazily: SciPy's optimisers

    fit.command(datasets, system, _whole(starts, "starts", 1), output, picture)


@app.command("report")
def report_datasets(
    datasets: Annotated[list[str] | None, typer.Argument(metavar="[DATASET]…")] = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="write it as one page into this .html file")] = None,
    fitted: FittedFile = None,
) -> None:
    """Compare published figures with what the simulation predicts, cell by cell."""
    from sim import report  # lazily: reading data packages loads pydantic
    from sim.cli import show  # lazily: rich

    choices, asked = _choices(engine, precision, seed), report.datasets(datasets or [])
    refitted = _refitted(fitted, [each.system for each in asked])
    if html:
        from sim import page  # lazily: a template engine, and pictures
        from sim.files import check_target  # lazily: with it

        check_target("page", html, page.FORMATS)
    show.compilation(choices)
    with show.count_done("simulating published figures") as done:
        found = report.report(asked, choices, done, refitted=refitted)
    if html:
        page.write(found, asked, choices, html, refitted=refitted)
    if as_json:
        _print_json(found.record())
    else:
        show.report(found)


def _refitted(fitted: Path | None, systems: Collection[str]) -> System | None:
    """The system that the file ``fitted`` is a fit of, which must be one of ``systems``."""
    if fitted is None:
        return None
    from sim.fitted import system_of  # lazily: pydantic

    found = system_of(fitted)
    if found.name not in systems:
        raise InputError(f"{fitted} is a fit of system '{found.name}', of which no dataset is given; give one")
    return found


@app.command("trace")
def trace_one(
    system: SystemName,
    settings: Annotated[list[str] | None, typer.Argument(metavar="[SETTING=VALUE]…")] = None,
    output: Annotated[Path | None, typer.Option(help="write a timeline for Perfetto into this .json file")] = None,
    picture: Annotated[Path | None, typer.Option(help="draw one I/O's way into this .png or .svg file")] = None,
    walks: Annotated[str, typer.Option(help="I/Os of the timeline, a whole number from 1")] = "200",
    precision: Precision = "5%",
    seed: Seed = "1",
    fitted: FittedFile = None,
) -> None:
    """Record some I/Os once the system runs steadily: a timeline for the Perfetto viewer, a picture of one."""
    from sim.cli import trace  # lazily: pictures

    choices, found = _choices("auto", precision, seed), _system(system, fitted)
    given = complete(found.settings, pairs(settings or []))
    trace.command(found, given, choices, _whole(walks, "walks", 1), output, picture)
