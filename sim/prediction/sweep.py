"""Sweeps: every combination of some settings predicted, in parallel, into one table."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from functools import partial
from itertools import product
from threading import Event
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, shown
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.processes import pool
from sim.simulation.options import Progress, RunOptions
from sim.system.case import Case
from sim.system.settings import complete, pairs
from sim.system.system import System
from sim.system.what_if import given_value, set_values, with_set

if TYPE_CHECKING:
    import pandas as pd

OnProgress = Callable[[int, int], None]
"""Called with the number of predictions that are done, and that of all."""

MAX = 100_000
"""Predictions of one sweep: more would take days, and the memory of the machine."""


def axes(system: System, words: Iterable[str], set_words: Iterable[str] = ()) -> dict[str, list[Any]]:
    """Read words like ``nodes=1,2,4`` into a list of checked values for each setting or parameter named.

    Args:
        set_words: those about parameters.

    Raises:
        InputError: an unknown setting or parameter, a value that is not allowed, one given twice, or no word.
    """
    settings, parameters = pairs(words), set_values(set_words, "cores=4,8")
    values: dict[str, list[Any]] = {}
    for name, text in settings.items():
        values[name] = [complete(system.settings, {name: value})[name] for value in text.split(",")]
    for name, text in parameters.items():
        values[name] = [given_value(system.parameters, name, value) for value in text.split(",")]
    for name, text in {**settings, **parameters}.items():
        if len(set(values[name])) < len(values[name]):
            raise InputError(f"a value of {name} is given twice in '{shown(text)}'; give each once")
    if not values:
        raise InputError("nothing varies; give a setting several values, such as users=1,8")
    return values


def crossed(varied: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations; the last of the names varies fastest.

    Raises:
        InputError: there are too many.
    """
    if (points := math.prod(map(len, varied.values()))) > MAX:
        raise InputError(f"these settings make {points} combinations; allowed: {MAX}; vary less")
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]


def cases_of(system: System, varied: Mapping[str, Sequence[Any]]) -> list[Case]:
    """The cases of all combinations of the values of settings and parameters, by name; see ``crossed``."""
    settings = {each.name for each in system.settings}
    return [
        Case.of(
            with_set(system, {name: value for name, value in values.items() if name not in settings}),
            {name: value for name, value in values.items() if name in settings},
        )
        for values in crossed(varied)
    ]


def predict_all(
    cases: Sequence[Case],
    options: RunOptions,
    *,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
) -> list[Prediction]:
    """Predict every case, in their order; without prediction intervals, which would take 17 to 33 runs more each.

    Args:
        executor: where the work is done; by default on this machine, in threads for the compiled loop, which
            releases Python's lock, and in processes for the reference engine.
        on_progress: called whenever a prediction is done.
    """
    stopped = Event()
    with _local(len(cases), options) if executor is None else nullcontext(executor) as workers:
        one = partial(_until, stopped) if isinstance(workers, ThreadPoolExecutor) else _predict
        futures = [workers.submit(one, case, options) for case in cases]
        try:
            _watch(futures, on_progress)
            return [future.result() for future in futures]
        finally:  # whatever stops this early, the interrupt key too, stops those at work and those that wait
            stopped.set()
            for future in futures:
                future.cancel()


def _local(tasks: int, options: RunOptions) -> Executor:
    workers = max(1, min(tasks, os.cpu_count() or 1))
    return pool(workers) if options.engine == "reference" else ThreadPoolExecutor(workers)


class _StoppedError(Exception):
    """Ends a prediction in a thread, which nothing else can; its answer is not needed any more."""


def _predict(case: Case, options: RunOptions, progress: Progress | None = None) -> Prediction:
    """Predict, and let go of the model: those of all points might not fit into memory."""
    prediction = predict_case(case, options, progress)
    case.forget()
    return prediction


def _until(stopped: Event, case: Case, options: RunOptions) -> Prediction:
    """Predict, but give up once the event ``stopped`` is set."""

    def look(_share: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    return _predict(case, options, look)


def _watch(futures: Sequence[Future[Prediction]], on_progress: OnProgress | None) -> None:
    for count, future in enumerate(as_completed(futures), start=1):
        future.result()  # the first failure ends it
        if on_progress:
            on_progress(count, len(futures))


def table(predictions: Sequence[Prediction], varied: Sequence[str]) -> pd.DataFrame:
    """One row for each prediction: the ``varied`` settings, throughput with interval, latency (s), what limits."""
    import pandas as pd  # lazily: a third of a second that a single prediction need not pay

    rows = []
    for prediction in predictions:
        latency = prediction.result.groups[prediction.result.watched].latency
        rows.append(
            {name: prediction.inputs[name] for name in varied}
            | {
                f"throughput ({prediction.unit})": prediction.throughput.value,
                "low": prediction.throughput.low,
                "high": prediction.throughput.high,
                **{
                    f"{name} ({answer.unit})": answer.estimate.value for name, answer in prediction.further.items()
                },
                "mean latency (s)": latency.mean.value,
                "p99 latency (s)": latency.p99.value,
                "bottleneck": prediction.limit.place or "",
                "limited by": prediction.limit.kind,
                "reached": prediction.limit.reached,
                "not known": " ".join(_unknown(prediction)),
            }
        )
    return pd.DataFrame(rows)


def _unknown(prediction: Prediction) -> Iterator[str]:
    """The names of the answers that are not known well enough."""
    latency = prediction.result.groups[prediction.result.watched].latency
    estimates = {"throughput": prediction.throughput, "mean": latency.mean, "p99": latency.p99}
    yield from (name for name, estimate in estimates.items() if not estimate.known)
    yield from (name for name, answer in prediction.further.items() if not answer.estimate.known)
