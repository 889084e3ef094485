"""Threads of fio with random direct writes to one file on flash.

thread ──> call ──> file lock, as the rule says, to submit ──┐
   one write in flight: it holds the lock until all is done  ├──> iodrive-duo: [serial part] ──> two cards, striped
   more: lock and thread are free once it is submitted       ┘    nvme:        drive ──> [extent tree]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO, FileIO
from models.layer import FileLayer, Layer
from models.parts.file.extent_tree import ExtentTree
from models.parts.file.lock import LockedFile
from models.parts.flash import Flash
from models.parts.host.asleep import wake_up
from models.parts.host.processor import Processor
from models.parts.stripe import Striped
from models.systems.shared_file.parameters import SharedFileParameters
from models.systems.shared_file.settings import DUO, SharedFileSettings
from sim import Closed, Hold, Lock, Path, Pool, Station, Use
from sim.system.quantities import linear


@dataclass(frozen=True)
class _Host:
    """Numbers of a host for a write: cores, core time under the lock, and handover of the lock."""

    cores: float
    submit_s: float
    wake_s: float


@dataclass(frozen=True)
class _OneAfterTheOther:
    """A serial part of all writes, above any layer."""

    part: Station
    time_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """The serial part, then the layer below."""
        return (Use(self.part, self.time_s), *self.below.path(io))


@dataclass(frozen=True)
class _OfTheFile:
    """The layer below a file, for its requests."""

    below: FileLayer

    def path(self, io: IO) -> Path:
        """The request as one of the single file."""
        return self.below.path(FileIO(io.op, io.size_bytes))


@dataclass(frozen=True)
class FioOnFlash:
    """The layers of one host, one file and one device."""

    settings: SharedFileSettings
    parameters: SharedFileParameters

    @property
    def processes(self) -> list[Closed]:
        """All threads; those of a process that wait for each write are identical."""
        names = [f"writer {number + 1}" for number in range(self.settings.writers)]
        if self.settings.depth == 1:
            return [self._closed(name, self.settings.threads, self._write()) for name in names]
        names = [f"{name} thread {n + 1}" for name in names for n in range(self.settings.threads)]
        return [self._closed(name, self.settings.depth, self._write(Pool(name, 1))) for name in names]

    def _closed(self, name: str, clients: int, path: Path) -> Closed:
        return Closed(name, clients=clients, path=path, group="write")

    def _write(self, thread: Pool | None = None) -> Path:
        """One write; a ``thread`` that does not wait for it submits one at a time."""
        io, file = IO("write", self.settings.block), self._file()
        submitted = (self._cpu().user(self.parameters.call_s), *file.submitted(io))
        return ((Hold(thread, *submitted),) if thread else submitted) + file.rest(io)

    def _file(self) -> LockedFile:
        """The file and its lock; an exclusive write of part of a block waits for all in flight."""
        host, settings = self._host(), self.settings
        submit = (self._cpu().system(host.submit_s),)
        rule = settings.rule
        waits = settings.depth == 1 or (rule.write == "exclusive" and not settings.whole_blocks)
        return LockedFile(Lock("file lock"), rule, self._device(), wake_up(host.wake_s), submit, waits)

    def _cpu(self) -> Processor:
        return Processor.of("host", int(self._host().cores))

    def _host(self) -> _Host:
        own = self.parameters
        if self.settings.device == DUO:
            xfs_s = own.duo_xfs_s if self.settings.filesystem == "xfs" else 0.0
            return _Host(own.duo_cores, own.duo_submit_s + xfs_s, own.duo_wake_s)
        return _Host(own.nvme_cores, own.nvme_submit_s, own.nvme_handover_s)

    def _device(self) -> Layer:
        return self._duo() if self.settings.device == DUO else self._nvme()

    def _duo(self) -> Layer:
        """Two cards with alternating pieces."""
        own = self.parameters
        piece_bytes = int(own.duo_piece_bytes)
        byte_s = (own.duo_piece_s - own.duo_between_s - own.duo_command_s) / piece_bytes
        coming_s = max(0.0, own.duo_small_s_per_byte - byte_s)
        card = Flash(
            latency=linear(max(own.duo_alone_s, own.duo_command_s + own.duo_between_s), coming_s + byte_s),
            access=linear(own.duo_command_s, byte_s),
            command=piece_bytes,
            units=1,
            variation=own.duo_variation,
            iops=1.0 / own.duo_between_s,
            bandwidth=math.inf,
        )
        cards = tuple(card.layer(f"card {number}", source="fitted") for number in (1, 2))
        return _OneAfterTheOther(
            Station("host one by one"), own.duo_serial_s, _OfTheFile(Striped(cards, piece_bytes))
        )

    def _nvme(self) -> Layer:
        own = self.parameters
        byte_s = 1.0 / own.nvme_bytes_per_s
        drive = Flash(
            latency=linear(own.nvme_latency_s + own.nvme_command_s, byte_s),
            access=linear(own.nvme_command_s, byte_s),
            units=1,
            bandwidth=math.inf,
        )
        device = _OfTheFile(drive.layer("drive"))
        return ExtentTree(Station("extent tree"), self.settings.extents, own.nvme_convert_s, device)
