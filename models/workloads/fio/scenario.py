"""Answers of a simulation of jobs: bandwidth and I/Os a second, and for a mix those of each kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from models.layer import Layer
from models.workloads.fio.job import Job, What
from models.workloads.fio.load import inside, loads
from sim import Model, Workload
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.units import MB
from sim.system import Measure, Scenario

US = 1e6
"""Microseconds of a second."""


def latency_s(job: Job, what: What, result: Result) -> Estimate:
    """Mean latency of the reads, writes or flushes (sync) of ``job``; for several kinds by Little's law."""
    if job.alike:
        return result.groups[job.name].latency.mean
    pool = inside(job, what)
    place = result.places.get(pool.name)
    if place is None:  # such as a flush that no layer acts on
        return point(0.0)
    return point(place.utilisation * pool.tokens / place.visits) if place.visits else point(math.nan)


def scenario(jobs: Sequence[Job], top: Layer, background: Iterable[Workload] = ()) -> Scenario:
    """The model of simultaneous ``jobs`` on ``top``, with the ``background`` of layers.

    Throughput is that of the first job, in MB/s. Measures are its I/Os a second (``iops``) and, for a mix, the
    MB/s and the mean latency of each kind; measures of further jobs begin with the name of the job.

    Raises:
        InputError: the jobs cannot run simultaneously, or the model cannot work.
    """
    first = jobs[0]
    measures = dict(_measures(first, watched=True))
    for job in jobs[1:]:
        bandwidth = {"throughput": Measure("MB/s", _rate(job, job.io_bytes / MB))}
        others = bandwidth | dict(_measures(job, watched=False))
        measures |= {f"{job.name} {name}": each for name, each in others.items()}
    model = Model([*loads(jobs, top), *background])
    amount = first.io_bytes / MB
    ceiling = amount * first.pace * first.processes if first.pace else math.inf
    return Scenario(model, first.name, amount, "MB/s", measures, ceiling=ceiling)


def _measures(job: Job, *, watched: bool) -> Iterator[tuple[str, Measure]]:
    """Measures by name; rates of the ``watched`` job are parts of the throughput."""
    yield "iops", Measure("I/O/s", _rate(job, 1.0), of_throughput=watched)
    if not job.alike or job.pace:
        for what, share in job.shares.items():
            if what != "sync" and 0.0 < job.reads < 1.0:
                rate = _rate(job, share * job.mean_bytes(what) / MB)
                yield what, Measure("MB/s", rate, of_throughput=watched)
            yield f"{what}_latency", Measure("µs", _latency(job, what))


def _rate(job: Job, amount: float) -> Callable[[Result], Estimate]:
    """Function to the requests a second of ``job``, each counted as ``amount``."""
    return lambda result: result.groups[job.name].throughput.scaled(amount)


def _latency(job: Job, what: What) -> Callable[[Result], Estimate]:
    return lambda result: latency_s(job, what, result).scaled(US)
