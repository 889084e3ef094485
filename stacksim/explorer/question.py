"""A question of the page: a system with texts for its settings and parameters; also as a command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sim.engine.errors import InputError, shown
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.system.case import Case
from sim.system.settings import parsed
from sim.system.system import System
from sim.system.what_if import given_value, with_set
from stacksim.explorer.choices import Choices
from stacksim.explorer.stops import parameter_text

MOST, LONGEST = 200, 1_000
"""Largest number of settings and parameters of a question, and of characters of one text."""


class RefusedError(InputError):
    """Values that cannot be used.

    Attributes:
        lines: fault and remedy, by the name of the setting or parameter.
    """

    def __init__(self, lines: Mapping[str, str]) -> None:
        super().__init__("; ".join(lines.values()))
        self.lines = dict(lines)


@dataclass(frozen=True)
class Question:
    """A design as the page states it: unchecked texts.

    Attributes:
        name: name of the system.
    """

    name: str
    settings: Mapping[str, str]
    parameters: Mapping[str, str]

    @classmethod
    def of(cls, record: Any) -> Question:
        """Read the question that the page sent.

        Raises:
            InputError: ``record`` is no question, or too long for one.
        """
        if not isinstance(record, dict) or not isinstance(record.get("system"), str):
            raise InputError("a question names a system; reload the page")
        return cls(record["system"], _texts(record.get("settings")), _texts(record.get("parameters")))

    def case(self, choices: Choices) -> Case:
        """The case of the question.

        Raises:
            RefusedError: some values cannot be used; names each.
            InputError: there is no such system.
        """
        system = choices.find(self.name)
        if lines := dict(self._complaints(system)):
            raise RefusedError(lines)
        return Case.of(with_set(system, self._set(system)), self.settings)

    def command(self, choices: Choices, options: RunOptions) -> str:
        """Command for the same answer; settings at their defaults are left out."""
        system = choices.find(self.name)
        changed = {
            each.name: self.settings[each.name]
            for each in system.settings
            if each.name in self.settings and each.parse(self.settings[each.name]) != each.parse(each.default)
        }
        words = ["stacksim", "predict", self.name, *(f"{name}={text}" for name, text in changed.items())]
        for name, text in self._set(system).items():
            words += ["--set", f"{name}={text}"]
        if choices.fitted and self.name == choices.first:
            words += ["--fitted", str(choices.fitted)]
        how = ["--engine", ANALYTIC] if options.engine == ANALYTIC else ["--precision", f"{options.precision:.0%}"]
        return shlex.join([*words, *how])

    def _set(self, system: System) -> dict[str, str]:
        """Parameters with a value other than their own."""
        own = {each.name: parameter_text(each, each.value) for each in system.parameters.entries}
        return {name: text for name, text in self.parameters.items() if own.get(name) != text}

    def _complaints(self, system: System) -> Iterator[tuple[str, str]]:
        """Yield name and fault of each unusable value."""
        settings = tuple(system.settings)
        for name, text in self.settings.items():
            if fault := _fault(partial(parsed, settings, {name: text})):
                yield name, fault
        for name, text in self.parameters.items():
            if fault := _fault(partial(given_value, system, name, text)):
                yield name, fault


def _fault(read: Callable[[], object]) -> str:
    """Message with which ``read`` refuses; empty if it does not."""
    try:
        read()
    except InputError as error:
        return str(error)
    return ""


def _texts(record: Any) -> dict[str, str]:
    given = {} if record is None else record
    if not isinstance(given, dict) or len(given) > MOST:
        raise InputError(f"a question has at most {MOST} settings; reload the page")
    for name, text in given.items():
        if not isinstance(text, str) or len(text) + len(name) > LONGEST:
            raise InputError(f"'{shown(name)}' has no text of at most {LONGEST} characters; write a shorter one")
    return given
