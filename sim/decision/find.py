"""Search for the design to buy; its examination and all rejected candidates are part of the result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.decision.cliffs import Cliff, cliffs
from sim.decision.costs import Cost, Prices
from sim.decision.examination import Examination, examined
from sim.decision.goals import goals_of
from sim.decision.loads import Load, refuse_given
from sim.decision.search import Found, OnProgress, Option, Search, search
from sim.decision.space import Space
from sim.decision.told_range import ToldRange, told_ranges
from sim.decision.trials import Asked, Trials
from sim.engine.display import Shown
from sim.engine.errors import InputError, StacksimError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import QUANTILES
from sim.prediction.over_time import Span, units_of
from sim.prediction.structures import structures_of, systems_of, weights
from sim.system.case import Case
from sim.system.system import System


@dataclass(frozen=True)
class Rejected:
    """A rejected candidate, and the reason.

    Attributes:
        status: ``missed``, ``unstable``, ``refused``, ``failed``, ``unknown``; ``not needed`` if another design
            is smaller or cheaper.
    """

    option: Option
    status: str
    reason: str


@dataclass(frozen=True)
class Under:
    """Result of the search with another structure of the system, by the analytic engine.

    Attributes:
        design: a value of each setting that varies; None if there is none.
        unsure: answer to the first goal at the design examined, as the ratio of structures gives it from the
            simulated answer, if that decides otherwise than the answer computed for this structure; else None.
    """

    system: str
    says: str
    weight: float
    status: Found
    design: Mapping[str, Any] | None
    unsure: float | None = None


@dataclass(frozen=True)
class Finding(Shown):
    """Result of a search.

    Attributes:
        search: the search itself.
        option: the design, or if there is none, the candidate that comes nearest, over all structures of the
            system; None if none has any answer.
        examinations: of ``option``, under each load; loads under which it has no answer are left out.
        cliffs: values from which more of a setting breaks the goals again.
        unpriced: settings that vary and have no price, while others have; they count as free.
        structures: results for each structure of the system, its own first; empty if it has only one.
        told: ranges in which goals break whose answers come from measured jobs, not from the model.
    """

    search: Search
    option: Option | None
    examinations: tuple[Examination, ...]
    cliffs: tuple[Cliff, ...]
    unpriced: tuple[str, ...]
    structures: tuple[Under, ...] = ()
    told: tuple[ToldRange, ...] = ()

    @property
    def status(self) -> Found:
        """Outcome of the search; not impossible if a design keeps the goals, or may, under another structure."""
        kept = any(each.design is not None or each.unsure is not None for each in self.structures)
        if self.search.status == "impossible" and kept:
            return "unknown"
        return self.search.status

    @property
    def found(self) -> bool:
        """True if there is a design."""
        return bool(self.search.front)

    @property
    def design(self) -> Mapping[str, Any] | None:
        """The design, a value of each setting that varies; None if there is none."""
        return self.search.design.candidate.design if self.search.design else None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each candidate: its settings, and why it is the design, or is not."""
        for option in self.search.front:
            yield {**option.candidate.design, "status": "kept", "reason": ""}
        for each in self.rejected:
            yield {**each.option.candidate.design, "status": each.status, "reason": each.reason}

    @property
    def rejected(self) -> list[Rejected]:
        """Every candidate that is not on the front, with the reason."""
        chosen = {id(each) for each in self.search.front}
        return [self._rejected(each) for each in self.search.options if id(each) not in chosen]

    def _rejected(self, option: Option) -> Rejected:
        if option.trial.status not in ("open", "kept"):
            return Rejected(option, option.trial.status, option.trial.reason)
        shown, front = self.search.space.shown, self.search.front
        if not option.cost:
            smaller = next(each for each in front if each.candidate.within(option.candidate))
            than = "no better" if self.search.space.largest else "larger"
            return Rejected(option, "not needed", f"{than} than {shown(smaller.candidate.design)}")
        cheaper = [each for each in front if each.order[0] <= option.order[0]][-1]
        more = "as much as" if cheaper.order[0] == option.order[0] else "more than"
        return Rejected(option, "not needed", f"costs {more} {shown(cheaper.candidate.design)} and is no better")


