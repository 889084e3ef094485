"""Processes of fio that read randomly from raw NVMe devices.

process 1..n ──> io_uring: its core, both ways ──> a device: its scheduler ──> window, controller, dies
             │             ↖── interrupt, held back for a while in one run ───────────────┘
             └─> spdk: its turn, its core, both ways ──> a device: window, controller, dies
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from models import data_folder
from models.io import FileIO
from models.layer import FileLayer
from models.parts.flash import Flash
from models.parts.host.block_scheduler import SchedulerLayer
from models.parts.host.cores import CoresLayer
from models.parts.host.interrupts import HeldInterrupts
from models.parts.host.time_slices import TimeSlices
from models.systems.nvme.parameters import PARAMETERS, NvmeParameters
from sim import Choose, Closed, Lock, Model, Path
from sim.data.fitted import loaded
from sim.engine.units import KIB
from sim.system import Scenario, Settings, System, choice, count, size
from sim.system.quantities import BySize, TimeTable

DRIVERS = ("io_uring", "spdk")
RUNS = ("depths", "blocks")
SCHEDULERS = ("none", "kyber", "mq-deadline", "bfq")
PAGE_BYTES = 4 * KIB
"""Bytes that one die reads at once."""


@dataclass(frozen=True)
class NvmeSettings:
    """Processes of fio, their devices, and the layers between."""

    devices: int = count(1, "SSDs; each process reads from all of them in turn", high=64)
    processes: int = count(1, "processes of fio", high=256, role="clients")
    depth: int = count(1, "reads in flight of each process, over all devices together, as fio counts", high=4096)
    block: int = size(4 * KIB, "bytes of a read", low=512, high=KIB * KIB)
    scheduler: str = choice("none", "I/O scheduler of each device; the driver spdk goes past it", SCHEDULERS)
    driver: str = choice(
        "io_uring", "through the kernel with interrupts, or spdk: polling from user space", DRIVERS
    )
    op: str = choice("read", "random reads", ("read",))
    run: str = choice("depths", "the study's run by depth or by block size, where interrupts were held back", RUNS)


_READS = "reads"


@dataclass(frozen=True)
class _AnyOf:
    """A random device for each read: fio takes them in turn, and they answer out of order."""

    devices: tuple[FileLayer, ...]

    def path(self, io: FileIO) -> Path:
        if len(self.devices) == 1:
            return self.devices[0].path(io)
        share = 1.0 / len(self.devices)
        return (Choose(*((share, device.path(io)) for device in self.devices)),)


@dataclass(frozen=True)
class _Host:
    """One host with its devices."""

    settings: NvmeSettings
    parameters: NvmeParameters

    @property
    def _switch_s(self) -> float:
        """Core time of a read for another device than the last one."""
        return self.parameters.switch_s if self.settings.devices > 1 else 0.0

    def loads(self) -> Iterator[Closed]:
        """Yield each process with its reads in flight, and the kernel's scheduling."""
        yield from self._polling() if self.settings.driver == "spdk" else self._interrupted()

    def _interrupted(self) -> Iterator[Closed]:
        """Processes that sleep until a completion wakes them; several share a core by read."""
        slices, p = self._slices(), self.parameters
        below = _AnyOf(tuple(self._scheduled(number) for number in range(1, self.settings.devices + 1)))
        layer = CoresLayer(slices.cores, p.core_s + self._switch_s, 0.0, p.interrupt_s, below)
        for number in range(self.settings.processes):
            yield self._process(number, layer.path(self._io(number)))

    def _polling(self) -> Iterator[Closed]:
        """Processes that never sleep: those on one core take turns."""
        slices = self._slices()
        below = _AnyOf(tuple(self._device(number) for number in range(1, self.settings.devices + 1)))
        for number in range(self.settings.processes):
            work = slices.work(number, self.parameters.spdk_s)
            yield self._process(number, (*work, *below.path(self._io(number))))
        yield from slices.behind()

    def _slices(self) -> TimeSlices:
        return TimeSlices.of(
            "host",
            cores=int(self.parameters.cores),
            processes=self.settings.processes,
            slice_s=self.parameters.slice_s,
        )

    def _io(self, process: int) -> FileIO:
        return FileIO("read", self.settings.block, process=process, processes=self.settings.processes)

    def _process(self, number: int, path: Path) -> Closed:
        think = self.parameters.between_s
        return Closed(f"process {number + 1}", self.settings.depth, path, think=think, group=_READS)

    def _scheduled(self, number: int) -> FileLayer:
        """The device behind its I/O scheduler, whose lock all processes share."""
        p, below = self.parameters, self._interrupting(number)
        lock = Lock(f"device {number} scheduler")
        moved_s = p.moved_s if self.settings.processes > 1 else 0.0
        layers: dict[str, FileLayer] = {
            "none": below,
            "kyber": SchedulerLayer(None, p.kyber_s, 0.0, below),
            "mq-deadline": SchedulerLayer(lock, p.deadline_s + moved_s, p.deadline_contended_s, below),
            "bfq": SchedulerLayer(lock, p.bfq_s + moved_s, p.bfq_contended_s, below),
        }
        return layers[self.settings.scheduler]

    def _interrupting(self, number: int) -> FileLayer:
        """The device with its interrupts, which one run of the study held back."""
        device, interval_s = self._device(number), self.parameters.interval_s
        return HeldInterrupts(f"device {number}", interval_s, device) if self._by_blocks else device

    @property
    def _by_blocks(self) -> bool:
        return self.settings.run == "blocks"

    def _device(self, number: int) -> FileLayer:
        p = self.parameters
        early_s = p.early_s if self._by_blocks else 0.0
        flash = Flash(
            latency=TimeTable(_alone(p, early_s), _alone(p)),
            access=TimeTable(_of_die(p), _of_die(p)),
            page=PAGE_BYTES,
            early=early_s,
            further=p.further_s,
            units=int(p.dies),
            variation=p.variation,
            iops=1.0 / p.command_s,
            bandwidth=math.inf,
            depth=int(p.window),
        )
        return flash.layer(f"device {number}", source="p99 of a read alone (ICPE 2024 study)")


