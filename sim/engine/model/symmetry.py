"""Lumping: places and workloads that differ only in names, so that of a thousand identical nodes one is solved.

Colour refinement (Paige and Tarjan, "Three partition refinement algorithms", SIAM J. Computing 16 (1987)): places
and workloads of one kind and size begin with one colour, and get different ones as soon as their surroundings
differ, until a round splits no colour. Places of one colour then serve the same steps of the same
workloads, so one represents all. Each step object is visited once per round, however many paths share it.

A colour is a hash of at least 61 bits. What surrounds a place is a multiset, which has no order: its hash is the
sum of the hashes of its elements (Bellare and Micciancio, "A new paradigm for collision-free hashing", EUROCRYPT
1997). Identical places therefore always get one colour; different ones share a colour by accident only, with a
probability of about n**2 / 2**62 among n colours: 2e-11 for ten thousand. Python salts the hashes of texts, so
colours differ from one operating-system process to the next. Only their equality counts, and representatives are
the first in the order of the model, so the result does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Place
from sim.engine.model.steps import Choose, Delay, Fork, Hold, Lookup, Path, Put, Repeat, Step, Take, Use, places_of
from sim.engine.model.workloads import Closed, Open, Workload

Rows = tuple[int, ...]
"""A path as the rows of its steps in the table of all steps."""

_BITS = (1 << 61) - 1
"""Mask for sums of hashes: as many bits as ``hash`` has."""


@dataclass(frozen=True)
class Symmetry:
    """Representatives of all workloads and places, and the number that each represents.

    Attributes:
        workloads: representatives, each with the number of workloads that it represents.
        representative: representative of each place.
        copies: of each representative place, the number of places that it represents.
        fan_out: of each (name of a representative workload, representative place), the number of places
            represented by it that one such workload uses.
        signatures: of each step, by identity, a hash of all but the names in it.
        scaled_from: the symmetry that was scaled up to this one; None if it was found in a model.
    """

    workloads: tuple[tuple[Workload, int], ...]
    representative: dict[Place, Place]
    copies: dict[Place, int]
    fan_out: dict[tuple[str, Place], int]
    signatures: dict[int, int]
    scaled_from: Symmetry | None = None

    def scaled(self, axes: Mapping[str, tuple[str, ...]], factors: Mapping[str, float]) -> Symmetry:
        """The symmetry of a model with more of everything.

        Args:
            axes: along which each place and workload is multiplied, by its name; none if not listed.
            factors: the multiple along each axis.
        """

        def factor(name: str, *, but: str = "") -> float:
            """The factor for ``name``, without the axes along which ``but`` is multiplied, too."""
            scaled_axes = set(axes.get(name, ())) - set(axes.get(but, ()))
            return math.prod(factors[axis] for axis in scaled_axes)

        return replace(
            self,
            workloads=tuple((each, round(copies * factor(each.name))) for each, copies in self.workloads),
            copies={place: round(copies * factor(place.name)) for place, copies in self.copies.items()},
            fan_out={
                (name, place): round(count * factor(place.name, but=name))
                for (name, place), count in self.fan_out.items()
            },
            scaled_from=self.scaled_from or self,
        )

    def shape(self, path: Path) -> int:
        """A hash that is equal for paths that differ only in names of places."""
        return hash(tuple(self.signatures[id(step)] for step in path))


@once_for_each
def symmetry(model: Model) -> Symmetry:
    """Find the symmetry of ``model``."""
    by_id, paths = _read(model)
    steps = list(by_id.values())
    own_hashes = [hash(_own_fields(workload)) for workload in model.workloads]
    place_colours = list(map(_kind, model.places))
    number = 0
    while True:
        # Down: signatures of steps and paths follow from the colours of their places.
        signatures = _signatures(steps, place_colours)
        colours = [hash((own, _along(rows, signatures))) for own, rows in zip(own_hashes, paths, strict=True)]
        # A new colour includes the old one, so colours only split: if there are as many as before, none did.
        before, number = number, len(set(place_colours)) + len(set(colours))
        if number == before:
            return _symmetry(model, place_colours, colours, dict(zip(by_id, signatures, strict=True)))
        # Up: the users of a place follow from the colours of the workloads.
        users = _users(steps, signatures, colours, paths, len(place_colours))
        place_colours = [hash((colour, use & _BITS)) for colour, use in zip(place_colours, users, strict=True)]


def _symmetry(
    model: Model, place_colours: Sequence[int], colours: list[int], signatures: dict[int, int]
) -> Symmetry:
    first: dict[int, Place] = {}
    representative = {
        place: first.setdefault(colour, place) for place, colour in zip(model.places, place_colours, strict=True)
    }
    workloads: dict[int, Workload] = {}
    for colour, workload in zip(colours, model.workloads, strict=True):
        workloads.setdefault(colour, workload)
    counts = Counter(colours)
    fan_out: Counter[tuple[str, Place]] = Counter()
    for workload in workloads.values():
        for place in places_of(workload.path):
            fan_out[workload.name, representative[place]] += 1
    return Symmetry(
        tuple((workload, counts[colour]) for colour, workload in workloads.items()),
        representative,
        dict(Counter(representative.values())),
        dict(fan_out),
        signatures,
    )


@dataclass(frozen=True, slots=True)
class _StepView:
    """A step in the refinement: a hash of its own fields, its place, and the rows of the steps inside.

    Attributes:
        place: its index among the places of the model.
        inner: each path inside, with its probability, or 1.
        ordered: True if the paths inside have roles, as hit and miss have; else they are a multiset.
    """

    own: int
    place: int | None
    inner: tuple[tuple[float, Rows], ...]
    ordered: bool


def _read(model: Model) -> tuple[dict[int, _StepView], list[Rows]]:
    """Every step object once, by identity, inner before outer; and the path of each workload."""
    views: dict[int, _StepView] = {}
    row: dict[int, int] = {}
    index: dict[Place | None, int | None] = {None: None, **{place: at for at, place in enumerate(model.places)}}

    def visit(path: Path) -> Rows:
        rows = []
        for step in path:
            if id(step) not in row:
                inner = tuple([(share, visit(inside)) for share, inside in _weighed(step)])
                kind = type(step)
                own = hash((kind, _OWN.get(kind, _nothing)(step)))
                views[id(step)] = _StepView(own, index[step.place], inner, kind not in _UNORDERED)
                row[id(step)] = len(row)
            rows.append(row[id(step)])
        return tuple(rows)

    paths = [visit(workload.path) for workload in model.workloads]
    return views, paths


def _kind(place: Place) -> int:
    """The first colour of ``place``: its type, and all its fields but the name."""
    kind = type(place)
    return hash((kind, *[getattr(place, name) for name in _sizes(kind)]))


_SIZES: dict[type, tuple[str, ...]] = {}


def _sizes(kind: type[Place]) -> tuple[str, ...]:
    """The fields of places of this ``kind`` but the name."""
    if kind not in _SIZES:
        _SIZES[kind] = tuple(field.name for field in fields(kind) if field.name != "name")
    return _SIZES[kind]


def _own_fields(workload: Workload) -> tuple[object, ...]:
    """All fields of ``workload`` but its name and its path."""
    if isinstance(workload, Closed):
        return (
            workload.group,
            workload.count,
            workload.begins,
            workload.clients,
            workload.think,
            workload.start_s,
            workload.stop_s,
        )
    return (workload.group, workload.count, workload.arrivals if isinstance(workload, Open) else None)


def _weighed(step: Step) -> Iterable[tuple[float, Path]]:
    return step.options if isinstance(step, Choose) else [(1.0, inner) for inner in step.inner]


def _signatures(steps: Iterable[_StepView], place_colours: Sequence[int]) -> list[int]:
    """A hash of each step with all that is inside, which comes before it; shape (steps,)."""
    signatures: list[int] = []
    for step in steps:
        colour = None if step.place is None else place_colours[step.place]
        signatures.append(hash((step.own, colour, _inside(step, signatures) if step.inner else 0)))
    return signatures


def _inside(step: _StepView, signatures: list[int]) -> int:
    paths = [hash((share, _along(rows, signatures))) for share, rows in step.inner]
    return hash(tuple(paths)) if step.ordered else sum(paths) & _BITS


def _along(rows: Rows, signatures: list[int]) -> int:
    return hash(tuple([signatures[row] for row in rows]))


def _nothing(step: Step) -> None:
    """No fields: for a step that has only a place, or a custom one."""


_OWN: dict[type[Step], Callable[[Any], object]] = {
    Use: attrgetter("time"),
    Delay: attrgetter("time"),
    Hold: attrgetter("exclusive", "tokens"),
    Put: attrgetter("amount"),
    Take: attrgetter("amount"),
    Fork: attrgetter("needed"),
    Repeat: attrgetter("times"),
    Lookup: attrgetter("addresses", "access"),
}
"""All fields of a step but its place and the paths inside."""

_UNORDERED = frozenset({Choose, Fork})
"""Steps whose inner paths have no roles."""


def _users(
    steps: list[_StepView], signatures: list[int], colours: list[int], paths: list[Rows], places: int
) -> list[int]:
    """Hash of the multiset of uses of each place: by which workload, at which position of which path.

    The reverse pass of ``_signatures``: a step comes after those inside it, so in reverse order its surroundings
    are complete before they are handed on to the steps inside.
    """
    surroundings = [0] * len(steps)
    for colour, rows in zip(colours, paths, strict=True):
        _add_surroundings(surroundings, colour, 1.0, rows)
    users = [0] * places
    for row in reversed(range(len(steps))):
        step = steps[row]
        use = hash((surroundings[row] & _BITS, signatures[row]))
        if step.place is not None:
            users[step.place] += use
        for number, (share, inner) in enumerate(step.inner):
            _add_surroundings(surroundings, hash((use, number)) if step.ordered else use, share, inner)
    return users


def _add_surroundings(surroundings: list[int], around: int, share: float, rows: Rows) -> None:
    """Add to each step of a path the hash ``around`` of the path's context, and the step's position."""
    for position, row in enumerate(rows):
        surroundings[row] += hash((around, share, position))
