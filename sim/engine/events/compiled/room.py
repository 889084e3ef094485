"""Checks that a run fits into memory, before allocation; errors name the largest part."""

from __future__ import annotations

from collections.abc import Sequence

from sim.engine.errors import ModelError
from sim.engine.events.compiled.cache_memory import nodes_of
from sim.engine.events.compiled.layout import EVENT_SIZE, LINE, SEQUENCE_SHIFT
from sim.engine.model.memory import check
from sim.engine.model.model import Model
from sim.engine.model.places import Cache
from sim.engine.model.workloads import Closed, Workload

CELL_BYTES = 8


def check_laid_out(model: Model, cells: int) -> None:
    """Refuse a program if ``cells`` cells and a copy of them do not fit into memory; only caches need much."""
    caches = [place for place in model.places if isinstance(place, Cache)]
    if caches:
        largest = max(caches, key=nodes_of)
        others = f" (and {len(caches) - 1} more)" if len(caches) > 1 else ""
        what = f"{largest} of {largest.capacity} blocks{others}"
        check(what, 2 * CELL_BYTES * cells, "lower its capacity, or make its blocks larger")


def check_processes(
    model: Model, populations: Sequence[int], processes: int, process_cells: int, nesting: int, others: int
) -> None:
    """Refuse ``processes`` processes beside ``others`` cells, for want of memory or of event keys.

    Args:
        populations: clients and branches of each workload in flight, shape (workloads,).
    """
    sizes = [max(now, _clients(each)) for now, each in zip(populations, model.workloads, strict=True)]
    max_size, largest = max(zip(sizes, map(str, model.workloads), strict=True))
    who = f"room for {processes} clients and branches on their way ({max_size} of {largest})"
    fix = "lower the clients, the load, or what is sent off without waiting"
    if processes > (allowed := (LINE << SEQUENCE_SHIFT) // process_cells):
        raise ModelError(f"{who} is too much; allowed: {allowed}; {fix}")
    rings = 2 * (nesting + 1)  # powers of two
    check(who, CELL_BYTES * (others + processes * (process_cells + rings + EVENT_SIZE)), fix)


def _clients(workload: Workload) -> int:
    return workload.clients if isinstance(workload, Closed) else 0


def check_readings(model: Model, cells: int) -> None:
    """Refuse to read ``cells`` cells of counters, which become snapshots, for want of memory."""
    what = f"the books of {len(model.workloads)} workloads in {len(model.groups)} groups"
    check(what, 3 * CELL_BYTES * cells, "put workloads into one group, or make many clients of one")
