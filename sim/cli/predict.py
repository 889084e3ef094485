"""`stacksim predict`: what one system does, why, and the program that is run."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from sim.cli import console
from sim.errors import InputError
from sim.output.views import prediction as prediction_view
from sim.prediction.prediction import Prediction, listing, predict_case
from sim.simulation.options import ANALYTIC, RunOptions
from sim.system.case import Case


@dataclass(frozen=True)
class Wishes:
    """What to print, and how.

    Attributes:
        program: the program that the event loop runs, and nothing else.
        explain: where the time of a request goes, too.
    """

    program: bool
    explain: bool
    as_json: bool
    quiet: bool


def command(case: Case, options: RunOptions, wishes: Wishes) -> None:
    """Predict ``case``, and print what is wished for."""
    if wishes.program:
        if wishes.as_json or wishes.explain:
            raise InputError("--program prints the program and nothing else; leave --json and --explain out")
        typer.echo(listing(case))
        return
    console.compilation(options, quiet=wishes.quiet)
    with console.share_done("simulating", quiet=wishes.quiet) as progress:
        prediction = predict_case(case, options, progress, intervals=True)
    _out(prediction, wishes)


def _out(prediction: Prediction, wishes: Wishes) -> None:
    if wishes.explain and prediction.result.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and --explain records simulated requests; choose engine auto")
    if not wishes.explain:
        if wishes.as_json:
            console.out_json(prediction.record())
        else:
            console.out_parts(prediction_view.parts(prediction))
        return
    from sim.output.views import explanation as explanation_view  # lazily: a plain prediction does without
    from sim.prediction.explanation import explain

    why = explain(prediction)
    if wishes.as_json:
        console.out_json(prediction.record() | {"explanation": why.record()})
        return
    console.out_parts(prediction_view.parts(prediction))
    console.out_parts(explanation_view.parts(why))
