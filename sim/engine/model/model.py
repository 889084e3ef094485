"""A model: workloads whose requests take paths over places. Models that cannot work are refused here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sim.engine import checks
from sim.engine.errors import ModelError, NoSteadyStateError, shown
from sim.engine.model.demands import (
    Totals,
    capacity,
    demands_of,
    demands_s,
    min_time_s,
    min_times_of,
    nets_of,
    puts_of,
    variances_of,
)
from sim.engine.model.places import Gate, Place
from sim.engine.model.same_for_all import SameForAll
from sim.engine.model.steps import (
    Await,
    Choose,
    Custom,
    Delay,
    Fork,
    Gather,
    Hold,
    IfAny,
    Path,
    Put,
    Step,
    Take,
    Wake,
    distinct_steps,
    iter_steps,
)
from sim.engine.model.workloads import Closed, Open, Workload


@dataclass(frozen=True)
class Model:
    """Workloads and the places that their paths use, in the order of first use unless given.

    Attributes:
        workloads: in the order in which their clients start.
        places: every place of every path, and no other.

    Raises:
        ModelError: the model cannot work; the message names the place or workload.
        NoSteadyStateError: endless arrivals demand more of a station than its servers can give.
    """

    workloads: tuple[Workload, ...]
    places: tuple[Place, ...]

    def __init__(self, workloads: Iterable[Workload], places: Iterable[Place] | None = None) -> None:
        if not isinstance(workloads, Iterable):
            raise ModelError(
                f"the model is given {shown(workloads)}, which is no list; give it a list of workloads"
            )
        all_workloads = tuple(workloads)
        _check_workloads(all_workloads)
        _check_size(all_workloads)
        object.__setattr__(self, "workloads", all_workloads)
        steps = self._all_steps
        used = tuple(dict.fromkeys(step.place for step in steps if step.place is not None))
        listed = used if places is None else checks.listed("the places of the model", places)
        object.__setattr__(self, "places", listed)
        _check_places(listed, used)
        _check_holds(all_workloads)
        if any(isinstance(step, Gather | Wake) for step in steps):
            for workload in all_workloads:
                _check_batches(workload, workload.path)
        _check_partners(steps, used)
        _check_watermarks(steps)
        _check_time_passes(all_workloads, self.min_times_s)
        _check_load(all_workloads)

    def steps(self) -> Iterator[Step]:
        """Every step object of every path once, outer before inner."""
        return iter(self._all_steps)

    @cached_property
    def _all_steps(self) -> tuple[Step, ...]:
        return tuple(distinct_steps(self._paths))

    @cached_property
    def finite(self) -> bool:
        """True if some workload ends, so that the answer is its elapsed time."""
        return any(workload.count is not None for workload in self.workloads)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups of the workloads, in order of first appearance."""
        return tuple(dict.fromkeys(workload.group for workload in self.workloads))

    def rows(self, group: str) -> list[int]:
        """The indices of the workloads of ``group``."""
        return [row for row, workload in enumerate(self.workloads) if workload.group == group]

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The index of each place, by its name."""
        return {place.name: row for row, place in enumerate(self.places)}

    @property
    def _paths(self) -> list[Path]:
        return [workload.path for workload in self.workloads]

    @cached_property
    def demands(self) -> Totals:
        """Seconds of each place that requests need: see ``demands_s``."""
        return Totals(demands_of(self._paths), self.places)

    @cached_property
    def min_times_s(self) -> tuple[float, ...]:
        """The least mean seconds of a request of each workload, shape (workloads,): see ``min_time_s``."""
        return tuple(min_times_of(self._paths))

    @cached_property
    def puts(self) -> Totals:
        """Amounts that requests put into each buffer."""
        return Totals(puts_of(self._paths), self.places)

    @cached_property
    def nets(self) -> Totals:
        """Amounts that requests put into each buffer, less those they take; nan if only simulation decides."""
        return Totals(nets_of(self._paths), self.places)

    @cached_property
    def net_variances(self) -> Totals:
        """Variances of ``nets``; nan if only simulation decides."""
        return Totals(variances_of(self._paths), self.places)

    @cached_property
    def capacities(self) -> tuple[int, ...]:
        """The servers or tokens of each place, shape (places,): see ``capacity``."""
        return tuple(map(capacity, self.places))

    @cached_property
    def put_at_once(self) -> tuple[float, ...]:
        """Mean amount of a put into each buffer, shape (places,); 1 for other places."""
        amounts: dict[Place, list[int]] = {place: [] for place in self.places}
        for step in self._all_steps:
            if isinstance(step, Put):
                amounts[step.buffer].append(step.amount)
        return tuple(sum(each) / len(each) if each else 1.0 for each in amounts.values())

    @cached_property
    def unwaited(self) -> frozenset[Place]:
        """Places of branches that nobody waits for."""
        forks = (step for step in self._all_steps if isinstance(step, Fork))
        left = distinct_steps(each for fork in forks if fork.leaves for each in fork.branches)
        return frozenset(step.place for step in left if step.place is not None)


def _check_workloads(workloads: tuple[Workload, ...]) -> None:
    if not workloads:
        raise ModelError("the model has no workloads; give it at least one Closed or Open")
    for workload in workloads:
        if not isinstance(workload, Closed | Open):
            raise ModelError(f"the model is given workload {checks.quoted(workload)}; allowed: Closed or Open")
    for name, times in Counter(workload.name for workload in workloads).items():
        if times > 1:
            raise ModelError(f"{times} workloads are named '{name}'; names must differ, they name the streams")


DEEPEST = 100
"""Largest nesting of steps: paths are read by recursive functions, for which Python has a limit."""

MAX_STEPS = 10_000_000
"""Largest number of steps of all paths written out: shared ones count at each place, except shared options."""


def _check_size(workloads: Iterable[Workload]) -> None:
    """Refuse paths that are nested too deep or, through shared steps, too long; without recursion."""
    sizes, total = _Sizes(), 0
    for workload in workloads:
        depth, count = sizes.of(workload.path)
        total += count
        if depth > DEEPEST:
            raise ModelError(f"the path of {workload} has steps inside steps {depth} deep; allowed: {DEEPEST}")
        if total > MAX_STEPS:
            raise ModelError(
                f"the paths up to that of {workload} have {float(total):.3g} steps, shared ones counted wherever "
                f"they stand; allowed: {MAX_STEPS}; take Repeat for what is done many times"
            )


class _Sizes:
    """Depths of paths, and numbers of their steps written out.

    Options of a choice that are equal for all workloads count in the first path that has them: of a thousand nodes
    with a thousand cells, each may send every request to any cell.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int]] = {}
        self._same = SameForAll()

    def of(self, path: Path) -> tuple[int, int]:
        """Depth and number of steps of ``path``."""
        stack, known = [*path], self._known
        while stack:
            step = stack[-1]
            if id(step) in known:
                stack.pop()
            elif not step.inner:
                known[id(stack.pop())] = 1, 1
            elif unseen := [each for inner in step.inner for each in inner if id(each) not in known]:
                stack += unseen
            else:
                depth, count = self._sum(each for inner in step.inner for each in inner)
                known[id(step)] = 1 + depth, 1 + count
        return self._sum(path)

    def _sum(self, steps: Iterable[Step]) -> tuple[int, int]:
        deepest, total = 0, 0
        for step in steps:
            depth, count = self._known[id(step)]
            deepest, total = max(deepest, depth), total + count
            if isinstance(step, Choose) and self._same.options(step):
                self._known[id(step)] = depth, 1
        return deepest, total


