"""What `stacksim measure --then` asks of the fitted stack: `users=64 block=8KiB`, or `find p99<=2ms`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from sim.cli import console
from sim.data.importers.figures import processes_of
from sim.decision.find import Finding, find
from sim.decision.goals import goals_of, is_goal
from sim.decision.space import Space, space_of
from sim.errors import InputError, shown
from sim.output.views.answered import Answered
from sim.prediction.prediction import Prediction, predict_case
from sim.simulation.options import RunOptions
from sim.system.case import Case
from sim.system.settings import complete, pairs
from sim.system.system import System

FIND = "find"

MOST_PROCESSES = 256
"""Up to which the largest number of processes is looked for where the question has no range, or the smallest where
an answer has to reach a goal."""


@dataclass(frozen=True)
class Question:
    """Settings to be predicted; with goals, the largest load or the design that keeps them; ``text`` as typed."""

    settings: tuple[str, ...]
    goals: tuple[str, ...]
    text: str

    def check(self, system: System) -> None:
        """Refuse a question that ``system`` cannot answer, before anything is measured."""
        if self.goals:
            self._space(system)
        else:
            Case.of(system, pairs(self.settings)).scenario  # noqa: B018  (which refuses what cannot be built)

    def answered(self, system: System, *, quiet: bool) -> Answered:
        """What ``system``, once it is fitted, says."""
        return Answered(self.text, self._found(system, quiet=quiet) if self.goals else self._predicted(system))

    def _predicted(self, system: System) -> Prediction:
        return predict_case(Case.of(system, pairs(self.settings)), RunOptions(), intervals=True)

    def _found(self, system: System, *, quiet: bool) -> Finding:
        with console.count_done("searching", quiet=quiet) as on_progress:
            return find(system, self._space(system), self.goals, RunOptions(), on_progress=on_progress)

    def _space(self, system: System) -> Space:
        """What is searched: the ranges of the question, or without any the number of processes."""
        goals = goals_of(self.goals, system.scenario(complete(system.settings, {})).units)
        space = space_of(system, self.settings)
        if space.axes:
            return space
        counted = processes_of(system)
        if counted is None or counted.name in space.fixed:
            example = counted.name if counted else "block"
            raise InputError(f"nothing varies in the question 'find'; give a range, such as {example}=1..64")
        processes = counted.name
        largest = None if any(each.at_least for each in goals) else processes
        return space_of(system, [*self.settings, f"{processes}=1..{MOST_PROCESSES}"], largest)


def question(text: str) -> Question:
    """Read what stands behind ``--then``.

    Raises:
        InputError: no words, or goals without `find`, or the other way round.
    """
    words = _words(text)
    goals = tuple(word for word in words if is_goal(word))
    is_find = bool(words) and words[0] == FIND
    settings = tuple(word for word in words[is_find:] if not is_goal(word))
    if not words or is_find != bool(goals):
        raise InputError(
            f"then is '{shown(text)}'; allowed: settings, such as 'users=64 block=8KiB', or find and goals, "
            "such as 'find p99<=2ms'"
        )
    return Question(settings, goals, " ".join(words))


def _words(text: str) -> Sequence[str]:
    """The words of ``text``, of which a shell has taken the outer quotes."""
    try:
        return shlex.split(text)
    except ValueError:
        raise InputError(f"then is '{shown(text)}', in which a quote has no end; leave inner quotes out") from None
