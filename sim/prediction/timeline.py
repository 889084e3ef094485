"""Timeline of a failure: before, during and after, in the long run of each phase and from one to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.engine.errors import InputError, StacksimError, nearest, shown
from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.simulation.options import ANALYTIC, Run, RunOptions
from sim.engine.simulation.phases import in_phases
from sim.engine.statistics.estimates import Estimate
from sim.engine.statistics.histogram import percentile_ns
from sim.engine.units import MB
from sim.prediction.over_time import PredictionOverTime, Span, predict_over_time
from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case
from sim.system.failures import Failure, checked
from sim.system.settings import pairs

WINDOWS = 10
"""Windows of a phase, each with its own throughput and latency."""

COMPLETIONS = 1000
"""Requests in a window of the slowest phase, so that ten of them are beyond its p99."""

LATENCIES = 20.0
"""Least length of a window in mean latencies: requests in flight at its edges then matter little."""

BEFORE, AFTER = "before", "after"

REBUILD = "rebuild"
"""Ending of the name of an answer that is the rate of a rebuild, in MB/s."""


@dataclass(frozen=True)
class Phase:
    """One state of the system: a ``part`` has failed, or none.

    Attributes:
        failure: None while nothing has failed.
        prediction: prediction for the long run in this state; None if it is ``refused``.
        refused: why there is no prediction, in one line; empty if there is one.
        over: the prediction over time, if that was asked for; ``prediction`` is then of its end.
    """

    part: str
    failure: Failure | None
    case: Case
    prediction: Prediction | None
    refused: str = ""
    over: PredictionOverTime | None = None


@dataclass(frozen=True)
class Window:
    """Throughput and latency from ``begin_s`` to ``end_s``, seconds from the beginning of the first phase.

    Attributes:
        throughput: in the unit of the system.
        mean_s, p99_s: of latency; nan if nothing was completed, or the model has no percentiles.
    """

    part: str
    begin_s: float
    end_s: float
    throughput: float
    mean_s: float
    p99_s: float


def failure_of(case: Case, text: str) -> Failure:
    """The failure that ``text`` names: a part of the system, or SETTING=VALUE[,SETTING=VALUE…].

    Raises:
        InputError: there is no such part or setting.
    """
    named = {failure.part: failure for failure in case.system.failures}
    if text in named:
        return named[text]
    if "=" not in text:
        hint = nearest(text, named) if named else "none can be lost in this model"
        raise InputError(f"no part '{shown(text)}'; {hint}; or settings, such as cells=2,users=8")
    return checked([Failure(text, pairs(text.split(",")))], case.system.settings)[0]


def intact(case: Case, options: RunOptions, over: Span | None = None) -> Phase:
    """The phase before any failure, in the long run or ``over`` a time from the start on."""
    return _phase(BEFORE, None, case, options, over)


def _phase(part: str, failure: Failure | None, case: Case, options: RunOptions, over: Span | None) -> Phase:
    if over is None:
        return Phase(part, failure, case, predict_case(case, options))
    prediction = predict_over_time(case, over, options, intervals=False)
    return Phase(part, failure, case, prediction.at_end, over=prediction)


def without(case: Case, failure: Failure, options: RunOptions, over: Span | None = None) -> Phase:
    """The phase with the part of ``failure`` failed; a state that cannot work is refused, with the reason."""
    try:
        failed = Case(case.system, failure.under(case.settings, case.system.settings))
    except InputError as error:
        return Phase(failure.part, failure, case, None, str(error))
    try:
        return _phase(failure.part, failure, failed, options, over)
    except StacksimError as error:
        return Phase(failure.part, failure, failed, None, str(error))


def timeline(phases: Sequence[Phase], options: RunOptions, length_s: float | None = None) -> list[Window]:
    """Run the load through ``phases``, all equally long, and back to the first; ``WINDOWS`` windows of each.

    Args:
        length_s: seconds of a phase; by default long enough for ``COMPLETIONS`` and ``LATENCIES`` in a window.

    Raises:
        InputError: a state that cannot work.
        ModelError: a load that ends, or a place that differs between phases.
    """
    if options.engine == ANALYTIC:
        raise InputError(
            "engine is 'analytic', and what comes between two states is simulated; choose engine auto"
        )
    for phase in phases:
        if phase.refused:
            raise InputError(f"{phase.part}: {phase.refused}")
    whole = [*phases, Phase(AFTER, None, phases[0].case, phases[0].prediction)]
    window_s = _window_s(phases) if length_s is None else length_s / WINDOWS
    return _windows(whole, options, window_s)


def _window_s(phases: Sequence[Phase]) -> float:
    results = [phase.prediction.result for phase in phases if phase.prediction]
    requests_s = max(COMPLETIONS / result.throughput.value for result in results)
    latency_s = max(result.groups[result.watched].latency.mean.value for result in results)
    return max(requests_s, LATENCIES * latency_s)


def _windows(phases: Sequence[Phase], options: RunOptions, window_s: float) -> list[Window]:
    first = phases[0].prediction
    assert first  # noqa: S101  (it is not refused)
    scenario, warmup_s = phases[0].case.scenario, max(first.result.warmup_s, window_s)
    edges_s = [0.0, *(warmup_s + number * WINDOWS * window_s for number in range(1, len(phases) + 1))]
    model = in_phases([phase.case.scenario.model for phase in phases], edges_s, options.seed)
    run = Run(model, scenario.watch, options)
    engine = run.start(max_steps=options.max_steps)
    engine.advance(round(warmup_s * NANOSECONDS_PER_SECOND))
    before = engine.snapshot()
    window_ns = round(window_s * NANOSECONDS_PER_SECOND)
    history = engine.intervals(window_ns, WINDOWS * len(phases))
    counters = np.concatenate([before.workloads[np.newaxis], history.workloads])[:, run.rows].sum(axis=1)
    group = model.groups.index(scenario.watch)
    counts = np.diff(np.concatenate([before.histograms[np.newaxis], history.histograms])[:, group], axis=0)
    grown = np.diff(counters, axis=0)
    modelled = [each.prediction is not None and not each.prediction.answers["p99"].why for each in phases]
    completed, latency_ns = (grown[:, WORKLOAD_COLUMNS.index(name)] for name in ("completed", "latency_ns"))
    return [
        Window(
            phases[number // WINDOWS].part,
            number * window_s,
            (number + 1) * window_s,
            float(completed[number]) / window_s * scenario.amount,
            float(latency_ns[number]) / float(completed[number]) / NANOSECONDS_PER_SECOND
            if completed[number]
            else math.nan,
            percentile_ns(counts[number], 0.99) / NANOSECONDS_PER_SECOND
            if modelled[number // WINDOWS]
            else math.nan,
        )
        for number in range(len(grown))
    ]


def rebuild_s(phase: Phase, data_bytes: float) -> Estimate | None:
    """Seconds of a rebuild of ``data_bytes`` beside the load; None if nothing is rebuilt."""
    answers = phase.prediction.further if phase.prediction else {}
    rates = [answer.estimate for name, answer in answers.items() if name.endswith(REBUILD)]
    return rates[0].scaled(MB).duration(data_bytes) if rates and rates[0].value else None
