"""The analytic engine against simulation: how far off, by what a model contains; and how quick it is.

Every published system is asked for its published figures, by both. Random models are those of the tests, without
what only one of the two can do; their error is of the throughput of the first workload's group. All errors are
analytic / simulated - 1.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from benchmarks.table import Row
from sim import Cache, Closed, Fork, Gate, Lock, Model, Open, Pool, Put, StacksimError, Station, Take, simulate
from sim.data.dataset import Dataset
from sim.engine.analytic.solve import solve
from sim.engine.model.steps import iter_steps
from sim.engine.statistics.answers import THROUGHPUT
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system.installed import find
from sim.system.settings import complete

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from strategies import PAUSE, models, spread

RANDOM_MODELS = 1000
PRECISION = 0.02
MAX_STEPS = 300_000
"""A random model that is not known to 2 % by then is left out."""


class _EnoughError(KeyboardInterrupt):
    """So many models are drawn; Hypothesis hands an interrupt on at once."""


PASSES, RUNS = 5, 5
"""How often all predictions are timed, and each at a time."""

MAX_S, LARGEST_S = 5e-3, 1.0
"""A prediction takes at most so long; one of 1,000 nodes and 5,000 cells."""

WHAT_IFS: dict[str, tuple[Any, ...]] = {
    "nodes": (1, 4, 16, 64),
    "cells": (3, 14, 256),
    "users": (1, 4, 8, 32, 256),
    "block": ("1KiB", "8KiB", "32KiB", "1MiB"),
    "op": ("write", "read"),
}

ALWAYS: dict[str, Any] = {"start_s": 0.0, "stop_s": None}

Found = tuple[float, set[str]]
"""A relative error, and what the model contains."""


def analytic() -> Iterator[Row]:
    """Errors of the published cells and of random models, then times."""
    for dataset in datasets([]):
        yield from _published(dataset)
    found, refused, unsettled = _random()
    yield from _summary("random models", found)
    yield Row("  refused by the analytic engine", f"{refused}")
    yield Row("  not known to 2 % by simulation", f"{unsettled}")
    yield from _times()


def _summary(what: str, found: list[Found]) -> Iterator[Row]:
    for feature in sorted(
        set().union(*(features for _, features in found)), key=lambda each: (each != "all", each)
    ):
        errors = [abs(error) for error, features in found if feature in features]
        name = what if feature == "all" else f"  {feature}"
        yield Row(
            f"{name}: {len(errors)}", f"median {statistics.median(errors):.2%}", f"{max(errors):.1%}", "worst"
        )


def _published(dataset: Dataset) -> Iterator[Row]:
    """The figures of ``dataset`` by both; what the analytic engine does not answer is counted."""
    simulated, computed = (
        {(each.row, each.column, each.measure): each.predicted for each in report([dataset], choices).cells}
        for choices in (RunOptions(precision=PRECISION), RunOptions(engine="analytic"))
    )
    known = {figure: value for figure, value in computed.items() if math.isfinite(value)}
    what = f"{dataset.name} ({dataset.system})"
    if known:
        errors = [value / simulated[figure] - 1.0 for figure, value in known.items() if simulated[figure]]
        yield from _summary(what, [(error, {"all"}) for error in errors])
    if len(known) < len(simulated):
        yield Row(
            f"{'  ' if known else f'{what}: '}not answered by the analytic engine",
            f"{len(simulated) - len(known)}",
        )


def _random() -> tuple[list[Found], int, int]:
    found: list[Found] = []
    refused = unsettled = 0
    for model in _drawn(3 * RANDOM_MODELS):
        if len(found) == RANDOM_MODELS:
            break
        try:
            computed = solve(model).groups[model.groups[0]].throughput
        except StacksimError:
            refused += 1
            continue
        try:
            simulated = simulate(model, precision=PRECISION, answers=THROUGHPUT, max_steps=MAX_STEPS)
        except StacksimError:
            unsettled += 1
            continue
        if simulated.throughput.precision > PRECISION or not simulated.throughput.value:
            unsettled += 1
        else:
            found.append((computed / simulated.throughput.value - 1.0, features(model)))
    return found, refused, unsettled


def _drawn(count: int) -> Iterable[Model]:
    """Models without counts, drawn with a fixed seed."""
    kept: list[Model] = []

    @seed(1)
    @settings(
        max_examples=20 * count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(models(spread, custom=False))
    def draw(model: Model) -> None:
        with suppress(StacksimError):
            changed = endless(model)
            if not changed.finite:
                kept.append(changed)
        if len(kept) == count:
            raise _EnoughError

    with suppress(_EnoughError):
        draw()
    return kept


def endless(model: Model) -> Model:
    """The same without counts and timetables; every client pauses, so that time passes.

    Raises:
        ModelError: arrival times that are replayed have an end.
        NoSteadyStateError: without an end it is too much.
    """
    return Model(
        replace(each, path=(*each.path, PAUSE), count=None, **(ALWAYS if isinstance(each, Closed) else {}))
        for each in model.workloads
    )


def features(model: Model) -> set[str]:
    """What ``model`` contains that the analytic engine treats in a way of its own."""
    steps: list[Any] = [step for workload in model.workloads for step in iter_steps(workload.path)]
    buffers = {step.buffer for step in steps if isinstance(step, Put | Take)}
    both = [
        {
            step.buffer
            for workload in model.workloads
            for step in iter_steps(workload.path)
            if isinstance(step, kind)
        }
        for kind in (Put, Take)
    ]
    has = {
        "open": any(isinstance(workload, Open) for workload in model.workloads),
        "several servers": any(isinstance(place, Station) and place.servers > 1 for place in model.places),
        "pool": any(isinstance(place, Pool) for place in model.places),
        "lock": any(isinstance(place, Lock) for place in model.places),
        "buffer": bool(buffers and any(both)),
        "gate": any(isinstance(place, Gate) for place in model.places),
        "cache": any(isinstance(place, Cache) for place in model.places),
        "fork, waited for": any(isinstance(step, Fork) and step.wait for step in steps),
        "fork, left behind": any(isinstance(step, Fork) and not step.wait for step in steps),
    }
    named = {name for name, present in has.items() if present}
    return {"all", *(named or {"stations only, one server"})}


def _times() -> Iterator[Row]:
    """A few predictions, and every combination of a few values of each setting that says how much there is."""
    several: list[dict[str, Any]] = [
        {},
        {"users": 8, "block": "8KiB"},
        {"nodes": 4, "cells": 7, "users": 8},
        {"nodes": 64, "cells": 256, "users": 256},
        {"nodes": 1000, "cells": 5000, "users": 8},
    ]
    what_ifs = [dict(zip(WHAT_IFS, values, strict=True)) for values in product(*WHAT_IFS.values())]
    took = _quickest([*several, *what_ifs])
    for asked, seconds in zip(several, took, strict=False):
        shown = " ".join(f"{name}={value}" for name, value in asked.items()) or "all defaults"
        max_s = MAX_S if asked.get("nodes", 1) < 1000 else LARGEST_S  # noqa: PLR2004
        yield _within(f"predict dbfs {shown}", seconds, max_s)
    others = sorted(took[len(several) :])
    share = sum(each <= MAX_S for each in others) / len(others)
    what = f"predict dbfs {len(others)} what-ifs"
    yield Row(f"{what}, median", f"{statistics.median(others) * 1e3:.2f} ms")
    yield Row(f"{what}, within {MAX_S * 1e3:g} ms", f"{share:.1%}")
    yield _within(f"{what}, slowest", others[-1], MAX_S)


def _within(what: str, seconds: float, max_s: float) -> Row:
    return Row(what, f"{seconds * 1e3:.2f} ms", "", f"≤ {max_s * 1e3:g} ms", seconds <= max_s)


def _quickest(asked: list[dict[str, Any]]) -> list[float]:
    """Processor seconds of a warm prediction of each: the least of several, some time apart (shared machines)."""
    system = find("dbfs")
    wanted = [complete(system.settings, each) for each in asked]
    found = [math.inf] * len(asked)
    for row in [row for _ in range(PASSES) for row in range(len(asked)) for _ in range(RUNS)]:
        start = process_time()
        predict(system, wanted[row], RunOptions(engine="analytic"))
        found[row] = min(found[row], process_time() - start)
    return found
