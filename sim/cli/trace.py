"""`stacksim trace`: a timeline for the Perfetto viewer, and a picture of one request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.cli import console
from sim.engines.trace import Span
from sim.errors import InputError, printable
from sim.files import check_target
from sim.output import perfetto
from sim.output.pictures import style
from sim.output.pictures.gantt import draw, typical
from sim.prediction.prediction import Prediction, predict_case
from sim.simulation.options import RunOptions
from sim.simulation.recording import recorded
from sim.system.case import Case

Groups = Mapping[str, Sequence[Span]]


def check(output: Path | None, picture: Path | None) -> None:
    """Refuse files that cannot be written, before the long work begins."""
    if output is None and picture is None:
        raise InputError("nothing to write; give --output FILE.json, --picture FILE.png, or both")
    if output:
        check_target("timeline", output, perfetto.ENDINGS, or_standard_output=True)
    if picture:
        check_target("picture", picture, style.FORMATS, or_standard_output=True)


def record(case: Case, options: RunOptions, requests: int, *, quiet: bool) -> tuple[Groups, Prediction]:
    """Find the steady state, and record so many requests there."""
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        prediction = predict_case(case, options, progress)
    return recorded(case.scenario.model, prediction.result, requests), prediction


def write(groups: Groups, prediction: Prediction, output: Path | None, picture: Path | None) -> dict[str, Any]:
    """Write the timeline and the picture; return what was written, as ``trace --json`` prints it."""
    written: dict[str, Any] = {"timeline": None, "picture": None}
    if output:
        written["timeline"] = {"file": str(output), "slices": perfetto.write(groups, output)}
    if picture:
        request = typical(groups[prediction.result.watched])
        shown = "  ".join(f"{name}={text}" for name, text in prediction.shown.items())
        style.save(draw(request, f"{prediction.system}  {shown}\none request of {request.workload}"), picture)
        written["picture"] = {"file": str(picture), "workload": request.workload}
    return written


def print_written(written: Mapping[str, Any], requests: int) -> None:
    """Print which files were written."""
    if made := written["timeline"]:
        slices = f"{made['slices']} slices; open it at https://ui.perfetto.dev"
        console.out(f"written     {printable(made['file'])}: {slices}")
    if made := written["picture"]:
        console.out(f"written     {printable(made['file'])}: the request of median latency among {requests}")
