"""The commands and their arguments."""

# No `from __future__ import annotations`, here or in `decisions`: typer would evaluate all of them at each call.

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sim.cli import data, decisions, stack
from sim.cli.examples import examples, panel
from sim.cli.group import group
from sim.cli.options import (
    RUN_TEXTS,
    AsJson,
    Csv,
    Dask,
    Draw,
    DryRun,
    Engine,
    FittedFile,
    HardwareNames,
    Intervals,
    JobFile,
    MaxSteps,
    OutputFormat,
    Over,
    OwnSystem,
    Pairs,
    Parquet,
    Picture,
    Precision,
    Quiet,
    Seed,
    Set,
    Settings,
    SetValues,
    StoreFile,
    SweepName,
    SystemName,
    Values,
    Watch,
    case_of,
    file_name,
    hardware_names,
    options_of,
    schema_of,
    system_names,
    system_of,
    takes_output,
    whole_from,
)
from sim.engine.errors import InputError, shown
from sim.engine.simulation.options import MAX_STEPS

DOES = "Predict the performance of database storage stacks by simulation, checked against published measurements."

app = group(DOES)


def _command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command, in its panel of the help and with its examples."""
    return app.command(name, rich_help_panel=panel(name), epilog=examples(name))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # lazily: half as long as all else that `--help` needs

        typer.echo(f"stacksim {version('stacksim')}")
        raise typer.Exit


app.add_typer(stack.app, name="stack", rich_help_panel=panel("stack"))
app.add_typer(data.app, name="data", rich_help_panel=panel("data"))


@app.callback(help=DOES)
def stacksim(
    _version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Group the commands; ``--version`` needs none of them."""


@_command("systems")
def list_systems(
    system: Annotated[
        str | None, typer.Argument(metavar="[SYSTEM]", help="one of them", autocompletion=system_names)
    ] = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.show:Printed")] = False,
) -> None:
    """List the systems; of one, its settings with their defaults, and its parameters with their sources."""
    from sim.cli import console, show  # lazily: rich
    from sim.system.installed import find, systems

    chosen = [find(system)] if system else list(systems().values())
    if as_json:
        records = [show.described(each) for each in chosen]
        console.out_json(records[0] if system else records)
    elif system:
        show.print_system(chosen[0])
    else:
        show.print_overview(chosen)


@_command("predict")
def predict_one(
    system: SystemName,
    settings: Settings = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    watch: Watch = "all",
    max_steps: MaxSteps = str(MAX_STEPS),
    seed: Seed = "1",
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.predict:Printed")] = False,
    program: Annotated[bool, typer.Option("--program", help="print the program that the event loop runs")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="say where the time goes and what limits it")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="say what this command took its time for")] = False,
    job: JobFile = None,
    output_format: OutputFormat = "normal",
    fitted: FittedFile = None,
    quiet: Quiet = False,
) -> None:
    """Predict one system under the given settings; others have their defaults."""
    options = options_of(engine, precision, seed, watch, max_steps)
    if job:
        from sim.cli import job as jobs  # lazily: with stack files

        if program or explain or profile:
            raise InputError("--job is given with --program, --explain or --profile; leave those out")
        chosen = system_of(system, fitted, set_, hardware)
        jobs.command(chosen, job, settings or [], options, output_format, as_json=as_json, quiet=quiet)
        return
    if output_format != "normal":
        raise InputError(f"--output-format is '{shown(output_format)}', and there is no job; give --job FILE.fio")
    from sim.cli import predict  # lazily: rich

    wishes = predict.Wishes(program, explain, profile, as_json, quiet)
    predict.command(case_of(system, settings, fitted, set_, hardware), options, wishes)


@_command("sweep")
def sweep_settings(
    context: typer.Context,
    system: SweepName,
    settings: Values = None,
    set_: SetValues = None,
    hardware: HardwareNames = None,
    pair: Pairs = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    watch: Watch = "all",
    max_steps: MaxSteps = str(MAX_STEPS),
    seed: Seed = "1",
    intervals: Intervals = False,
    picture: Picture = None,
    draw: Draw = "throughput",
    over: Over = None,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="write a page with sliders into this .html file"),
    ] = None,
    store: StoreFile = None,
    dry_run: DryRun = False,
    dask: Dask = None,
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.sweep:Printed")] = False,
    quiet: Quiet = False,
) -> None:
    """Predict every combination of the given values; print a table, and draw it if asked."""
    from sim.cli import sweep  # lazily: rich, and pictures

    texts = dict(zip(RUN_TEXTS, (engine, precision, seed, watch, max_steps), strict=True))
    given = {name: text for name, text in texts.items() if _is_given(context, name)}
    words = sweep.Words(system, settings or [], set_ or [], pair or [], given, fitted, intervals)
    plan = words.plan(partial(system_of, hardware=hardware))
    targets = sweep.Targets(picture, draw, over, csv, parquet, html, as_json)
    sweep.command(plan, targets, store, dask, dry_run=dry_run, quiet=quiet)


