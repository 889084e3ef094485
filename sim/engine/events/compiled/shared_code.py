"""Code shared by many paths: it exists once, however many nodes and users there are.

All users of a cluster may reach all of its cells. With separate code for each path, that of large clusters would
be many times as large as any cache of the processor. Two parts of a path, the same objects in several places, are
lowered once:

- a branch of a fork: it is a process of its own, which ends with the branch;
- the options of a choice: a request then goes on behind its own CHOOSE, whose address is in a register (RETURN).

Only parts that are equal for all workloads are shared (``sim/engine/model/same_for_all.py``).
"""

from __future__ import annotations

from sim.engine.events.compiled.assembler import Piece, Reference
from sim.engine.events.compiled.layout import REGISTERS
from sim.engine.model.model import Model
from sim.engine.model.same_for_all import SameForAll
from sim.engine.model.steps import Choose, Path, Step

WAY_BACK = REGISTERS
"""The cell of a process with the target of a RETURN: the first of its registers, if any choice is shared.
Shared options contain no choice, so that one is enough."""

FEW_OPTIONS = 4
"""Least number of options worth a register."""


class SharedCode:
    """Shared code of the paths of one model.

    Attributes:
        branches: address of each branch, by the identity of its path and whether it is waited for.
        tables: table of each choice with shared options, by the identity of the step.
        same_for_all: decides which paths may be shared.
    """

    def __init__(self, model: Model) -> None:
        self.branches: dict[tuple[int, bool], Reference] = {}
        self.tables: dict[int, Piece] = {}
        self.same_for_all = SameForAll()
        self._choices = {
            id(step)
            for step in _met_again(model)
            if isinstance(step, Choose) and len(step.options) >= FEW_OPTIONS and self.same_for_all.options(step)
        }

    @property
    def registers(self) -> int:
        """Number of registers that it needs in every process."""
        return int(bool(self._choices))

    def has(self, choice: Choose) -> bool:
        """True if the options of ``choice`` are lowered once."""
        return id(choice) in self._choices


def _met_again(model: Model) -> list[Step]:
    """Steps that occur more than once in the paths of ``model``; each is visited at most twice."""
    once: set[int] = set()
    again: dict[int, Step] = {}

    def meet(path: Path) -> None:
        for step in path:
            if id(step) not in once:
                once.add(id(step))
            elif id(step) not in again:
                again[id(step)] = step
            else:
                continue
            for inner in step.inner:
                meet(inner)

    for workload in model.workloads:
        meet(workload.path)
    return list(again.values())
