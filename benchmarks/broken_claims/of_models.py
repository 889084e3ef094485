"""Claims about systems and stacks: what their models answer, and the same broken.

A number under other settings than the claim says is that of a second run: page cache for direct I/O, more links, a
full bucket of credits. What no setting has, such as compressible data, is a factor.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from benchmarks.broken_claims.made import MOST, Made, broken, factor_of, often, rate, size, time, told
from sim.engine.simulation.options import RunOptions
from sim.engine.units import factor as scale_of
from sim.prediction import predict

Bases = Iterator[Made | None]
"""A true claim, then broken ones; None where a way does not apply."""

Settings = tuple[tuple[str, str], ...]

_OPTIONS = RunOptions(precision=0.02)


@dataclass(frozen=True)
class _Truth:
    """What a model answers, in SI.

    Attributes:
        amount: throughput in bytes/s, or in requests a second where it counts those.
        bytes_unit: whether it is bytes.
        latencies: mean, p50 and p99 in seconds.
    """

    amount: float
    bytes_unit: bool
    latencies: Mapping[str, float]


@cache
def _truth(system: str, settings: Settings) -> _Truth:
    prediction = predict(system, dict(settings), _OPTIONS, intervals=False)
    scale = scale_of(prediction.unit, "byte / second")
    latencies = {name: prediction.answers[name].estimate.value for name in ("mean", "p50", "p99")}
    in_seconds = {name: value * _seconds(prediction.answers[name].unit) for name, value in latencies.items()}
    return _Truth(prediction.throughput.value * (scale or 1.0), scale is not None, in_seconds)


def _seconds(unit: str) -> float:
    return scale_of(unit, "second") or 1.0


def pairs(draws: random.Random) -> Bases:
    """One true claim about a random model, and the ways of breaking it that apply there."""
    forms: tuple[Callable[[random.Random], Bases], ...] = (
        _nvme,
        _volume,
        _nfs,
        _replicas,
        _commits,
        _san,
        _array,
        _redo,
    )
    yield from draws.choice(forms)(draws)


def _claim(system: str, settings: Settings, **more: Any) -> Made:
    truth = _truth(system, settings)
    return told(
        "model",
        {
            "text": f"{system} {' '.join(f'{name}={value}' for name, value in settings)}",
            "source": "made up for the study",
            "system": system,
            "settings": dict(settings),
            **_said(truth, truth.amount),
            **more,
        },
    )


def _said(truth: _Truth, amount: float) -> dict[str, str]:
    return {"throughput": rate(amount)} if truth.bytes_unit else {"iops": often(amount)}


def _scaled(made: Made, truth: _Truth, way: str, cause: str, factor: float, **changes: Any) -> Made | None:
    return broken(made, way, cause, factor, **_said(truth, truth.amount * factor), **changes)


def _other(
    made: Made, system: str, settings: Settings, instead: Mapping[str, str], way: str, cause: str, **changes: Any
) -> Made | None:
    """``made`` with the number of a run ``instead`` of its settings."""
    truth = _truth(system, settings)
    second = _truth(system, tuple({**dict(settings), **instead}.items()))
    return _scaled(made, truth, way, cause, second.amount / truth.amount, **changes)


def _cached(made: Made, truth: _Truth, draws: random.Random) -> Made | None:
    memory = draws.choice((64e9, 256e9))
    small = size(draws.uniform(0.05, 0.4) * memory)
    return _scaled(
        made, truth, "cached-on-host", "cached-on-host", factor_of(draws), bytes=small, memory=size(memory)
    )


def _compressed(made: Made, truth: _Truth, draws: random.Random) -> Made | None:
    return _scaled(made, truth, "compressible", "compressible", factor_of(draws), data="zeros")


def _percentile(processes: int, depth: int, block: str) -> Made | None:
    """The median where the claim says p99, of the model whose percentiles were held against published ones."""
    run = "depths" if block == "4KiB" else "blocks"
    settings: Settings = (("processes", str(processes)), ("depth", str(depth)), ("block", block), ("run", run))
    latencies = _truth("nvme", settings).latencies
    said = {"value": time(latencies["p50"]), "of": "p99"}
    made = _claim("nvme", settings, block=block, op="read", pattern="random")
    factor = latencies["p99"] / latencies["p50"]
    return broken(made, "miscounted", "percentile", factor, throughput=None, iops=None, latency=said)


def _nvme(draws: random.Random) -> Bases:
    jobs, depth = draws.choice((1, 2, 4)), draws.choice((1, 2, 4))
    block = draws.choice(("4KiB", "8KiB", "16KiB"))
    settings: Settings = (("jobs", str(jobs)), ("depth", str(depth)), ("block", block), ("op", "read"))
    truth, other = _truth("nvme-xfs", settings), partial(_other, system="nvme-xfs", settings=settings)
    true = _claim("nvme-xfs", settings, block=block, op="read", pattern="random")
    yield true
    yield other(true, instead={"depth": str(4 * depth)}, way="miscounted", cause="queue-depth")
    yield other(true, instead={"block": "64KiB"}, way="merged-requests", cause="merged-requests")
    yield _percentile(jobs, depth, block)
    yield _cached(true, truth, draws)
    yield _scaled(true, truth, "miscounted", "units", 8.0)


def _volume(draws: random.Random) -> Bases:
    iops = draws.choice(("6000", "8000", "16000"))
    jobs, depth = draws.choice((4, 8)), draws.choice((8, 16))
    block = draws.choice(("4KiB", "8KiB", "16KiB"))
    settings: Settings = (
        ("iops", iops),
        ("throughput", "1000MiB/s"),
        ("jobs", str(jobs)),
        ("depth", str(depth)),
        ("block", block),
    )
    truth, other = _truth("gp3", settings), partial(_other, system="gp3", settings=settings)
    true = _claim("gp3", settings, block=block, date="2025-12", duration="24 h")
    yield true
    yield other(true, instead={"credits": "full"}, way="burst", cause="burst")
    ignored = float(iops) * int(block.removesuffix("KiB")) * 1024 / truth.amount
    yield _scaled(true, truth, "second-cap", "second-cap", ignored)
    yield _cached(true, truth, draws)


def _nfs(draws: random.Random) -> Bases:
    clients, depth = draws.choice((4, 8, 16)), draws.choice((4, 8))
    op = draws.choice(("read", "write"))
    settings: Settings = (("clients", str(clients)), ("depth", str(depth)), ("block", "64KiB"), ("op", op))
    truth, other = _truth("nfs-server", settings), partial(_other, system="nfs-server", settings=settings)
    true = _claim("nfs-server", settings, block="64KiB", op=op)
    yield true
    yield other(true, instead={"links": "4"}, way="miscounted", cause="fewer-parts")
    other_way = _truth("nfs-server", (*settings[:3], ("op", "write" if op == "read" else "read"))).amount
    yield _scaled(true, truth, "both-directions", "both-directions", (truth.amount + other_way) / truth.amount)
    yield _compressed(true, truth, draws)
    yield _cached(true, truth, draws) if op == "read" else None
    yield _each(true, truth, clients)


def _each(made: Made, truth: _Truth, number: int) -> Made | None:
    """The sum printed as what each client gets."""
    if number > MOST:
        return None
    said = {"throughput_each": rate(truth.amount), "throughput": None}
    return broken(made, "miscounted", "sum-as-mean", float(number), **said, clients=number)


def _replicas(draws: random.Random) -> Bases:
    op = draws.choice(("read", "write"))
    settings: Settings = (("jobs", draws.choice(("32", "64"))), ("block", "64KiB"), ("op", op), ("hosts", "1"))
    truth = _truth("three-replicas", settings)
    other = partial(_other, system="three-replicas", settings=settings)
    true = _claim("three-replicas", settings, block="64KiB", op=op)
    yield true
    yield other(true, instead={"hosts": "3"}, way="miscounted", cause="fewer-parts")
    other_way = _truth("three-replicas", (*settings[:2], ("op", "write" if op == "read" else "read"), settings[3]))
    factor = (truth.amount + other_way.amount) / truth.amount
    yield _scaled(true, truth, "both-directions", "both-directions", factor)
    yield _compressed(true, truth, draws)
    yield _scaled(true, truth, "miscounted", "units", 8.0)


def _commits(draws: random.Random) -> Bases:
    settings: Settings = (("clients", draws.choice(("1", "2", "4", "8"))), ("drive", draws.choice(("1ms", "2ms"))))
    truth = _truth("postgresql", settings)
    true = _claim("postgresql", settings, op="write")
    yield true
    # A cache of the drive that loses what it has acknowledged answers at once.
    yield _other(
        true, "postgresql", settings, {"drive": "10us"}, "cached-in-array", "cached-in-array", array_memory="1 GB"
    )
    yield _scaled(true, truth, "miscounted", "units", 8.0) if truth.bytes_unit else None


def _san(draws: random.Random) -> Bases:
    data = draws.choice(("1GiB", "2GiB"))
    paths, streams = draws.choice(("1", "2")), draws.choice(("2", "4"))
    settings: Settings = (
        ("page_cache", "no"),
        ("op", "read"),
        ("data", data),
        ("paths", paths),
        ("streams", streams),
    )
    truth = _truth("san", settings)
    true = _claim("san", settings, op="read", access="direct", block="1 MiB")
    yield true
    moved = size(int(data[0]) * 2**30 * int(streams))
    yield _other(
        true,
        "san",
        settings,
        {"page_cache": "yes"},
        "cached-on-host",
        "cached-on-host",
        bytes=moved,
        memory="12 GiB",
    )
    yield _other(true, "san", settings, {"paths": "4"}, "miscounted", "fewer-parts")
    yield _scaled(true, truth, "miscounted", "units", 8.0)
    long: Settings = (("op", "write"), ("data", draws.choice(("32GiB", "64GiB"))), ("streams", streams))
    written = _claim("san", long, op="write", access="buffered")
    yield written
    yield _other(
        written, "san", long, {"data": "512MiB"}, "short-run", "short-run", bytes="0.5 GiB", duration="1 s"
    )


def _array(draws: random.Random) -> Bases:
    users, read = draws.choice(("16", "32")), draws.choice(("90", "100"))
    settings: Settings = (("users", users), ("read", read), ("data", "40GiB"), ("skew", "0"))
    true = _claim("array", settings, op="read" if read == "100" else None, array_memory="1 GiB")
    yield true
    yield _other(
        true, "array", settings, {"data": "800MiB"}, "cached-in-array", "cached-in-array", bytes="0.8 GiB"
    )


def _redo(draws: random.Random) -> Bases:
    filesystem, sessions = draws.choice(("ext4", "xfs")), draws.choice((2, 4, 6))
    settings: Settings = (("filesystem", filesystem), ("sessions", str(sessions)))
    true = _claim("redo", settings, op="write")
    yield true
    yield _each_commit(true, _truth("redo", settings), sessions)


def _each_commit(made: Made, truth: _Truth, number: int) -> Made | None:
    return broken(
        made,
        "miscounted",
        "sum-as-mean",
        float(number),
        iops=None,
        iops_each=often(truth.amount),
        clients=number,
    )
