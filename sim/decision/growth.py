"""A load that grows every month: the month in which each goal breaks, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from sim.decision.ends import Ends, Opening, ends, openings, openings_over_time, widened
from sim.decision.goals import Goal, goals_of
from sim.decision.growing_load import GrowingLoad
from sim.decision.trials import predicted_answers, qualified
from sim.engine.display import Shown
from sim.engine.errors import InputError, NoSteadyStateError, StacksimError
from sim.engine.simulation.options import Progress, RunOptions
from sim.prediction.over_time import Span, predict_over_time, units_of
from sim.prediction.parallel import side_by_side
from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case
from sim.system.scenario import Answer
from sim.system.system import System

OnProgress = Callable[[int, int], None]
"""Called with the number of loads simulated, and the number of all, some of which may not be needed."""

_AT_ONCE = 4
"""Months simulated side by side, equal on all machines: the last of them may not be needed."""

Verdict = Literal["kept", "probably kept", "probably broken", "broken"]
Status = Literal["kept", "breaks", "broken already"]


@dataclass(frozen=True)
class Month:
    """One month: its number from 0, its load, and the answers under it.

    Attributes:
        prediction: None if more arrives than is completed, so that there is no steady state.
        ends: 90 % range of each answer, by goal.
    """

    number: int
    load: Any
    prediction: Prediction | None
    ends: Mapping[Goal, Ends]

    def verdict(self, goal: Goal) -> Verdict:
        """Verdict on ``goal``; *probably* if one end of the range disagrees with the value."""
        answer = self.ends[goal]
        if goal.keeps(answer.value):
            return "kept" if goal.keeps(answer.worse(goal)) else "probably kept"
        return "probably broken" if goal.keeps(answer.better(goal)) else "broken"


@dataclass(frozen=True)
class Breaking:
    """The month in which a goal breaks, counted from 0.

    Attributes:
        month: the first in which it is broken; None if it is kept in all months.
        earliest, latest: first broken month by the worse and the better end of the range; None: in no month.
        again: the first later month in which it is kept again; None, as a rule.
    """

    goal: Goal
    month: int | None
    earliest: int | None
    latest: int | None
    again: int | None

    @property
    def status(self) -> Status:
        """``broken already`` if it breaks in month 0."""
        if self.month is None:
            return "kept"
        return "breaks" if self.month else "broken already"


@dataclass(frozen=True)
class Growth(Shown):
    """Result of a growing load: months and verdicts on goals.

    Attributes:
        case: case in month 0.
        months: the simulated months, in order.
        end: why later months were not simulated; empty if all were, or no more were needed.
        over: the time that goals are about, from the start on; None for the long run.
    """

    case: Case
    load: GrowingLoad
    months: tuple[Month, ...]
    breakings: tuple[Breaking, ...]
    end: str
    over: Span | None = None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each month: its load, and for each goal its answer and the verdict."""
        for month in self.months:
            row = {"month": month.number, "date": self.load.date(month.number), "load": month.load}
            for goal, answer in month.ends.items():
                row |= {goal.measure: answer.value, f"{goal.text} is": month.verdict(goal)}
            yield row

    @property
    def warnings(self) -> list[str]:
        """Warnings about the percentiles of goals in the first month."""
        first, measures = self.months[0].prediction, [each.goal.measure for each in self.breakings]
        return list(qualified(first, measures)) if first else []


def grow(
    system: System,
    settings: Mapping[str, Any],
    goals: Sequence[str],
    load: GrowingLoad,
    options: RunOptions,
    on_progress: OnProgress | None = None,
    over: Span | None = None,
) -> Growth:
    """Simulate month after month until every goal is broken for sure, or all months are done.

    Raises:
        InputError: no goal, one that cannot be used, or a system that cannot be predicted in month 0.
    """
    today = Case.of(system, {**settings, load.setting.name: load.today})
    if not goals:
        raise InputError("no goal is given; give one, such as 'p99<=2ms'")
    kept = goals_of(goals, units_of(today, over))
    course = _Course(today, kept, load, options, on_progress or (lambda _done, _all: None), over)
    while course.goes_on:
        course.simulate_some()
    months = tuple(course.months)
    return Growth(today, load, months, tuple(_breaking(goal, months) for goal in kept), course.end, over)


