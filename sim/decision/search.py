"""The smallest or cheapest designs that keep all goals.

Candidates are screened in order of size or cost, and those not ruled out are simulated, until one is
confirmed: there is no bisection, since more of a setting may be worse. Candidates larger than a design are not
tried, as they cannot be the answer. The reason is recorded for each candidate left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sim.decision.ahead import Ahead, Needed
from sim.decision.costs import Cost
from sim.decision.goals import Goal
from sim.decision.screening import screened, told
from sim.decision.space import Candidate, Space
from sim.decision.trials import How, Trial, Trials, confirmed

Found = Literal["found", "impossible", "unknown"]
"""A design keeps all goals; none does; none is known to, but some could not be judged."""

OnProgress = Callable[[int, int], None]
"""Called with the number of trials done, and of all that may come."""


NOTHING = Trial("open")
"""Trial before the first screening."""


def _always(_candidate: Candidate) -> bool:
    return True


@dataclass
class Option:
    """A candidate and its latest trial.

    Attributes:
        cost: None without prices.
        trial: the latest one: by screening, or by the engine asked for.
        looked_at: True if another screening would add nothing.
        final: True if the trial is by the engine asked for.
    """

    candidate: Candidate
    cost: Cost | None
    trial: Trial = NOTHING
    looked_at: bool = False
    final: bool = False

    @property
    def order(self) -> tuple[float, tuple[int, ...]]:
        """Sort key: the cheapest first, then the smallest."""
        return (self.cost.total if self.cost else 0.0, self.candidate.ranks)


@dataclass
class Search:
    """State and result of a search.

    Attributes:
        options: every candidate, in the order in which it is tried.
        workers: largest number of processes; None: the number of processors.
        front: the designs to choose from: without prices the smallest ones, of which none is smaller than
            another in all settings; else those of which none costs less and is better by the first goal. If the
            largest value of a setting is asked for, more of it counts as smaller, and in place of the first goal.
            All keep the goals.
    """

    trials: Trials
    space: Space
    options: list[Option]
    workers: int | None = None
    front: list[Option] = field(default_factory=list)
    done: int = 0
    on_progress: OnProgress | None = None

    @cached_property
    def at(self) -> Mapping[tuple[int, ...], Option]:
        """Options by the ranks of their candidates."""
        return {option.candidate.ranks: option for option in self.options}

    @property
    def status(self) -> Found:
        """Outcome of the search."""
        if self.front:
            return "found"
        unsure = any(each.trial.status in ("failed", "unknown") for each in self.options)
        return "unknown" if unsure else "impossible"

    @property
    def design(self) -> Option | None:
        """The smallest or cheapest design, or the one with the largest value; None if there is none."""
        if self.space.largest:
            return min(self.front, key=lambda each: (each.candidate.ranks[0], each.order), default=None)
        return min(self.front, key=lambda each: each.order, default=None)

    @property
    def nearest(self) -> Option | None:
        """The candidate whose worst goal is missed by least; None if no answer is known."""
        tried = [each for each in self.options if not math.isnan(self.shortfall(each))]
        return min(tried, key=self.shortfall, default=None)

    def shortfall(self, option: Option) -> float:
        """Error of the worst known answer against its goal, as a logarithm; nan if none is known."""
        estimates_by_load = option.trial.estimates
        if len(estimates_by_load) < len(self.trials.asked) and option.trial.status != "missed":
            return math.nan
        pairs = [
            pair
            for asked, estimates in zip(self.trials.asked, estimates_by_load, strict=False)
            for pair in zip(asked.goals, estimates, strict=True)
        ]
        known = [(goal, estimate.value) for goal, estimate in pairs if not math.isnan(estimate.value)]
        return max((_missed_by(goal, value) for goal, value in known), default=math.nan)

    def look(self, options: Iterable[Option], how: How = screened, needed: Needed = _always) -> Generator[Option]:
        """Screen those of ``options`` that are still ``needed`` when their turn comes, and yield each."""
        candidates = [each.candidate for each in options if not each.looked_at]
        with closing(Ahead(self.trials, how, self.workers).tried(candidates, needed)) as looks:
            for candidate, trial in looks:
                option = self.at[candidate.ranks]
                option.trial, option.looked_at = trial, how is screened or told(trial)
                self.step()
                yield option

    def confirm(self, option: Option) -> bool:
        """Try ``option`` by the engine asked for, unless it is ruled out; return True if it keeps all goals."""
        return self.finish(option) if option.trial.status == "open" else option.trial.status == "kept"

    def finish(self, option: Option) -> bool:
        """Try ``option`` by the engine asked for; return True if it keeps all goals."""
        option.trial = self.trials.tried(option.candidate.design, confirmed)
        option.looked_at = option.final = True
        self.step()
        return option.trial.status == "kept"

    def look_again(self, nearest: Option) -> None:
        """If there is no design, simulate the ``nearest``: screening alone does not decide the answer."""
        if not nearest.final and nearest.trial.status == "missed":
            self.front = [nearest] if self.finish(nearest) else []

    def step(self) -> None:
        """Report that one more trial is done."""
        self.done += 1
        if self.on_progress:
            self.on_progress(self.done, max(self.done, len(self.options)))


def search(
    trials: Trials,
    space: Space,
    costs: Sequence[Cost] | None,
    on_progress: OnProgress | None = None,
    *,
    workers: int | None = None,
) -> Search:
    """Find the designs; ``costs``, if given, has one for each candidate.

    Args:
        workers: largest number of processes; by default the number of processors.
    """
    candidates = space.candidates()
    options = [Option(each, costs[number] if costs else None) for number, each in enumerate(candidates)]
    options.sort(key=lambda each: each.order)
    result = Search(trials, space, options, workers, on_progress=on_progress)
    result.front = _cheapest(result) if costs else _smallest(result)
    if not result.front and result.nearest:
        result.look_again(result.nearest)
    return result


def _smallest(found: Search) -> list[Option]:
    """The smallest designs; candidates larger than one of them are not tried."""
    front: list[Option] = []

    def needed(candidate: Candidate) -> bool:
        return not any(each.candidate.within(candidate) for each in front)

    for option in found.look(found.options, needed=needed):
        front += [option] if found.confirm(option) else []  # seen by ``needed`` at once
    return front


def _cheapest(found: Search) -> list[Option]:
    """The cheapest design, and those that cost more and are better."""
    front: list[Option] = []

    def needed(candidate: Candidate) -> bool:
        return not front or _at_best(found, found.at[candidate.ranks]) > _worth(found, front[-1])

    for option in found.look(found.options, needed=needed):
        if needed(option.candidate) and found.confirm(option) and needed(option.candidate):
            if front and front[-1].order[0] == option.order[0]:
                front.pop()  # it costs as much, and is worse
            front.append(option)
    return front


def _worth(found: Search, option: Option) -> float:
    """Quality of ``option``, more being better: by the largest value asked for, or by the first goal."""
    if found.space.largest:
        return -float(option.candidate.ranks[0])
    goal = found.trials.asked[0].goals[0]
    return option.trial.first if goal.at_least else -option.trial.first


def _at_best(found: Search, option: Option) -> float:
    """Best possible quality of ``option``, as far as is known."""
    if found.space.largest or option.final:
        return _worth(found, option)
    if not option.trial.estimates:
        return math.inf
    goal, estimate = found.trials.asked[0].goals[0], option.trial.estimates[0][0]
    end = estimate.high if goal.at_least else -estimate.low
    return math.inf if math.isnan(end) else end


def _missed_by(goal: Goal, value: float) -> float:
    """Logarithm of the factor by which ``value`` misses ``goal``; negative if it keeps it."""
    if value <= 0.0 or goal.limit <= 0.0:
        return goal.limit - value if goal.at_least else value - goal.limit
    return math.log(goal.limit / value) if goal.at_least else math.log(value / goal.limit)
