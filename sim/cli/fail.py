"""`stacksim fail`: performance after the loss of a part, and before, during and after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from typing_extensions import TypedDict

from sim.cli import console
from sim.engine.errors import InputError, ModelError, printable, shown
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.engine.units import bytes_of, quantity
from sim.engine.units.text import number_text, time_text
from sim.output.pictures import style
from sim.output.views.degraded import refused, table_of
from sim.output.views.parts import table
from sim.prediction.over_time import Span
from sim.prediction.over_time_record import OverTimeRecord, record
from sim.prediction.prediction_record import PredictionRecord, finite
from sim.prediction.timeline import Phase, Window, failure_of, intact, rebuild_s, timeline, without
from sim.system.case import Case

BAR = 20
"""Characters of the longest bar of a timeline."""

SHORTEST_S, LONGEST_S = 1e-6, 1e6
"""Shortest and longest phase."""

_HOUR = 3600.0
_LONG = 2.0
"""Hours from which a time is shown in hours."""


class PartRecord(TypedDict):
    """A part that fails, and the settings it stands for."""

    part: str
    set: dict[str, Any]


class RebuildRecord(TypedDict):
    """Seconds of a rebuild beside the load, and its confidence interval."""

    bytes: float
    seconds: float
    low: float | None
    high: float | None


class AnsweredRecord(PartRecord):
    """The long run without a part; ``rebuild`` is None unless bytes to rebuild were given."""

    status: Literal["answered"]
    reason: None
    prediction: PredictionRecord
    rebuild: RebuildRecord | None
    over_time: OverTimeRecord | None


class RefusedRecord(PartRecord):
    """A part without which the system cannot work."""

    status: Literal["refused"]
    reason: str
    rebuild: None


class WindowRecord(TypedDict):
    """Throughput in the unit of the system, and latency, from ``begin_s`` to ``end_s``."""

    part: str
    begin_s: float
    end_s: float
    throughput: float
    mean_s: float | None
    p99_s: float | None


class FailRecord(TypedDict):
    """Performance before and after each failure; the timeline is None unless parts were named."""

    system: str
    settings: dict[str, Any]
    before: PredictionRecord | None
    parts: list[AnsweredRecord | RefusedRecord]
    timeline: list[WindowRecord] | None
    timeline_reason: str | None
    before_over_time: OverTimeRecord | None


def command(
    case: Case,
    parts: Sequence[str],
    options: RunOptions,
    data: str | None,
    each: str | None,
    picture: Path | None,
    over: Span | None = None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict ``case`` without each of its parts; with ``parts``, without these in turn, with a timeline.

    With ``over``, over that time in each state, without a timeline.
    """
    if over and (each or picture or data):
        raise InputError("--for tells of each state over time; leave --each, --data and --picture out")
    data_bytes = _data_bytes(data) if data else None
    length_s = _length_s(each) if each else None
    if not parts and (each or picture):
        raise InputError("a timeline needs a part; give --part PART, one of those that stacksim fail SYSTEM lists")
    if len(set(parts)) < len(parts):
        raise InputError("a part is given twice; give each once")
    if picture:
        check_target("picture", picture, style.FORMATS, or_standard_output=True)
    failures = [failure_of(case, part) for part in parts] or case.system.failures
    console.compilation(options, quiet=quiet)
    with console.count_done("simulating", quiet=quiet) as on_progress:
        phases = [intact(case, options, over)]
        for number, failure in enumerate(failures, 1):
            on_progress(number, len(failures) + 1)
            phases.append(without(case, failure, options, over))
        _check_rebuild(case, phases, data, data_bytes)
        windows, reason = _timeline(phases, options, length_s) if parts and not over else ([], "")
    if picture:
        if reason:
            raise InputError(f"no timeline to draw: {reason}; leave --picture out")
        from sim.output.pictures.timeline import timeline_figure  # lazily: pictures

        style.save(timeline_figure(phases, windows, cut_short=length_s is None), picture)
    if as_json:
        console.out_json(_record(phases, windows, reason, data_bytes))
    elif picture is None or str(picture) != "-":
        _print(phases, (data or "", data_bytes))
        _print_timeline(windows, reason, case.scenario.unit, length_s)


def _timeline(phases: Sequence[Phase], options: RunOptions, length_s: float | None) -> tuple[list[Window], str]:
    """The windows, or the reason why there are none."""
    try:
        return timeline(phases, options, length_s), ""
    except ModelError as error:
        return [], str(error)


def _data_bytes(text: str) -> float:
    data_bytes = bytes_of("data", text)
    if not data_bytes > 0.0:
        raise InputError(f"data is '{shown(text)}'; allowed: a size above 0, such as 4TB")
    return data_bytes


