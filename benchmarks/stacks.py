"""A stack file against the same layers wired in Python, as a built-in system is: processor time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import process_time
from typing import Any

from benchmarks.table import Row
from models.parts.file.lock import File
from models.parts.flash import Flash
from models.parts.host.block_scheduler import Scheduler
from models.parts.host.cores import Cores
from models.workloads.clients import Clients
from sim.prediction import RunOptions, predict
from sim.system import Scenario, System, find
from sim.system.quantities import Table
from sim.system.settings import complete

PASSES = 7
"""How often each is timed, in turn; the least counts, as other programs share the machine."""

MOST = 1.1
"""A stack file takes at most so many times as long."""

CASES: dict[str, dict[str, Any]] = {"1 process": {}, "64 processes": {"jobs": 64, "depth": 4}}


def _built(settings: Any, parameters: Any) -> Scenario:
    """What ``models/stacks/nvme-xfs.toml`` says."""
    latency = {"read": parameters.read_latency, "write": parameters.write_latency}
    ssd = Flash(
        latency=Table("latency", None, "").parse(latency),
        units=int(parameters.units),
        bandwidth=parameters.bandwidth,
    ).layer("ssd", _nothing)
    scheduler = Scheduler(scheduler=settings.scheduler).layer("scheduler", lambda _: ssd)
    file = File().layer("file", lambda _: scheduler)
    cores = Cores(count=int(parameters.cores), time=parameters.submit).layer("cores", lambda _: file)
    load = Clients(settings.jobs, settings.depth, settings.block, settings.op, files=settings.files)
    return load.scenario(cores)


def _nothing(_name: str) -> None:
    """What is below a device."""


def stacks() -> Iterator[Row]:
    """Predictions of the same model, whose answers are equal."""
    stack = find("nvme-xfs")
    built = replace(stack, build=_built)
    for name, given in CASES.items():
        _seconds(stack, given), _seconds(built, given)  # what is imported or compiled is not timed
        took = [(_seconds(stack, given), _seconds(built, given)) for _ in range(PASSES)]
        ours, theirs = (min(each) for each in zip(*took, strict=True))
        found = f"{ours * 1e3:.0f} : {theirs * 1e3:.0f} ms"
        yield Row(
            f"predict nvme-xfs, {name}", found, f"{ours / theirs:.3g} ×", f"≤ {MOST:g} ×", ours <= MOST * theirs
        )


def _seconds(system: System, given: dict[str, Any]) -> float:
    settings = complete(system.settings, given)
    start = process_time()
    predict(system, settings, RunOptions())
    return process_time() - start