def _breaking(goal: Goal, months: Sequence[Month]) -> Breaking:
    """The months in which ``goal`` breaks, by the value, the worse end and the better end of its range."""
    first = _first(goal, {month.number: month.ends[goal].value for month in months})
    worse = _first(goal, {month.number: month.ends[goal].worse(goal) for month in months})
    better = _first(goal, {month.number: month.ends[goal].better(goal) for month in months})
    behind = months[first:] if first is not None else ()
    again = next((month.number for month in behind if goal.keeps(month.ends[goal].value)), None)
    return Breaking(goal, first, worse, better, again)


def _first(goal: Goal, values: Mapping[int, float]) -> int | None:
    """The first month whose value breaks ``goal``; None if there is none."""
    return next((number for number, value in values.items() if not goal.keeps(value)), None)


class _Course:
    """Simulation of months as far as needed: until every goal is broken for sure."""

    def __init__(
        self,
        today: Case,
        goals: Sequence[Goal],
        load: GrowingLoad,
        options: RunOptions,
        report: OnProgress,
        over: Span | None,
    ) -> None:
        self.months = list[Month]()
        self._today, self._goals, self._name, self._options = today, goals, load.setting.name, options
        self._loads, self._last = _loads(load)
        self._answers: dict[Any, _Answer] = {}
        self._error = ""
        self._report, self._over = report, over

    @property
    def goes_on(self) -> bool:
        """True if another month has to be simulated."""
        return self._needs_more and not self._error and len(self.months) < len(self._loads)

    @property
    def end(self) -> str:
        """Why months are missing; empty if all are there, or no more are needed."""
        return self._error or (self._last if self._needs_more and len(self.months) == len(self._loads) else "")

    @property
    def _needs_more(self) -> bool:
        return not self.months or any(self.months[-1].verdict(goal) != "broken" for goal in self._goals)

    def simulate_some(self) -> None:
        """Simulate the next few months side by side; months with equal loads once."""
        loads = self._loads[len(self.months) :][:_AT_ONCE]
        self._simulate([load for load in dict.fromkeys(loads) if load not in self._answers])
        for load in loads:
            answer = self._answers[load]
            if error := answer.error or self._lacking(answer):
                self._error = str(error)
                if not self.months:
                    raise error
                return
            around = {goal: answer.ends(goal) for goal in self._goals}
            self.months.append(Month(len(self.months), load, answer.prediction, around))

    def _simulate(self, loads: Sequence[Any]) -> None:
        job, known, count = self._today.scenario.model.finite, len(self._answers), len(set(self._loads))
        tasks = [partial(_answered, self._case(load), self._options, job=job, over=self._over) for load in loads]
        done = side_by_side(tasks, lambda share: self._report(known + round(share * len(loads)), count))
        self._answers.update(zip(loads, done, strict=True))

    def _lacking(self, answer: _Answer) -> InputError | None:
        """An error if a goal is about an answer that the model does not have; else None."""
        for goal in self._goals:
            if answer.answers and (why := answer.answers[goal.measure].why):
                return InputError(f"goal '{goal.text}': {goal.measure} is {why}")
        return None

    def _case(self, load: Any) -> Case:
        return Case.of(self._today.system, {**self._today.settings, self._name: load})


def _loads(load: GrowingLoad) -> tuple[list[Any], str]:
    """Loads of all months that the setting allows, and why there are no more; empty text if all are allowed."""
    loads: list[Any] = []
    try:
        loads.extend(load.at(number) for number in range(load.months))
    except InputError as error:
        return loads, str(error)
    return loads, ""


@dataclass(frozen=True)
class _Answer:
    """A prediction and its answers; neither if more arrives than is completed, or an ``error``."""

    prediction: Prediction | None = None
    answers: Mapping[str, Answer] | None = None
    openings: Mapping[str, Opening] = field(default_factory=dict)
    error: StacksimError | None = None

    def ends(self, goal: Goal) -> Ends:
        return widened(ends(goal, self.answers), self.openings.get(goal.measure))


def _answered(case: Case, options: RunOptions, look: Progress, *, job: bool, over: Span | None) -> _Answer:
    try:
        if over:
            course = predict_over_time(case, over, options, look)
            return _Answer(course.at_end, course.answers, openings_over_time(course))
        prediction = predict_case(case, options, look)
    except StacksimError as error:
        overloaded = isinstance(error, NoSteadyStateError) and not job  # a job that is given up says nothing
        return _Answer() if overloaded else _Answer(error=error)
    answers, opened = predicted_answers(prediction), openings(prediction, options, look)
    case.forget()
    return _Answer(prediction, answers, opened)
