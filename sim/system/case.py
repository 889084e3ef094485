"""A system under checked settings, whose model is built once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sim.model.symmetry import Symmetry, symmetry
from sim.system.installed import resolved
from sim.system.parameters import Parameter
from sim.system.scenario import Scenario
from sim.system.settings import Count, Size, Values, complete
from sim.system.system import System
from sim.units import unit_of
from sim.units.text import figure_text


@dataclass(frozen=True)
class Case:
    """``system`` under a value for each of its ``settings``."""

    system: System
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, system: System | str, settings: Values) -> Case:
        """The case of ``system``, or of the one of that name; missing ``settings`` take their defaults.

        Raises:
            InputError: no such system, a setting that is not allowed, or one that nothing in a stack uses.
        """
        system = resolved(system)
        values = complete(system.settings, settings)
        case = cls(system, values)
        system.check_used(settings if system.asked else [name for name in case.chosen if name in settings])
        return case

    @property
    def inputs(self) -> Mapping[str, Any]:
        """A value for every setting, and for every parameter that was set."""
        return {**self.settings, **{each.name: each.value for each in self.system.parameters.set()}}

    @property
    def chosen(self) -> list[str]:
        """The settings beside their defaults."""
        return [each.name for each in self.system.settings if self.settings[each.name] != each.parse(each.default)]

    @property
    def sizes(self) -> list[str]:
        """The sizes and counts beside their defaults, as people write them; where there are none, all of them."""
        sizes = [each for each in self.system.settings if isinstance(each, Count | Size)]
        chosen = [each for each in sizes if each.name in self.chosen] or sizes
        return [f"{each.name}={each.show(self.settings[each.name])}" for each in chosen]

    @property
    def conditions(self) -> Mapping[str, Any]:
        """The settings, with what a file of jobs says in their place: None where no one value says it."""
        asked = self.system.asked.settings if self.system.asked else {}
        return {**self.settings, **{name: value for name, (value, _) in asked.items()}} if asked else self.settings

    @property
    def plain(self) -> dict[str, Any]:
        """The settings, or the jobs in their place, as JSON has them."""
        values = self.conditions
        return {
            each.name: None if values[each.name] is None else each.plain(values[each.name])
            for each in self.system.settings
        }

    @property
    def shown(self) -> dict[str, str]:
        """The settings, or the jobs in their place, and the parameters that were set, as people write them."""
        settings = {each.name: each.show(self.settings[each.name]) for each in self.system.settings}
        settings |= self.system.asked.shown if self.system.asked else {}
        return settings | {each.name: _with_sign(each) for each in self.system.parameters.set()}

    @cached_property
    def scenario(self) -> Scenario:
        """The model, and what to read off its result."""
        return self.system.scenario(self.settings, reads=self._reads)

    @cached_property
    def folded(self) -> tuple[Scenario, Symmetry]:
        """A scenario for the analytic engine, and what is identical in it."""
        if self.system.fold is None:
            return self.scenario, symmetry(self.scenario.model)
        return self.system.folded(self.settings, self._reads)

    @cached_property
    def _reads(self) -> set[str]:
        """Names of the settings and parameters that were read when the model was built."""
        return set()

    def without_effect(self) -> tuple[str, ...]:
        """Settings beside their defaults, and parameters that were set, which no model built so far has read."""
        given = [*self.chosen, *(each.name for each in self.system.parameters.set())]
        mentioned = self.system.mentioned
        read = self._reads if mentioned is None else mentioned
        return tuple(name for name in given if name not in read) if self._reads else ()

    def changed(self, values: Mapping[str, float]) -> Scenario:
        """The scenario with other values of parameters; without any, the one that is built already."""
        if not values:
            return self.scenario
        return self.system.scenario(self.settings, self.system.parameters.changed(values))

    def __hash__(self) -> int:
        """Equal cases have equal hashes; the generated one would fail, for a mapping has none."""
        return hash((self.system, frozenset(self.settings.items())))

    def forget(self) -> None:
        """Release what was built; it is built again when it is needed again."""
        self.__dict__.pop("scenario", None)
        self.__dict__.pop("folded", None)

    def __getstate__(self) -> dict[str, Any]:
        """Another process builds its own model: measures cannot be sent there."""
        return {"system": self.system, "settings": self.settings}


def _with_sign(entry: Parameter) -> str:
    unit = unit_of(entry.unit)
    return figure_text(entry.value, _WORDS.get(unit.sign, "") if unit else "").replace(" ", "")


_WORDS = {"B": "bytes", "B/s": "bytes/s", "s": "s"}
"""Units of parameters that people write with a prefix, by their sign."""
