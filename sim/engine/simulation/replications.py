"""Replications of a finite job, each with its own random numbers, until the answers are known."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sim.engine.errors import ModelError, NoSteadyStateError
from sim.engine.events.protocol import WORKLOAD_COLUMNS, Engine
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.result import GroupResult, Result
from sim.engine.simulation.options import Run
from sim.engine.simulation.rare_events import RareEvents
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.steady_state import first_interval_ns, refuse_deadlock
from sim.engine.simulation.summary import answers, result_of
from sim.engine.simulation.verdict import how_well_known, label_of
from sim.engine.statistics.answers import ANSWERS, QUANTILES, WIDER
from sim.engine.statistics.estimates import Estimate, mean, point
from sim.engine.statistics.intervals import Batches

MIN, ENOUGH, MAX = 4, 16, 64
"""Replications: the fewest for an interval; the number below which intervals have to be narrower in proportion, as
they are narrow by chance too often; and the largest number that a patient user waits for."""

HOPELESS = 4.0
"""An answer that would take more than this many times ``MAX`` replications is given up."""

BEYOND = 10.0
"""Least number of requests slower than a percentile for it to have an upper limit."""


def replicated(run: Run) -> Result:
    """Run the job until its elapsed time, and the watched answers, are known.

    The record is that of the first run, except that elapsed time, throughput, latencies and hit ratios are of all
    replications.
    """
    replications: list[Replication] = []
    rare = RareEvents(run.model, run.rows, run.options.precision)
    while len(replications) < MAX:
        replications.append(Replication(run, seed_of(run.options.seed, len(replications))))
        if len(replications) >= MIN:
            widths = _widths(run, replications)
            waited_for = [width for name, width in widths.items() if not _hopeless(run, replications, name, width)]
            worst = max(waited_for, default=0.0) * max(1.0, ENOUGH / len(replications))
            run.progress(min(1.0, 1.0 / max(worst, 1.0) ** 2))
            if worst <= 1.0 and not _missing(rare, replications):
                break
    return _record(run, replications, _missing(rare, replications))


def replicated_times(run: Run, times: int) -> Result:
    """Run the job ``times`` times, at least twice, whatever precision that gives."""
    replications = [Replication(run, seed_of(run.options.seed, number)) for number in range(times)]
    return _record(run, replications, missing=None)


def _missing(rare: RareEvents, replications: list[Replication]) -> str | None:
    """The first event that has come too seldom in all ``replications`` together, in words; None if none."""
    completed, steps = (
        np.sum([replication.snapshots.growth(column, [0, -1]) for replication in replications], axis=0)
        for column in ("completed", "steps")
    )
    return rare.missing(completed, steps, sum(replication.elapsed_s for replication in replications))


def seed_of(seed: int, replication: int) -> int:
    """Root seed of one replication; except for the first, no other root seed leads to the same run."""
    if not replication:
        return seed
    digest = hashlib.blake2b(f"replication {replication} of {seed}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "little")


class Replication:
    """One run of the job to its end.

    Attributes:
        elapsed_s: elapsed time of the job in seconds.
        snapshots: counters at its beginning and end.
        record: result of this run alone.
    """

    def __init__(self, run: Run, seed: int) -> None:
        engine = run.start(seed, max_steps=4 * run.options.max_steps)
        self.snapshots = _to_the_end(run, engine)
        self.elapsed_s = engine.now_ns / NANOSECONDS_PER_SECOND
        record = result_of(replace(run, parts=False), engine, self.snapshots, [0, self.snapshots.intervals], ())
        self.record = replace(record, elapsed=point(self.elapsed_s))


def _to_the_end(run: Run, engine: Engine) -> Snapshots:
    """Run the job to its end, in one interval."""
    until_ns = first_interval_ns(run)
    snapshots = Snapshots(engine, until_ns)
    while not engine.finished:
        engine.advance(until_ns)
        refuse_deadlock(engine, run.model)
        until_ns *= 2
        if (
            not engine.finished
            and (steps := int(engine.snapshot().workloads[:, -1].sum())) > run.options.max_steps
        ):
            raise NoSteadyStateError(
                f"the job has not ended after {steps:,} steps: {_progress(run, engine)}; "
                "make the job smaller, as by less data or fewer requests, or allow more steps"
            )
    if not engine.now_ns:
        raise ModelError("the job took no time at all; give a step a time above zero")
    snapshots.read()
    return snapshots


def _progress(run: Run, engine: Engine) -> str:
    """Progress of the counted workload that is furthest from its end, as text."""
    completed = engine.snapshot().workloads[:, WORKLOAD_COLUMNS.index("completed")].tolist()
    shares = [
        (done / workload.count, f"{workload} has completed {done} of {workload.count} requests")
        for workload, done in zip(run.model.workloads, completed, strict=True)
        if workload.count is not None
    ]
    return min(shares)[1]


def _widths(run: Run, replications: list[Replication]) -> dict[str, float]:
    """Half-width of each watched answer, as a multiple of the one asked for."""
    widths = {"elapsed": _elapsed(run, replications).precision / run.options.precision}
    batches, own = _batches(run, replications, run.watch), _own(run, replications)
    for name in (*ANSWERS, *own):
        if name in run.options.answers and name != "throughput":  # which follows from the elapsed time
            estimate = own[name] if name in own else batches.answer(name, run.options.confidence).estimate
            widths[name] = estimate.precision / run.options.tolerances[name]
    return widths


def _own(run: Run, replications: list[Replication]) -> Mapping[str, Estimate]:
    """The system's own answers that the runs wait for, without those that no run can give."""
    if not run.options.own:
        return {}
    groups = {name: _group(run, replications, name) for name in replications[0].record.groups}
    records = tuple(each.record for each in replications)
    own = run.own(replace(records[0], groups=groups, elapsed=_elapsed(run, replications), parts=records))
    return {name: own[name] for name in run.options.own if name in own}


