"""`stacksim trace`: a timeline for the Perfetto viewer, and a picture of one I/O's way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sim import plot, timeline
from sim.cli import show
from sim.errors import InputError
from sim.files import check_target
from sim.prediction import Choices, predict
from sim.recording import recorded
from sim.settings import Values
from sim.system import System
from sim.timeline.way import typical, way


def command(
    system: System, settings: Values, choices: Choices, walks: int, output: Path | None, picture: Path | None
) -> None:
    """Find the steady state, record, write. What can be refused is refused before the long work begins."""
    if output is None and picture is None:
        raise InputError("nothing to write; give --output FILE.json, --picture FILE.png, or both")
    if output:
        check_target("timeline", output, timeline.ENDINGS)
    if picture:
        check_target("picture", picture, plot.FORMATS)
    show.compilation(choices)
    with show.share_done("simulating") as progress:
        found = predict(system, settings, replace(choices, bands=False), progress)
    groups = recorded(system.build(settings, system.parameters), found.result, walks)
    if output:
        slices = timeline.write(groups, output)
        show.out(f"written     {output}: {slices} slices; open it at https://ui.perfetto.dev")
    if picture:
        one = typical(groups[found.result.watched])
        shown = "  ".join(f"{name}={text}" for name, text in found.shown.items())
        plot.save(way(one, f"{system.name}  {shown}\none walk of {one.workload}"), picture)
        show.out(f"written     {picture}: the walk of median length among {walks}")
    show.warnings(system.parameters.warnings)
