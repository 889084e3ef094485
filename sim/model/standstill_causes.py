"""Why a workload comes to a standstill, in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.model.model import Model
from sim.model.standstill import End, ends
from sim.model.workloads import Closed, Workload


def standstill(model: Model) -> str:
    """Why the first workload of ``model`` that comes to a standstill does; empty if none has to."""
    return next((cause(model, end) for end in ends(model).values()), "")


def cause(model: Model, end: End) -> str:
    """What requests do to the buffers of ``end``, and how these end."""
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
            return f"{who} leaves {amount} in {buffer} on average, and nothing takes it out; it is full"
        return f"{who} takes {amount} more from {buffer} on average than anything puts back; it is empty"
    verb = "taken from" if weight > 0.0 else "put back into"
    return f"what requests move is not {verb} {buffer}; it is {'full' if weight > 0.0 else 'empty'}"


def stops(workload: Workload) -> str:
    """What becomes of its clients."""
    if isinstance(workload, Closed):
        return f"'{workload.name}' stands still"
    return f"clients of '{workload.name}' pile up"


def _together(end: End) -> str:
    """The cause that only several buffers show together."""
    buffers = " and ".join(f"'{buffer.name}'" for buffer in end.weights)
    if end.by_chance:
        return f"what requests move through buffers {buffers} is even on average only; they are full or empty"
    if max(end.weights.values()) < 0.0:
        return f"requests take more from buffers {buffers} together than comes back; they are empty"
    if min(end.weights.values()) > 0.0:
        return f"requests leave more in buffers {buffers} together than is taken out; they are full"
    return f"what requests move from one of the buffers {buffers} to another goes one way; they are full or empty"


def _nets(model: Model, end: End) -> NDArray[np.float64]:
    """What a request of each workload puts into the only buffer of ``end``, less what it takes."""
    column = next(model.row_of[buffer.name] for buffer in end.weights)
    single = np.eye(len(model.workloads), dtype=np.int64)
    return np.array([model.nets.of(requests)[column] for requests in single])