def _check_places(listed: tuple[Place, ...], used: tuple[Place, ...]) -> None:
    for place in listed:
        if not isinstance(place, Place):
            raise ModelError(f"the places of the model contain {checks.quoted(place)}; allowed: places only")
    listed_set, used_set = set(listed), set(used)
    for place in listed:
        if place not in used_set:
            raise ModelError(f"{place} is used by no path; remove it, or add a step that uses it")
    for place in used:
        if place not in listed_set:
            raise ModelError(f"{place} is used by a path but not listed in places; list it too")
    for name, times in Counter(place.name for place in listed).items():
        if times > 1:
            kinds = " and ".join(str(place) for place in listed if place.name == name)
            raise ModelError(f"{times} different places are named '{name}' ({kinds}); names must differ")


def _check_holds(workloads: Iterable[Workload]) -> None:
    held_by: dict[int, frozenset[Place]] = {}

    def held(path: Path, workload: Workload) -> frozenset[Place]:
        """The places held on ``path``; shared steps are visited once."""
        places = frozenset[Place]()
        for step in path:
            if step.inner:
                if id(step) not in held_by:
                    held_by[id(step)] = inside(step, workload)
                places |= held_by[id(step)]
        return places

    def inside(step: Step, workload: Workload) -> frozenset[Place]:
        """The places held by ``step`` and those inside it."""
        within = frozenset[Place]().union(*[held(inner, workload) for inner in step.inner])
        if not isinstance(step, Hold):
            return within
        if step.held in within:
            raise ModelError(
                f"workload '{workload.name}' holds {step.held} inside a hold of it and would wait for "
                "itself; take the inner hold out"
            )
        return within | {step.held}

    for workload in workloads:
        held(workload.path, workload)


