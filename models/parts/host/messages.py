"""Cores on which processes wake each other by messages.

process ──> wait for a [core] ──> works ──> its message wakes another, while it still has its own core
              a core is free: the other wakes up there ──> wait for a [core] ──> works
              none is free:   the other waits for a [core], perhaps for that of who woke it ──> works

To wake an idle core takes an interrupt, and longer if that core sleeps; a core that goes from one process to the
next only has the context switch, which is part of the work. So one client, whose message finds all cores but one
free, waits for every wake-up, and many clients for hardly any. Linux looks for an idle core first; if there is
none, it leaves the process on the core of its waker, or on its last one (select_idle_sibling in
kernel/sched/fair.c, find_lowest_rq in kernel/sched/rt.c).
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Buffer, Exponential, IfAny, Path, Put, Station, Take, Use


@dataclass(frozen=True)
class MessageCores:
    """Cores of one host.

    Attributes:
        wake: steps to wake a process on an idle core, beyond those of a switch.
        switch_s: core time of a switch; the one after a message is part of the work.
    """

    cores: Station
    wake: Path
    switch_s: float = 0.0

    def kernel(self, time_s: float) -> Path:
        """Steps of work that takes ``time_s`` seconds."""
        return (Take(self._free), Use(self.cores, time_s), Put(self._free)) if time_s else ()

    def work(self, mean_s: float) -> Path:
        """Steps of work of an exponential time with mean ``mean_s``."""
        return (Take(self._free), Use(self.cores, Exponential(mean_s)), Put(self._free))

    def message(self, mean_s: float) -> Path:
        """Steps of work of an exponential time, then of a message, until the woken process waits for a core."""
        let_go = Put(self._free)
        woken = IfAny(self._free, (let_go, *self.wake), let_go)
        return (Take(self._free), Use(self.cores, Exponential(mean_s)), woken)

    @property
    def woken(self) -> Path:
        """Wake-up of a process that slept for another reason, and the switch to it."""
        return (*((IfAny(self._free, self.wake),) if self.wake else ()), *self.kernel(self.switch_s))

    @property
    def _free(self) -> Buffer:
        return Buffer(f"{self.cores.name} free", self.cores.servers, self.cores.servers)
