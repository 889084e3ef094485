"""Options that commands share, and their parsing."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.engine.errors import InputError, StacksimError, shown
from sim.engine.files import STANDARD_OUTPUT
from sim.engine.simulation.options import ANALYTIC, COARSEST, FINEST, MAX_STEPS, SOLVERS, RunOptions
from sim.engine.statistics.answers import ANSWERS
from sim.engine.units import reading

if TYPE_CHECKING:
    from sim.system.case import Case
    from sim.system.system import System


def file_name(text: str) -> Path:
    """Parse the name of a file; pathlib alone would accept the name of a folder."""
    if text.endswith("/"):
        raise StacksimError(f"'{shown(text)}' names a folder; name a file")  # typer would reword a ValueError
    return Path(text)


def system_names(incomplete: str) -> list[str]:
    """Complete the name of a system in a shell."""
    from sim.system.installed import installed  # lazily: NumPy

    return [name for name in installed() if name.startswith(incomplete)]


def hardware_names(incomplete: str) -> list[str]:
    """Complete the name of hardware in a shell."""
    from sim.data.hardware import catalogue  # lazily: pydantic

    return [name for name in catalogue() if name.startswith(incomplete)]


Engine = Annotated[
    str, typer.Option(metavar="ENGINE", help=f"{', '.join(SOLVERS)}; {ANALYTIC} computes instead of simulating")
]
Precision = Annotated[
    str, typer.Option(metavar="SHARE", help="relative half-width of the 95% interval, such as 1% or 0.01")
]
Watch = Annotated[
    str,
    typer.Option(
        help=f"answers that must reach the precision: all, or some of {','.join(ANSWERS)} and the system's own",
        metavar="ANSWERS",
    ),
]
MaxSteps = Annotated[
    str, typer.Option(metavar="COUNT", help="end a run after this many simulated steps, even if not yet precise")
]
Seed = Annotated[str, typer.Option(metavar="NUMBER", help="seed of the random numbers, a whole number from 0")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON, a stable interface")]


def schema_of(record: str) -> Any:
    """The option ``--schema``; ``record``: module and name of the type that ``--json`` prints."""

    def out(wanted: bool) -> None:
        if wanted:
            from sim.cli import console, schema  # lazily: pydantic

            console.out_json(schema.of(resolve_name(record)))
            raise typer.Exit

    return typer.Option("--schema", help="print the JSON schema of --json", callback=out, is_eager=True)


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="hide progress")]
SystemName = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM",
        help="a name from `stacksim systems`, or a stack file (.toml)",
        autocompletion=system_names,
    ),
]
Settings = Annotated[list[str] | None, typer.Argument(metavar="SETTING=VALUE", help="such as users=8 block=64KiB")]
Values = Annotated[
    list[str] | None, typer.Argument(metavar="SETTING=VALUE[,…]", help="such as users=1,8 block=8KiB,64KiB")
]
Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=file_name, help="draw into this .png or .svg file, - for standard output"),
]

For = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="TIME",
        help="answer over this time from the start on, such as 2h: bursts, stalls and what lasts",
    ),
]

FittedFile = Annotated[
    Path | None,
    typer.Option("--fitted", metavar="FILE", help="use the parameters in this file, which `stacksim fit` wrote"),
]

OwnSystem = Annotated[
    str | None,
    typer.Option("--system", metavar="SYSTEM", help="the system that a file of your own describes, such as dbfs"),
]

Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PARAMETER=VALUE", help="change a parameter, such as cores=8"),
]
SetValues = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PARAMETER=VALUE[,…]", help="values of a parameter, such as cores=4,8"),
]

HardwareNames = Annotated[
    list[str] | None,
    typer.Option(
        "--hardware",
        metavar="[LAYER=]NAME",
        help="put hardware into a layer of a stack; `stacksim hardware` lists names",
        autocompletion=hardware_names,
    ),
]

SweepName = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM|FILE.toml",
        help="a name from `stacksim systems`, a stack file, or a file that says what to sweep",
        autocompletion=system_names,
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        "--pair",
        metavar="NAME,NAME",
        help="vary these together: their first values, then their second values, and so on",
    ),
]
Intervals = Annotated[
    bool,
    typer.Option(
        "--intervals", help="add prediction intervals, which take 17 to 33 more short runs for each point"
    ),
]
Draw = Annotated[
    str, typer.Option(metavar="ANSWERS", help="what the picture shows: answers of one unit, such as p50,p99")
]
Over = Annotated[
    str | None, typer.Option(help="the setting along the x axis of the picture or page", metavar="SETTING")
]
Csv = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=file_name, help="write the table into this .csv file, or -"),
]
Parquet = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=file_name, help="write the table into this .parquet file, or -"),
]
StoreFile = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        parser=file_name,
        help="keep results in this .sqlite file; those already in it are not run again",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="show what would be run, and why; run nothing")]
Dask = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786")
]

JobFile = Annotated[
    Path | None,
    typer.Option(
        "--job", metavar="FILE", parser=file_name, help="put the load of this fio job file (.fio) on a stack"
    ),
]
OutputFormat = Annotated[
    str,
    typer.Option("--output-format", help="with --job: normal, or json as fio writes it", metavar="FORMAT"),
]


RUN_TEXTS = ("engine", "precision", "seed", "watch", "max_steps")
"""Arguments of ``options_of``."""


def options_of(
    engine: str = "auto",
    precision: str = "1%",
    seed: str = "1",
    watch: str = "all",
    max_steps: str = str(MAX_STEPS),
) -> RunOptions:
    """Parse run options; refuse faults before anything is compiled or computed."""
    return RunOptions(
        engine=engine,
        seed=whole_from("seed", seed, 0),
        precision=_share(precision),
        answers=ANSWERS if watch == "all" else tuple(watch.split(",")),
        max_steps=whole_from("max_steps", max_steps, 1),
    )


def _share(text: str) -> float:
    share = reading.number(text, reading.SHARES)
    if share is None or not FINEST <= share <= COARSEST:
        allowed = f"a share from {FINEST:.2%} to {COARSEST:.0%}, such as 1% or 0.01"
        raise InputError(f"precision is '{shown(text)}'; allowed: {allowed}")
    return share


def whole_from(name: str, text: str, least: int) -> int:
    """Parse a whole number of at least ``least``."""
    number = reading.whole(text)
    if number is None or number < least:
        allowed = f"a whole number from {least}, of at most 18 digits"
        raise InputError(f"{name} is '{shown(text)}'; allowed: {allowed}")
    return number


def takes_output(*targets: Path | None, as_json: bool = False) -> bool:
    """True if a file is standard output, so that nothing else may be printed there.

    Raises:
        InputError: more than one output would go there.
    """
    count = sum(target == STANDARD_OUTPUT for target in targets)
    if count + as_json > 1 and count:
        raise InputError("more than one thing is to go to standard output; give one of them a file")
    return bool(count)


def system_of(
    name: str, fitted: Path | None, set_: list[str] | None = None, hardware: list[str] | None = None
) -> System:
    """The system ``name`` with the parameters of the file ``fitted``, other hardware, and parameters set."""
    from sim.system.installed import find  # lazily: NumPy
    from sim.system.what_if import set_values, with_set

    system = find(name)
    if fitted is not None:
        from sim.data.fitted import refitted  # lazily: pydantic

        system = refitted(system, fitted)
    if hardware:
        from sim.system.stack.hardware import with_hardware  # lazily: pydantic

        system = with_hardware(system, hardware)
    return with_set(system, set_values(set_ or []))


def case_of(
    name: str,
    settings: list[str] | None,
    fitted: Path | None,
    set_: list[str] | None = None,
    hardware: list[str] | None = None,
) -> Case:
    """The system of ``system_of`` under ``settings``, words such as users=8."""
    from sim.system.case import Case  # lazily: NumPy
    from sim.system.settings import pairs

    return Case.of(system_of(name, fitted, set_, hardware), pairs(settings or []))