def _check_batches(workload: Workload, path: Path, around: tuple[Gate, ...] = ()) -> None:
    """Check that the client that gathers a batch wakes it later on the same sequence of steps."""
    gathered: list[Gate] = []
    for step in _sequence(path):
        if isinstance(step, Gather):
            if step.gate in (*around, *gathered):
                raise ModelError(f"workload '{workload.name}' gathers {step.gate} twice before it wakes it")
            gathered.append(step.gate)
        elif isinstance(step, Wake):
            if step.gate not in gathered:
                raise ModelError(
                    f"workload '{workload.name}' wakes {step.gate} without a Gather before it on the same branch"
                )
            gathered.remove(step.gate)
        elif not isinstance(step, Hold):
            inherited = () if isinstance(step, Fork) else (*around, *gathered)
            for inner in step.inner:
                _check_batches(workload, inner, inherited)
    if gathered:
        raise ModelError(
            f"workload '{workload.name}' gathers {gathered[0]} and never wakes it on the same branch; add a Wake"
        )


def _sequence(path: Path) -> Iterable[Step]:
    """Steps that always follow one another, including those inside holds."""
    for step in path:
        yield step
        if isinstance(step, Hold):
            yield from _sequence(step.steps)


_PARTNERS: tuple[tuple[type[Step], type[Step], str], ...] = (
    (Await, Gather, "gathers"),
    (Gather, Await, "awaits"),
    (Put, Take, "takes from"),
    (Take, Put, "puts into"),
)


def _check_time_passes(workloads: tuple[Workload, ...], min_times_s: tuple[float, ...]) -> None:
    """Refuse closed workloads that could repeat for ever without the clock moving.

    A workload that takes no time must wait, at a gate or buffer, for partners that all take some. The check begins
    with all workloads that take none, and drops those that wait so until nothing changes.
    """
    times_s = zip(workloads, min_times_s, strict=True)
    timeless = [each for each, time_s in times_s if _endless(each) and not (time_s > 0.0 or _takes_time(each))]
    while timeless:
        instant = {(type(step), step.place) for each in timeless for step in iter_steps(each.path)}
        left = [each for each in timeless if not _waits_for_time(each.path, instant)]
        if len(left) == len(timeless):
            raise ModelError(
                f"workload '{left[0].name}' goes round in no time at all; give a step a time of at least a "
                "nanosecond, or a think time"
            )
        timeless = left


def _endless(workload: Workload) -> bool:
    return isinstance(workload, Closed) and workload.count is None


def _takes_time(workload: Workload) -> bool:
    """True if a workload whose path has no mean time takes some nevertheless: to think, or in a generator."""
    if isinstance(workload, Closed) and workload.think and min_time_s((Delay(workload.think),)) > 0.0:
        return True
    return any(isinstance(step, Custom) for step in iter_steps(workload.path))


def _waits_for_time(path: Path, instant: set[tuple[type[Step], Place | None]]) -> bool:
    """True if a step waits for a partner outside ``instant``, not counting branches that nobody waits for."""
    for step in path:
        if any(type(step) is here and (partner, step.place) not in instant for here, partner, _ in _PARTNERS):
            return True
        waiting = sum(_waits_for_time(inner, instant) for inner in step.inner)
        if waiting > (len(step.branches) - step.needed if isinstance(step, Fork) else 0):
            return True
    return False


def _check_partners(steps: Iterable[Step], places: tuple[Place, ...]) -> None:
    present = {(type(step), step.place) for step in steps}
    used = {place for step, place in present if step is not IfAny}
    for place in places:
        for here, partner, verb in _PARTNERS:
            if (here, place) in present and (partner, place) not in present:
                raise ModelError(f"nobody ever {verb} {place}; add a {partner.__name__} step, or remove the place")
        if place not in used:
            raise ModelError(f"nothing ever comes to {place}; add steps that use it, or take the IfAny out")


def _check_watermarks(steps: Iterable[Step]) -> None:
    """Check that the high watermark is in reach: a put that does not fit waits for takes, and these for it."""
    for step in steps:
        if isinstance(step, Put) and step.buffer.high + step.amount - 1 > step.buffer.capacity:
            raise ModelError(
                f"a put of {step.amount} at {step.buffer} may wait for takes that wait for its high watermark "
                f"{step.buffer.high}; allowed: a high watermark up to {step.buffer.capacity - step.amount + 1}"
            )


def _check_load(workloads: tuple[Workload, ...]) -> None:
    """Check the utilisation law: arrivals per second × seconds of each must stay below the capacity."""
    offered: dict[Place, float] = {}
    for workload in workloads:
        if isinstance(workload, Open) and workload.count is None:
            for place, demand in demands_s(workload.path).items():
                before = offered.get(place, 0.0)
                offered[place] = before + (workload.arrivals.rate or 0.0) * demand
                share = offered[place] / capacity(place)
                if share >= 1.0:
                    raise NoSteadyStateError(
                        f"no steady state: the arrivals ask {share:.0%} of {place} ({offered[place]:.4g} of "
                        f"{capacity(place)}); allowed: below 100%, so of '{workload.name}' fewer than "
                        f"{(capacity(place) - before) / demand:.4g} a second; "
                        "lower the arrival rate, or add capacity"
                    )
