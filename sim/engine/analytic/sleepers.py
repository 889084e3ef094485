"""Threads that sleep when idle: a request wakes one up, and is served by whichever thread is free first.

Models express it with two buffers of threads and one of requests, whose levels only simulation determines:

    Put(waiting), IfAny(asleep, [Take(asleep), Fork([*waking, look])]), Take(ready), Hold(threads, …), look
    look = IfAny(waiting, [Take(waiting), Put(ready)], Put(asleep))

Here a request waits for one wake-up, and then for a thread. This is exact for a single client, who wakes a thread
each time; if threads never come to sleep, as the next clients are late by as much as the queue before them is
shorter; and for the mean of open arrivals at one thread, all times exponential (P. D. Welch, "On a generalized
M/G/1 queuing process in which the first customer of each busy period receives exceptional service", Operations
Research 12 (1964), 736-752). In between it overestimates waits: a thread that is awake may come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.engine.model.once import once_for_each
from sim.engine.model.places import Buffer, Lock, LockMode
from sim.engine.model.steps import (
    Choose,
    Delay,
    Fork,
    Hold,
    IfAny,
    Lookup,
    Path,
    Put,
    Repeat,
    Step,
    Take,
    iter_steps,
)
from sim.engine.model.symmetry import Symmetry
from sim.engine.model.workloads import Workload

_STEPS = 5
"""Number of steps of a request that sleeping threads serve."""


@dataclass(frozen=True)
class WakeUp(Delay):
    """A wake-up that a request may not have to wait for, as a thread that is awake may come first."""


def awake(folded: Symmetry) -> Symmetry:
    """A copy of the model in which each request takes a wake-up in place of threads that sleep."""
    awakened = _awakened(folded.scaled_from or folded)
    if awakened is None:
        return folded
    workloads, signatures = awakened
    counted = tuple((each, copies) for each, (_, copies) in zip(workloads, folded.workloads, strict=True))
    return replace(folded, workloads=counted, signatures=signatures)


@once_for_each
def _awakened(folded: Symmetry) -> tuple[list[Workload], dict[int, int]] | None:
    """Rewritten workloads, and the signatures of all their steps; None if they have no sleeping threads."""
    workloads = [workload for workload, _ in folded.workloads]
    if not any(_asks(workload.path) for workload in workloads):
        return None
    read = _Reading(dict(folded.signatures))
    return [replace(each, path=read.path(each.path)) for each in workloads], read.signatures


@dataclass(frozen=True)
class _Reading:
    """Rewriter of paths; a rewritten step keeps the signature of its original."""

    signatures: dict[int, int]

    def path(self, path: Path) -> Path:
        return tuple(self._steps(path))

    def _steps(self, path: Path) -> Iterator[Step]:
        at = 0
        while at < len(path):
            served = _served(path[at : at + _STEPS])
            if served is None:
                yield self._step(path[at])
                at += 1
                continue
            waking, held = served
            for step in waking:
                yield self._alike(step, WakeUp(step.time))
            yield self._step(held)
            at += _STEPS

    def _step(self, step: Step) -> Step:
        """``step``, with the paths inside it rewritten."""
        written = self._written(step) if any(map(_asks, step.inner)) else None
        return self._alike(step, written) if written else step

    def _written(self, step: Step) -> Step | None:
        match step:
            case Hold():
                held = LockMode(step.held, step.exclusive) if isinstance(step.held, Lock) else step.held
                return Hold(held, *self.path(step.steps), tokens=step.tokens)
            case Repeat():
                return Repeat(step.times, *self.path(step.steps))
            case Choose():
                return Choose(*((share, self.path(path)) for share, path in step.options))
            case Fork():
                needed = step.needed if step.wait else None
                return Fork(*map(self.path, step.branches), wait=step.wait, needed=needed)
            case Lookup():
                hit, miss = map(self.path, step.inner)
                flags = {"sequential": step.access.sequential, "write": step.access.write}
                return Lookup(step.cache, step.addresses, hit, miss, **flags)
        return None

    def _alike(self, original: Step, written: Step) -> Step:
        self.signatures[id(written)] = self.signatures[id(original)]
        return written


def _asks(path: Path) -> bool:
    return any(isinstance(step, IfAny) for step in iter_steps(path))


def _served(steps: Path) -> tuple[list[Delay], Hold] | None:
    """Wake-up and service of a request that sleeping threads serve; None if ``steps`` are no such request."""
    match steps:
        case (
            Put(buffer=waiting),
            IfAny(at=Buffer() as asleep, some=(_, Fork(branches=((*waking, _),)))),
            Take(buffer=ready),
            Hold() as held,
            _,
        ):
            look = IfAny(waiting, (Take(waiting), Put(ready)), Put(asleep))
            woken = IfAny(asleep, (Take(asleep), Fork((*waking, look), wait=False)))
            delays = [step for step in waking if isinstance(step, Delay)]
            if steps == (Put(waiting), woken, Take(ready), held, look) and delays == waking:
                return delays, held
    return None
