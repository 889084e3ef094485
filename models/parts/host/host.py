"""A host: time to wake a sleeping thread, and copy rate of its cores; stated once for all layers.

thread that slept ──> is its core awake?  yes: switch                                  ──> [core] busy ──> runs
                                          no:  the core leaves its idle state, switch  ──> [core] busy ──> runs

An idle core stays awake for a while: it polls (cpuidle-haltpoll in a virtual machine, 200 µs), or its idle
state is a light one. Later it sleeps, and wakes up by an interrupt: 30 to 140 µs, of its deeper idle state, or
of a hypervisor that has to run a virtual processor again (`SleepingMachine` in `models/parts/host/asleep.py`).
A part of the switch is work of the core: threads that share a core and sleep often keep it busy with their work
and with their switches.

Layers below a host take its times, unless their own fields say others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from models.io import FileIO, HostTimes
from models.layer import FileLayer
from models.parts.host.asleep import Depth, SleepingMachine, wake_up
from models.parts.host.memory import CopyingCores
from models.parts.host.record import KINDS, SWITCH, kind_of_host
from models.parts.host.shared_lines import shared_lines
from sim import Delay, Hold, Path, Pool, Station
from sim.system.quantities import bandwidth, duration
from sim.system.settings import Values, choice
from sim.system.stack.kinds import Below, Filled, fields_of

COPY_BYTES_PER_S = 5e9

ELSEWHERE = "host"


def of_host(about: str, otherwise: str = f"{SWITCH.value * 1e6:g}us") -> Any:
    """A field that is a time to wake up, by default the host's."""
    return duration(
        None, f"{about}; by default the value of the layer host above, else {otherwise}", elsewhere=ELSEWHERE
    )


def copies_of_host(about: str) -> Any:
    """A field that is the copy rate of a core, by default the host's."""
    text = f"{about}; by default the value of the layer host above, else {COPY_BYTES_PER_S / 1e9:g}GB/s"
    return bandwidth(None, text, elsewhere=ELSEWHERE)


def woken(wake_s: float | None, io: FileIO, cores: CopyingCores | None = None) -> Path:
    """Wake-up of a sleeping thread: exponential with mean ``wake_s``, or as on the host of ``io``.

    Args:
        cores: cores on one of which it runs; None for the core of the process, if a layer above sets it.
    """
    if wake_s is None and io.times:
        busy_s = io.times.busy_s
        return (*io.times.wake, *(cores.kernel(busy_s) if cores and busy_s else on_core(busy_s, io.core)))
    return wake_up(SWITCH.value if wake_s is None else wake_s)


def fetched(io: FileIO, sharers: int) -> Path:
    """Wait for the cache lines of a free lock and its data, last used by any of ``sharers``."""
    line_s = shared_lines(io.times.line_s, sharers) if io.times else 0.0
    return (Delay(line_s),) if line_s else ()


def on_core(time_s: float, core: Pool | None) -> Path:
    """Work of ``core``; if that is None, only its time."""
    if not time_s:
        return ()
    return (Hold(core, Delay(time_s)),) if core else (Delay(time_s),)


def copied_at(copy: float | None, io: FileIO) -> float:
    """Copy rate of a core, bytes/s: ``copy``, or as on the host of ``io``."""
    otherwise = io.times.copy_bytes_per_s if io.times else COPY_BYTES_PER_S
    return otherwise if copy is None else copy


def called(cores: CopyingCores, call_s: float, copy: float | None, io: FileIO) -> Path:
    """A call on a core, with a copy of the bytes of ``io``."""
    return cores.copied(io.size_bytes, call_s + io.size_bytes / copied_at(copy, io))


@dataclass(frozen=True)
class Host:
    """A host, whose times are defaults for the layers below."""

    like: str = choice(
        "none",
        "kind of host that supplies fields left out: awake (idle states off), bare or virtual",
        ("none", *KINDS),
    )
    switch: float = duration(SWITCH.value, "wake-up of a thread on a core that is awake, exponential; assumed")
    busy: float = duration(0.0, "part of a switch that is work of the core, and its minimum")
    awake: float = duration(0.0, "time that a core without work stays awake, exponential; 0: it never sleeps")
    halted: float = duration(0.0, "extra time to wake a sleeping core")
    copy: float = bandwidth(COPY_BYTES_PER_S, "bytes a second that one core copies; assumed")
    line: float = duration(0.0, "time to fetch a lock and the data that it guards from another core")
    memory: float = bandwidth(
        math.inf, "bytes a second that memory moves for all cores; a copied byte counts twice, as in STREAM's copy"
    )

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """Fields of the named kind of host."""
        if (kind := written.get("like", "")) not in KINDS:
            return {}
        fields = {each.name: each for each in fields_of(Host)}
        return {
            field: Filled(each.value, fields[field].show(each.value), each.source)
            for field, each in kind_of_host(kind).items()
        }

    def layer(self, name: str, below: Below) -> OnHost:
        """The layers below on this host; with ``nodes`` above, on each host."""
        asleep = SleepingMachine(name, (Depth(self.awake, self.halted),)).message()
        wake = (*asleep, *wake_up(max(0.0, self.switch - self.busy)))
        memory = None if math.isinf(self.memory) else Station(f"{name} memory")
        return OnHost(HostTimes(wake, self.copy, self.busy, memory, self.memory, self.line), below(""))


@dataclass(frozen=True)
class OnHost:
    """The layers below, with the times of their host."""

    times: HostTimes
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """The path below; no thread waits here."""
        return self.below.path(replace(io, times=self.times))
