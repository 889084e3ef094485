"""A disk array under a normal load, with or without the noise of sequential writes beside it.

    users (normal load) ──┐
    noise: 2 dd loops   ──┴──> array: paths, controllers, cache, dirty pages, disks

With noise the run has three phases of equal length: before, during and after it; each is a group of its own.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, replace

from models import data_folder
from models.io import PagedIO
from models.layer import PagedLayer
from models.parts.array_cache.cache import CachedArray
from models.parts.array_cache.mirrored_disks import MirroredDisks
from models.parts.array_cache.prefetch import Prefetch
from models.parts.array_cache.write_back import WriteBack
from models.parts.disk import Disk
from models.parts.rebuild import BLOCK_BYTES, Rebuild
from models.systems.array.parameters import PARAMETERS, ArrayParameters
from models.workloads import block_trace
from models.workloads.mixed_load import RUN_BYTES, Mix
from sim import (
    AddressSource,
    Cache,
    Closed,
    Delay,
    InputError,
    Model,
    Path,
    Station,
    Uniform,
    Use,
    Workload,
    Zipf,
)
from sim.data.hardware import hardware
from sim.engine.model.policies import POLICIES
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.units import MB
from sim.system import Failure, Measure, Scenario, Settings, System, choice, count, file, flag, number, size
from sim.system.quantities import bandwidth


@dataclass(frozen=True)
class ArraySettings:
    """An array and its load."""

    policy: str = choice("lru", "which pages the cache keeps", tuple(POLICIES))
    cache: int = size(1 << 30, "memory for pages", low=1 << 20, high=1 << 40, role="array_memory")
    data: int = size(10 << 30, "bytes that random I/Os spread over", low=1 << 20, high=1 << 42)
    page: int = size(8192, "of the cache, and of a random I/O", low=2048, high=65536)
    disks: int = count(30, "15k rpm disks", high=10_000, role="devices")
    disks_lost: int = count(
        0, "disks lost; mirror copies on the others are read in their place", low=0, high=1, role="lost"
    )
    rebuild: float = bandwidth(
        0.0, "bytes a second at which a spare disk is rebuilt beside the load; 0: no rebuild", low=0.0, high=1e12
    )
    users: int = count(8, "I/Os of the normal load in flight", high=10_000, role="clients")
    read: int = count(70, "percent of its I/Os that read", low=0, high=100)
    sequential: int = count(0, "percent of its I/Os that are pieces of a run, 128 KiB each", low=0, high=100)
    skew: float = number(0.9, "exponent of the Zipf law of its random I/Os; 0: uniform", high=3.0)
    battery: bool = flag("written pages may wait in the cache for the disks", default=True, role="write_cache")
    noise: bool = flag("two files overwritten in a loop, after a time without and before another", default=False)
    seconds: int = count(30, "of each phase, with noise", high=100_000, role="amount")
    trace: str = file("CSV file of time, op, offset, bytes: replayed in place of the normal load")


LOAD = ("data", "users", "read", "sequential", "skew", "noise", "seconds")
"""Settings that describe the normal load and the noise."""

WARMING_ROUNDS = 8
"""Look-ups for each page of the cache before time 0."""

PHASES = ("before", "during", "after")

POSITION_CV = 0.3
"""Coefficient of variation of seek and half a turn of a 15k rpm disk, 3.4 and 2.0 ms: a turn, uniform over 4 ms,
deviates by 1.2 ms, and the seek by about as much (0.31 in all by equation (1) of `models.parts.disk`)."""


@dataclass(frozen=True)
class OnPaths:
    """An array behind the paths of its fabric."""

    paths: Station
    path_bytes_per_s: float
    array: CachedArray

    def path(self, io: PagedIO) -> Path:
        """Over one of the paths, in either direction."""
        return (Use(self.paths, io.size_bytes / self.path_bytes_per_s), *self.array.path(io))

    def behind(self, io: PagedIO) -> list[Closed]:
        """Background workloads of the array."""
        return self.array.behind(io)


@dataclass(frozen=True)
class _LoadedArray:
    """The array and its load, by the settings and parameters of one scenario."""

    settings: ArraySettings
    parameters: ArrayParameters

    def pages(self, size_bytes: int) -> int:
        """Number of pages of ``size_bytes``, at least one."""
        return max(1, size_bytes // int(self.settings.page))

    def check(self) -> None:
        """Refuse a loss of all copies, and a rebuild without a lost disk.

        Raises:
            InputError: no copy is left, or no disk is lost.
        """
        lost, disks, copies = self.settings.disks_lost, self.settings.disks, int(self.parameters.copies)
        if lost and (disks <= lost or copies == 1):
            raise InputError(
                f"disks_lost is {lost} of {disks} disks with copies = {copies}, so that data are lost; allowed: "
                "at least 2 of both"
            )
        if self.settings.rebuild and not lost:
            raise InputError(
                "rebuild fills the spare of a disk, and none is lost; add disks_lost=1, or leave it out"
            )

    def array(self) -> CachedArray:
        """The array."""
        parameters = self.parameters
        return CachedArray(
            controllers=Station("controllers", int(parameters.controllers)),
            controller_s=parameters.controller_s,
            cache=Cache("cache", self.pages(self.settings.cache), self.settings.policy),
            prefetch=Prefetch(self.pieces_ahead),
            write_back=self.write_back if self.settings.battery else None,
            backing=self.disks,
        )

    @property
    def disks(self) -> MirroredDisks:
        """The disks of the array."""
        lost, disks = self.settings.disks_lost, self.settings.disks
        spare = self._disk("spare disk") if self.settings.rebuild else None
        return MirroredDisks(self._disk("disks", disks - lost), int(self.parameters.copies), lost / disks, spare)

    def _disk(self, name: str, count: int = 1) -> Disk:
        parameters = self.parameters
        return Disk(
            name,
            parameters.position_s,
            parameters.disk_bytes_per_s,
            variation=POSITION_CV,
            count=count,
            sorted_s=parameters.destage_position_s,
        )

    def on_paths(self, array: CachedArray) -> OnPaths:
        """``array`` behind its paths to the hosts."""
        parameters = self.parameters
        return OnPaths(Station("paths", int(parameters.paths)), parameters.path_bytes_per_s, array)

    @property
    def pieces_ahead(self) -> int:
        """Pieces of a run that are prefetched: no more than a quarter of the cache, which has other uses.

        With the pieces that readers wait for they are no more than half of it: while a piece waits for its reader,
        as many read ones and as many later ones enter the cache. Otherwise it would be evicted, and fetched twice.
        """
        cache = self.settings.cache
        pieces = int(min(self.parameters.ahead_bytes, cache / 4)) // RUN_BYTES
        return max(0, min(pieces, cache // 2 // RUN_BYTES - self.settings.users))

    @property
    def write_back(self) -> WriteBack:
        """Memory for written pages."""
        parameters, memory = self.parameters, self.pages(self.settings.cache)
        return WriteBack.of(
            max(8 * self.pages(RUN_BYTES), int(memory * parameters.dirty_share)),
            low=parameters.low_watermark,
            high=parameters.high_watermark,
            destagers=self.settings.disks,
            chunk_bytes=int(parameters.chunk_bytes),
        )

    @property
    def rebuild(self) -> Rebuild:
        """Rebuild of the spare disk."""
        return Rebuild("rebuild", self.settings.rebuild)

    @property
    def line_rates(self) -> dict[tuple[str, str], float]:
        """Line rate of the paths over their modelled rate; empty if they were set to be faster.

        The model has one rate for both directions; the busier direction carries either reads or writes.
        """
        line, busier = hardware("fc-2").limit("bandwidth"), max(self.settings.read, 100 - self.settings.read) / 100
        assert line  # noqa: S101  (a standard fixes it)
        times = line.value / self.parameters.path_bytes_per_s
        return {("paths", ""): times / busier} if times >= 1.0 else {}

    def mix(self, array: PagedLayer) -> Mix:
        """The normal load, its warm-up and its noise."""
        extent = self.pages(self.settings.data)
        skew = self.settings.skew
        random: AddressSource = Zipf(extent, skew) if skew else Uniform(extent)
        return Mix(
            array=array,
            page_bytes=self.settings.page,
            read=self.settings.read / 100,
            sequential=self.settings.sequential / 100,
            random=random,
            extent=extent,
        )


def _build(settings: ArraySettings, parameters: ArrayParameters) -> Scenario:
    """The normal load in its steady state, or three phases of it with noise in the second."""
    loaded = _LoadedArray(settings, parameters)
    loaded.check()
    array = loaded.array()
    front = loaded.on_paths(array)
    scenario = _traced(front, settings) if settings.trace != "none" else _loaded(loaded, front)
    if not settings.rebuild:
        return scenario
    model = Model([*scenario.model.workloads, *loaded.rebuild.workloads(*loaded.disks.rebuilt(BLOCK_BYTES))])
    return replace(scenario, model=model, measures={**scenario.measures, **loaded.rebuild.measures()})


def _loaded(loaded: _LoadedArray, array: OnPaths) -> Scenario:
    """The normal load, with or without the noise."""
    settings, parameters = loaded.settings, loaded.parameters
    mix = loaded.mix(array)
    pages, users = array.array.cache, settings.users
    assert pages  # noqa: S101  (`array` follows them)
    warming = mix.warming(pages, WARMING_ROUNDS)
    if not settings.noise:
        model, measures = Model([warming, *mix.normal("normal", users)]), {"hit_ratio": _hit_ratio("normal")}
        return Scenario(model, "normal", 1.0, "I/O/s", measures, line_rates=loaded.line_rates)
    length_s = float(settings.seconds)
    workloads: list[Workload] = [warming, Closed("clock", clients=1, path=Delay(3 * length_s), count=1)]
    for index, phase in enumerate(PHASES):
        workloads += mix.normal(phase, users, start_s=index * length_s, stop_s=(index + 1) * length_s)
    workloads += mix.noise(parameters.call_s, start_s=length_s, stop_s=2 * length_s)
    measures = _measures(length_s)
    return Scenario(Model(workloads), "during", 3.0, "I/O/s", measures, line_rates=loaded.line_rates)


def _traced(array: OnPaths, settings: ArraySettings) -> Scenario:
    """The I/Os of the trace alone.

    Raises:
        InputError: a setting of the normal load was given, which has no effect.
    """
    for setting in ARRAY.settings:
        value = getattr(settings, setting.name)
        if setting.name in LOAD and value != setting.default:
            text = f"{setting.name}={setting.show(value)}"
            raise InputError(
                f"{text} has no effect beside a trace, which replaces the load; leave one of them out"
            )
    replay = block_trace.replay(array, pathlib.Path(settings.trace), settings.page)
    return Scenario(
        Model(replay),
        block_trace.GROUP,
        1.0,
        "pages/s",
        {"hit_ratio": _hit_ratio(block_trace.GROUP)},
        replaced=dict.fromkeys(LOAD, "(trace)"),
    )


def _hit_ratio(group: str) -> Measure:
    def read(result: Result) -> Estimate:
        ratio = result.groups[group].hit_ratio
        return ratio.scaled(100.0) if ratio else point(0.0)

    return Measure.of_whole(read)


def _latency(group: str) -> Measure:
    return Measure("ms", lambda result: result.groups[group].latency.mean.scaled(1e3))


def _measures(length_s: float) -> dict[str, Measure]:
    """Measures of every phase, the most telling first, and the throughput of the noise."""
    return {
        "hit_ratio_before": _hit_ratio("before"),
        "hit_ratio_during": _hit_ratio("during"),
        "latency_before": _latency("before"),
        "latency_during": _latency("during"),
        "latency_after": _latency("after"),
        "hit_ratio_after": _hit_ratio("after"),
        "noise": Measure(
            "MB/s", lambda result: point(result.groups["noise"].completed * RUN_BYTES / MB / length_s)
        ),
    }


ARRAY = System(
    name="array",
    title="cache of a disk array, with sequential writes beside the normal load",
    settings=Settings.of(ArraySettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
    failures=(
        Failure("a disk", {"disks_lost": 1}),
        Failure("a disk, while its spare is filled", {"disks_lost": 1, "rebuild": "20MB/s"}),
        Failure("the battery of the write cache", {"battery": False}),
    ),
)
