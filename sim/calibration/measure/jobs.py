"""One job of a measurement: what it asks for, for how long, and the settings of a stack that say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from sim.data.importers.figures import PROCESSES
from sim.errors import InputError
from sim.system.settings import Choice, Count, complete
from sim.system.system import System
from sim.units import KIB, size_text

SECONDS, RAMP_SECONDS = 2.0, 0.5
"""Of each run: measured, and before that."""

STARTING_SECONDS = 0.7
"""Until fio runs, and until it is gone: assumed; what is left of a run's time."""

OPS = ("read", "write")
BLOCKS = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB)
LOADS = ((1, 1), (2, 1), (4, 1), (8, 1), (1, 4), (1, 16), (4, 4))
"""Processes, and requests in flight of each. What may be measured to be fitted or held out."""

TWICE = (8, 4)
"""Twice the largest load of those, or 16 processes where a process has one request in flight."""


@dataclass(frozen=True)
class Job:
    """Requests of ``block`` bytes, at random, by ``users`` processes with ``depth`` in flight each."""

    op: str
    block: int
    users: int
    depth: int

    @property
    def name(self) -> str:
        """For files and tables: ``read-4KiB-users2-depth1``."""
        return f"{self.op}-{size_text(self.block)}-users{self.users}-depth{self.depth}"

    def stated(self, system: System) -> dict[str, str]:
        """The settings of ``system`` that a job decides, as people write them."""
        names = {each.name for each in system.settings}
        processes = next(name for name in PROCESSES if name in names)
        texts = {"op": self.op, "block": str(self.block), processes: str(self.users), "depth": str(self.depth)}
        return {name: text for name, text in texts.items() if name in names}

    def settings(self, system: System) -> dict[str, Any]:
        """A value for every setting of ``system``; those that no job decides keep their defaults."""
        return complete(system.settings, self.stated(system))

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"op": self.op, "block": self.block, "users": self.users, "depth": self.depth}


def candidates(system: System, *, depth: bool = True) -> list[Job]:
    """All jobs that ``system`` can answer, but for those at twice the load; without ``depth``, one at a time.

    Raises:
        InputError: it has no setting for the number of processes, or for the bytes of a request.
    """
    known = _known(system)
    loads = [load for load in LOADS if load[1] == 1 or (depth and "depth" in known)]
    return [Job(op, block, *load) for op, block, load in product(_ops(known), BLOCKS, loads)]


def at_twice_the_load(system: System, *, depth: bool = True) -> list[Job]:
    """What is asked at twice the largest load: small and larger requests of each kind."""
    known = _known(system)
    load = TWICE if depth and "depth" in known else (2 * max(users for users, _ in LOADS), 1)
    return [Job(op, block, *load) for op in _ops(known) for block in (4 * KIB, 64 * KIB)]


def _known(system: System) -> Mapping[str, Any]:
    known = {each.name: each for each in system.settings}
    if not known.keys() & {*PROCESSES}:
        raise InputError(
            f"stack '{system.name}' has no setting for the number of processes; allowed: one of "
            f"{', '.join(PROCESSES)}; add it to [settings] and [load]"
        )
    if "block" not in known:
        raise InputError(f"stack '{system.name}' has no setting 'block'; add it to [settings] and [load]")
    if "depth" in known and not isinstance(known["depth"], Count):
        raise InputError(f"setting 'depth' of stack '{system.name}' is no count; write default = 1")
    return known


def _ops(known: Mapping[str, Any]) -> tuple[str, ...]:
    """What a stack can be asked for: both, or what its setting ``op`` allows."""
    op = known.get("op")
    allowed = op.options if isinstance(op, Choice) else OPS
    return tuple(each for each in OPS if each in allowed)
