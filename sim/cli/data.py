"""`stacksim data`: read, check and add measurements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.group import command_of, group
from sim.cli.options import Csv, file_name

if TYPE_CHECKING:
    from sim.data.dataset import Dataset
    from sim.prediction.contribution import Checked

DOES = "Read results of other tools; check measurements of your own, and add them to the published ones."

app = group(DOES, "data")


@app.callback(help=DOES)
def data() -> None:
    """Group the commands."""


@command_of(app, "data check")
def check(
    path: Annotated[
        Path,
        typer.Argument(metavar="FOLDER|FILE.csv", help="a contribution, a data package, or one of its tables"),
    ],
) -> None:
    """List the figures that cannot be used or contradict others, and why; exit status 1 if there are any."""
    from sim.prediction import contribution  # lazily: pydantic

    _print_checked(contribution.check(path))


@command_of(app, "data add")
def add(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="the contribution")],
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            parser=file_name,
            help="copy it into this folder; by default, the contributions of the checkout",
        ),
    ] = None,
) -> None:
    """Check a contribution; if it is valid, copy it to where `stacksim report` and `fit` read it."""
    from sim.cli import console  # lazily: rich
    from sim.prediction import adding  # lazily: pydantic

    checked, target = adding.add(folder, into or adding.default_target())
    _print_checked(checked)
    name = checked.datasets[0].name if into is None else target
    console.out(f"added as {target}; `stacksim report {name}` compares it")


@command_of(app, "data read")
def read(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE[:PART]",
            help="output of vdbench, iostat, sar, pidstat, blkparse or a database, or a block trace",
        ),
    ],
    csv: Csv = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=file_name,
            help="write the I/Os of a trace into this .csv file, for a load that replays them",
        ),
    ] = None,
) -> None:
    """List the figures in a file that another tool wrote; `report` and `fit` read such files as well."""
    from sim.cli import data_read  # lazily: pydantic, NumPy

    data_read.command(path, csv, replay)


def _print_checked(checked: Checked) -> None:
    """Print the findings of a check; exit status 1 with any problem."""
    from sim.cli import console  # lazily: rich

    for problem in checked.problems:
        console.out(problem)
    for name in checked.unknown:
        console.out(f"{name}: its system is not installed, so its conditions were not checked")
    if checked.problems:
        raise typer.Exit(1)
    for dataset in checked.datasets:
        console.out(f"{dataset.name} is valid: {_counted(dataset)}")


def _counted(dataset: Dataset) -> str:
    """Number of figures, and of figures on each side if they are split."""
    figures = len(dataset.measurements)
    text = f"{figures} figure{'' if figures == 1 else 's'}"
    if not dataset.for_fit:
        return text
    restated = sum(1 for each in dataset.measurements if dataset.why_restated(each))
    fitted = sum(1 for each in dataset.measurements if dataset.is_for_fit(each) and not dataset.why_restated(each))
    return f"{text}, {fitted} to be fitted, {figures - fitted - restated} kept apart, {restated} restated"
