"""The drawn stack: its load, then a few boxes with their places, and how near each is to its limit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from sim.engine.model.identical import common_names
from sim.engine.simulation.limits import PERCENT
from sim.engine.units.text import number_text
from sim.prediction.prediction import Prediction
from sim.prediction.usage import WAITED_FOR, Usage
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry, texts_in

MOST = 7
"""Largest number of boxes below the load of a system without layers."""

Box = tuple[str, str, Sequence[Usage]]
"""Name, kind and places of a box."""


def stages_of(prediction: Prediction) -> list[dict[str, Any]]:
    """Boxes from top to bottom, ready for JSON: the load, then layers of a stack file or groups of places."""
    places = _as_met(prediction)
    build = prediction.case.system.build
    boxes = _of_layers(build, places) if isinstance(build, Stack) else _of_names(prediction, places)
    return [_load(prediction), *(_stage(prediction, *box) for box in boxes)]


def _as_met(prediction: Prediction) -> list[Usage]:
    """Places in the order in which requests first meet them; identical ones are counted together.

    Left out are places whose use has no meaning, as in the table of ``predict``, and buffers that stay empty:
    mostly signals between parts of a model.
    """
    result, case = prediction.result, prediction.case
    names = {
        name: family
        for kind in {place.kind for place in result.places.values()}
        for name, family in common_names(
            name for name, place in result.places.items() if place.kind == kind
        ).items()
    }
    model = (case.folded[0] if case.system.fold and result.engine == "analytic" else case.scenario).model
    met = [step.place.name for step in model.steps() if step.place is not None and step.place.name in names]
    order = {family: number for number, family in enumerate(dict.fromkeys(names[name] for name in met))}
    places = prediction.usages(len(names))
    shown = [each for each in places if each.kind != "buffer" or each.busiest >= _FILLED]
    return sorted(shown, key=lambda each: order.get(each.name, len(order)))


def _of_layers(stack: Stack, places: Sequence[Usage]) -> Iterator[Box]:
    """Each layer with its places; last, places of no layer."""
    owners = {place.name: _owner(stack.layers, place.name) for place in places}
    for entry in stack.layers:
        yield entry.name, entry.kind, [each for each in places if owners[each.name] is entry]
    if rest := [each for each in places if owners[each.name] is None]:
        yield "beside", "", rest


def _owner(layers: Sequence[Entry], place: str) -> Entry | None:
    """The layer that owns ``place``: the longest layer name within its name, else the layer whose steps use it."""
    for entry in sorted(layers, key=lambda each: -len(each.name)):
        if f" {entry.name} " in f" {place} ":
            return entry
    return next((entry for entry in layers if place in texts_in(entry.fields)), None)


def _of_names(prediction: Prediction, places: Sequence[Usage]) -> Iterator[Box]:
    """Places whose names begin alike, numbers apart, share a box: by as many words as ``MOST`` boxes allow.

    All places count, so that boxes stay the same while places fill and empty. Gates have no box of their own.
    """
    names = {_words(name) for name in prediction.result.places if name not in prediction.internals}
    counts = range(max(map(len, names), default=1), 0, -1)
    count = next((each for each in counts if len({name[:each] for name in names}) <= MOST), 1)
    groups: dict[tuple[str, ...], list[Usage]] = {}
    for place in places:
        groups.setdefault(_words(place.name)[:count], []).append(place)
    for key, group in groups.items():
        alike = [name for name in names if name[:count] == key]
        columns = takewhile(lambda column: len(set(column)) == 1, zip(*alike, strict=False))
        if any(each.batch is None for each in group):
            yield (" ".join(column[0] for column in columns) if len(alike) > 1 else group[0].name), "", group


def _words(place: str) -> tuple[str, ...]:
    return tuple(_NUMBERS.sub(" ", place).split())


def _load(prediction: Prediction) -> dict[str, Any]:
    """The first box: the load."""
    group = prediction.result.groups[prediction.result.watched]
    build = prediction.case.system.build
    kind = build.load.kind if isinstance(build, Stack) else ""
    waiting = (
        f"requests on their way: {number_text(group.population, 3)}" if math.isfinite(group.population) else ""
    )
    return {
        "name": prediction.result.watched,
        "kind": kind,
        "note": waiting,
        "load": True,
        "places": [],
        "lead": None,
    }


def _stage(prediction: Prediction, name: str, kind: str, places: Sequence[Usage]) -> dict[str, Any]:
    rows = [_row(prediction, each) for each in places]
    return {
        "name": name,
        "kind": kind,
        "note": "" if rows else "nothing waits here",
        "load": False,
        "places": rows,
        "lead": max(range(len(rows)), key=lambda each: _rank(rows[each])) if rows else None,
    }


def _rank(row: Mapping[str, Any]) -> tuple[bool, float, float]:
    """Order of a box's places by their claim to stand for it."""
    return bool(row["verdict"]), row["near"] or 0.0, row["share"] or 0.0


def _row(prediction: Prediction, place: Usage) -> dict[str, Any]:
    limit = prediction.limit
    nearest = limit.place is not None and place.name == limit.family
    near = limit.reached if nearest else place.busiest if place.kind in _SERVING else None
    shared = nearest and abs(limit.reached - place.busiest) >= PERCENT
    return {
        "name": place.name,
        "label": prediction.named(place.name),
        "kind": place.kind,
        "count": place.count,
        "share": place.busiest if math.isfinite(place.busiest) else None,
        "near": near,
        "words": f"{place.words(place.busiest)}{f', {limit.reached:.0%} needed' if shared else ''}",
        "waiting": f"{number_text(place.waiting, 3)} waiting" if place.waiting >= WAITED_FOR else "",
        "limits": nearest and limit.kind == "place",
        "verdict": (limit.state if limit.kind == "place" else "busiest resource") if nearest else "",
    }


_NUMBERS = re.compile(r"[\d*]+|,")
"""What is no word of a place's name."""

_SERVING = ("station", "pool")
"""Kinds of places whose utilisation says how near they are to their limit; a full cache is as it should be."""

_FILLED = 0.0005
"""Smallest filled share of a buffer that is shown."""
