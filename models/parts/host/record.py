"""What hosts take: of each kind of host, from the machines of that kind that were measured, and of any host.

A kind of host is a row of machines: `calibration-data/priors.toml` has what each was found to take, by a fit or a
measurement, and says which kind it is of. A kind takes the geometric mean of its machines. What nobody measured on
the machine of a study is assumed as of any host (`Assumed`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import geometric_mean
from types import MappingProxyType
from typing import Any

from sim.system.parameters import parameter

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"awake": ("awake",), "bare": ("bare", "awake"), "virtual": ("virtual",)}
)
"""Kinds of hosts: idle states off, or cores that are never idle for long; idle states on; a virtual machine. Each
with the kinds whose machines stand for it, the first that has some: a bare host is awake before it sleeps."""

PRIORS: Mapping[str, str] = MappingProxyType(
    {"switch": "host.wake", **{name: f"host.{name}" for name in ("busy", "awake", "halted", "line")}}
)
"""The fields of a `Host` that a kind has, and under which name machines have them."""


@dataclass(frozen=True)
class Known:
    """A number of a kind of host, and the machines that it is from."""

    value: float
    source: str


@cache
def kind_of_host(kind: str) -> Mapping[str, Known]:
    """What a host of this ``kind`` takes, by field; 0 where it has no such thing, as who is awake has no sleep."""
    from sim.system.priors import kinds  # lazily: pydantic

    return MappingProxyType({field: _known(kinds()[prior], kind) for field, prior in PRIORS.items()})


def _known(prior: Any, kind: str) -> Known:
    by_kind = ([each for each in prior.machines if each.like == like] for like in KINDS[kind])
    machines = next((each for each in by_kind if each), [])
    if not machines:
        return Known(0.0, f"a host that is {kind} has none")
    mean = geometric_mean(prior.values[each.machine] for each in machines)
    sources = (f"{each.machine}: {each.value}, {each.source}" for each in machines)
    return Known(float(f"{mean:.3g}"), "; ".join(sources))


@dataclass(frozen=True)
class Assumed:
    """A time of any host: what is assumed where nobody measured the machine.

    Attributes:
        likely: between which it lies in nine of ten cases.
        low, high: bounds of a parameter.
    """

    value: float
    likely: tuple[float, float]
    low: float
    high: float

    def of(self, about: str, *, ranged: bool = True) -> Any:
        """A parameter of a system; one that others were fitted beside has no range of its own (not ``ranged``)."""
        likely = self.likely if ranged else None
        return parameter(self.value, "s", self.low, self.high, "assumed", about, likely=likely)


SWITCH = Assumed(5e-6, (2e-6, 20e-6), 1e-7, 1e-4)
"""Until a thread that slept runs again on a core that is awake: 3.8 us of it are the switch between two processes
(Li, Ding and Shen, "Quantifying the cost of context switch", ExpCS 2007); a virtual core takes longer."""

CALL = Assumed(2e-6, (1e-6, 4e-6), 1e-7, 2e-5)
"""A system call, with its page handling or what a utility does beside it: lmbench has 0.05 to 1 us for one that
does nothing (L. McVoy and C. Staelin, USENIX 1996)."""
