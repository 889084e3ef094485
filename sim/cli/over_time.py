"""`stacksim predict --for 2h`: performance over time, as text, JSON or a picture."""

from __future__ import annotations

from pathlib import Path

from sim.cli import console
from sim.cli.options import takes_output
from sim.engine.errors import InputError, shown
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.engine.units import quantity
from sim.prediction.over_time import FEWEST, LONGEST_S, PARTS, SHORTEST_S, Span, predict_over_time
from sim.system.case import Case


def span_of(text: str | None, resolution: str | None = None) -> Span | None:
    """Parse a time and its resolution; None without a time.

    Raises:
        InputError: one of them cannot be used, or a resolution without a time.
    """
    if text is None:
        if resolution is not None:
            raise InputError("a resolution needs a time; give one, such as --for 2h")
        return None
    seconds = _time("for", text, (SHORTEST_S, LONGEST_S), "from 1 ms to 3700 d, such as 90s, 10min, 2h or 1d")
    if resolution is None:
        return Span(seconds)
    ends = seconds / PARTS, seconds / FEWEST
    allowed = f"that parts {shown(text)} into {FEWEST} to {PARTS:,} parts, such as {ends[1] / 10.0:.3g}s"
    return Span(seconds, _time("resolution", resolution, ends, allowed))


def _time(what: str, text: str, ends: tuple[float, float], allowed: str) -> float:
    seconds = quantity(what, text, "second") if text else 0.0
    if not ends[0] <= seconds <= ends[1]:
        raise InputError(f"{what} is '{shown(text)}'; allowed: a time {allowed}")
    return seconds


def command(
    case: Case, span: Span, options: RunOptions, picture: Path | None, *, as_json: bool, quiet: bool
) -> None:
    """Predict ``case`` over the time of ``span``; print it, and draw it if requested."""
    silent = takes_output(picture, as_json=as_json)
    if picture:
        from sim.output.pictures import style  # lazily: most commands draw nothing

        check_target("picture", picture, style.FORMATS, or_standard_output=True)
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        prediction = predict_over_time(case, span, options, progress)
    if picture:
        from sim.output.pictures.over_time import figure

        style.save(figure(prediction), picture)
    if as_json:
        from sim.prediction.over_time_record import record

        console.out_json(record(prediction))
    elif not silent:
        from sim.output.views.over_time import parts  # lazily: JSON does without rich

        console.out_parts(parts(prediction))
