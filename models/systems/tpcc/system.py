"""TPC-C on MySQL, wired: sessions on a drive, or on a volume that limits their I/Os while the cache warms up.

drive   session ──> [one by one] ──> InnoDB: page accesses ──> commits ──> [drive]
volume  session ──> [one by one] ──> accesses that miss the cache, and other I/Os ──> limits ──> latency
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from models import data_folder
from models.io import IO, FileIO
from models.parts.innodb.innodb import InnoDB
from models.parts.leader_commit import Commits
from models.parts.limits import Limits
from models.paths import maybe
from models.systems.tpcc.parameters import PARAMETERS, TpccParameters
from models.systems.tpcc.warm_up import Volume, WarmUp
from models.tpcc import ACCESSES, CHANGED, tpcc
from sim import Closed, Delay, Model, Open, Path, Poisson, Repeat, Station, Use, Workload
from sim.data.fitted import loaded
from sim.engine.units import KIB
from sim.system import Scenario, Settings, System, choice, count, size

MIB, GIB = KIB**2, KIB**3

DATA_BYTES = 100 * 10**9
"""1,000 warehouses, as the sources say or load."""

GP2_CREDITS, GP2_BURST, GP2_MOST, GP2_LEAST = 5.4e6, 3000.0, 10_000.0, 100.0
"""Bucket and rates of gp2 in 2018, with 3 IOPS a GiB (Amazon EBS user guide of that year)."""

BANDWIDTH = {"io1": 500.0 * MIB, "gp2": 160.0 * MIB}

RUN_S = 3600.0

BLIND = ("index of order lines", "index of orders")
"""Pages that MyRocks writes without reading them: entries of indexes that are not unique."""

REDO_BYTES = 4096
"""Only the ratio of redo capacity to this matters here: ``window``."""

_GROUP = "transactions"


@dataclass(frozen=True)
class TpccSettings:
    """Server, storage and time of measurement."""

    study: str = choice(
        "drives", "drives: tpcc-mysql; volumes, binlog: sysbench-tpcc", ("drives", "volumes", "binlog")
    )
    drive: str = choice(
        "sm863",
        "of drives, or kind of volume; of binlog it is not named",
        ("sm863", "850pro", "pm1725", "io1", "gp2", "unnamed"),
    )
    storage_engine: str = choice("innodb", "storage engine", ("innodb", "myrocks"))
    threads: int = count(56, "sessions, each with one transaction after another", high=4096, role="clients")
    pool: int = size(50 * GIB, "buffer pool", low=GIB, high=1024 * GIB)
    page: int = size(16 * KIB, "page of InnoDB", low=4 * KIB, high=16 * KIB)
    binary_log: str = choice("off", "whether there is a binary log", ("off", "on"))
    sync_binlog: int = count(
        1, "batches of commits for each of which the binary log is flushed; 0: never", low=0, high=1 << 20
    )
    filesystem: str = choice("xfs", "of the data; not modelled", ("xfs", "ext4"))
    iops: int = count(8000, "provisioned I/Os a second of io1", low=100, high=64_000)
    volume: int = size(1000 * GIB, "size of a gp2 volume", low=GIB, high=16_384 * GIB)
    counted: str = choice("last-half", "of the hour from a cold start", ("last-half", "all"))


@dataclass(frozen=True)
class _Drive:
    """One drive, one I/O after the other; times of pages are fitted to a mix of reads and writes."""

    read_s: float
    write_s: float
    flush_s: float
    bytes_per_s: float

    def path(self, io: IO) -> Path:
        time_s = self.flush_s
        if io.size_bytes:
            log = isinstance(io, FileIO) and io.sequential
            time_s = io.size_bytes / self.bytes_per_s if log else self.read_s if io.op == "read" else self.write_s
        return (Use(Station("drive"), time_s),)


@dataclass(frozen=True)
class _Server:
    settings: TpccSettings
    parameters: TpccParameters

    @property
    def one_by_one(self) -> Path:
        """Work that no two transactions do at once: latches of popular pages, locks of rows, the log's buffer."""
        s, p = self.settings, self.parameters
        time_s = p.sysbench_s
        if s.study == "drives":
            by_size = math.log(s.page / (16 * KIB)) / math.log(1 / 4)
            time_s = p.one_by_one_s * (p.one_by_one_4k_s / p.one_by_one_s) ** by_size
        return (Use(Station("one by one", role="stand-in"), time_s),)

    @property
    def drive(self) -> _Drive:
        s, p = self.settings, self.parameters
        read_s, write_s = {
            "850pro": (p.pro850_read_s, p.pro850_write_s),
            "pm1725": (p.pm1725_read_s, p.pm1725_write_s),
            "unnamed": (p.binlog_read_s, p.binlog_write_s),
        }.get(s.drive, (p.sm863_read_s, p.sm863_write_s))
        size = 1.0 - p.size_share * (1.0 - s.page / (16 * KIB))
        flush_s = p.flush_s if s.study == "binlog" else 0.0
        return _Drive(read_s * size, write_s * size, flush_s, p.bytes_per_s)

    def on_drive(self) -> Iterator[Workload]:
        """Sessions above InnoDB, its commits and the drive."""
        s, p = self.settings, self.parameters
        data = DATA_BYTES if s.study == "drives" else round(p.binlog_data)
        commits = Commits(
            database="mysql",
            cpu=p.cpu_s,
            cores=round(p.cores),
            binary_log=s.binary_log,
            sync_binlog=s.sync_binlog,
        ).layer("commits", lambda _copy: self.drive)
        pool = InnoDB(
            data=data,
            pool=s.pool,
            page=s.page,
            popular="tpcc",
            accesses=round(sum(ACCESSES.values())),
            changed=sum(CHANGED.values()) / sum(ACCESSES.values()),
            redo=REDO_BYTES,
            redo_capacity=round(p.window * REDO_BYTES),
            io_capacity_max=1e6,  # no source says: as fast as the drive
            doublewrite=False,  # in the time of a write
        ).layer("innodb", lambda _copy: commits)
        events = FileIO("write", round(p.binlog_bytes), sequential=True)
        written = commits.path(events) if s.binary_log == "on" else ()
        transaction = pool.path(FileIO("write", 512, durable="data"))
        yield Closed("sessions", s.threads, (*self.one_by_one, *written, *transaction), group=_GROUP)
        yield from pool.background()

    @cached_property
    def volume(self) -> Volume:
        s = self.settings
        cap = min(self.parameters.instance_iops, BANDWIDTH[s.drive] / (16 * KIB))
        if s.drive == "io1":
            return Volume(min(cap, s.iops), min(cap, s.iops))
        iops = min(max(GP2_LEAST, 3.0 * s.volume / GIB), GP2_MOST, cap)
        return Volume(iops, max(iops, min(GP2_BURST, cap)), GP2_CREDITS)

    def on_volume(self) -> Iterator[Workload]:
        """Sessions whose I/Os the volume limits, with the misses of the time that is counted."""
        s, p = self.settings, self.parameters
        myrocks = s.storage_engine == "myrocks"
        others, background = (p.myrocks_others, 0.0) if myrocks else (p.others, p.background)
        read = {name: each for name, each in ACCESSES.items() if not myrocks or name not in BLIND}
        accesses = round(sum(read.values()))
        data = round(DATA_BYTES * (p.myrocks_data if myrocks else 1.0))
        first, last = (
            self.volume.passed(time_s) for time_s in (RUN_S / 2 if s.counted == "last-half" else 0.0, RUN_S)
        )
        seconds = RUN_S / 2 if s.counted == "last-half" else RUN_S
        ours = 1.0 - background / max(2.0 * background, (last - first) / seconds) if background else 1.0
        missed = WarmUp(tpcc(data, 16 * KIB), accesses, others).missed(first * ours, last * ours)
        limits = Limits(iops=(last - first) / seconds, bandwidth=math.inf).layer(
            "volume", lambda _copy: _Latency(p.latency_s)
        )
        io = limits.path(IO("read", 16 * KIB))
        whole, rest = divmod(others, 1.0)
        path = (*self.one_by_one, Repeat(accesses, maybe(missed, *io)), Repeat(int(whole), *io), maybe(rest, *io))
        yield Closed("sessions", s.threads, path, group=_GROUP)
        if background:
            yield Open("flushing by the clock", Poisson(background), io, group="background")
        yield from limits.background()


@dataclass(frozen=True)
class _Latency:
    """A volume that answers any number of I/Os at once."""

    seconds: float

    def path(self, io: IO) -> Path:  # noqa: ARG002  (all take as long)
        return (Delay(self.seconds),)


def _build(settings: TpccSettings, parameters: TpccParameters) -> Scenario:
    """All sessions; the answer is transactions a second."""
    server = _Server(settings, parameters)
    loads = server.on_volume() if settings.drive in BANDWIDTH else server.on_drive()
    return Scenario(Model(list(loads)), _GROUP, 1.0, "transactions/s")


TPCC = System(
    name="tpcc",
    title="TPC-C on MySQL by buffer pool, drive, provisioned volume and binary log (2016 to 2018)",
    settings=Settings.of(TpccSettings),
    parameters=loaded(PARAMETERS, data_folder(), "tpcc"),
    build=_build,
    data_package=data_folder(),
)
