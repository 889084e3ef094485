"""Bytes of a request at each layer of a stack, to check that none are lost on the way down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sim.engine.model.demands import Demands, demands_of
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry
from sim.system.stack.kinds import LAYERS, kind_of

_METER, _BYTES_PER_S = "bytes into layer", 1e9


@dataclass(frozen=True)
class Passed:
    """Mean bytes that a request transfers at ``layer``; 0 if only a run can tell.

    Attributes:
        resizes: True if its kind declares that other bytes may reach the layer below.
    """

    layer: str
    size_bytes: float
    resizes: bool = False


def passed_bytes(stack: Stack, settings: Any, parameters: Any) -> list[Passed]:
    """Bytes into each layer, from top to bottom, read off the paths by a meter before each layer."""
    metered = replace(stack, places=(*stack.places, *_places(stack)), layers=tuple(_layers(stack)))
    scenario = metered(settings, parameters)
    watched = [each for each in scenario.model.workloads if each.group == scenario.watch]
    demands = demands_of([each.path for each in watched])
    return [
        Passed(entry.name, _asked(demands, _meter(number)) / len(watched), resizes=_resizes(entry))
        for number, entry in enumerate(stack.layers)
    ]


def _asked(found: Sequence[Demands], meter: str) -> float:
    """Bytes through all copies of a meter, rounded to whole ones."""
    times = (time_s for demands in found for place, time_s in demands.items() if place.name.endswith(meter))
    return float(round(sum(times) * _BYTES_PER_S))


def shrunk(passed: Sequence[Passed]) -> Iterator[tuple[Passed, Passed]]:
    """Yield neighbours of which the lower gets fewer bytes than the upper, but some, undeclared."""
    for upper, lower in pairwise(passed):
        if not upper.resizes and 0.0 < lower.size_bytes < upper.size_bytes:
            yield upper, lower


def _resizes(entry: Entry) -> bool:
    return entry.kind != STEPS and getattr(kind_of(LAYERS, entry.kind), "resizes", False)


def _meter(number: int) -> str:
    return f"{_METER} {number + 1}."


def _places(stack: Stack) -> Iterator[Entry]:
    for number, _ in enumerate(stack.layers):
        yield Entry({"": stack.where}, "station", _meter(number), shared=False, fields={})


def _layers(stack: Stack) -> Iterator[Entry]:
    for number, entry in enumerate(stack.layers):
        use = {"use": _meter(number), "bandwidth": _BYTES_PER_S}
        yield Entry({"": stack.where}, STEPS, f"meter {number + 1}", shared=False, fields={"steps": [use]})
        yield entry
