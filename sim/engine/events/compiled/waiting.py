"""Waiting clients and holders, read off the memory of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.rare_ops import JOIN
from sim.engine.events.compiled.templates import Program
from sim.engine.events.compiled.trace_decoder import Decoder, Doing
from sim.engine.events.protocol import waits_shown
from sim.engine.model.model import Model
from sim.engine.model.places import Gate


@dataclass(frozen=True)
class _Process:
    """A request or a branch in flight; ``client`` is that of the request, -1 for a branch left behind."""

    workload: int
    client: int
    doing: Doing


def who_waits(model: Model, program: Program, memory: NDArray[np.int64]) -> str:
    """Text on the clients that wait, the places, and their holders."""
    processes = list(_processes(model, program, memory))
    gates = {place.name for place in model.places if isinstance(place, Gate)}
    holders: dict[str, list[str]] = {}
    for each in processes:
        for place in dict.fromkeys(held.place for held in each.doing.held if held.place not in gates):
            holders.setdefault(place, []).append(_name(model, each))
    shown = {place.name: str(place) for place in model.places}
    waiting = (each for each in processes if each.doing.activity == "wait")
    return waits_shown(
        (_name(model, each), shown[each.doing.place], holders.get(each.doing.place, [])) for each in waiting
    )


def _processes(model: Model, program: Program, memory: NDArray[np.int64]) -> Iterator[_Process]:
    """Processes in flight, sorted by workload and client."""
    workload_of = {counters: number for number, counters in enumerate(program.counters)}
    found = dict(Decoder(model, program).doing(memory))
    rows = [
        _Process(workload_of[int(memory[process + at.COUNTERS])], _client(memory, process, found), doing)
        for process, doing in found.items()
    ]
    return iter(sorted(rows, key=lambda each: (each.workload, each.client)))


def _client(memory: NDArray[np.int64], process: int, found: dict[int, Doing]) -> int:
    """Number of the client; of a branch, found through the processes that wait for it."""
    while found[process].of:
        if found[process].of == "left behind":
            return -1
        process = int(memory[process + at.PARENT])
        if memory[process + at.PC] == JOIN:
            if memory[process + at.AMOUNT] <= 0:
                return -1
            process = int(memory[process + at.PARENT])
    return int(memory[process + at.CLIENT])


def _name(model: Model, process: _Process) -> str:
    name = model.workloads[process.workload].name
    return f"'{name}' client {process.client}" if process.client >= 0 else f"a branch that '{name}' left behind"
