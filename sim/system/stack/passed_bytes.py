"""How many bytes of a request each layer of a stack is asked for: what goes in has to come out below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sim.model.demands import Demands, demands_of
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry

_METER, _BYTES_PER_S = "bytes into layer", 1e9


@dataclass(frozen=True)
class Passed:
    """The mean bytes that a request asks of ``layer``; 0 where only a run tells whether it does."""

    layer: str
    size_bytes: float


def passed_bytes(stack: Stack, settings: Any, parameters: Any) -> list[Passed]:
    """The bytes into each layer, from top to bottom: a meter is put before each, and read off the paths."""
    metered = replace(stack, places=(*stack.places, *_places(stack)), layers=tuple(_layers(stack)))
    scenario = metered(settings, parameters)
    watched = [each for each in scenario.model.workloads if each.group == scenario.watch]
    found = demands_of([each.path for each in watched])
    return [
        Passed(entry.name, _asked(found, _meter(number)) / len(watched))
        for number, entry in enumerate(stack.layers)
    ]


def _asked(found: Sequence[Demands], meter: str) -> float:
    """The bytes through all copies of a meter, to the byte."""
    times = (time_s for demands in found for place, time_s in demands.items() if place.name.endswith(meter))
    return float(round(sum(times) * _BYTES_PER_S))


def shrunk(passed: Sequence[Passed]) -> Iterator[tuple[Passed, Passed]]:
    """Neighbours, of which the lower is asked for less than the upper, though for something."""
    for upper, lower in pairwise(passed):
        if 0.0 < lower.size_bytes < upper.size_bytes:
            yield upper, lower


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
