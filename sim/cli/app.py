"""The commands, and what each is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.errors import InputError
from sim.prediction import Choices, predict
from sim.settings import pairs
from sim.simulate import ENGINES
from sim.system import find, systems

app = typer.Typer(
    name="stacksim",
    help="Predict what a database storage stack does, from simulations held against published measurements.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Engine = Annotated[str, typer.Option(help=f"which event engine: {', '.join(ENGINES)}")]
Precision = Annotated[str, typer.Option(help="half-width of the 95% interval, such as 1% or 0.01")]
Seed = Annotated[str, typer.Option(help="root seed, a whole number from 0")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON, a stable interface")]
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help="see `stacksim systems`")]


def _choices(engine: str, precision: str, seed: str) -> Choices:
    return Choices(engine, _share(precision), _whole(seed))


def _share(text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise InputError(f"precision is '{text}'; allowed: a share such as 1% or 0.01") from None


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise InputError(f"seed is '{text}'; allowed: a whole number from 0")
    return int(text)


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
    engine: Engine = "reference",
    precision: Precision = "1%",
    seed: Seed = "1",
    as_json: AsJson = False,
) -> None:
    """Predict one system under given settings; the others keep their defaults."""
    from sim.cli import show  # lazily: rich

    choices, given, found = _choices(engine, precision, seed), pairs(settings or []), find(system)
    with show.share_done("simulating") as progress:
        prediction = predict(found, given, choices, progress)
    if as_json:
        _print_json(prediction.record())
    else:
        show.prediction(prediction)


@app.command("sweep")
def sweep_settings(
    system: SystemName,
    settings: Annotated[list[str], typer.Argument(metavar="SETTING=VALUE[,VALUE…]…")],
    engine: Engine = "reference",
    precision: Precision = "1%",
    seed: Seed = "1",
    picture: Annotated[Path | None, typer.Option(help="draw into this .png or .svg file")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table into this .csv file")] = None,
) -> None:
    """Predict every combination of the given values; print a table, and draw it if asked."""
    from sim import plot, sweep  # lazily: a single prediction does without
    from sim.cli import show  # lazily: rich
    from sim.files import write_atomically  # lazily: with them

    choices, varied = _choices(engine, precision, seed), sweep.axes(find(system), settings)
    if picture:
        plot.check_format(picture)
    with show.count_done("simulating") as done:
        asked = [(system, combination) for combination in sweep.crossed(varied)]
        predictions = sweep.predict_all(asked, choices, done=done)
    if csv:
        table = sweep.table(predictions, list(varied))
        write_atomically(csv, table.to_csv(index=False).encode())
    if picture:
        plot.save(plot.sweep_figure(predictions, varied), picture)
    show.sweep(predictions, list(varied))


@app.command("report")
def report_datasets(
    datasets: Annotated[list[str] | None, typer.Argument(metavar="[DATASET]…")] = None,
    engine: Engine = "reference",
    precision: Precision = "1%",
    seed: Seed = "1",
    as_json: AsJson = False,
) -> None:
    """Compare published figures with what the simulation predicts, cell by cell."""
    from sim import report  # lazily: reading data packages loads pydantic
    from sim.cli import show  # lazily: rich

    choices, asked = _choices(engine, precision, seed), report.datasets(datasets or [])
    with show.count_done("simulating published figures") as done:
        found = report.report(asked, choices, done)
    if as_json:
        _print_json(found.record())
    else:
        show.report(found)
