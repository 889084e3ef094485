"""Claims about hardware alone: true ones, three quarters or more of what it can do, and the same ones broken."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from benchmarks.broken_claims.made import LEAST, MOST, Made, broken, factor_of, often, rate, size, told
from sim.data.hardware import Hardware, Limit, catalogue

Bases = Iterator[Made | None]
"""A true claim, then broken ones; None where a way does not apply."""

_LINKS = ("fc-2", "fc-8", "fc-16", "fc-32", "gbe", "10gbe", "25gbe", "100gbe", "ib-ddr", "ib-qdr", "ib-edr")
_DISKS = ("cheetah-15k5", "barracuda-7200-12", "barracuda-7200-14", "exos-x20")
_VOLUMES = ("gp3", "io1", "io2-block-express", "azure-premium-v2", "pd-ssd", "hyperdisk-balanced")
"""Without bursts, which could last where they are paid for."""
_FROM_MEMORY = 50e9
"""Bytes a second that a host may read from its memory at most."""

_BUSY = 0.75, 0.97
"""Share of what hardware can do that vendors claim."""


def pairs(draws: random.Random) -> Bases:
    """One true claim of a random form, and all the ways of breaking it that apply."""
    forms: tuple[Callable[[random.Random], Bases], ...] = (_link, _disks, _volume, _bursts, _instance, _dated)
    yield from draws.choice(forms)(draws)


def _text(what: str) -> dict[str, Any]:
    return {"text": what, "source": "made up for the study"}


def _link(draws: random.Random) -> Bases:
    name, number = draws.choice(_LINKS), draws.choice((1, 2, 4))
    limit = number * _limit(name, "bandwidth").value
    share = draws.uniform(*_BUSY)
    moved = limit * share * draws.uniform(30.0, 600.0)
    said = {**_text(f"reads over {number} x {name}"), "hardware": [f"{number} x {name}"], "date": "2025"}
    true = told("hardware", {**said, "throughput": rate(limit * share), "op": draws.choice(("read", "write"))})
    yield true
    claimed = partial(_rated, true, limit * share)
    yield _cached_on_host(claimed, factor_of(draws), moved / 1e3, draws)
    yield claimed("both-directions", "both-directions", 1.0 + draws.uniform(0.8, 1.0))
    yield claimed("compressible", "compressible", factor_of(draws), data="zeros", op="write")
    yield claimed("miscounted", "units", 8.0)
    yield claimed("miscounted", "fewer-parts", draws.choice((2.0, 3.0, 4.0)))


def _rated(true: Made, value: float, way: str, cause: str, factor: float, **changes: Any) -> Made | None:
    return broken(true, way, cause, factor, throughput=rate(value * factor), **changes)


def _cached_on_host(
    claimed: partial[Made | None], factor: float, moved: float, draws: random.Random
) -> Made | None:
    memory = draws.choice((64e9, 128e9, 256e9))
    small = min(max(moved, 1e9), memory / 2.0)
    if claimed.args[1] * factor > _FROM_MEMORY:
        return None
    return claimed("cached-on-host", "cached-on-host", factor, op="read", bytes=size(small), memory=size(memory))


def _disks(draws: random.Random) -> Bases:
    name, number = draws.choice(_DISKS), draws.choice((4, 8, 12, 24))
    limit = number * _limit(name, "bandwidth").value
    value = limit * draws.uniform(*_BUSY)
    behind = ["8 x 100gbe", f"{number} x {name}"]  # whose links are not the bound, whatever a cache does
    said = {**_text(f"{number} disks behind a fabric"), "hardware": behind, "date": "2025"}
    true = told("hardware", {**said, "throughput": rate(value), "op": "read", "pattern": "sequential"})
    yield true
    claimed = partial(_rated, true, value)
    factor = factor_of(draws)
    cache_bytes = draws.choice((16e9, 32e9, 64e9))
    fits = {"array_memory": size(cache_bytes), "bytes": size(cache_bytes * draws.uniform(0.2, 0.8))}
    yield claimed("cached-in-array", "cached-in-array", factor, **fits)
    factor = factor_of(draws)
    seconds = cache_bytes * draws.uniform(0.3, 0.9) / (value * factor)
    short = {"array_memory": size(cache_bytes), "duration": f"{max(seconds, 0.1):.1f} s"}
    yield claimed("short-run", "short-run", factor, op="write", **short)
    yield claimed("compressible", "compressible", factor_of(draws), data="zeros", op="write")
    yield claimed("miscounted", "fewer-parts", draws.choice((2.0, 3.0)))


def _volume(draws: random.Random) -> Bases:
    name = draws.choice(_VOLUMES)
    limit = _limit(name, "iops").value
    value = limit * draws.uniform(*_BUSY)
    block = 4096.0
    said = {**_text(f"random I/O on {name}"), "hardware": [name], "date": "2025-12", "block": "4 KiB"}
    true = told("hardware", {**said, "iops": often(value), "op": "read", "pattern": "random"})
    yield true
    merged = draws.choice((2.0, 4.0, 8.0))
    if value * merged * block < _limit(name, "bandwidth").value:
        # The volume counts what the kernel merged of requests in sequence; the claim says random.
        both = {"iops": often(value * merged), "throughput": rate(value * merged * block)}
        yield broken(true, "merged-requests", "merged-requests", merged, **both)
    number = draws.choice((2, 4, 8))
    of_each = {"devices": number, "hardware": [f"{number} x {name}"], "iops": often(value * number)}
    yield broken(
        true, "miscounted", "sum-as-mean", float(number), **of_each, iops_each=often(value * number), pattern=None
    )
    deep, depth = draws.uniform(2.0, 8.0), draws.choice((16, 32, 64))
    seconds = f"{depth * deep / value * 1e3:.4g} ms"
    yield broken(true, "miscounted", "queue-depth", deep, latency=seconds, requests_in_flight=depth)
    factor = factor_of(draws)
    in_memory = {"bytes": size(8e9), "memory": size(64e9)}
    yield broken(true, "cached-on-host", "cached-on-host", factor, iops=often(value * factor), **in_memory)


def _bursts(draws: random.Random) -> Bases:
    name = draws.choice(_bursting())
    limit, burst = _limit(name, "iops").value, _limit(name, "burst_iops").value
    share = draws.uniform(*_BUSY)
    said = {**_text(f"all day on {name}"), "hardware": [name], "date": "2025-12", "duration": "24 h"}
    true = told("hardware", {**said, "iops": often(limit * share), "op": "read", "pattern": "random"})
    yield true
    yield told("hardware", {**true.table, "iops": often(burst * share), "duration": "10 min"})
    yield broken(true, "burst", "burst", burst / limit, iops=often(burst * share))
    factor = factor_of(draws)
    in_memory = {"bytes": size(4e9), "memory": size(64e9), "iops": often(limit * share * factor)}
    yield broken(true, "cached-on-host", "cached-on-host", factor, **in_memory)


def _instance(draws: random.Random) -> Bases:
    instance, volume = draws.choice(_pairs_of_caps())
    limit, other = _limit(instance, "iops").value, _limit(volume, "iops").value
    share = draws.uniform(*_BUSY)
    said = {
        **_text(f"{volume} on {instance}"),
        "hardware": [volume, instance],
        "date": "2025-12",
        "duration": "24 h",
    }
    true = told("hardware", {**said, "iops": often(limit * share), "op": "read", "pattern": "random"})
    yield true
    yield broken(true, "second-cap", "second-cap", other / limit, iops=often(other * share))


def _dated(draws: random.Random) -> Bases:
    name, (older, newer) = draws.choice(_changed())
    date = older.until
    before = f"{int(date[:4]) - 1}-06" if date else "2019-06"
    share = draws.uniform(*_BUSY)
    shape = often if older.what == "iops" else rate
    key = "iops" if older.what == "iops" else "throughput"
    said = {**_text(f"{name} at its best"), "hardware": [name], "date": before}
    true = told("hardware", {**said, key: shape(older.value * share), "op": "read"})
    yield true
    factor = newer.value / older.value
    yield broken(true, "other-date", "other-date", factor, **{key: shape(newer.value * share)})
    factor = factor_of(draws)
    yield (
        broken(
            true,
            "compressible",
            "compressible",
            factor,
            **{key: shape(older.value * share * factor)},
            data="zeros",
        )
        if key == "throughput"
        else None
    )


def _limit(name: str, what: str) -> Limit:
    limit = catalogue()[name].limit(what, "read", "2025-12")
    if limit is None:
        raise ValueError(f"{name} has no {what}")
    return limit


def _has(each: Hardware, *limits: str) -> bool:
    return all(each.limit(what, "read", "2025-12") for what in limits)


@cache
def _bursting() -> tuple[str, ...]:
    """Volumes and instances that burst from a bucket to 1.5 to 10 times what lasts."""
    found = (each for each in catalogue().values() if _has(each, "iops", "burst_iops", "burst_credits"))
    return tuple(
        each.name
        for each in found
        if LEAST <= _limit(each.name, "burst_iops").value / _limit(each.name, "iops").value <= MOST
    )


@cache
def _pairs_of_caps() -> tuple[tuple[str, str], ...]:
    """An instance, and a volume of the same cloud that can do 1.5 to 10 times as much."""
    of = {each.name: each for each in catalogue().values() if _has(each, "iops")}
    instances = [each for each in of.values() if each.kind == "instance"]
    volumes = [each for each in of.values() if each.name in _VOLUMES]
    return tuple(
        (each.name, volume.name)
        for each in instances
        for volume in volumes
        if each.name.startswith("azure") == volume.name.startswith("azure")
        and not volume.name.startswith("pd")
        and LEAST <= _limit(volume.name, "iops").value / _limit(each.name, "iops").value <= MOST
    )


@cache
def _changed() -> tuple[tuple[str, tuple[Limit, Limit]], ...]:
    """Limits that were raised by 1.5 to 10 times, with the hardware's name: as they were, as they became."""
    return tuple(
        (each.name, (older, newer))
        for each in catalogue().values()
        for older in each.limits
        for newer in each.limits
        if (older.what, older.op, older.until) == (newer.what, newer.op, newer.since)
        and older.what in {"iops", "bandwidth"}
        and older.until
        and LEAST <= newer.value / older.value <= MOST
    )
