"""The command ``stacksim measure`` and its arguments; its work is loaded when it is called."""

# Annotations are no texts here: typer would read those of all commands whenever one is called.

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.group import alone
from sim.cli.options import AsJson, Quiet, file_name, schema_of


def measure_directory(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="a directory on the storage to be measured")],
    jobs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="JOB.fio", parser=file_name, help="fio job files of your own, instead of the chosen jobs"
        ),
    ] = None,
    stack: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="fit this stack file instead of the chosen stacks"),
    ] = None,
    raw: Annotated[
        Path | None,
        typer.Option(
            metavar="DEVICE", parser=file_name, help="PATH again, to confirm a raw device, which is only read"
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="new folder for the page, raw results, tables, fit and stacks")
    ] = Path("measured"),
    then: Annotated[
        list[str] | None,
        typer.Option(metavar="QUESTION", help="ask the fitted stack: 'users=64 block=8KiB' or 'find p99<=2ms'"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask before measuring")] = False,
    fio: Annotated[str | None, typer.Option(metavar="PROGRAM", help="the fio program to measure with")] = None,
    wait: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="how long to wait for another measurement, or for a job that hangs, such as 10min"
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="keep the files that fio read and wrote")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="show what would be run; run nothing")] = False,
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("stacksim.measuring.command:Printed")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure the storage behind a directory with fio, fit a stack to it, and answer questions."""
    from stacksim.measuring import command  # lazily: SciPy's optimisers

    more = command.More(tuple(jobs or ()), fio, wait)
    wishes = command.Wishes(stack, raw, output, tuple(then or ()), yes, keep, as_json, quiet, more)
    if dry_run:
        command.dry_run(path, wishes)
    else:
        command.command(path, wishes)


app = alone("measure", measure_directory)