def _is_given(context: typer.Context, name: str) -> bool:
    """True if an option is on the command line; if not, a file may set it."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


@_command("hardware")
def show_hardware(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="such as fc-2", autocompletion=hardware_names)
    ] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="only of this kind, such as link")] = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.hardware:Printed")] = False,
) -> None:
    """List the limits of links, devices, cloud volumes and instances, with dates and sources."""
    from sim.cli import hardware  # lazily: pydantic

    hardware.command(names or [], kind, as_json=as_json)


for _name, _function in decisions.COMMANDS.items():
    _command(_name)(_function)


@_command("fit")
def fit_parameters(
    datasets: Annotated[list[str], typer.Argument(metavar="DATASET…|FILE [SETTING=VALUE]…")],
    system: OwnSystem = None,
    set_: Set = None,
    starts: Annotated[str, typer.Option(help="first guesses of the fit, a whole number from 1")] = "1",
    repeat: Annotated[
        str,
        typer.Option(help="fits with other random numbers and first guesses, for the spread of errors, from 1"),
    ] = "1",
    no_folds: Annotated[
        bool, typer.Option("--no-folds", help="fit once: no cross-validation, no transfers")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="write the fit into this .json file, or -"),
    ] = None,
    picture: Picture = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.data.fitted:Fitted")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="hide progress, and the single figures")] = False,
) -> None:
    """Fit a system's parameters to published figures, or to your own; say how far the fit can be trusted."""
    from sim.cli import fit  # lazily: SciPy's optimisers

    often = fit.Often(whole_from("starts", starts, 1), whole_from("repeat", repeat, 1), not no_folds)
    fit.command(datasets, system, set_ or [], often, output, picture, as_json=as_json, quiet=quiet)


@_command("report")
def report_measurements(
    datasets: Annotated[list[str] | None, typer.Argument(metavar="[DATASET…|FILE [SETTING=VALUE]…]")] = None,
    system: OwnSystem = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    cells: Annotated[bool, typer.Option("--cells", help="list every figure, too")] = False,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.prediction.report:ReportRecord")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="write it as one page into this .html file, or -"),
    ] = None,
    fitted: FittedFile = None,
    quiet: Quiet = False,
) -> None:
    """Compare published figures, or your own, with what the simulation predicts."""
    from sim.cli import report  # lazily: reading data packages loads pydantic

    options = options_of(engine, precision, seed)
    of_system = report.OfSystem(system, fitted, set_ or [], hardware or [])
    report.command(datasets or [], of_system, options, html, cells=cells, as_json=as_json, quiet=quiet)


@_command("trace")
def trace_one(
    system: SystemName,
    settings: Settings = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=file_name, help="write a timeline for Perfetto into this .json file, or -"
        ),
    ] = None,
    picture: Picture = None,
    animate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="animate the requests in this .html file, or -"),
    ] = None,
    requests: Annotated[
        str, typer.Option("--requests", "--walks", help="requests to record, a whole number from 1")
    ] = "200",
    precision: Precision = "5%",
    seed: Seed = "1",
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.trace:TraceRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Record some requests in the steady state: a timeline for Perfetto, a picture of one, an animation of all."""
    from sim.cli import console, trace  # lazily: pictures

    options, case = options_of("auto", precision, seed), case_of(system, settings, fitted, set_, hardware)
    silent = takes_output(output, picture, animate, as_json=as_json)
    trace.check(output, picture, animate)
    number = whole_from("requests", requests, 1)
    prediction = trace.steady(case, options, quiet=quiet)
    written = trace.write(prediction, number, output, picture, animate)
    if as_json:
        console.out_json(written)
    elif not silent:
        trace.print_written(written, number)
        console.print_warnings(case.system.parameters.warnings)
