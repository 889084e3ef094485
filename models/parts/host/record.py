"""Times of hosts: of each kind from measured machines of that kind, and of any host.

A kind of host is a set of machines: `calibration-data/priors.toml` has the times of each, by a fit or a
measurement, and its kind. A kind has the geometric mean of its machines. Times that were not measured on the
machine of a study are assumed as for any host (`Assumed`).
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
"""Kinds of hosts: idle states off, or cores never idle for long; idle states on; a virtual machine. Each with the
kinds whose machines represent it, of which the first with data counts: a bare host is awake before it sleeps."""

PRIORS: Mapping[str, str] = MappingProxyType(
    {"switch": "host.wake", **{name: f"host.{name}" for name in ("busy", "awake", "halted", "line")}}
)
"""Fields of a `Host` that a kind has, with their names in the data of machines."""


@dataclass(frozen=True)
class Known:
    """A number for a kind of host, and its machines."""

    value: float
    source: str


@cache
def kind_of_host(kind: str) -> Mapping[str, Known]:
    """Times of this ``kind`` of host, by field; 0 if not applicable, such as sleep of an awake host."""
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
    """An assumed time of any host, for machines that were not measured.

    Attributes:
        likely: 90 % range.
        low, high: bounds of the parameter.
    """

    value: float
    likely: tuple[float, float]
    low: float
    high: float

    def of(self, about: str, *, ranged: bool = True) -> Any:
        """A parameter of a system; without a range (not ``ranged``) if others were fitted with this value."""
        likely = self.likely if ranged else None
        return parameter(self.value, "s", self.low, self.high, "assumed", about, likely=likely)


SWITCH = Assumed(5e-6, (2e-6, 20e-6), 1e-7, 1e-4)
"""Time to wake a sleeping thread on an awake core: 3.8 us of it are the switch between two processes
(Li, Ding and Shen, "Quantifying the cost of context switch", ExpCS 2007); a virtual core takes longer."""

CALL = Assumed(2e-6, (1e-6, 4e-6), 1e-7, 2e-5)
"""A system call, with its page handling or related work of a utility: lmbench has 0.05 to 1 us for one that
does nothing (L. McVoy and C. Staelin, USENIX 1996)."""
