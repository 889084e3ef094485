"""The smallest or cheapest designs that keep all goals.

Every candidate is computed first. Those that are not ruled out are simulated in order of size or cost until one is
confirmed: there is no bisection, since more of a setting may be worse. What is left out, and why, is told of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sim.decision.costs import Cost
from sim.decision.goals import Goal
from sim.decision.screening import briefly, computed, told
from sim.decision.space import Candidate, Space
from sim.decision.trials import Trial, Trials, confirmed
from sim.simulation.options import ANALYTIC

Found = Literal["found", "impossible", "unknown"]
"""A design keeps all goals; none does; none is known to, but some could not be judged."""

OnProgress = Callable[[int, int], None]
"""Called with the number of trials that are done, and of all that may come."""


@dataclass
class Option:
    """A candidate with what is known of it so far.

    Attributes:
        cost: None without prices.
        trial: the last one: computed, by a short run, or by the engine asked for.
        final: whether the trial is by the engine asked for.
    """

    candidate: Candidate
    cost: Cost | None
    trial: Trial
    final: bool = False

    @property
    def order(self) -> tuple[float, tuple[int, ...]]:
        """The cheapest first, then the smallest."""
        return (self.cost.total if self.cost else 0.0, self.candidate.ranks)


@dataclass
class Search:
    """A search, while it goes on and when it has ended.

    Attributes:
        options: every candidate, in the order in which it is tried.
        front: the designs among which to choose: without prices the smallest ones, of which none is smaller than
            another in all settings; else those of which none costs less and is better by the first goal. All keep
            the goals.
    """

    trials: Trials
    space: Space
    options: list[Option]
    front: list[Option] = field(default_factory=list)
    expected: int = 0
    done: int = 0
    on_progress: OnProgress | None = None

    @property
    def status(self) -> Found:
        """How it ended."""
        if self.front:
            return "found"
        unsure = any(each.trial.status in ("failed", "unknown") for each in self.options)
        return "unknown" if unsure else "impossible"

    @property
    def design(self) -> Option | None:
        """The smallest or cheapest design: of several, that with the smallest first setting."""
        return min(self.front, key=lambda each: each.order, default=None)

    @property
    def nearest(self) -> Option | None:
        """The candidate that comes nearest to its goals: the one whose worst goal is missed by the least share."""
        tried = [each for each in self.options if not math.isnan(self.shortfall(each))]
        return min(tried, key=self.shortfall, default=None)

    def shortfall(self, option: Option) -> float:
        """How far the worst known answer of ``option`` misses its goal, as a logarithm; nan if none is known."""
        found = option.trial.estimates
        if len(found) < len(self.trials.asked) and option.trial.status != "missed":
            return math.nan
        pairs = [
            pair
            for asked, estimates in zip(self.trials.asked, found, strict=False)
            for pair in zip(asked.goals, estimates, strict=True)
        ]
        known = [(goal, estimate.value) for goal, estimate in pairs if not math.isnan(estimate.value)]
        return max((_missed_by(goal, value) for goal, value in known), default=math.nan)

    def look(self, option: Option) -> None:
        """Where the analytic engine cannot tell of all goals, try ``option`` by a short run."""
        if not told(option.trial) and not option.final and self.trials.options.engine != ANALYTIC:
            option.trial = self.trials.tried(option.candidate.design, briefly)
            self.step()

    def confirm(self, option: Option) -> bool:
        """Try ``option`` by the engine asked for, unless it is ruled out; whether it keeps all goals."""
        self.look(option)
        if not option.final and option.trial.status == "open":
            option.trial = self.trials.tried(option.candidate.design, confirmed)
            option.final = True
            self.step()
        return option.trial.status == "kept"

    def step(self) -> None:
        """Tell that one more trial is done."""
        self.done += 1
        if self.on_progress:
            self.on_progress(self.done, max(self.done, self.expected))


def search(
    trials: Trials, space: Space, costs: Sequence[Cost] | None, on_progress: OnProgress | None = None
) -> Search:
    """Find the designs; ``costs``, if given, has one for each candidate."""
    candidates = space.candidates()
    found = Search(trials, space, [], expected=len(candidates), on_progress=on_progress)
    for number, candidate in enumerate(candidates):
        trial = trials.tried(candidate.design, computed)
        found.options.append(Option(candidate, costs[number] if costs else None, trial))
        found.step()
    found.options.sort(key=lambda each: each.order)
    found.front = list(_cheapest(found) if costs else _smallest(found))
    if not found.front:
        _look_again(found)
    return found


def _smallest(found: Search) -> Iterator[Option]:
    """The smallest designs; what is larger than one of them is not tried."""
    front: list[Option] = []
    for option in found.options:
        if not any(each.candidate.within(option.candidate) for each in front) and found.confirm(option):
            front.append(option)
            yield option


def _cheapest(found: Search) -> list[Option]:
    """The cheapest design, and those that cost more and are better by the first goal."""
    front: list[Option] = []
    goal = found.trials.asked[0].goals[0]
    for option in found.options:
        found.look(option)
        if front and not _better(goal, _best(goal, option.trial), front[-1].trial.first):
            continue
        if found.confirm(option) and (not front or _better(goal, option.trial.first, front[-1].trial.first)):
            if front and front[-1].order[0] == option.order[0]:
                front.pop()  # it costs as much, and is worse
            front.append(option)
    return front


def _best(goal: Goal, trial: Trial) -> float:
    """What the answer that ``goal`` is about may be at best, as far as is known."""
    best = math.inf if goal.at_least else -math.inf
    if not trial.estimates:
        return best
    end = trial.estimates[0][0].high if goal.at_least else trial.estimates[0][0].low
    return best if math.isnan(end) else end


def _look_again(found: Search) -> None:
    """Without a design, simulate the candidate that came nearest: an answer is not given on a short look alone."""
    nearest = found.nearest
    if nearest and not nearest.final and nearest.trial.status == "missed":
        nearest.trial = found.trials.tried(nearest.candidate.design, confirmed)
        nearest.final = True
        if nearest.trial.status == "kept":
            found.front = [nearest]


def _better(goal: Goal, value: float, than: float) -> bool:
    return value > than if goal.at_least else value < than


def _missed_by(goal: Goal, value: float) -> float:
    """The logarithm of the factor by which ``value`` misses ``goal``; below 0 where it keeps it."""
    if value <= 0.0 or goal.limit <= 0.0:
        return goal.limit - value if goal.at_least else value - goal.limit
    return math.log(goal.limit / value) if goal.at_least else math.log(value / goal.limit)
