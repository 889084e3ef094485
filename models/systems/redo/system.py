"""Sessions that commit to a redo log on a file system: the layers, and the wait events of the database.

session 1..n ──> change a block ──> commit ──> log writer ──> worker 1..w ──> file of the log ──> (LVM) ──> device
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from models import data_folder
from models.database.busy_buffer import BUFFER_BUSY, BusyBuffer
from models.layer import Layer
from models.parts.file.lock import LockedFile
from models.parts.file.lock_rules import linux, lock_rule
from models.parts.host.asleep import wake_up
from models.parts.log_device import LogDevice, LogicalVolume
from models.parts.log_writer import (
    ALL_WORKERS,
    ANY_WORKER,
    COMMIT,
    LOG_FILE_SYNC,
    LOG_WRITE,
    ORDERING,
    Commits,
    LogWriter,
    PostedApart,
)
from models.systems.redo.parameters import PARAMETERS, RedoParameters
from sim import Closed, Lock, Model, Path, Station, Use
from sim.data.fitted import loaded
from sim.engine.result import PlaceResult, Result
from sim.engine.statistics.estimates import point
from sim.system import Measure, Scenario, Settings, System, choice, count, flag, size
from sim.system.releases import Release


@dataclass(frozen=True)
class RedoSettings:
    """Sessions, the log and its file system."""

    sessions: int = count(6, "sessions that change a row and commit, again and again", high=1000, role="clients")
    writers: int = count(2, "log writer workers, each with one write at a time", high=64)
    filesystem: str = choice("ext4", "file system of the redo log", ("xfs", "ext4", "ext3"))
    kernel: Release = linux("5.4")
    block: int = size(4096, "block of the file system", low=512, high=65536)
    redo_block: int = size(
        512,
        "block of the redo log; writes of whole file system blocks are aligned",
        low=512,
        high=4096,
        role="chunk",
    )
    io: str = choice("setall", "filesystemio_options", ("setall", "directio", "asynch", "none"))
    lvm: bool = flag("the file system lies on a logical volume", default=False)
    redo: int = size(572, "redo of one transaction", high=1 << 20)
    write_us: int = count(
        0, "mean microseconds of a device write; 0: as fitted; the cost of idleness is in proportion", low=0
    )
    cores: int = count(16, "cores of the database server", high=4096)


_DIRECT = ("setall", "directio")
_PERCENT, _MICROSECONDS = 1e2, 1e6


def _build(settings: RedoSettings, parameters: RedoParameters, posting: type[Commits] = Commits) -> Scenario:
    """Wire the sessions to the log; the answer is their transactions a second."""
    kind = LogWriter(
        cores=settings.cores,
        workers=settings.writers,
        write=settings.redo,
        dispatch=parameters.dispatch_s,
        post=parameters.post_s,
        wake=parameters.wake_s,
        wake_variation=parameters.wake_cv,
    )
    commits = posting(kind, "", _log_file(settings, parameters))
    path = (*_transaction(settings, parameters, commits.cpu), *commits.commit(settings.sessions))
    sessions = Closed("sessions", clients=settings.sessions, path=path, group="sessions")
    workloads = (sessions, *commits.background())
    return Scenario(Model(workloads), "sessions", 1.0, "transactions/s", _measures(settings, parameters))


def _transaction(settings: RedoSettings, parameters: RedoParameters, cpu: Station) -> Path:
    """Steps of a session before it commits: its work, and a change of the contended block."""
    block = BusyBuffer(cpu, settings.sessions, parameters.change_s, _wake_up(parameters))
    return (Use(cpu, parameters.work_s), *block.change())


def _log_file(settings: RedoSettings, parameters: RedoParameters) -> Layer:
    times = settings.write_us / _MICROSECONDS / parameters.write_s or 1.0  # another device scales in all its parts
    device = LogDevice(
        station=Station("log device", settings.writers),
        write_s=times * parameters.write_s,
        write_cv=parameters.write_cv,
        idle_s=times * parameters.idle_s,
        bytes_per_s=parameters.bytes_per_s,
    )
    volume = LogicalVolume(settings.writers, parameters.layer_s, device) if settings.lvm else device
    access = "direct" if settings.io in _DIRECT else "buffered"
    aligned = settings.redo_block % settings.block == 0
    rule = lock_rule(settings.filesystem, access, aligned=aligned, kernel=settings.kernel)
    return LockedFile(Lock("lock of the log file"), rule, volume, _wake_up(parameters))


def _wake_up(parameters: RedoParameters) -> Path:
    return wake_up(parameters.wake_s, parameters.wake_cv)


def _measures(settings: RedoSettings, parameters: RedoParameters) -> Mapping[str, Measure]:
    """The published figures besides transactions/s; counts and sums are those of a run of ``run_s``."""
    sessions, run_s = settings.sessions, parameters.run_s
    background = {
        "log_write": (LOG_WRITE, settings.writers),
        "any_worker": (ANY_WORKER, 1),
        "all_workers": (ALL_WORKERS, 1),
        "ordering": (ORDERING, settings.writers),
    }
    events = {"log_file_sync": (LOG_FILE_SYNC, sessions), **background, "buffer_busy": (BUFFER_BUSY, sessions)}
    waits: dict[str, Measure] = {}
    for event, (pool, tokens) in events.items():
        waits |= _event(event, pool, tokens, run_s)
    first = {name: waits[name] for name in ("log_file_sync", "log_write")}
    batches = {
        "commits_per_write": Measure("commits", lambda result: point(result.places[COMMIT].batch or 0.0)),
        "writes_in_flight": _at(LOG_WRITE, "writes", lambda pool: pool.utilisation * settings.writers),
    }
    on_cpu_s = parameters.work_s + parameters.change_s
    shares = {
        "redo_rate": Measure("bytes/s", lambda result: result.throughput.scaled(settings.redo)),
        "db_cpu_time": Measure("s", lambda result: result.throughput.scaled(on_cpu_s * run_s)),
        "db_cpu_share": Measure.of_whole(lambda result: result.throughput.scaled(on_cpu_s / sessions * _PERCENT)),
        "log_file_sync_share": _in_use(LOG_FILE_SYNC),
        "buffer_busy_share": _in_use(BUFFER_BUSY),
    }
    return {**first, **batches, **waits, **shares, **_background_shares(background, parameters)}


def _background_shares(events: Mapping[str, tuple[str, int]], parameters: RedoParameters) -> dict[str, Measure]:
    """Share of each wait in the time of log writer and workers, which wait or are on the processor."""

    def waiting(result: Result, pool: str, tokens: int) -> float:
        return result.places[pool].utilisation * tokens

    def share(result: Result, pool: str, tokens: int) -> float:
        on_cpu = parameters.dispatch_s * result.places[LOG_WRITE].visits
        on_cpu += parameters.post_s * result.throughput.value
        whole = on_cpu + sum(waiting(result, *event) for event in events.values())
        return _PERCENT * waiting(result, pool, tokens) / whole

    def measure(pool: str, tokens: int) -> Measure:
        return Measure.of_whole(lambda result: point(share(result, pool, tokens)))

    return {f"{name}_share": measure(*event) for name, event in events.items()}


def _event(name: str, pool: str, tokens: int, run_s: float) -> dict[str, Measure]:
    """A wait event as a database report shows it: mean wait, waits, total time."""
    return {
        name: _at(
            pool,
            "µs",
            lambda wait: _MICROSECONDS * wait.utilisation * tokens / wait.visits if wait.visits else 0.0,
        ),
        f"{name}_waits": _at(pool, "waits", lambda wait: wait.visits * run_s),
        f"{name}_time": _at(pool, "s", lambda wait: wait.utilisation * tokens * run_s),
    }


def _at(pool: str, unit: str, read: Callable[[PlaceResult], float]) -> Measure:
    return Measure(unit, lambda result: point(read(result.places[pool])))


def _in_use(pool: str) -> Measure:
    return Measure.of_whole(lambda result: point(result.places[pool].utilisation * _PERCENT))


REDO = System(
    name="redo",
    title="commits to a redo log on XFS, EXT4 and LVM (blog post of 2023)",
    settings=Settings.of(RedoSettings),
    parameters=loaded(PARAMETERS, data_folder(), "redo"),
    build=_build,
    data_package=data_folder(),
    structure="a worker posts the sessions of its batch before it writes the next",
    rivals=("redo-poster",),
    told_by=("sessions",),
)

REDO_POSTER = REDO.rival(
    "redo-poster",
    "a process of its own posts sessions while the workers write the next batches",
    parameters=loaded(PARAMETERS, data_folder(), "redo-poster"),
    build=partial(_build, posting=PostedApart),
)
