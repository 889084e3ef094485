"""Code that many paths have in common: it is there once, however many nodes and users there are.

All users of a cluster may reach all of its cells. Were each way code of its own, the code of large clusters would
be many times as large as any cache of the processor. Two parts of a path, the same objects in several places, are
lowered once:

- a branch of a fork: it is a process of its own, which ends where the branch does;
- the options of a choice: a request goes on behind its own CHOOSE afterwards, which a register keeps (RETURN).

Only such parts are shared as are the same whoever takes them (``sim/model/same_for_all.py``).
"""

from __future__ import annotations

from sim.engines.compiled.assembler import Piece, Reference
from sim.engines.compiled.layout import REGISTERS
from sim.model.model import Model
from sim.model.same_for_all import SameForAll
from sim.model.steps import Choose, Path, Step

WAY_BACK = REGISTERS
"""The cell of a process that says where a RETURN goes: the first of its registers, where any choice is shared.
Within shared options there is no choice, so that one is enough."""

FEW_OPTIONS = 4
"""The options of a smaller choice are not worth a register."""


class SharedCode:
    """What the paths of one model have in common.

    Attributes:
        branches: where the code of each branch begins, by the identity of its path and whether it is waited for.
        tables: of each choice whose options are shared, by the identity of the step.
        same_for_all: which paths may be shared.
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
        """How many registers of every process it needs."""
        return int(bool(self._choices))

    def has(self, choice: Choose) -> bool:
        """Whether the options of ``choice`` are lowered once."""
        return id(choice) in self._choices


def _met_again(model: Model) -> list[Step]:
    """The steps that paths of ``model`` have in more than one place; each is looked into twice at most."""
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