def find(
    system: System,
    space: Space,
    goals: Sequence[str],
    options: RunOptions,
    *,
    loads: Sequence[Load] = (),
    prices: Prices | None = None,
    on_progress: OnProgress | None = None,
    over: Span | None = None,
) -> Finding:
    """The smallest design of ``space``, or with ``prices`` the cheapest, that keeps the ``goals`` under all loads.

    If ``space`` asks for the largest value of a setting, that counts first. With ``over``, goals are about that
    time from the start on.

    Raises:
        InputError: no goal, or an unusable one; a load that fixes a setting to be found; a missing price.
    """
    refuse_given(loads, {*space.fixed, *(axis.setting.name for axis in space.axes)})
    asked = _asked(system, space, goals, loads or (Load(),), over)
    trials = Trials(system, space.fixed, asked, options)
    designs = [each.design for each in space.candidates()]
    costs = [prices.cost(trials.case(each, asked[0].load).settings) for each in designs] if prices else None
    done = search(trials, space, costs, on_progress)
    structures = _structures(done, costs)
    nearest = None if done.front else _nearest(structures)
    if nearest:
        done.look_again(nearest)
    option = done.design or nearest
    looked_at = tuple(_examinations(trials, option)) if option else ()
    varied = [axis.setting.name for axis in space.axes]
    unpriced = tuple(name for name in varied if prices and name not in prices.priced)
    under = tuple(_under(*each, option, looked_at) for each in structures) if len(structures) > 1 else ()
    told = tuple(_told(done, option, looked_at)) if option else ()
    return Finding(done, option, looked_at, () if over else tuple(cliffs(done)), unpriced, under, told)


def _told(done: Search, option: Option, looked_at: Sequence[Examination]) -> Iterator[ToldRange]:
    for examination in looked_at:
        for kept in examination.goals:
            if kept.by:
                yield from told_ranges(done, option, kept.goal, examination.asked.load)


def _structures(done: Search, costs: Sequence[Cost] | None) -> list[tuple[float, Search]]:
    """Pairs of weight and search for each structure of the system, its own first; the others are computed."""
    trials = done.trials
    systems = systems_of(trials.system)
    if len(systems) == 1 or trials.asked[0].over:
        return [(1.0, done)]
    computed = replace(trials, options=replace(trials.options, engine=ANALYTIC))
    searches = [done, *(search(replace(computed, system=each), done.space, costs) for each in systems[1:])]
    return list(zip(weights(systems), searches, strict=True))


def _nearest(structures: Sequence[tuple[float, Search]]) -> Option | None:
    """The candidate whose worst goal is missed by least, in the mean over all structures.

    A structure without an answer for a candidate is taken to agree with the system that was asked for.
    """
    (_, own), *others = structures
    for _, each in others:
        list(each.look(each.options))  # including those larger than a design

    def missed(option: Option) -> tuple[float, float]:
        shortfall = own.shortfall(option)
        under = [(weight, each.shortfall(each.at[option.candidate.ranks])) for weight, each in structures]
        expected = sum(weight * max(0.0, shortfall if math.isnan(of) else of) for weight, of in under)
        return expected, shortfall

    tried = [each for each in own.options if not math.isnan(own.shortfall(each))]
    return min(tried, key=missed, default=None)


def _under(weight: float, done: Search, option: Option | None, looked_at: Sequence[Examination]) -> Under:
    design = done.design.candidate.design if done.design else None
    system = done.trials.system
    unsure = _unsure(done, option, looked_at) if option else None
    status: Found = "unknown" if design is None and unsure is not None else done.status
    return Under(system.name, system.structure, weight, status, design, unsure)


def _unsure(done: Search, option: Option, looked_at: Sequence[Examination]) -> float | None:
    """The answer to the first goal by the ratio of structures, if it decides otherwise than the trial."""
    computed, values = done.at[option.candidate.ranks].trial.status, []
    for examination in looked_at:
        structures = structures_of(examination.prediction.case)
        ratios = next((each.ratios for each in structures[1:] if each.system == done.trials.system.name), {})
        for kept in examination.goals:
            ratio = ratios.get("mean" if kept.goal.measure in QUANTILES else kept.goal.measure, math.nan)
            values.append((kept.goal, kept.estimate.value * ratio))
    if computed not in ("kept", "missed", "unknown") or any(math.isnan(value) for _, value in values):
        return None
    by_ratio = all(goal.keeps(value) for goal, value in values)
    return values[0][1] if values and ("kept" if by_ratio else "missed") != computed else None


def _asked(
    system: System, space: Space, goals: Sequence[str], loads: Sequence[Load], over: Span | None
) -> tuple[Asked, ...]:
    asked = []
    for load in loads:
        if not (goals or load.goals):
            under = f" under load '{load.name}'" if load.name else ""
            raise InputError(f"no goal is given{under}; give one, such as 'throughput>=5GB/s' or 'p99<=2ms'")
        asked.append(Asked(load, goals_of((*goals, *load.goals), _units(system, space, load, over)), over))
    return tuple(asked)


def _units(system: System, space: Space, load: Load, over: Span | None) -> Mapping[str, str]:
    """Units of answers: of the largest candidate that can be built, or else of the system's defaults.

    Raises:
        StacksimError: not even the defaults can be built.
    """
    for candidate in reversed(space.candidates()):
        try:
            return units_of(Case.of(system, {**space.fixed, **load.settings, **candidate.design}), over)
        except StacksimError:
            continue
    return units_of(Case.of(system, {}), over)


def _examinations(trials: Trials, option: Option) -> Iterator[Examination]:
    for asked in trials.asked:
        case = trials.case(option.candidate.design, asked.load)
        try:
            yield examined(case, asked, trials.options)
        except StacksimError:
            continue  # its trial says why
