"""An Oracle database on ZFS and on UFS: created, filled and indexed, each file system on one disk.

db-creation = start, format, script     catalog = script                      index, key = build
ts-creation = format                    load    = script of small commits

ufs:   call ──> copied, unless forcedirectio ──> in place ──> drive, which reports a write as soon as it has it
zfs:   call ──> copied ──> records read that are written in part ──> intent log ──> new places ──> drive, flushed
       dirty records ┄┄ transaction group: compressed, checksummed ┄┄> new places
       reads ──> in memory (ARC), or from the drive
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from models import data_folder
from models.io import IO
from models.parts.zfs.arc import Arc, LoopedArc, SkewedArc
from models.systems.zfs_ufs.file_systems import Ufs, Zfs
from models.systems.zfs_ufs.parameters import PARAMETERS, ZfsUfsParameters
from models.systems.zfs_ufs.settings import ZfsUfsSettings
from models.workloads.database_phases import Commits, DatabasePhases
from sim import Closed, Model, Path
from sim.data.fitted import loaded
from sim.engine.units import KIB
from sim.system import Measure, Sample, Scenario, Settings, System

DEFAULT_BLOCK = 8 * KIB
LONGEST = 200_000
"""Largest number of commits simulated one by one: more than in any published phase."""


@dataclass(frozen=True)
class _Database:
    """The session and its files, phase by phase."""

    settings: ZfsUfsSettings
    parameters: ZfsUfsParameters
    files: Ufs | Zfs

    @property
    def phases(self) -> DatabasePhases:
        parameters = self.parameters
        return DatabasePhases(
            self.files.cpu,
            burst_bytes=int(parameters.burst_bytes),
            writes=int(parameters.writes),
            batch_bytes=int(parameters.batch_bytes),
        )

    def work(self) -> Path:
        """The path of the phase of the settings."""
        phase = self.settings.phase
        if phase in ("index", "key"):
            return self.build(self.parameters.index_bytes if phase == "index" else self.parameters.key_bytes)
        if phase == "ts-creation":
            return self.format(self.parameters.ts_bytes)
        if phase == "load":
            return self.load()
        if phase == "catalog":
            return self.script()
        return self.create()

    def create(self) -> Path:
        """Files laid out by a newly started instance; larger blocks need more of them."""
        parameters = self.parameters
        size_bytes = parameters.db_bytes * (1.0 + parameters.file_growth * self.further_blocks)
        user = self.files.cpu.user(parameters.db_user_s * self.user_growth)
        return (*self.start(), *self.format(size_bytes), user)

    @property
    def further_blocks(self) -> float:
        """Size of a block in default blocks, less one."""
        return self.settings.block / DEFAULT_BLOCK - 1.0

    @property
    def user_growth(self) -> float:
        """Factor on the time of statements by larger blocks."""
        return 1.0 + self.parameters.block_growth * self.further_blocks

    def start(self) -> Path:
        """Start of an instance: memory in use that does not fit is paged out."""
        used_bytes = self.parameters.used_bytes + self.files.cache_least_bytes
        short_bytes = math.ceil(used_bytes - self.settings.memory)
        return self.files.swap.path(IO("write", short_bytes)) if short_bytes > 0 else ()

    def format(self, size_bytes: float) -> Path:
        """Layout of files."""
        return self.phases.format(int(size_bytes), self.files.file("new"))

    def build(self, size_bytes: float) -> Path:
        """Tables read, and indexes or keys written."""
        parameters = self.parameters
        user_s, written = parameters.build_user_s_per_byte, parameters.build_written
        return self.phases.build(int(size_bytes), user_s, written, self.files.source, self.files.file("new"))

    @property
    def sample(self) -> Sample:
        """The simulated part of a long load; its ends add at most a batch of the database writer."""
        commits = self.loaded
        parts = math.ceil(commits.count / LONGEST) if self.settings.phase == "load" else 1
        batches = commits.changed_bytes / parts / self.parameters.batch_bytes
        return Sample(parts, min(1.0, 1.0 / batches))

    def script(self) -> Path:
        """Statements of the dictionary; a byte of redo changes as many bytes of blocks as in a load."""
        parameters = self.parameters
        count, redo_bytes = round(parameters.script_commits), int(parameters.script_redo_bytes)
        user_s = parameters.script_user_s / count * self.user_growth
        changed_per_redo = parameters.load_row_bytes / parameters.load_redo_bytes
        commits = Commits(count, user_s, redo_bytes, round(count * redo_bytes * changed_per_redo))
        return self.phases.script(commits, self.files.log, self.files.file("scattered"))

    @property
    def loaded(self) -> Commits:
        """Loaded rows, ``rows`` of them a commit."""
        parameters, rows = self.parameters, self.settings.rows
        loaded, redo_bytes = parameters.load_rows, int(parameters.load_redo_bytes * rows)
        user_s, changed = parameters.load_user_s * rows, int(loaded * parameters.load_row_bytes)
        return Commits(round(loaded / rows), user_s, redo_bytes, changed)

    def load(self) -> Path:
        """Rows loaded into consecutive blocks."""
        commits = self.loaded.part(self.sample.parts)
        return self.phases.script(commits, self.files.log, self.files.file("sequence"))


def _build(settings: ZfsUfsSettings, parameters: ZfsUfsParameters, cache: type[Arc] = Arc) -> Scenario:
    """Wire one host; the answers are the elapsed time of a phase and the session's processor time."""
    files = Zfs(settings, parameters, cache) if settings.filesystem == "zfs" else Ufs(settings, parameters)
    database = _Database(settings, parameters, files)
    work, sample = database.work(), database.sample
    session = Closed("session", clients=1, path=work, count=1)
    model = Model([session, *files.background(work)])
    return Scenario(model, "session", 3600.0 / sample.parts, "phases/h", _measures(database), sample=sample)


def _measures(database: _Database) -> dict[str, Measure]:
    """Processor time of the session; while a tablespace is created it only waits for its writes."""
    if database.settings.phase == "ts-creation":
        return {}
    parts, user_s = database.sample.parts, database.files.cpu.user_s
    return {"session_cpu": Measure("s", lambda result: user_s(result).scaled(parts))}


ZFS_UFS = System(
    name="zfs-ufs",
    title="Oracle created, filled and indexed on ZFS and on UFS, one disk each (2006)",
    settings=Settings.of(ZfsUfsSettings),
    parameters=loaded(PARAMETERS, data_folder(), "zfs-ufs"),
    build=_build,
    data_package=data_folder(),
    structure="the ARC keeps any part of the files as likely as another",
    rivals=("zfs-ufs-loop", "zfs-ufs-skewed"),
    told_by=("memory",),
)

ZFS_UFS_LOOP = ZFS_UFS.rival(
    "zfs-ufs-loop",
    "the ARC keeps nothing of tables that do not fit as a whole",
    build=partial(_build, cache=LoopedArc),
)

ZFS_UFS_SKEWED = ZFS_UFS.rival(
    "zfs-ufs-skewed",
    "the ARC keeps the blocks that are changed most often",
    build=partial(_build, cache=SkewedArc),
)
