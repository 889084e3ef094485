"""Which part a buffer plays: between those who put and those who take, or taken and given back by each client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sim.analytic.buffers import Stock
from sim.errors import ModelError
from sim.model.demands import weighed
from sim.model.places import Buffer, Place
from sim.model.steps import Path, Put, Take, iter_steps
from sim.model.workloads import Workload

_ROUNDING = 1e-9


def stocks(workloads: Iterable[Workload], member: Callable[[Place], Place]) -> dict[Place, Stock]:
    """Every buffer of ``workloads``.

    Raises:
        ModelError: a buffer of which some clients keep what others put, in a way that nobody can follow.
    """
    kept = list(workloads)
    moves = {each.name: _moves(each.path, member) for each in kept}
    buffers = dict.fromkeys(place for found in moves.values() for place in found)
    return {
        place: _stock(place, [found[place] for found in moves.values() if place in found], kept, member)
        for place in buffers
        if isinstance(place, Buffer)
    }


def _stock(
    buffer: Buffer, moved: list[tuple[float, float]], workloads: list[Workload], member: Callable[[Place], Place]
) -> Stock:
    if all(abs(put - taken) <= _ROUNDING * (put + taken) for put, taken in moved):
        first = {type(each) for workload in workloads for each in _first(workload.path, buffer, member)}
        if len(first) == 1:
            room = buffer.capacity - buffer.initial if Put in first else buffer.initial
            return Stock(buffer, max(room, 1), streams=False)
    elif all(not put or not taken for put, taken in moved):
        return Stock(buffer, buffer.capacity, streams=True)
    raise ModelError(
        f"{buffer} is changed in a way that the analytic engine cannot follow; let each workload only put, only "
        "take, or take back in the same order what it put, or simulate"
    )


def _first(path: Path, buffer: Buffer, member: Callable[[Place], Place]) -> Iterator[Put | Take]:
    for step in iter_steps(path):
        if isinstance(step, Put | Take) and member(step.buffer) == buffer:
            yield step
            return


def _moves(path: Path, member: Callable[[Place], Place]) -> dict[Place, tuple[float, float]]:
    """Mean (put, taken) of one walk, for each buffer; both branches of a look-up count half."""
    found: dict[Place, tuple[float, float]] = {}

    def add(place: Place, put: float, taken: float) -> None:
        before = found.get(place, (0.0, 0.0))
        found[place] = (before[0] + put, before[1] + taken)

    for step in path:
        if isinstance(step, Put):
            add(member(step.buffer), step.amount, 0.0)
        elif isinstance(step, Take):
            add(member(step.buffer), 0.0, step.amount)
        for share, inner in weighed(step, 0.5):
            for place, (put, taken) in _moves(inner, member).items():
                add(place, share * put, share * taken)
    return found
