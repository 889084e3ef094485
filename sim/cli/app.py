"""The commands and their arguments."""

# No `from __future__ import annotations`, here or in `decisions`: typer would evaluate all of them at each call.

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sim.cli import data, decisions, stack
from sim.cli.examples import panel
from sim.cli.group import command_of, group
from sim.cli.options import (
    RUN_TEXTS,
    AsJson,
    Csv,
    Dask,
    Draw,
    DryRun,
    Engine,
    FittedFile,
    For,
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

_FIGURES = (
    "published datasets, such as dbfs-dd; or a file of your own, and the settings under which it was measured"
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # lazily: adds half to the time of `--help`

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


@command_of(app, "systems")
def list_systems(
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="describe this one", autocompletion=system_names)
    ] = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.show:Printed")] = False,
) -> None:
    """List the systems, or the settings and parameters of one, with defaults and sources."""
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


@command_of(app, "predict")
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
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="add all answers, the resources, and how it was simulated")
    ] = False,
    program: Annotated[bool, typer.Option("--program", help="print the steps that the event loop runs")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="say where the time of a request goes and what limits throughput")
    ] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="say where this command itself spent its time")
    ] = False,
    job: JobFile = None,
    output_format: OutputFormat = "normal",
    for_: For = None,
    resolution: Annotated[
        str | None, typer.Option(metavar="TIME", help="with --for: the length of its parts, such as 1min")
    ] = None,
    picture: Picture = None,
    fitted: FittedFile = None,
    quiet: Quiet = False,
) -> None:
    """Predict throughput and latency of a system; settings that are not given have their defaults."""
    options = options_of(engine, precision, seed, watch, max_steps)
    if for_ is not None or resolution is not None or picture:
        from sim.cli import over_time  # lazily: rich

        if job or program or explain or profile or verbose:
            others = "--job, --verbose, --program, --explain and --profile"
            raise InputError(f"an answer over time has no details of that kind; leave {others} out")
        span = over_time.span_of(for_, resolution)
        if not span:
            raise InputError("a picture shows throughput over time; say for how long, such as --for 2h")
        case = case_of(system, settings, fitted, set_, hardware)
        over_time.command(case, span, options, picture, as_json=as_json, quiet=quiet)
        return
    if job:
        from sim.cli import job as jobs  # lazily: with stack files

        if program or explain or profile:
            raise InputError("--job is given with --program, --explain or --profile; leave those out")
        chosen = system_of(system, fitted, set_, hardware)
        jobs.command(
            chosen, job, settings or [], options, output_format, verbose=verbose, as_json=as_json, quiet=quiet
        )
        return
    if output_format != "normal":
        raise InputError(f"--output-format is '{shown(output_format)}', and there is no job; give --job FILE.fio")
    from sim.cli import predict  # lazily: rich

    wishes = predict.Wishes(verbose, program, explain, profile, as_json, quiet)
    predict.command(case_of(system, settings, fitted, set_, hardware), options, wishes)


@command_of(app, "sweep")
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
    """Predict every combination of the given values, as a table, a picture or a page."""
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


@command_of(app, "hardware")
def show_hardware(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="list only these, such as fc-2", autocompletion=hardware_names),
    ] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="list only this kind, such as link")] = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.hardware:Printed")] = False,
) -> None:
    """List the limits of links, devices, cloud volumes and instances, with dates and sources."""
    from sim.cli import hardware  # lazily: pydantic

    hardware.command(names or [], kind, as_json=as_json)


for _name, _function in decisions.COMMANDS.items():
    command_of(app, _name)(_function)


@command_of(app, "fit")
def fit_parameters(
    datasets: Annotated[list[str], typer.Argument(metavar="DATASET|FILE|SETTING=VALUE", help=_FIGURES)],
    system: OwnSystem = None,
    set_: Set = None,
    starts: Annotated[
        str, typer.Option(metavar="COUNT", help="starting points of a fit, of which the best fit is kept")
    ] = "1",
    repeat: Annotated[
        str,
        typer.Option(
            metavar="COUNT", help="fits with other random numbers and starting points, to see how errors vary"
        ),
    ] = "1",
    no_folds: Annotated[
        bool, typer.Option("--no-folds", help="fit once, without cross-validation and transfers")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="write the fit into this .json file, or -"),
    ] = None,
    picture: Picture = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.data.fitted:Fitted")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="hide progress and the list of figures")] = False,
) -> None:
    """Fit a system's parameters to published or own measurements, and say how far the fit can be trusted."""
    from sim.cli import fit  # lazily: SciPy's optimisers

    often = fit.Often(whole_from("starts", starts, 1), whole_from("repeat", repeat, 1), not no_folds)
    fit.command(datasets, system, set_ or [], often, output, picture, as_json=as_json, quiet=quiet)


@command_of(app, "report")
def report_measurements(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="DATASET|FILE|SETTING=VALUE", help=_FIGURES)
    ] = None,
    system: OwnSystem = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    cells: Annotated[bool, typer.Option("--cells", help="list every figure as well")] = False,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.prediction.report:ReportRecord")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=file_name, help="write the report as a page into this .html file, or -"
        ),
    ] = None,
    fitted: FittedFile = None,
    quiet: Quiet = False,
) -> None:
    """Compare predictions with published or own measurements, figure by figure."""
    from sim.cli import report  # lazily: reading data packages loads pydantic

    options = options_of(engine, precision, seed)
    of_system = report.OfSystem(system, fitted, set_ or [], hardware or [])
    report.command(datasets or [], of_system, options, html, cells=cells, as_json=as_json, quiet=quiet)


@command_of(app, "trace")
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
        typer.Option(
            metavar="FILE", parser=file_name, help="write an animation of the requests into this .html file, or -"
        ),
    ] = None,
    requests: Annotated[
        str, typer.Option("--requests", "--walks", metavar="COUNT", help="requests to record")
    ] = "200",
    precision: Precision = "5%",
    seed: Seed = "1",
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.trace:TraceRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Record requests in the steady state, as a timeline for Perfetto, a picture of one, or an animation."""
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
