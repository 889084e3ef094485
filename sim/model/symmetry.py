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

from sim.model.model import Model
from sim.model.places import Place
from sim.model.steps import Choose, Delay, Fork, Hold, Lookup, Path, Put, Repeat, Step, Take, Use
from sim.model.workloads import Closed, Open, Workload

Rows = tuple[int, ...]
"""A path by the rows of its steps."""

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
        return hash(tuple(self.signatures[id(step)] for step in path))


def symmetry(model: Model) -> Symmetry:
    """Fold ``model``."""
    steps, paths = _read(model)
    looks = list(steps.values())
    outsides = [hash(_outside(each)) for each in model.workloads]
    colours = {place: _kind(place) for place in model.places}
    kinds = 0
    while True:
        signatures = _signatures(looks, colours)
        seen = [hash((each, _along(rows, signatures))) for each, rows in zip(outsides, paths, strict=True)]
        found = len(set(colours.values())) + len(set(seen))
        if found == kinds:
            return _symmetry(model, colours, seen, dict(zip(steps, signatures, strict=True)))
        kinds = found
        asked = _asked(looks, signatures, seen, paths)
        colours = {place: hash((colour, asked[place] & _BITS)) for place, colour in colours.items()}


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


@dataclass(frozen=True, slots=True)
class _Look:
    """What is seen of a step: what it says of itself, its place, and the rows of the steps inside.

    Attributes:
        inner: each path inside, with its share.
        ordered: whether the paths inside differ by their order.
    """

    own: int
    place: Place | None
    inner: tuple[tuple[float, Rows], ...]
    ordered: bool


def _read(model: Model) -> tuple[dict[int, _Look], list[Rows]]:
    """Every step object once, by identity, those inside a step before it; and the path of each workload."""
    done: dict[int, _Look] = {}
    row: dict[int, int] = {}

    def visit(path: Path) -> Rows:
        for step in path:
            if id(step) not in row:
                inner = tuple((share, visit(inside)) for share, inside in _weighed(step))
                own = hash((type(step), _own(step)))
                done[id(step)] = _Look(own, step.place, inner, not isinstance(step, Choose | Fork))
                row[id(step)] = len(row)
        return tuple(row[id(step)] for step in path)

    paths = [visit(workload.path) for workload in model.workloads]
    return done, paths


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


def _weighed(step: Step) -> Iterable[tuple[float, Path]]:
    return step.options if isinstance(step, Choose) else ((1.0, inner) for inner in step.inner)


def _signatures(looks: Iterable[_Look], colours: dict[Place, int]) -> list[int]:
    """What each step looks like, with all that is inside."""
    found: list[int] = []
    for look in looks:
        inside = [hash((share, _along(rows, found))) for share, rows in look.inner]
        within = hash(tuple(inside)) if look.ordered else sum(inside) & _BITS
        found.append(hash((look.own, colours[look.place] if look.place is not None else None, within)))
    return found


def _along(rows: Rows, found: list[int]) -> int:
    return hash(tuple([found[row] for row in rows]))


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


def _asked(looks: list[_Look], signatures: list[int], seen: list[int], paths: list[Rows]) -> Counter[Place]:
    """By whom, and where on whose path, each place is asked."""
    around = [0] * len(looks)
    for colour, rows in zip(seen, paths, strict=True):
        _spread(around, colour, 1.0, rows)
    asked: Counter[Place] = Counter()
    for row in reversed(range(len(looks))):
        look = looks[row]
        here = hash((around[row] & _BITS, signatures[row]))
        if look.place is not None:
            asked[look.place] += here
        for number, (share, inner) in enumerate(look.inner):
            _spread(around, hash((here, number)) if look.ordered else here, share, inner)
    return asked


def _spread(around: list[int], here: int, share: float, rows: Rows) -> None:
    for position, row in enumerate(rows):
        around[row] += hash((here, share, position))
