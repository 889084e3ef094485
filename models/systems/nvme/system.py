"""Processes of fio that read at random from NVMe devices, raw.

process 1..n ──> io_uring: its core, both ways ──> a device: its scheduler ──> window, controller, dies
             │             ↖── interrupt ─────────────────────────────────────────────────┘
             └─> spdk: its turn, its core, both ways ──> a device: window, controller, dies
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from models import data_folder
from models.io import FileIO
from models.layer import FileLayer
from models.parts.flash import Flash
from models.parts.host.block_scheduler import SchedulerLayer
from models.parts.host.cores import CoresLayer
from models.parts.host.time_slices import TimeSlices
from models.systems.nvme.parameters import PARAMETERS, NvmeParameters
from models.systems.nvme.settings import PAGE_BYTES, NvmeSettings
from sim import Choose, Closed, Lock, Model, Path
from sim.data.fitted import loaded
from sim.system import Scenario, Settings, System
from sim.system.quantities import BySize, TimeTable, linear

_READS = "reads"


@dataclass(frozen=True)
class _AnyOf:
    """One of several devices, drawn for each read: fio takes them in turn, and they answer out of order."""

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
        """What a read takes of the core for going to another device than the last one."""
        return self.parameters.switch_s if self.settings.devices > 1 else 0.0

    def loads(self) -> Iterator[Closed]:
        """Each process with its reads in flight, and what the kernel does about processes."""
        yield from self._polling() if self.settings.driver == "spdk" else self._interrupted()

    def _interrupted(self) -> Iterator[Closed]:
        """Processes that sleep until a completion wakes them; several share a core read by read."""
        slices, p = self._slices(), self.parameters
        below = _AnyOf(tuple(self._scheduled(number) for number in range(1, self.settings.devices + 1)))
        layer = CoresLayer(slices.cores, p.core_s + self._switch_s, 0.0, p.interrupt_s, below)
        for number in range(self.settings.processes):
            yield self._process(number, layer.path(self._io(number)))

    def _polling(self) -> Iterator[Closed]:
        """Processes that never sleep: those of one core have it in turns."""
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
        return FileIO("read", self.settings.block, process=process)

    def _process(self, number: int, path: Path) -> Closed:
        think = self.parameters.between_s
        return Closed(f"process {number + 1}", self.settings.depth, path, think=think, group=_READS)

    def _scheduled(self, number: int) -> FileLayer:
        """The device behind its I/O scheduler, whose lock all processes share."""
        p, below = self.parameters, self._device(number)
        lock = Lock(f"device {number} scheduler")
        moved_s = p.moved_s if self.settings.processes > 1 else 0.0
        layers: dict[str, FileLayer] = {
            "none": below,
            "kyber": SchedulerLayer(None, p.kyber_s, 0.0, below),
            "mq-deadline": SchedulerLayer(lock, p.deadline_s + moved_s, p.deadline_contended_s, below),
            "bfq": SchedulerLayer(lock, p.bfq_s + moved_s, p.bfq_contended_s, below),
        }
        return layers[self.settings.scheduler]

    def _device(self, number: int) -> FileLayer:
        p = self.parameters
        if self.settings.run == "blocks":
            flash = _flash(p, int(p.blocks_dies), p.blocks_fixed_s, p.blocks_die_s, p.blocks_transfer_s)
            flash = replace(flash, latency=_early(flash.latency, p.blocks_early_s), early=p.blocks_early_s)
        else:
            flash = _flash(p, int(p.dies), p.fixed_s, p.die_s, 0.0)
        return flash.layer(f"device {number}", source="p99 of a read alone (ICPE 2024 study)")


def _flash(p: NvmeParameters, dies: int, fixed_s: float, die_s: float, page_s: float) -> Flash:
    """A device whose pages leave after ``page_s`` each; alone, a read takes the parts of its way."""
    return Flash(
        latency=linear(p.command_s + fixed_s + die_s, page_s / PAGE_BYTES),
        access=linear(die_s),
        page=PAGE_BYTES,
        units=dies,
        variation=p.variation,
        iops=1.0 / p.command_s,
        bandwidth=PAGE_BYTES / page_s if page_s else math.inf,
        depth=int(p.window),
    )


def _early(latency: TimeTable, early_s: float) -> TimeTable:
    """The same, with a read of up to a page answered ``early_s`` before its die is free."""
    page = tuple((size, latency.at("read", size) - early_s) for size in (1, PAGE_BYTES))
    more = tuple((size, latency.at("read", size)) for size in (PAGE_BYTES + 1, 2 * PAGE_BYTES))
    return TimeTable(BySize((*page, *more)), latency.write)


def _build(settings: NvmeSettings, parameters: NvmeParameters) -> Scenario:
    """All processes; the answer is thousands of reads a second."""
    settings.check()
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