def _hopeless(run: Run, replications: list[Replication], name: str, width: float) -> bool:
    """True if an answer will not be known even after ``MAX`` replications."""
    requests = replications[0].record.groups[run.watch].completed * MAX
    if requests * (1.0 - QUANTILES.get(name, 0.0)) < BEYOND:
        return True
    return len(replications) >= ENOUGH and len(replications) * width * width > HOPELESS * MAX


def _elapsed(run: Run, replications: list[Replication]) -> Estimate:
    times_s = np.array([replication.elapsed_s for replication in replications])
    return mean(times_s, run.options.confidence).not_below_zero()


def _batches(run: Run, replications: list[Replication], group: str) -> Batches:
    """Requests of ``group``; each replication is a batch."""
    rows, number = run.model.rows(group), run.model.groups.index(group)
    parts = [
        replication.snapshots.request_batches(rows, number, [0, replication.snapshots.intervals])
        for replication in replications
    ]
    times, completed, latency = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("times_ns", "completed", "latency_ns")
    )
    return Batches(
        times, completed, latency, lambda: np.concatenate([part.histograms() for part in parts]), runs=True
    )


def _record(run: Run, replications: list[Replication], missing: str | None) -> Result:
    """Record of the first run, with answers of all; ``missing`` names an event that was too seldom, if any."""
    first, elapsed, widths = replications[0].record, _elapsed(run, replications), _widths(run, replications)
    groups = {name: _group(run, replications, name) for name in first.groups}
    known = {name: width <= 1.0 and not missing for name, width in widths.items()}
    watched = groups[run.watch].marked({**known, "throughput": known["elapsed"]})
    if len({replication.record.groups[run.watch].completed for replication in replications}) == 1:
        throughput = elapsed.marked(known=known["elapsed"]).duration(watched.completed)
        watched = replace(watched, throughput=throughput)
    answers_by_name = {**_own(run, replications), "elapsed": elapsed, **watched.answers}
    count = len(replications)
    if missing:
        warnings = [f"not known well enough: {missing}, after {count} replications; lengthen the job"]
    else:
        warnings = [_unknown(run, name, answers_by_name[name], count) for name in widths if not known[name]]
    if all(run.model.workloads[row].count is None for row in run.rows):
        warnings.append(
            f"'{run.watch}' has no end: its answers are those of the time that the job beside it takes"
        )
    return replace(
        first,
        parts=tuple(replication.record for replication in replications) if run.parts else (),
        groups={**groups, run.watch: watched},
        elapsed=elapsed.marked(known=known["elapsed"]),
        judged={name: known[name] for name in run.options.own if name in known},
        warnings=(*first.warnings, *warnings),
    )


def _group(run: Run, replications: list[Replication], name: str) -> GroupResult:
    """Result of one group, with throughput, latencies and hit ratio of all replications."""
    records = [replication.record.groups[name] for replication in replications]
    throughput, latency, _ = answers(run, _batches(run, replications, name))
    ratios = np.array([record.hit_ratio.value for record in records if record.hit_ratio])
    hit_ratio = mean(ratios, run.options.confidence) if len(ratios) > 1 else records[0].hit_ratio
    return replace(records[0], throughput=throughput, latency=latency, hit_ratio=hit_ratio)


def _unknown(run: Run, name: str, estimate: Estimate, replications: int) -> str:
    """Warning with the precision of the answer ``name`` after ``replications``."""
    label = label_of(name)
    wanted = run.options.precision if name == "elapsed" else run.options.tolerances[name]
    return (
        f"{label} is not known well enough: {how_well_known(name, estimate)} after {replications} replications, "
        f"±{wanted:.2%} was asked for; allow {WIDER}, or lengthen the job"
    )
