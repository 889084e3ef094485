"""Writers and readers of one file, at once or in turn, by the lock rules of the file system.

writers ──> call ──> file lock, as file system, mount, kernel and blocks rule ──> lun:  dd, direct or buffered
                                                                                  iodrive-duo, nvme:  fio, direct
"""

from __future__ import annotations

from dataclasses import replace

from models import data_folder
from models.systems.other_scenario import OtherScenario
from models.systems.shared_file.dd_on_lun import DdOnLun
from models.systems.shared_file.fio_on_flash import FioOnFlash
from models.systems.shared_file.parameters import PARAMETERS, SharedFileParameters
from models.systems.shared_file.settings import DUO, LUN, SharedFileSettings
from sim import Model
from sim.data.fitted import loaded
from sim.engine.units import KIB
from sim.system import Measure, Scenario, Settings, System

_UNITS = {DUO: ("MB/s", 1e6), "nvme": ("MiB/s", KIB * KIB)}
"""Units of each device's published figures."""


def _build(settings: SharedFileSettings, parameters: SharedFileParameters) -> Scenario:
    """All processes on one file; the answer is their completed writes."""
    settings.check()
    return (_on_lun if settings.device == LUN else _on_flash)(settings, parameters)


def _on_lun(settings: SharedFileSettings, parameters: SharedFileParameters) -> Scenario:
    """Every dd writes its part once."""
    measures: dict[str, Measure] = {}
    if settings.readers:
        measures["reads"] = Measure("reads/s", lambda result: result.groups["read"].throughput)
    if settings.writers > 1:
        measures["scale_up"] = _scale_up(settings, parameters)
    return Scenario(Model(DdOnLun(settings, parameters).processes), "write", 1.0, "writes/s", measures)


def _scale_up(settings: SharedFileSettings, parameters: SharedFileParameters) -> Measure:
    """Throughput as a share of that of one writer alone times the number of writers."""
    alone = OtherScenario(_build(replace(settings, writers=1), parameters))
    return alone.share(lambda result: result.throughput, lambda one: one.throughput.scaled(settings.writers))


def _on_flash(settings: SharedFileSettings, parameters: SharedFileParameters) -> Scenario:
    """Endless random writes."""
    unit, unit_bytes = _UNITS[settings.device]
    measures = {"iops": Measure("kIO/s", lambda result: result.throughput.scaled(1e-3))}
    model = Model(FioOnFlash(settings, parameters).processes)
    return Scenario(
        model, "write", settings.block / unit_bytes, unit, measures, replaced={"file": "written without end"}
    )


SHARED_FILE = System(
    name="shared-file",
    title="writers and readers of one file, by file system, mount, kernel and device",
    settings=Settings.of(SharedFileSettings),
    parameters=loaded(PARAMETERS, data_folder(), "shared-file"),
    build=_build,
    data_package=data_folder(),
    loads=("write", "randwrite"),
)
