"""Roles of buffers: between clients that put and clients that take, or tokens that each client returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sim.engine.analytic.buffers import BufferRole
from sim.engine.errors import ModelError
from sim.engine.model.demands import weighed
from sim.engine.model.places import Buffer, Place
from sim.engine.model.steps import Path, Put, Take, iter_steps
from sim.engine.model.workloads import Open, Workload

_ROUNDING = 1e-9

_User = tuple[Workload, float, float]
"""A workload that uses a buffer, and the mean amounts that its requests put and take."""


def find_roles(workloads: Iterable[Workload], member: Callable[[Place], Place]) -> dict[Place, BufferRole]:
    """The role of every buffer of ``workloads``; ``member`` maps a place to its representative.

    Raises:
        ModelError: puts and takes of a buffer follow neither role.
    """
    workloads = list(workloads)
    moves = [_moves(workload.path, member) for workload in workloads]
    users: dict[Place, list[_User]] = {}
    for workload, moved in zip(workloads, moves, strict=True):
        for place, (put, taken) in moved.items():
            users.setdefault(place, []).append((workload, put, taken))
    return {place: _role(place, each, member) for place, each in users.items() if isinstance(place, Buffer)}


def _role(buffer: Buffer, users: list[_User], member: Callable[[Place], Place]) -> BufferRole:
    """The role of ``buffer``."""
    if all(abs(put - taken) <= _ROUNDING * (put + taken) for _, put, taken in users):
        first = {type(each) for workload, _, _ in users for each in _first(workload.path, buffer, member)}
        if len(first) == 1:
            room = buffer.capacity - buffer.initial if Put in first else buffer.initial
            return BufferRole(buffer, max(room, 1), two_sided=False)
    elif any(isinstance(workload, Open) for workload, _, _ in users):
        raise ModelError(
            f"{buffer} holds up arrivals that do not wait for answers until others fill or empty it, which the "
            "analytic engine does not follow; let clients ask, or simulate"
        )
    elif all(not put or not taken for _, put, taken in users):
        return BufferRole(buffer, buffer.capacity, two_sided=True)
    raise ModelError(
        f"{buffer} is changed in a way that the analytic engine cannot follow; let each workload only put, only "
        "take, or take back in the same order what it put, or simulate"
    )


def _first(path: Path, buffer: Buffer, member: Callable[[Place], Place]) -> Iterator[Put | Take]:
    """The first put or take at ``buffer``, if any."""
    for step in iter_steps(path):
        if isinstance(step, Put | Take) and member(step.buffer) == buffer:
            yield step
            return


def _moves(path: Path, member: Callable[[Place], Place]) -> dict[Place, tuple[float, float]]:
    """Mean amounts put and taken in one request, for each buffer; both branches of a look-up count half."""
    moved: dict[Place, tuple[float, float]] = {}

    def add(place: Place, put: float, taken: float) -> None:
        before = moved.get(place, (0.0, 0.0))
        moved[place] = (before[0] + put, before[1] + taken)

    for step in path:
        if isinstance(step, Put):
            add(member(step.buffer), step.amount, 0.0)
        elif isinstance(step, Take):
            add(member(step.buffer), 0.0, step.amount)
        for share, inner in weighed(step, 0.5):
            for place, (put, taken) in _moves(inner, member).items():
                add(place, share * put, share * taken)
    return moved
