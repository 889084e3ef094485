"""Finds what nothing but names tells apart, so that a thousand alike nodes cost as much as one.

Places and workloads are coloured: alike at first if they are of one kind and size, told apart as soon as their
surroundings differ, until no round tells any further ones apart (colour refinement: Paige and Tarjan, "Three
partition refinement algorithms", SIAM J. Computing 16 (1987)). Places of one colour are then asked the same by
the same, so one stands for all. Steps are looked at once each, however many paths share them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from sim.model import Model
from sim.places import Place
from sim.steps import Choose, Delay, Fork, Hold, Lookup, Path, Put, Repeat, Step, Take, Use
from sim.workloads import Closed, Open, Workload

_BITS = (1 << 61) - 1


@dataclass(frozen=True)
class Symmetry:
    """Representatives of all workloads and places, and how many each stands for.

    Attributes:
        workloads: representatives, each with how many are like it.
        member: of each place, its representative.
        copies: of each representative place, how many are like it.
        spread: of each (representative workload, representative place), to how many
            places like it the workload turns.
        signatures: of each step, by identity, what it looks like.
    """

    workloads: tuple[tuple[Workload, int], ...]
    member: dict[Place, Place]
    copies: dict[Place, int]
    spread: dict[tuple[str, Place], int]
    signatures: dict[int, int]

    def grown(self, axes: Mapping[str, tuple[str, ...]], factors: Mapping[str, float]) -> Symmetry:
        """The same, of a model with more of everything.

        Args:
            axes: along which each place and workload is multiplied, by its name; none where nothing is said.
            factors: how many times as many there are along each axis.
        """

        def times(name: str, *, but: str = "") -> float:
            apart = set(axes.get(name, ())) - set(axes.get(but, ()))
            return math.prod(factors[axis] for axis in apart)

        return replace(
            self,
            workloads=tuple((each, round(copies * times(each.name))) for each, copies in self.workloads),
            copies={place: round(copies * times(place.name)) for place, copies in self.copies.items()},
            spread={
                (name, place): round(count * times(place.name, but=name))
                for (name, place), count in self.spread.items()
            },
        )

    def alike(self, path: Path) -> int:
        """The same for paths that nothing but names of places tells apart."""
        return _of_path(path, self.signatures)


def symmetry(model: Model) -> Symmetry:
    """Fold ``model``."""
    order = _children_first(model)
    colours = {place: _kind(place) for place in model.places}
    kinds = 0
    while True:
        signatures = _signatures(order, colours)
        seen = [hash((_outside(each), _of_path(each.path, signatures))) for each in model.workloads]
        if len(set(colours.values())) + len(set(seen)) == kinds:
            return _symmetry(model, colours, seen, signatures)
        kinds = len(set(colours.values())) + len(set(seen))
        colours = _recoloured(model, order, colours, seen, signatures)


def _symmetry(model: Model, colours: dict[Place, int], seen: list[int], signatures: dict[int, int]) -> Symmetry:
    first: dict[int, Place] = {}
    for place in model.places:
        first.setdefault(colours[place], place)
    member = {place: first[colours[place]] for place in model.places}
    leaders: dict[int, Workload] = {}
    for colour, workload in zip(seen, model.workloads, strict=True):
        leaders.setdefault(colour, workload)
    counts = Counter(seen)
    spread: Counter[tuple[str, Place]] = Counter()
    for workload in leaders.values():
        for place in _places(workload.path):
            spread[workload.name, member[place]] += 1
    return Symmetry(
        tuple((workload, counts[colour]) for colour, workload in leaders.items()),
        member,
        dict(Counter(member.values())),
        dict(spread),
        signatures,
    )


def _children_first(model: Model) -> list[Step]:
    """Every step object once, those inside a step before it."""
    done: dict[int, Step] = {}

    def visit(path: Path) -> None:
        for step in path:
            if id(step) not in done:
                for inner in step.inner:
                    visit(inner)
                done[id(step)] = step

    for workload in model.workloads:
        visit(workload.path)
    return list(done.values())


def _places(path: Path) -> set[Place]:
    found: set[Place] = set()
    seen: set[int] = set()

    def visit(steps: Path) -> None:
        for step in steps:
            if id(step) not in seen:
                seen.add(id(step))
                if step.place is not None:
                    found.add(step.place)
                for inner in step.inner:
                    visit(inner)

    visit(path)
    return found


def _kind(place: Place) -> int:
    return hash((type(place), *(getattr(place, field.name) for field in fields(place) if field.name != "name")))


def _outside(workload: Workload) -> tuple[object, ...]:
    """What tells a workload apart beside its path."""
    if isinstance(workload, Closed):
        return (
            workload.group,
            workload.count,
            workload.clients,
            workload.think,
            workload.start_s,
            workload.stop_s,
        )
    return (workload.group, workload.count, workload.arrivals if isinstance(workload, Open) else None)


def _signatures(order: Iterable[Step], colours: dict[Place, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for step in order:
        place = step.place
        inside = _unordered(step, found) if isinstance(step, Choose | Fork) else _inside(step, found)
        found[id(step)] = hash((type(step), _own(step), colours[place] if place is not None else None, inside))
    return found


def _inside(step: Step, found: dict[int, int]) -> tuple[int, ...]:
    return tuple(_of_path(inner, found) for inner in step.inner)


def _unordered(step: Choose | Fork, found: dict[int, int]) -> int:
    """Options and branches are alike in any order."""
    return sum(hash((share, _of_path(path, found))) for share, path in _weighed(step)) & _BITS


def _weighed(step: Step) -> Iterable[tuple[float, Path]]:
    return step.options if isinstance(step, Choose) else ((1.0, inner) for inner in step.inner)


def _of_path(path: Path, found: dict[int, int]) -> int:
    return hash(tuple(found[id(step)] for step in path))


def _own(step: Step) -> object:
    """What a step says of itself, beside its place and what is inside."""
    match step:
        case Use() | Delay():
            return step.time
        case Hold():
            return (step.exclusive, step.tokens)
        case Put() | Take():
            return step.amount
        case Fork():
            return step.wait
        case Repeat():
            return step.times
        case Lookup():
            return (step.addresses, step.access)
    return None


def _recoloured(
    model: Model, order: list[Step], colours: dict[Place, int], seen: list[int], signatures: dict[int, int]
) -> dict[Place, int]:
    """Colours that also say by whom, and where on whose path, a place is asked."""
    around: dict[int, int] = dict.fromkeys(map(id, order), 0)
    for workload, colour in zip(model.workloads, seen, strict=True):
        _spread(around, colour, 1.0, workload.path)
    asked = dict.fromkeys(model.places, 0)
    for step in reversed(order):
        here = hash((around[id(step)] & _BITS, signatures[id(step)]))
        if step.place is not None:
            asked[step.place] += here
        for number, (share, inner) in enumerate(_weighed(step)):
            _spread(around, here if isinstance(step, Choose | Fork) else hash((here, number)), share, inner)
    return {place: hash((colours[place], asked[place] & _BITS)) for place in model.places}


def _spread(around: dict[int, int], here: int, share: float, path: Path) -> None:
    for position, step in enumerate(path):
        around[id(step)] += hash((here, share, position))
