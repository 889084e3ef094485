"""`stacksim data`: is what somebody measured in order?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check published measurements that somebody brings.")


@app.callback()
def data() -> None:
    """Check published measurements that somebody brings."""


@app.command("check")
def check(
    path: Annotated[Path, typer.Argument(metavar="FOLDER|FILE.csv", help="a data package, or one of its tables")],
) -> None:
    """Say of each figure that cannot be used, or that others contradict, what is wrong: then exit status 1."""
    from sim.cli import console  # lazily: rich
    from sim.prediction import contribution  # lazily: pydantic

    checked = contribution.check(path)
    for problem in checked.problems:
        console.out(problem)
    for name in checked.unknown:
        console.out(f"{name}: its system is not installed, so its conditions were not checked")
    if checked.problems:
        raise typer.Exit(1)
    for dataset in checked.datasets:
        console.out(f"{dataset.name} is in order: {len(dataset.measurements)} figures")