def _of_die(p: NvmeParameters) -> BySize:
    """Time of a page at a die: the only one of a read, or one of several, which is a different kind of read."""
    return _by_pages(p.die_s, p.pages_die_s)


def _alone(p: NvmeParameters, early_s: float = 0.0) -> BySize:
    """Time of a single read, if a page is ready ``early_s`` before its die is free."""
    one_s = p.command_s + p.fixed_s + p.die_s - early_s
    return _by_pages(one_s, p.command_s + p.further_s + p.pages_fixed_s + p.pages_die_s, p.further_s)


def _by_pages(one_s: float, two_s: float, further_s: float = 0.0) -> BySize:
    return BySize(
        (
            (1, one_s),
            (PAGE_BYTES, one_s),
            (PAGE_BYTES + 1, two_s),
            (2 * PAGE_BYTES, two_s),
            (3 * PAGE_BYTES, two_s + further_s),
        )
    )


def _build(settings: NvmeSettings, parameters: NvmeParameters) -> Scenario:
    """All processes; the answer is thousands of reads a second."""
    passed = {"scheduler": "passed by: SPDK"} if settings.driver == "spdk" else {}
    loads = list(_Host(settings, parameters).loads())
    return Scenario(
        Model(loads),
        _READS,
        1e-3,
        "kIO/s",
        replaced=passed,
        compared="ICPE 2024 study of I/O schedulers: p99 by depth and by block size",
    )


NVME = System(
    name="nvme",
    title="processes that read at random from NVMe SSDs, by scheduler and driver (10 cores)",
    settings=Settings.of(NvmeSettings),
    parameters=loaded(PARAMETERS, data_folder(), "nvme"),
    build=_build,
    data_package=data_folder(),
    loads=("randread",),
)
