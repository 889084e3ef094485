"""Causes of a standstill, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.model.standstill import End, ends
from sim.engine.model.steps import Put, Take, distinct_steps
from sim.engine.model.workloads import Closed, Open
from sim.engine.units.text import number_text

DIGITS = 6
"""Digits of amounts per second, which may be nearly balanced."""

LISTED = 3
"""Largest number of workloads named; of more, the number is given."""


def standstill(model: Model) -> str:
    """Cause for the first workload of ``model`` that comes to a standstill; empty if none has to."""
    return next((cause(model, end) for end in ends(model).values()), "")


def cause(model: Model, end: End) -> str:
    """Effect of requests on the buffers of ``end``, and the final state of these."""
    if end.rises:
        return f"{_a_second(model, end)}, {_so_that(end)}"
    if len(end.weights) > 1:
        return _together(end)
    ((buffer, weight),) = end.weights.items()
    if end.by_chance:
        return f"what requests put into {buffer} and take from it is even on average only; it is full or empty"
    moved = weight * _nets(model, end)
    row = int(np.argmax(np.where(np.isfinite(moved), moved, 0.0)))
    who = f"every request of {model.workloads[row]}"
    if moved[row] > 0.0:
        amount = f"{moved[row]:.3g}"
        if weight > 0.0:
            return f"{who} leaves {amount} more in {buffer} on average than anything takes out; it is full"
        return f"{who} takes {amount} more from {buffer} on average than anything puts back; it is empty"
    verb = "taken from" if weight > 0.0 else "put back into"
    return f"what requests move is not {verb} {buffer}; it is {'full' if weight > 0.0 else 'empty'}"


def told(model: Model, found: Mapping[int, End], row: int) -> str:
    """Cause, time, effect and remedy for the workload in ``row``, as far as paths and rates determine them."""
    end = found[row]
    when = _time(end) or " in the end"
    return f"{cause(model, end)}{when}, and then {stops(model, found, row)}{_mending(model, end)}"


def stops(model: Model, found: Mapping[int, End], row: int) -> str:
    """Effect on the clients of the workload in ``row``, and of all that stop for the same reason."""
    end = found[row]
    alike = [
        model.workloads[each]
        for each, other in found.items()
        if other is end and (end.by_chance or end.rises.get(each, 0.0) >= 0.0)
    ]
    still = [each.name for each in alike if isinstance(each, Closed)]
    piling = [each.name for each in alike if isinstance(each, Open)]
    said = [f"{_listed(still)} {'stands' if len(still) == 1 else 'stand'} still"] if still else []
    said += [f"clients of {_listed(piling, 'or' if end.by_chance else 'and')} pile up"] if piling else []
    return " and ".join(said)


def room(end: End) -> tuple[float, float]:
    """Largest rise and fall of the weighted level of ``end``."""
    rises = falls = 0.0
    for buffer, weight in end.weights.items():
        up, down = weight * (buffer.capacity - buffer.initial), weight * buffer.initial
        rises, falls = (rises + up, falls + down) if weight > 0.0 else (rises - down, falls - up)
    return rises, falls


def _a_second(model: Model, end: End) -> str:
    """Amounts per second that open workloads put into the buffers of ``end``, or take."""
    moves = [
        _move(model, row, buffer, net)
        for row in end.rises
        for buffer in end.weights
        if (net := _net(model, row, buffer))
    ]
    return _joined(moves)


def _move(model: Model, row: int, buffer: Buffer, net: float) -> str:
    workload = model.workloads[row]
    assert isinstance(workload, Open)  # noqa: S101  (no other has a rate of its own)
    steps = {type(step) for step in distinct_steps([workload.path]) if step.place is buffer}
    amount = f"{number_text(abs(net) * (workload.arrivals.rate or 0.0), DIGITS)} a second"
    verb, there, back = ("puts", "into", "takes") if net > 0.0 else ("takes", "from", "puts back")
    if {Put, Take} <= steps:
        return f"'{workload.name}' {verb} {amount} more {there} {buffer} than it {back}"
    return f"'{workload.name}' {verb} {amount} {there} {buffer}"


def _so_that(end: End) -> str:
    which = "it is" if len(end.weights) == 1 else "they are"
    if end.by_chance:
        return f"which is even on average only: {which} full or empty"
    if max(end.weights.values()) < 0.0:
        return f"so that {which} empty"
    return f"so that {which} full" if min(end.weights.values()) > 0.0 else f"so that {which} full or empty"


def _time(end: End) -> str:
    """Time of the standstill, if paths and arrival rates determine it."""
    if end.by_chance or not end.rises:
        return ""
    seconds = room(end)[0] / sum(end.rises.values())
    if seconds <= 0.0:
        return " from the start"
    return f" {'within' if end.quicker else 'after'} about {number_text(seconds, 2)} s"


def _mending(model: Model, end: End) -> str:
    """Remedy for arrivals that nothing balances; empty if amounts alone are at fault."""
    if not end.rises:
        return ""
    lowering = [model.workloads[row].name for row, rise in end.rises.items() if rise < 0.0]
    if not lowering:
        back = "put back" if max(end.weights.values()) < 0.0 else "taken out"
        return f"; let as much be {back}"
    return f"; give {_listed(lowering, 'or')} clients who wait (closed) instead of arrivals"


def _listed(names: Sequence[str], last: str = "and") -> str:
    return _joined([f"'{name}'" for name in names], last)


def _joined(texts: Iterable[str], last: str = "and") -> str:
    """``texts`` as a list in a sentence; of many, the first ones and the number of others."""
    *first, final = dict.fromkeys(texts)
    if len(first) >= LISTED:
        first, final = first[:LISTED], f"{len(first) + 1 - LISTED} more"
        last = "and"
    return f"{', '.join(first)} {last} {final}" if first else final


def _together(end: End) -> str:
    """Cause that concerns several buffers together."""
    buffers = " and ".join(f"'{buffer.name}'" for buffer in end.weights)
    if end.by_chance:
        return f"what requests move through buffers {buffers} is even on average only; they are full or empty"
    if max(end.weights.values()) < 0.0:
        return f"requests take more from buffers {buffers} together than comes back; they are empty"
    if min(end.weights.values()) > 0.0:
        return f"requests leave more in buffers {buffers} together than is taken out; they are full"
    return f"what requests move from one of the buffers {buffers} to another goes one way; they are full or empty"


def _net(model: Model, row: int, buffer: Buffer) -> float:
    """Mean amount that a request of the workload in ``row`` puts into ``buffer``, less its takes."""
    single = np.zeros(len(model.workloads), dtype=np.int64)
    single[row] = 1
    return float(model.nets.of(single)[model.row_of[buffer.name]])


def _nets(model: Model, end: End) -> NDArray[np.float64]:
    """Mean amounts that a request of each workload puts into the only buffer of ``end``, less its takes."""
    ((buffer, _),) = end.weights.items()
    return np.array([_net(model, row, buffer) for row in range(len(model.workloads))])
