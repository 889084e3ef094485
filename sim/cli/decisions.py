"""Commands for decisions and their arguments: find, compare, growth, fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.options import (
    AsJson,
    Engine,
    FittedFile,
    For,
    HardwareNames,
    MaxSteps,
    Picture,
    Precision,
    Quiet,
    Seed,
    Set,
    Settings,
    SystemName,
    case_of,
    file_name,
    options_of,
    schema_of,
    system_of,
)
from sim.engine.simulation.options import MAX_STEPS


def fail_parts(
    system: SystemName,
    settings: Settings = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="the part that fails, by name or as SETTING=VALUE,…; several fail in turn",
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="SIZE", help="say how long it takes to rebuild this amount, such as 4TB")
    ] = None,
    each: Annotated[
        str | None, typer.Option(metavar="TIME", help="length of each phase of the timeline, such as 10s")
    ] = None,
    engine: Engine = "auto",
    precision: Precision = "2%",
    seed: Seed = "1",
    for_: For = None,
    picture: Picture = None,
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.cli.fail:FailRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Predict performance with each part failed; with --part, over time before, during and after."""
    from sim.cli import fail  # lazily: pictures
    from sim.cli.over_time import span_of

    options = options_of(engine, precision, seed)
    case = case_of(system, settings, fitted, set_, hardware)
    over = span_of(for_)
    fail.command(case, part or [], options, data, each, picture, over, as_json=as_json, quiet=quiet)


def compare_two(
    a: Annotated[str, typer.Argument(metavar="A", help='a system with its settings, such as "dbfs cells=3"')],
    b: Annotated[str, typer.Argument(metavar="B", help='the other one, such as "dbfs cells=7"')],
    settings: Settings = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    fitted: FittedFile = None,
    precision: Precision = "1%",
    seed: Seed = "1",
    picture: Picture = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.decision.comparison_record:ComparisonRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare two designs; settings after the quotes apply to both."""
    from sim.cli import compare  # lazily: rich

    both = compare.Words(settings or [], set_ or [], hardware or [], fitted)
    options = options_of("auto", precision, seed)
    compare.command((a, b), both, options, system_of, picture, as_json=as_json, quiet=quiet)


def grow_load(
    system: SystemName,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="GOAL|SETTING=VALUE", help="goals and settings, such as 'p99<=2ms' block=8KiB"),
    ] = None,
    load: Annotated[
        str | None, typer.Option(metavar="SETTING=VALUE", help="the setting that grows, and its value today")
    ] = None,
    by: Annotated[str, typer.Option(metavar="SHARE", help="growth per month, such as 3%")] = "3%",
    months: Annotated[
        str, typer.Option(metavar="COUNT", help="how many months to examine, the first included")
    ] = "36",
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="YEAR-MONTH", help="the month of that value; by default, this month"),
    ] = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    seed: Seed = "1",
    for_: For = None,
    picture: Picture = None,
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.decision.growth_record:GrowthRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Find the month in which a growing load breaks each goal."""
    from sim.cli import growth  # lazily: rich
    from sim.cli.over_time import span_of

    options, chosen = options_of(engine, precision, seed), system_of(system, fitted, set_, hardware)
    goals, settings = growth.goals_and_settings(given or [])
    growing = growth.growing_load(chosen, load, by, months, start)
    over = span_of(for_)
    growth.command(chosen, goals, settings, growing, options, picture, over, as_json=as_json, quiet=quiet)


def find_design(
    system: SystemName,
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GOAL|SETTING=RANGE",
            help="goals, ranges and settings, such as 'p99<=2ms' cells=1..14 depth=1..64x2 link=ddr,qdr users=8",
        ),
    ] = None,
    set_: Set = None,
    hardware: HardwareNames = None,
    largest: Annotated[
        str | None,
        typer.Option(metavar="SETTING", help="find the largest value of this setting, such as users"),
    ] = None,
    cost: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=file_name, help="find the cheapest design by the prices in this .toml file"
        ),
    ] = None,
    loads: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=file_name,
            help="find a design for several loads with goals of their own, from this .toml file",
        ),
    ] = None,
    engine: Engine = "auto",
    precision: Precision = "1%",
    max_steps: MaxSteps = str(MAX_STEPS),
    seed: Seed = "1",
    for_: For = None,
    picture: Picture = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="write the Pareto front into this .csv file, or -"),
    ] = None,
    fitted: FittedFile = None,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.decision.record:FindRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Find the smallest, cheapest or largest design that keeps goals, and its headroom."""
    from sim.cli import find as finder  # lazily: loads the views that it prints
    from sim.cli.over_time import span_of

    options, chosen = (
        options_of(engine, precision, seed, "all", max_steps),
        system_of(system, fitted, set_, hardware),
    )
    files = finder.Files(cost, loads, picture, csv)
    over = span_of(for_)
    if status := finder.command(chosen, given or [], largest, files, options, over, as_json=as_json, quiet=quiet):
        raise typer.Exit(status)


COMMANDS: dict[str, Callable[..., None]] = {
    "find": find_design,
    "compare": compare_two,
    "growth": grow_load,
    "fail": fail_parts,
}
"""Commands by name, in the order of the help."""
