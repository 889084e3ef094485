"""`stacksim trace`: a timeline for the Perfetto viewer, a picture of one request, an animation of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.cli import console
from sim.engine.errors import InputError, printable
from sim.engine.events.trace import Span
from sim.engine.extensions import load, registered
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.engine.simulation.recording import recorded
from sim.output import perfetto
from sim.output.pictures import style
from sim.output.pictures.gantt import draw, typical
from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case

ANIMATIONS = "stacksim.animations"
"""Entry-point group of a module that animates requests."""

Groups = Mapping[str, Sequence[Span]]


def check(output: Path | None, picture: Path | None, page: Path | None) -> None:
    """Refuse files that cannot be written, before the long work begins."""
    if output is None and picture is None and page is None:
        raise InputError("nothing to write; give --output FILE.json, --picture FILE.png, --animate FILE.html")
    if output:
        check_target("timeline", output, perfetto.ENDINGS, or_standard_output=True)
    if picture:
        check_target("picture", picture, style.FORMATS, or_standard_output=True)
    if page:
        check_target("animation", page, _animation().FORMATS, or_standard_output=True)


def _animation() -> Any:
    """The guest that animates requests: FORMATS, filmed and write.

    Raises:
        InputError: this installation has none.
    """
    for point in registered(ANIMATIONS).values():
        return load(point)
    raise InputError("--animate needs stacksim.animation, which is not in this installation; leave it out")


def steady(case: Case, options: RunOptions, *, quiet: bool) -> Prediction:
    """Find the steady state."""
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        return predict_case(case, options, progress)


class TimelineRecord(TypedDict):
    """A written timeline, and the number of its slices."""

    file: str
    slices: int


class PictureRecord(TypedDict):
    """A written picture, and the workload of its request."""

    file: str
    workload: str


class AnimationRecord(TypedDict):
    """A written animation, and the number of its requests."""

    file: str
    requests: int
    notes: list[str]


class TraceRecord(TypedDict):
    """The written files."""

    timeline: TimelineRecord | None
    picture: PictureRecord | None
    animation: AnimationRecord | None


def write(
    prediction: Prediction, requests: int, output: Path | None, picture: Path | None, page: Path | None
) -> TraceRecord:
    """Record ``requests`` requests, and write the timeline, the picture and the animation.

    Returns:
        Record of the written files, as printed by ``trace --json``.
    """
    files: TraceRecord = {"timeline": None, "picture": None, "animation": None}
    if output or picture:
        groups = recorded(prediction.case.scenario.model, prediction.result, requests)
    if output:
        files["timeline"] = {"file": str(output), "slices": perfetto.write(groups, output)}
    if picture:
        files["picture"] = _draw(groups, prediction, picture)
    if page:
        shown = _animation().filmed(prediction, requests)
        _animation().write(shown, page)
        files["animation"] = {"file": str(page), "requests": shown.completed, "notes": list(shown.notes)}
    return files


def _draw(groups: Groups, prediction: Prediction, picture: Path) -> PictureRecord:
    request = typical(groups[prediction.result.watched])
    shown = "  ".join(f"{name}={text}" for name, text in prediction.shown.items())
    style.save(draw(request, f"{prediction.system}  {shown}\none request of {request.workload}"), picture)
    return {"file": str(picture), "workload": request.workload}


def print_written(written: TraceRecord, requests: int) -> None:
    """Print the names of written files."""
    if timeline := written["timeline"]:
        slices = f"{timeline['slices']} slices; open it at https://ui.perfetto.dev"
        console.out(f"written     {printable(timeline['file'])}: {slices}")
    if picture := written["picture"]:
        console.out(f"written     {printable(picture['file'])}: the request of median latency among {requests}")
    if made := written["animation"]:
        console.out(f"written     {printable(made['file'])}: {made['requests']} requests; open it in a browser")
        for note in made["notes"]:
            console.out(f"            {note}")