def _check_rebuild(case: Case, phases: Sequence[Phase], data: str | None, data_bytes: float | None) -> None:
    """Refuse bytes of a rebuild if no answer has one."""
    if data and data_bytes and not any(rebuild_s(phase, data_bytes) for phase in phases):
        raise InputError(
            f"data is '{shown(data)}', and nothing is rebuilt in {case.system.name} under these settings: what it "
            "would take from the load is not in the answers; leave --data out"
        )


def _length_s(text: str) -> float:
    length_s = quantity("each", text, "second")
    if not SHORTEST_S <= length_s <= LONGEST_S:
        raise InputError(
            f"each is '{shown(text)}'; allowed: a time from {SHORTEST_S:g} to {LONGEST_S:g} s, such as 10ms or 2s"
        )
    return length_s


def _print(phases: Sequence[Phase], data: tuple[str, float | None]) -> None:
    console.out_parts(table_of(phases))
    if len(phases) == 1:
        console.out("no part can be lost in this model; --part SETTING=VALUE says what to change")
    for phase in phases:
        console.out_parts(refused(phase))
        if data[1] and (seconds := rebuild_s(phase, data[1])):
            console.out(_rebuilt(phase, data[0], seconds))


def _rebuilt(phase: Phase, data: str, seconds: Estimate) -> str:
    ends = f" ({_time(seconds.low)} … {_time(seconds.high)})" if math.isfinite(seconds.high) else ""
    return f"rebuild: {printable(phase.part)}: {data} take {_time(seconds.value)}{ends}"


def _time(seconds: float) -> str:
    hours = seconds / _HOUR
    return f"{number_text(hours, 3)} h" if hours >= _LONG else time_text(seconds)


def _print_timeline(windows: Sequence[Window], reason: str, unit: str, length_s: float | None) -> None:
    """Print the windows, or the reason why there are none; nothing if no part was named."""
    if reason:
        console.out(f"no timeline: {printable(reason)}")
    if windows:
        _print_windows(windows, unit, length_s)


def _print_windows(windows: Sequence[Window], unit: str, length_s: float | None) -> None:
    """Print a line for each window: a bar of throughput, and latency."""
    length = f"each {time_text(length_s)}" if length_s else "each long enough to be seen"
    console.out(f"\ntimeline of the phases, {length}")
    most = max(window.throughput for window in windows) or 1.0
    rows, part = table("from", unit, "", "mean latency", "p99", "", right=0), ""
    for column in (rows.columns[2], rows.columns[5]):
        column.justify = "left"
    for window in windows:
        bar = "█" * round(BAR * window.throughput / most)
        name = printable(window.part) if window.part != part else ""
        part = window.part
        rows.add_row(
            time_text(window.begin_s) if window.begin_s else "0 s",
            number_text(window.throughput),
            bar,
            time_text(window.mean_s),
            time_text(window.p99_s),
            name,
        )
    rows.columns[5].no_wrap = False
    console.out(rows)


def _record(
    phases: Sequence[Phase], windows: Sequence[Window], reason: str, data_bytes: float | None
) -> FailRecord:
    before, *failed = phases
    return {
        "system": before.case.system.name,
        "settings": before.case.plain,
        "before": before.prediction.record() if before.prediction else None,
        "parts": [_part(phase, data_bytes) for phase in failed],
        "timeline": [_window(window) for window in windows] or None,
        "timeline_reason": reason or None,
        "before_over_time": record(before.over) if before.over else None,
    }


def _part(phase: Phase, data_bytes: float | None) -> AnsweredRecord | RefusedRecord:
    part: PartRecord = {"part": phase.part, "set": dict(phase.failure.settings) if phase.failure else {}}
    if phase.prediction is None:
        return {**part, "status": "refused", "reason": phase.refused, "rebuild": None}
    answer, rebuild = phase.prediction.record(), _rebuild(phase, data_bytes) if data_bytes else None
    over = record(phase.over) if phase.over else None
    return {
        **part,
        "status": "answered",
        "reason": None,
        "prediction": answer,
        "rebuild": rebuild,
        "over_time": over,
    }


def _window(window: Window) -> WindowRecord:
    return {
        "part": window.part,
        "begin_s": window.begin_s,
        "end_s": window.end_s,
        "throughput": window.throughput,
        "mean_s": finite(window.mean_s),
        "p99_s": finite(window.p99_s),
    }


def _rebuild(phase: Phase, data_bytes: float) -> RebuildRecord | None:
    seconds = rebuild_s(phase, data_bytes)
    if seconds is None:
        return None
    return {
        "bytes": data_bytes,
        "seconds": seconds.value,
        "low": finite(seconds.low),
        "high": finite(seconds.high),
    }
