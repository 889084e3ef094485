"""Whether there is room for what a run wants to lay out: refused by name, before memory is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from sim.engines.compiled.cache_memory import nodes_of
from sim.engines.compiled.layout import EVENT_SIZE, LINE, SEQUENCE_SHIFT
from sim.errors import ModelError
from sim.model.memory import check
from sim.model.model import Model
from sim.model.places import Cache
from sim.model.workloads import Closed, Workload

CELL_BYTES = 8


def check_laid_out(model: Model, cells: int) -> None:
    """Refuse a program of so many ``cells``, which is copied once. What is large in it are caches."""
    caches = [place for place in model.places if isinstance(place, Cache)]
    if caches:
        largest = max(caches, key=nodes_of)
        others = f" (and {len(caches) - 1} more)" if len(caches) > 1 else ""
        what = f"{largest} of {largest.capacity} blocks{others}"
        check(what, 2 * CELL_BYTES * cells, "lower its capacity, or make its blocks larger")


def check_walkers(
    model: Model, crowds: Sequence[int], walkers: int, walker_cells: int, nesting: int, others: int
) -> None:
    """Refuse so many ``walkers`` beside ``others`` cells: there is not the memory, or no key for so many.

    Args:
        crowds: clients and branches of each workload that are on their way, shape (workloads,).
    """
    sizes = [max(now, _clients(each)) for now, each in zip(crowds, model.workloads, strict=True)]
    most, largest = max(zip(sizes, map(str, model.workloads), strict=True))
    who = f"room for {walkers} clients and branches on their way ({most} of {largest})"
    mend = "lower the clients, the load, or what is sent off without waiting"
    if walkers > (allowed := (LINE << SEQUENCE_SHIFT) // walker_cells):
        raise ModelError(f"{who} is too much; allowed: {allowed}; {mend}")
    rings = 2 * (nesting + 1)  # powers of two
    check(who, CELL_BYTES * (others + walkers * (walker_cells + rings + EVENT_SIZE)), mend)


def _clients(workload: Workload) -> int:
    return workload.clients if isinstance(workload, Closed) else 0


def check_books(model: Model, cells: int) -> None:
    """Refuse books of so many ``cells``, which become snapshots."""
    what = f"the books of {len(model.workloads)} workloads in {len(model.groups)} groups"
    check(what, 3 * CELL_BYTES * cells, "put workloads into one group, or make many clients of one")
