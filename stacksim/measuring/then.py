"""Questions of `stacksim measure --then` to the fitted stack: `users=64 block=8KiB`, or `find p99<=2ms`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from sim.cli import console
from sim.data.importers.figures import processes_of
from sim.decision.find import Finding, find
from sim.decision.goals import goals_of, is_goal
from sim.decision.space import Space, space_of
from sim.engine.errors import InputError, shown
from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case
from sim.system.settings import complete, pairs
from sim.system.system import System
from stacksim.measuring.answered import Answered

FIND = "find"

MOST_PROCESSES = 256
"""Upper end of the search for a number of processes if the question has no range: the largest one, or the smallest
if a goal is a lower bound."""


@dataclass(frozen=True)
class Question:
    """Settings to predict; with goals, a search for the largest load or a design; ``text`` as typed."""

    settings: tuple[str, ...]
    goals: tuple[str, ...]
    text: str

    def check(self, system: System) -> None:
        """Refuse a question that ``system`` cannot answer, before anything is measured."""
        if self.goals:
            self._space(system)
        else:
            Case.of(system, pairs(self.settings)).scenario  # noqa: B018  (raises if it cannot be built)

    def answered(self, system: System, *, quiet: bool) -> Answered:
        """The answer of the fitted ``system``."""
        return Answered(self.text, self._found(system, quiet=quiet) if self.goals else self._predicted(system))

    def _predicted(self, system: System) -> Prediction:
        return predict_case(Case.of(system, pairs(self.settings)), RunOptions(), intervals=True)

    def _found(self, system: System, *, quiet: bool) -> Finding:
        with console.count_done("searching", quiet=quiet) as on_progress:
            return find(system, self._space(system), self.goals, RunOptions(), on_progress=on_progress)

    def _space(self, system: System) -> Space:
        """The searched space: ranges of the question, or by default the number of processes."""
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
    """Parse the text of ``--then``.

    Raises:
        InputError: no words, goals without `find`, or `find` without goals.
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
    """Split ``text`` into words, without outer quotes, which a shell has removed."""
    try:
        return shlex.split(text)
    except ValueError:
        raise InputError(f"then is '{shown(text)}', in which a quote has no end; leave inner quotes out") from None
