"""Copies from memory to memory by the cores of a host, which meet at the memory controllers.

copy: hold a core ── its own work ──> [one of the memory controllers]
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Choose, Delay, Exponential, Hold, Path, Pool, Station, Use


@dataclass(frozen=True)
class MemoryCopy:
    """Copies of bytes.

    A controller serves the cache lines of all copies in turn. Its time is exponential: in first-come order that
    gives the means of taking turns (Baskett et al., "Open, closed, and mixed networks of queues with different
    classes of customers", Journal of the ACM 22 (1975), 248-260).

    Attributes:
        cores: a copy keeps one, also while it waits for memory.
        controllers: one station a memory controller; pages lie on any of them.
        core_s_per_byte, memory_s_per_byte: time of the core alone, and of the controller.
    """

    cores: Pool
    controllers: tuple[Station, ...]
    core_s_per_byte: float
    memory_s_per_byte: float

    def path(self, size_bytes: int) -> Path:
        """One copy."""
        share, memory_s = 1.0 / len(self.controllers), Exponential(size_bytes * self.memory_s_per_byte)
        memory = Choose(*((share, Use(controller, memory_s)) for controller in self.controllers))
        return (Hold(self.cores, Delay(size_bytes * self.core_s_per_byte), memory),)
