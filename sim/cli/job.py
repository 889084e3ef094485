"""`stacksim predict STACK --job FILE.fio`: the jobs of a file on a stack, in the format of stacksim or of fio."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.cli import console
from sim.engine.errors import InputError, nearest, printable, shown
from sim.engine.simulation.options import RunOptions
from sim.output.views.prediction import details, parts
from sim.prediction.answer_page import answered
from sim.prediction.prediction import predict_case
from sim.system.case import Case
from sim.system.settings import pairs
from sim.system.stack.job import job_of
from sim.system.system import System

FORMATS = ("normal", "json")


def command(
    system: System,
    file: Path,
    settings: Sequence[str],
    options: RunOptions,
    output_format: str,
    *,
    verbose: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict each group of simultaneous jobs in turn, and print all."""
    if output_format not in FORMATS:
        raise InputError(f"--output-format is '{shown(output_format)}'; {nearest(output_format, FORMATS)}")
    job, given = job_of(system, file), pairs(settings)
    cases = [Case.of(each, given) for each in job.systems]
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        predictions = [
            predict_case(case, options, progress, intervals=output_format == "normal") for case in cases
        ]
    if output_format == "json":
        made = job.output([(each.case.scenario, each.result) for each in predictions])
        for group, prediction in zip(made["stacksim"]["groups"], predictions, strict=True):
            group.update(prediction.caveats.record())
        console.out_json(made)
    elif as_json:
        console.out_json([answered(each) for each in predictions])
    else:
        for number, prediction in enumerate(predictions, start=1):
            console.out(f"{chr(10) * (number > 1)}{printable(str(file))}, group {number} of {len(predictions)}")
            console.out_parts(parts(prediction))
            if verbose:
                console.out_parts(details(prediction))
