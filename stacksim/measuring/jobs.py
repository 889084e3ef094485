"""One job of a measurement: its load, its duration, and the equivalent settings of a stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.data.importers.figures import PROCESSES, processes_of
from sim.engine.errors import InputError, shown
from sim.engine.units import KIB, size_text
from sim.system.case import Case
from sim.system.settings import Choice, Count, Setting, complete
from sim.system.stack.job import job_of
from sim.system.system import System

SECONDS, RAMP_SECONDS = 2.0, 0.5
"""Measured time of each run, and time before that."""

STARTING_SECONDS = 0.7
"""Assumed time of starting and ending fio: the rest of a run's time."""

OPS, DURABLE = ("read", "write"), ("data", "all")
BLOCKS = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB)
LOADS = ((1, 1), (2, 1), (4, 1), (8, 1), (1, 4), (1, 16), (4, 4))
"""Processes and requests in flight of each, for jobs to fit or to hold out."""

FLUSHED = (1, 4, 16)
"""Numbers of processes with durable writes: alone, and sharing flushes."""

_DECIDED = ("op", "block", "depth", "durable", "order")
"""Roles of settings that a job decides beside the number of processes."""

TWICE, MANY = (8, 4), (32, 1)
"""Twice the largest load, in requests of each process or in processes; without depth, 16 processes."""


class JobRecord(TypedDict):
    """Requests of ``block`` bytes by ``users`` processes, as of ``Job``."""

    op: str
    block: int
    users: int
    depth: int
    durable: str
    order: str


@dataclass(frozen=True)
class Job:
    """Requests of ``block`` bytes by ``users`` processes with ``depth`` in flight each.

    Attributes:
        op: ``read``, ``write``, or ``mixed``, which is half of each.
        durable: durability when a write returns: ``no``, ``data`` (O_DSYNC) or ``all`` (O_SYNC).
        order: ``random`` or ``sequential``.
    """

    op: str
    block: int
    users: int
    depth: int
    durable: str = "no"
    order: str = "random"

    @property
    def name(self) -> str:
        """Name in files and tables: ``read-4KiB-users2-depth1``, and unusual properties."""
        beside = ("sequential",) if self.order != "random" else (f"durable-{self.durable}",)
        plain = f"{self.op}-{size_text(self.block)}-users{self.users}-depth{self.depth}"
        return plain if self.plain else "-".join((plain, *beside))

    @property
    def plain(self) -> bool:
        """True if requests are random and none waits for a flush."""
        return (self.durable, self.order) == ("no", "random")

    @property
    def kind(self) -> tuple[str, str, str]:
        """Operation, durability and order, for any size and number of processes."""
        return self.op, self.durable, self.order

    @property
    def write_share(self) -> float:
        """Share of writes among its requests."""
        return {"read": 0.0, "write": 1.0}.get(self.op, 0.5)

    def stated(self, system: System) -> dict[str, str]:
        """The settings of ``system`` that a job decides, as people write them."""
        texts = {"op": self.op, "block": str(self.block), "depth": str(self.depth)}
        texts |= {"durable": self.durable, "order": self.order, **dict.fromkeys(PROCESSES, str(self.users))}
        return {setting.name: texts[role] for role, setting in _known(system).items() if role in texts}

    def settings(self, system: System) -> dict[str, Any]:
        """A value for every setting of ``system``; those that the job leaves open keep their defaults."""
        return complete(system.settings, self.stated(system))

    def record(self) -> JobRecord:
        """Record for JSON."""
        return {
            "op": self.op,
            "block": self.block,
            "users": self.users,
            "depth": self.depth,
            "durable": self.durable,
            "order": self.order,
        }


def candidates(system: System, *, depth: bool = True) -> list[Job]:
    """All jobs that ``system`` can answer, except those at twice the load; without ``depth``, at depth 1.

    Raises:
        InputError: it has no setting for the number of processes, or for the bytes of a request.
    """
    known = _known(system)
    loads = [load for load in LOADS if load[1] == 1 or (depth and "depth" in known)]
    return [Job(op, block, *load) for op, block, load in product(_ops(known), BLOCKS, loads)]


