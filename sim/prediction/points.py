"""Points of a sweep: looked up in a store or predicted, each with a status; a failed one ends no other."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Literal

from sim.engine.errors import InputError, NoSteadyStateError, StacksimError, printable, shown
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions
from sim.prediction.digest import UnknownMeaningError
from sim.prediction.meaning import engine_version, key_of
from sim.prediction.prediction import Prediction, predict_case, prediction_of
from sim.prediction.records import Intervals, packed, unpacked
from sim.prediction.states import States
from sim.prediction.stopping import StoppedError, until
from sim.prediction.store import Entry, Known, Store
from sim.system.case import Case

DONE = Known("done")


@dataclass(frozen=True)
class How:
    """Options of the prediction of points, in any process.

    Attributes:
        intervals: compute prediction intervals.
        owner: the name under which points are claimed in a store.
        version: engine version that workers elsewhere must have; empty for those of this machine.
        limits: determine the limit of each point, while its model is in memory.
    """

    options: RunOptions
    intervals: bool = False
    owner: str = ""
    version: str = ""
    limits: bool = True


@dataclass(frozen=True)
class Job:
    """A point to be run; ``key`` is its key in a store, None without one."""

    case: Case
    key: bytes | None = None


@dataclass(frozen=True)
class Outcome:
    """Outcome of a point.

    Attributes:
        prediction: None unless it is done.
        entry: the entry still to be written into the store; None if there is none.
        error: the error as it was raised; None for an internal error, which is reported in words alone.
        stored: True if it was in the store already.
    """

    known: Known
    prediction: Prediction | None = None
    entry: Entry | None = None
    error: Exception | None = None
    stored: bool = field(default=False, repr=False, compare=False)


Plan = Outcome | Job | Literal["busy"]
"""Plan for a point: its outcome, if known; a job to run; or ``busy`` if another process works on it."""


Done = tuple[float, list[Outcome | Literal["busy"]]]
"""Result of a chunk of points: the seconds it took, and the outcome of each."""


def plan(how: How, cases: Sequence[Case], store: Store | None) -> list[Plan]:
    """Plans for ``cases``; those to be run are claimed in ``store``."""
    if store is None:
        return [Job(case) for case in cases]
    points = [identified(how, case) for case in cases]
    keys = [each.key for each in points if isinstance(each, Job) and each.key]
    known, busy = store.take(list(dict.fromkeys(keys)), how.owner)
    plans: list[Plan] = []
    for each in points:
        if isinstance(each, Outcome) or each.key is None:
            plans.append(each)
        elif each.key in known:
            plans.append(_stored(how, each.case, known[each.key], store, each.key))
        else:
            plans.append("busy" if each.key in busy else each)
    return plans


@dataclass(frozen=True)
class Forecast:
    """True in ``runs`` if a point would be run, and the reason."""

    runs: bool
    why: str


def forecast(how: How, case: Case, store: Store | None) -> Forecast:
    """The plan for a point, as a dry run: nothing is run or written.

    Raises:
        InputError: the store is damaged.
    """
    point = identified(how, case)
    case.forget()
    if isinstance(point, Outcome):
        return Forecast(runs=False, why=f"{point.known.status}: {point.known.reason}")
    if point.key is None:
        return Forecast(runs=True, why="part of its model is code of its own, which no store keeps")
    state = store.known([point.key]).get(point.key) if store else None
    if store and state and state.status == "done":
        _read(store, point.key)
    if state and state.final:
        return Forecast(runs=False, why=": ".join(filter(None, (f"in the store as {state.status}", state.reason))))
    if store and store.busy([point.key], how.owner):
        return Forecast(runs=False, why="another process works on it")
    return Forecast(runs=True, why=f"failed before: {state.reason}" if state else "not in the store")


def identified(how: How, case: Case) -> Outcome | Job:
    """A job with the key of a point, whose model is built; or the outcome that it cannot be built."""
    try:
        return Job(case, key_of(case, how.options, intervals=how.intervals))
    except UnknownMeaningError:
        return Job(case)
    except Exception as error:  # noqa: BLE001  (any error is reported, and ends no other point)
        return _failed(Job(case), error)


def _stored(how: How, case: Case, known: Known, store: Store, key: bytes) -> Outcome:
    if known.status != "done":
        return Outcome(known, stored=True)
    result, intervals, states = _read(store, key)
    scenario = case.folded[0] if how.options.engine == ANALYTIC else case.scenario
    light = _light(how, prediction_of(case, scenario, result, intervals, states))
    case.forget()
    return Outcome(DONE, light, stored=True)


def _read(store: Store, key: bytes) -> tuple[Result, Intervals, States | None]:
    """The stored result of a point that is done.

    Raises:
        InputError: the store is damaged.
    """
    content = store.content(key)
    try:
        return unpacked(content)
    except InputError as error:
        raise InputError(f"store '{shown(store.path)}' is damaged: {error}") from error


def run(how: How, job: Job, progress: Progress | None = None) -> Outcome:
    """Predict one point, and free its model: those of all points might not fit into memory."""
    case, options = job.case, how.options
    try:
        if progress:
            progress(0.0)  # the analytic engine reports no progress
        further = {"intervals": True} if how.intervals else {}
        prediction = predict_case(case, options, progress, **further)
        light = _light(how, prediction)
    except StoppedError:
        raise
    except Exception as error:  # noqa: BLE001  (as above)
        return _failed(job, error)
    finally:
        case.forget()
    entry = Entry(job.key, DONE, _words(prediction), _packed(prediction)) if job.key else None
    return Outcome(DONE, light, entry)


def failed(how: How, case: Case, error: Exception, *, in_store: bool) -> Outcome:
    """The outcome of a point that no worker could run because of ``error``, such as the death of its process."""
    point = identified(how, case) if in_store else Job(case)
    case.forget()
    return point if isinstance(point, Outcome) else _failed(point, error)


def _failed(job: Job, error: Exception) -> Outcome:
    status = known_of(error)
    raised = error if isinstance(error, StacksimError | MemoryError | RecursionError) else None
    return Outcome(status, entry=Entry(job.key, status) if job.key else None, error=raised)


def _packed(prediction: Prediction) -> bytes:
    """The result as bytes, without warnings about parameters, which are not part of the run."""
    result, own = prediction.result, len(prediction.case.system.parameters.warnings)
    result = replace(result, warnings=result.warnings[: len(result.warnings) - own])
    return packed(result, prediction.opened, prediction.states)


def _light(how: How, prediction: Prediction) -> Prediction:
    """The prediction without the run's parts, from which intervals were read: there may be dozens per point."""
    light = replace(prediction, result=replace(prediction.result, parts=()))
    if how.limits:
        _ = light.limit  # known from now on
    return light


