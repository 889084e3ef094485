"""Answers of the Exadata V1 system: the figures that AWR and vmstat show, over all hosts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from models.parts.link.fabrics import FABRICS
from models.systems.exadata_ctas.parameters import ExadataCTASParameters
from models.systems.exadata_ctas.settings import ExadataCTASSettings
from sim.engine.result import Result
from sim.engine.statistics.estimates import point
from sim.system import Measure

GIB = 1 << 30
"""A GB in the source."""

STATEMENTS = "statements"
"""The group of all coordinators: one request is one statement."""

COPIES = 2
"""Normal redundancy: every written byte has a mirror copy."""


def copies_by_cores(settings: ExadataCTASSettings) -> int | None:
    """Copies of a byte by the cores on its way over the fabric; None for RDS, which has no such calls."""
    copies = int(not settings.direct_io) + int(not FABRICS[settings.fabric].dma)
    rds = str(settings.fabric).startswith("ib-")
    return copies if copies or not rds else None


def copies_written(settings: ExadataCTASSettings) -> float:
    """Mean copies of a written byte, less those on a lost cell."""
    return COPIES * (1.0 - settings.cells_lost / settings.cells)


def slave_ios(settings: ExadataCTASSettings, parameters: ExadataCTASParameters) -> int:
    """I/Os of each slave for one statement, at least one."""
    ios: float = settings.table / parameters.io_bytes / settings.slaves
    return max(1, round(ios))


@dataclass(frozen=True)
class Answers:
    """Answers for one set of settings; ``Measure`` reads each off a result."""

    settings: ExadataCTASSettings
    parameters: ExadataCTASParameters

    @property
    def cached(self) -> bool:
        """True if the table is in the page cache."""
        return bool(self.settings.read_from == "ext3")

    @property
    def statement_bytes(self) -> float:
        """Bytes of the table that one statement copies."""
        ios: int = slave_ios(self.settings, self.parameters) * self.settings.slaves
        return ios * self.parameters.io_bytes

    def measures(self) -> Mapping[str, Measure]:
        """All answers besides throughput and elapsed time, by name."""
        return {
            **self._of_event("write", self._write_s, self._write_waits),
            **self._of_event("scan", self._scan_s, self._scan_waits),
            "db_cpu": _measure("s", self._booked_s),
            "db_cpu_share": _share(lambda result: 100 * self._booked_s(result) / self._database_s(result)),
            "user_cpu": _share(lambda result: self._cores_percent(result, self._user_s_per_byte)),
            "system_cpu": _share(lambda result: self._cores_percent(result, self._system_s_per_byte)),
            "fabric": _measure("GiB/s", self._crossed_gib_per_s),
            "card": _share(self._card_percent),
        }

    def _of_event(self, name: str, seconds: _Read, waits: _Read) -> dict[str, Measure]:
        return {
            f"{name}_waits": _measure("waits", waits),
            f"{name}_time": _measure("s", seconds),
            f"{name}_wait": _measure("ms", lambda result: 1e3 * seconds(result) / (waits(result) or 1.0)),
            f"{name}_share": _share(lambda result: 100 * seconds(result) / self._database_s(result)),
        }

    def _hosts(self, place: str) -> list[str]:
        return [f"host {host} {place}" for host in range(1, self.settings.hosts + 1)]

    def _bytes(self, result: Result) -> float:
        return result.groups[STATEMENTS].completed * self.statement_bytes

    def _in_event_s(self, result: Result, event: str) -> float:
        slaves: int = self.settings.slaves
        return slaves * result.measured_s * sum(result.places[name].utilisation for name in self._hosts(event))

    def _write_s(self, result: Result) -> float:
        return self._in_event_s(result, "writes")

    def _scan_s(self, result: Result) -> float:
        return 0.0 if self.cached else self._in_event_s(result, "scans")

    def _write_waits(self, result: Result) -> float:
        parameters = self.parameters
        waits = parameters.waits_per_write_ext3 if self.cached else parameters.waits_per_write_exadata
        return self._bytes(result) / parameters.io_bytes * waits

    def _scan_waits(self, result: Result) -> float:
        waits = 0.0 if self.cached else self.parameters.waits_per_scan
        return self._bytes(result) / self.parameters.io_bytes * waits

    def _database_s(self, result: Result) -> float:
        """Database time in seconds; NaN if it is 0, as nothing happened."""
        return self._write_s(result) + self._scan_s(result) + self._booked_s(result) or math.nan

    @property
    def _in_blocks(self) -> bool:
        """True if the table is read in blocks: a smart scan returns rows."""
        return self.cached or copies_by_cores(self.settings) is not None

    @property
    def _copied(self) -> float:
        """Number of copies of a byte of the table by the cores."""
        crossing = copies_by_cores(self.settings) or 0
        return (1 if self.cached else crossing) + copies_written(self.settings) * crossing

    @property
    def _user_s_per_byte(self) -> float:
        return self.parameters.query_user_s_per_byte + self._in_blocks * self.parameters.block_s_per_byte

    @property
    def _system_s_per_byte(self) -> float:
        return self.parameters.query_system_s_per_byte + self._copied * self.parameters.copy_s_per_byte

    def _booked_s(self, result: Result) -> float:
        query = self.parameters.query_user_s_per_byte + self.parameters.query_system_s_per_byte
        io = self._user_s_per_byte + self._system_s_per_byte - query
        return self._bytes(result) * (query * self.parameters.query_booked + io * self.parameters.io_booked)

    def _cores_percent(self, result: Result, s_per_byte: float) -> float:
        """Per cent of all core time, by the share of ``s_per_byte`` in the busy time."""
        busy = [result.places[name].utilisation for name in self._hosts("cores")]
        share = s_per_byte / (self._user_s_per_byte + self._system_s_per_byte)
        return 100 * share * sum(busy) / len(busy)

    def _crossed_gib_per_s(self, result: Result) -> float:
        crossings = copies_written(self.settings) + (not self.cached)
        return crossings * self._bytes(result) / GIB / result.measured_s

    def _card_percent(self, result: Result) -> float:
        busy = [result.places[name].utilisation for name in self._hosts("card")]
        return 100 * sum(busy) / len(busy)


_Read = Callable[[Result], float]


def _share(read: _Read) -> Measure:
    return Measure.of_whole(lambda result: point(read(result)))


def _measure(unit: str, read: _Read) -> Measure:
    return Measure(unit, lambda result: point(read(result)))