def at_twice_the_load(system: System, *, depth: bool = True) -> list[Job]:
    """Jobs at twice the largest load: small and larger requests of each kind, and small ones of many processes."""
    known = _known(system)
    if not (depth and "depth" in known):
        load = (2 * max(users for users, _ in LOADS), 1)
        return [Job(op, block, *load) for op in _ops(known) for block in (4 * KIB, 64 * KIB)]
    sizes = ((4 * KIB, TWICE), (64 * KIB, TWICE), (4 * KIB, MANY))
    return [Job(op, block, *load) for op in _ops(known) for block, load in sizes]


def other_kinds(system: System) -> tuple[list[Job], list[Job]]:
    """Jobs of other kinds that ``system`` has settings for: those for the fit, and those to be held out.

    Flushes have a parameter of their own, and so does the fit; mixes and sequences follow from the rest.
    """
    known = _known(system)
    ops = _ops(known)
    apart = [Job(op, 64 * KIB, users, 1, order="sequential") for op in ops for users in (1, 4) if "order" in known]
    op = known.get("op")
    if isinstance(op, Choice) and "mixed" in op.options:
        apart += [Job("mixed", block, *load) for block, load in ((4 * KIB, (4, 1)), (64 * KIB, (1, 4)))]
    if "durable" not in known or "write" not in ops:
        return [], apart
    data, everything = ([Job("write", 4 * KIB, users, 1, durable) for users in FLUSHED] for durable in DURABLE)
    return [data[0], everything[1], data[2]], [everything[0], data[1], everything[2], *apart]


def own_jobs(system: System, paths: Sequence[Path]) -> list[Job]:
    """Jobs of a user's job files, each once.

    Raises:
        InputError: a file cannot be read, or asks for more than a job can express.
    """
    every = (_own_job(system, part, path) for path in paths for part in job_of(system, path).systems)
    return list(dict.fromkeys(every))


def _own_job(system: System, part: System, path: Path) -> Job:
    Case.of(part, {}).scenario  # noqa: B018  (loads through a page cache are refused here)
    asked = part.asked
    assert asked is not None  # noqa: S101  (of a job file)
    default = {each.name: each.default for each in system.settings}
    known = _known(system)
    values = {name: value for name, (value, _) in asked.settings.items()}
    of_job = {each.name: known[each.name].name for each in fields(Job) if each.name in known}
    of_job["users"] = next(known[role].name for role in PROCESSES if role in known)
    told = {name: values.pop(of, default[of]) for name, of in of_job.items() if of in default}
    beyond = [*asked.others, *(of_job[name] for name, value in told.items() if value is None)]
    if beyond := [*beyond, *(name for name, value in values.items() if value != default[name])]:
        raise InputError(
            f"job file '{shown(path)}' says '{asked.shown[beyond[0]]}' for {beyond[0]}, which a measured job "
            "cannot; measure plain jobs, and predict this one from the fit: --job FILE"
        )
    return Job(**{"op": "read", "depth": 1, **told})


def _known(system: System) -> dict[str, Setting]:
    """The settings that a job decides, by role; of processes, only that which is counted.

    Raises:
        InputError: it has no setting for the number of processes, or for the bytes of a request.
    """
    counted = processes_of(system)
    if counted is None:
        raise InputError(
            f"stack '{system.name}' has no setting for the number of processes; add one, and clients = its name "
            "to [load]"
        )
    known = {role: entry for role in _DECIDED for entry in system.settings.of_role(role)[:1]}
    if "block" not in known:
        raise InputError(f"stack '{system.name}' has no setting 'block'; add it to [settings] and [load]")
    if "depth" in known and not isinstance(known["depth"], Count):
        raise InputError(f"setting 'depth' of stack '{system.name}' is no count; write default = 1")
    return {**known, counted.means: counted}


def _ops(known: Mapping[str, Any]) -> tuple[str, ...]:
    """Operations of a stack: those that its setting ``op`` allows, or all."""
    op = known.get("op")
    allowed = op.options if isinstance(op, Choice) else OPS
    return tuple(each for each in OPS if each in allowed)
