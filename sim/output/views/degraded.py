"""Performance after the loss of a part: a row for each state of the system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.engine.errors import printable
from sim.engine.units.text import number_text, time_text
from sim.output.views.over_time import table_over_time
from sim.output.views.parts import Line, Part, Wide
from sim.output.views.prediction import of_all
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, WHY_UNKNOWN, mark
from sim.prediction.degraded import Degraded
from sim.prediction.prediction import Prediction
from sim.prediction.timeline import BEFORE, Phase


def table_of(phases: Sequence[Phase]) -> Iterator[Part]:
    """Yield the settings, and a row for each of ``phases``, the first of which is before the loss."""
    first = phases[0].prediction
    assert first  # noqa: S101  (it is not refused)
    settings = "".join(f"  {name}={text}" for name, text in first.shown.items())
    yield Line(printable(f"{first.system}{settings}"), heading=len(printable(first.system)) + 2)
    if phases[0].over:
        yield from table_over_time([(phase.part, phase.over) for phase in phases])
    else:
        yield from _long_run(phases, first)
    done = [phase.prediction for phase in phases if phase.prediction]
    yield from of_all(done)


def _long_run(phases: Sequence[Phase], first: Prediction) -> Iterator[Part]:
    rows = [_row(phase, first.throughput.value) for phase in phases]
    headings = ("part that fails", first.unit, "remaining", "mean latency", "p99", "limit")
    yield Wide(headings, rows, keys=1)
    if any(UNKNOWN in cell for row in rows for cell in row[1:-1]):
        yield Line(WHY_UNKNOWN)


def refused(phase: Phase) -> Iterator[Line]:
    """The reason why the system cannot work in ``phase``, if it cannot."""
    if phase.refused:
        yield Line(f"refused: {printable(phase.part)}: {printable(phase.refused)}")


def _row(phase: Phase, before: float) -> tuple[str, ...]:
    part, prediction = printable(phase.part), phase.prediction
    if prediction is None:
        return (part, "refused", "", "", "", "")
    latency, throughput = prediction.latency, prediction.throughput
    times = (f"{time_text(each.value)}{mark(each)}" for each in (latency.mean, latency.p99))
    share = f"{throughput.value / before:.0%}"
    return (part, f"{number_text(throughput.value)}{mark(throughput)}", share, *times, prediction.limit.short)


def _parts(degraded: Degraded) -> Iterator[Part]:
    before = degraded.before
    yield from table_of([Phase(BEFORE, None, before.case, before, over=degraded.over), *degraded.parts])
    if not degraded.parts:
        yield Line("no part can be lost in this model")
    for phase in degraded.parts:
        yield from refused(phase)


VIEW = PartsAndPicture(_parts, lambda _degraded: None, "")
