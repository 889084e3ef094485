"""The cores of a host, with user and system time.

work ──> hold a core ── [user time]     in the utility's own code
                     └─ [system time]   in the kernel, on its behalf

One station counts user time and one system time, as ``time`` prints them; a process that holds a core never queues
there. A database accounts for only a part of its host's work: no session waits for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Fork, Hold, Path, Pool, Station, Step, Use
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point


@dataclass(frozen=True)
class Processor:
    """Identical cores."""

    cores: Pool
    user_time: Station
    system_time: Station

    @classmethod
    def of(cls, name: str, cores: int) -> Processor:
        """The processor of the host ``name``."""
        return cls(Pool(f"{name} cores", cores), Station(f"{name} user", cores), Station(f"{name} system", cores))

    def user(self, time_s: float) -> Step:
        """User time of ``time_s`` seconds on a core."""
        return Hold(self.cores, Use(self.user_time, time_s))

    def system(self, time_s: float) -> Step:
        """System time of ``time_s`` seconds on a core."""
        return Hold(self.cores, Use(self.system_time, time_s))

    def kernel(self, time_s: float) -> Path:
        """A call of ``time_s`` seconds on a core."""
        return (self.system(time_s),)

    def user_s(self, result: Result) -> Estimate:
        """Total user time of all processes, seconds."""
        return _busy_s(self.user_time, result)

    def system_s(self, result: Result) -> Estimate:
        """Total system time of all processes, seconds."""
        return _busy_s(self.system_time, result)


@dataclass(frozen=True)
class BookedCores:
    """Work on ``cores``, of which the share ``booked`` (0..1) counts as CPU time of a session."""

    cores: Station
    booked: float

    def kernel(self, time_s: float) -> Path:
        """Steps of kernel work of ``time_s`` seconds: the session waits for the share ``booked``.

        Interrupts and kernel threads do the rest on these cores, in the background.
        """
        background = Use(self.cores, (1.0 - self.booked) * time_s)
        return (Fork(background, wait=False), Use(self.cores, self.booked * time_s))


def _busy_s(station: Station, result: Result) -> Estimate:
    return point(result.places[station.name].utilisation * station.servers * result.measured_s)
