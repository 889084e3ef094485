"""`stacksim predict`: the answers of one system, explanations, and its compiled program."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import typer
from typing_extensions import TypedDict

from sim.cli import console
from sim.engine.errors import InputError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.prediction.answer_page import PredictedRecord, answered
from sim.prediction.explanation import Explanation, ExplanationRecord, explain
from sim.prediction.over_time_record import OverTimeRecord
from sim.prediction.prediction import Prediction, listing, predict_case
from sim.prediction.profile import PhaseRecord, Profile, profiled
from sim.system.case import Case


class AddedRecord(TypedDict, total=False):
    """Keys that ``--explain`` and ``--profile`` add; the profile is by phase."""

    explanation: ExplanationRecord
    profile: dict[str, PhaseRecord]


class ExplainedRecord(PredictedRecord, AddedRecord):
    """The prediction, and what was asked for beside it."""


Printed = ExplainedRecord | list[PredictedRecord] | OverTimeRecord
"""The JSON of ``predict --json``; with ``--job`` a prediction for each group of jobs, with ``--for`` over time."""


@dataclass(frozen=True)
class Wishes:
    """Output options.

    Attributes:
        verbose: True to add all answers, resources and the run.
        program: True to print the program that the event loop runs, and nothing else.
        explain: True to add where the time of a request goes.
        profile: True to add where the time of the command went.
    """

    verbose: bool
    program: bool
    explain: bool
    profile: bool
    as_json: bool
    quiet: bool


def command(case: Case, options: RunOptions, wishes: Wishes) -> None:
    """Predict ``case``, and print the requested output."""
    if wishes.program:
        if wishes.as_json or wishes.explain or wishes.profile:
            others = "--json, --explain and --profile"
            raise InputError(f"--program prints the program and nothing else; leave {others} out")
        typer.echo(listing(case))
        return
    if wishes.explain and options.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and --explain records simulated requests; choose engine auto")
    console.compilation(options, quiet=wishes.quiet)
    profile = Profile() if wishes.profile else None
    with console.share_done("simulating", quiet=wishes.quiet) as progress:
        prediction = (
            profiled(case, options, profile, progress)
            if profile
            else predict_case(case, options, progress, intervals=True)
        )
    why = _explained(prediction, profile, quiet=wishes.quiet) if wishes.explain else None
    if wishes.as_json:
        _out_json(prediction, why, profile)
    else:
        _out(prediction, why, profile, verbose=wishes.verbose)


def _explained(prediction: Prediction, profile: Profile | None, *, quiet: bool) -> Explanation:
    timed = profile.phase("explaining") if profile else nullcontext()
    with timed, console.share_done("explaining", quiet=quiet) as progress:
        return explain(prediction, progress)


def _out_json(prediction: Prediction, why: Explanation | None, profile: Profile | None) -> None:
    added: AddedRecord = {}
    if why:
        added["explanation"] = why.record()
    if profile:
        added["profile"] = profile.record()
    explained: ExplainedRecord = {**answered(prediction), **added}
    console.out_json(explained)


def _out(prediction: Prediction, why: Explanation | None, profile: Profile | None, *, verbose: bool) -> None:
    from sim.output.views import prediction as prediction_view  # lazily: JSON does without rich

    console.out_parts(prediction_view.parts(prediction))
    if verbose:
        console.out_parts(prediction_view.details(prediction))
    elif not why:
        console.out_parts([prediction_view.hint(prediction)])
    if why:
        from sim.output.views import explanation as explanation_view  # lazily: as above

        console.out_parts(explanation_view.parts(why))
    if profile:
        from sim.output.views import profile as profile_view  # lazily: as above

        console.out_parts(profile_view.parts(profile))