def _words(prediction: Prediction) -> str:
    return " ".join((prediction.system, *(f"{name}={text}" for name, text in prediction.shown.items())))


def known_of(error: Exception) -> Known:
    """Status and reason of a point that failed with ``error``."""
    text = printable(" ".join(str(error).split()))
    match error:
        case NoSteadyStateError():
            return Known("unstable", text)
        case InputError():
            return Known("refused", text)
        case StacksimError():
            return Known("failed", text)
        case MemoryError():
            return Known("failed", "out of memory")
        case BrokenExecutor():
            return Known(
                "failed",
                "the process that ran it ended: no memory was left for it, or a script asks outside "
                'if __name__ == "__main__":',
            )
    frame = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" in {each.filename}, line {each.lineno}" for each in frame)
    return Known("failed", f"internal error, please report it: {type(error).__name__}{where}: {text}")


def run_chunk(how: How, cases: Sequence[Case], store: Path | None = None, stopped: Event | None = None) -> Done:
    """Look points up in the store at the path ``store``, and run the others; give up once ``stopped`` is set."""
    begun = perf_counter()
    with Store(store) if store else nullcontext() as opened:
        plans = plan(how, cases, opened)
    look = until(stopped) if stopped else None
    outcomes = [run(how, each, look) if isinstance(each, Job) else each for each in plans]
    return perf_counter() - begun, outcomes


def run_jobs(how: How, jobs: Sequence[Job]) -> Done:
    """Run all of ``jobs``, on a machine that may not see the store.

    Raises:
        InputError: the machine has another version of the engine, whose results might differ.
    """
    if how.version != engine_version():
        raise InputError(
            f"a worker has stacksim {engine_version()}, and here is {how.version}; install the same on both"
        )
    begun = perf_counter()
    outcomes: list[Outcome | Literal["busy"]] = [run(how, each) for each in jobs]
    return perf_counter() - begun, outcomes
