"""Results in the format of ``fio --output-format=json``, for tools that read it.

Values that the simulation lacks are left out: smallest and largest latencies, percentiles other than 50, 95 and
99, all of them if times are constants, those of reads and writes of a mix, and data on fio's own processes. A
latency is from beginning to end: all of it is in ``clat_ns``, and ``slat_ns`` is empty, as for fio's synchronous
engines. The processes of a job are reported together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from models.workloads.fio.job import Job, What
from models.workloads.fio.job_file import JobFile
from models.workloads.fio.scenario import latency_s
from sim.engine.result import Result
from sim.engine.simulation.limits import limit_of
from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.engine.units import KIB
from sim.prediction.prediction_record import limit_record
from sim.system import Scenario

MS, NS = 1e3, 1e9
"""Milliseconds and nanoseconds of a second."""

NOTHING = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
"""Latencies of nothing, as fio writes them."""

VERSION = "fio-3.33 (simulated by stacksim)"
"""The version of fio whose format this is."""

Answered = tuple[Scenario, Result]
"""The scenario of a group of jobs, and its result."""


@dataclass(frozen=True)
class _Ran:
    """A job and the result of its group; ``group`` is the number of those reported together."""

    job: Job
    scenario: Scenario
    result: Result
    group: int

    @property
    def runtime_s(self) -> float:
        """Run time of fio: until the size is done, the stated time, or the simulated time."""
        if self.result.elapsed:
            return self.result.elapsed.value
        return self.job.runtime_s or self.result.measured_s

    def per_second(self, what: What) -> float:
        """Reads, writes or flushes a second."""
        return self.result.groups[self.job.name].throughput.value * self.job.shares.get(what, 0.0)

    def percentiles_ns(self) -> dict[str, int]:
        """Known percentiles over all I/Os; empty for several kinds of I/Os."""
        latencies = self.scenario.latencies(self.result, self.job.name) if self.job.alike else {}
        return {
            f"{100 * QUANTILES[name]:.6f}": round(estimate.value * NS)
            for name, estimate in latencies.items()
            if name in QUANTILES and estimate.known and math.isfinite(estimate.value)
        }


def fio_json(file: JobFile, answered: Sequence[Answered]) -> dict[str, Any]:
    """Output of fio for ``file``, from the answers to each of its groups, in order.

    Numbers are in fio's units: bytes or KiB a second, nanoseconds, milliseconds of runtime. The key ``stacksim``
    has values beyond fio's: intervals, convergence, limits, warnings and notes.
    """
    entries: list[list[_Ran]] = []
    for ran in _ran(file, answered):
        if ran.job.together and entries and entries[-1][0].group == ran.group:
            entries[-1].append(ran)
        else:
            entries.append([ran])
    return {
        "fio version": VERSION,
        "global options": dict(file.options),
        "jobs": [_entry(together) for together in entries],
        "stacksim": {
            "notes": list(file.notes),
            "groups": [_answers(scenario, result) for scenario, result in answered],
        },
    }


def _ran(file: JobFile, answered: Sequence[Answered]) -> Iterator[_Ran]:
    group = -1
    for jobs, (scenario, result) in zip(file.groups, answered, strict=True):
        for job in jobs:
            group += group < 0 or job.apart
            yield _Ran(job, scenario, result, group)


def _entry(together: Sequence[_Ran]) -> dict[str, Any]:
    """The entry of jobs that are reported together; name and options are those of the first, as in fio."""
    first = together[0]
    runtime_ms = round(max(ran.runtime_s for ran in together) * MS)
    flushes, latency = _latency("sync", together, runtime_ms)
    return {
        "jobname": first.job.name,
        "groupid": first.group,
        "error": 0,
        "eta": 0,
        "elapsed": math.ceil(runtime_ms / MS),
        "job options": dict(first.job.options),
        "read": _side("read", together, runtime_ms),
        "write": _side("write", together, runtime_ms),
        "trim": _side("trim", [], 0),
        "sync": {"total_ios": flushes, "lat_ns": latency},
        "job_runtime": runtime_ms * sum(ran.job.processes for ran in together),
    }


def _side(what: What, together: Sequence[_Ran], runtime_ms: int) -> dict[str, Any]:
    """Statistics of reads, of writes or, always empty, of trims."""
    rate = round(fsum(ran.per_second(what) * ran.job.mean_bytes(what) for ran in together))
    total, latency = _latency(what, together, runtime_ms)
    return {
        "io_bytes": round(rate * runtime_ms / MS),
        "io_kbytes": round(rate * runtime_ms / MS) // KIB,
        "bw_bytes": rate,
        "bw": rate // KIB,
        "iops": fsum(ran.per_second(what) for ran in together),
        "runtime": runtime_ms if rate else 0,
        "total_ios": total,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": dict(NOTHING),
        "clat_ns": latency,
        "lat_ns": {name: value for name, value in latency.items() if name != "percentile"},
    }


def _latency(what: What, together: Sequence[_Ran], runtime_ms: int) -> tuple[int, dict[str, Any]]:
    """Number of reads, writes or flushes, and their known latencies, in nanoseconds."""
    ran = [(each.per_second(what), each) for each in together if what in each.job.shares]
    total = fsum(rate for rate, _ in ran)
    count = round(total * runtime_ms / MS)
    if not count:
        return 0, dict(NOTHING)
    means = [latency_s(each.job, what, each.result) for _, each in ran]
    mean_ns = fsum(rate * mean.value for (rate, _), mean in zip(ran, means, strict=True)) / total * NS
    known = math.isfinite(mean_ns) and all(each.known for each in means)
    mean = {"mean": mean_ns} if known else {}
    percentiles = ran[0][1].percentiles_ns() if len(ran) == 1 else {}
    return count, {**mean, "N": count, **({"percentile": percentiles} if percentiles else {})}


def _answers(scenario: Scenario, result: Result) -> dict[str, Any]:
    """Answers of a group's simulation beyond fio's."""
    return {
        "watched": result.watched,
        "engine": result.engine,
        "seed": result.seed,
        "answers": {
            name: {**_estimate(answer.estimate), "unit": answer.unit}
            for name, answer in scenario.answers(result).items()
        },
        "latency": {
            group: {name: _estimate(each) for name, each in scenario.latencies(result, group).items()}
            for group in result.groups
        },
        "limit": limit_record(limit_of(scenario.model, result)),
        "warnings": list(result.warnings),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    """An estimate, with None for unknown values."""
    return {name: None if not math.isfinite(value) else value for name, value in vars(estimate).items()}
