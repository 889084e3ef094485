"""The drawn stack: its load, then each stage of a request with its utilisation and what limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sim.engine.model.identical import common_names
from sim.engine.units.text import number_text
from sim.prediction.prediction import Prediction
from sim.prediction.usage import Usage
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry, texts_in


def stages_of(prediction: Prediction) -> list[dict[str, Any]]:
    """Stages from top to bottom, ready for JSON: layers of a stack file, else places in the order of a path."""
    places = _as_met(prediction)
    build = prediction.case.system.build
    stages = (
        _of_layers(build, places) if isinstance(build, Stack) else [(each.name, "", [each]) for each in places]
    )
    return [_load(prediction), *(_stage(prediction, *each) for each in stages)]


def _as_met(prediction: Prediction) -> list[Usage]:
    """Places in the order in which requests first meet them; identical ones are counted together.

    Places whose use has no meaning are left out, as in the table of ``predict``.
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
    shown = prediction.usages(len(names))
    return sorted(shown, key=lambda each: order.get(each.name, len(order)))


def _of_layers(stack: Stack, places: Sequence[Usage]) -> Iterator[tuple[str, str, list[Usage]]]:
    """Name, kind and places of each layer; last, places of no layer."""
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


def _load(prediction: Prediction) -> dict[str, Any]:
    """The first stage: the load."""
    group = prediction.result.groups[prediction.result.watched]
    build = prediction.case.system.build
    kind = build.load.kind if isinstance(build, Stack) else ""
    waiting = (
        f"requests on their way: {number_text(group.population, 3)}" if math.isfinite(group.population) else ""
    )
    return {"name": prediction.result.watched, "kind": kind, "note": waiting, "load": True, "places": []}


def _stage(prediction: Prediction, name: str, kind: str, places: Sequence[Usage]) -> dict[str, Any]:
    rows = [_row(prediction, each) for each in places]
    return {
        "name": name,
        "kind": kind,
        "note": "" if rows else "nothing waits here",
        "load": False,
        "places": rows,
    }


def _row(prediction: Prediction, place: Usage) -> dict[str, Any]:
    limit = prediction.limit
    nearest = limit.place is not None and place.name == limit.family
    return {
        "name": place.name,
        "kind": place.kind,
        "count": place.count,
        "share": place.busiest if math.isfinite(place.busiest) else None,
        "words": place.words(place.busiest),
        "waiting": f"{number_text(place.waiting, 3)} waiting" if place.waiting >= _SEEN else "",
        "limits": nearest and limit.kind == "place",
        "nearest": nearest and limit.kind != "place",
    }


_SEEN = 0.005
"""Smallest number of waiting clients that is shown."""
