"""A model of several phases: places stay as they are, and the load changes its paths at given times.

phase 1            │ phase 2            │ phase 3
client: old path   │ client: new path   │ client: old path
what does not change runs through

At the end of a phase each client ends its request on the old path, and then a client of the next phase takes over:
the number in flight stays. Requests waiting at places, and the content of buffers and caches, stay, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sim.engine.errors import ModelError
from sim.engine.events.random_streams import Streams
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer, Place
from sim.engine.model.steps import Put, Take
from sim.engine.model.workloads import Closed, Open, Periodic, Poisson, ReplayedTimes, Workload


def in_phases(models: Sequence[Model], edges_s: Sequence[float], seed: int) -> Model:
    """The model that behaves like each of ``models`` in turn.

    Args:
        edges_s: beginnings of all phases in seconds, the first 0, and the end of the last; afterwards it goes on.
        seed: seed of the arrivals of open workloads that change; the engine makes all other draws.

    Raises:
        ModelError: a workload that ends, or a place that differs between phases.
    """
    _check_places(models)
    by_name = [{workload.name: workload for workload in model.workloads} for model in models]
    workloads: list[Workload] = []
    for name in dict.fromkeys(name for each in by_name for name in each):
        workloads += _spans([each.get(name) for each in by_name], edges_s, seed)
    return Model(workloads)


def _check_places(models: Sequence[Model]) -> None:
    known: dict[str, Place] = {}
    for place in (place for model in models for place in model.places):
        if known.setdefault(place.name, place) != place:
            raise ModelError(f"{place} is not the same in all phases, and no place can change while a model runs")


def _spans(versions: Sequence[Workload | None], edges_s: Sequence[float], seed: int) -> Iterator[Workload]:
    """Workloads for each run of phases in which ``versions`` is unchanged."""
    first = 0
    for workload, same in groupby(versions):
        last = first + len(list(same))
        if workload is not None:
            whole = last - first == len(versions)
            _check_endless(workload, cut=not whole)
            yield workload if whole else _cut(workload, first, last, edges_s, seed)
        first = last


def _check_endless(workload: Workload, *, cut: bool) -> None:
    if workload.count is not None or (cut and workload.timed):
        raise ModelError(f"{workload} comes to an end, and phases need a load that goes on")


def _cut(workload: Workload, first: int, last: int, edges_s: Sequence[float], seed: int) -> Workload:
    """``workload`` from phase ``first`` until ``last`` begins."""
    name = f"{workload.name} [{first + 1}]" if first else workload.name
    if isinstance(workload, Open):
        times = _arrivals(workload, edges_s[first], edges_s[last], seed)
        return Open(name, ReplayedTimes(times), workload.path, group=workload.group)
    assert isinstance(workload, Closed)  # noqa: S101  (there is no other kind)
    turn = Buffer(f"{workload.name} [turn]", workload.clients, workload.clients)
    return Closed(
        name,
        clients=workload.clients,
        path=(Take(turn), *workload.path, Put(turn)),
        begins=workload.begins + 1,
        think=workload.think,
        group=workload.group,
        start_s=edges_s[first],
        stop_s=edges_s[last] if last < len(edges_s) - 1 else None,
    )


def _arrivals(workload: Open, begin_s: float, end_s: float, seed: int) -> list[float]:
    """Arrival times of ``workload`` in a span, and one long after it, as a run ends with the last arrival.

    Raises:
        ModelError: arrivals at given times, which belong to no phase.
    """
    length_s = end_s - begin_s
    match workload.arrivals:
        case Poisson(per_second=rate):
            generator = Streams(seed).generator(str(workload), f"arrivals from {begin_s!r} s")
            times = np.sort(generator.uniform(begin_s, end_s, generator.poisson(rate * length_s)))
        case Periodic(interval_s=interval_s):
            times = np.arange(begin_s + interval_s, end_s, interval_s)
        case _:
            raise ModelError(f"{workload} arrives at given times, and phases need a rate")
    return [*times.tolist(), 2.0 * end_s + 1.0]
