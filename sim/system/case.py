"""A system with checked settings, whose model is built once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.units import unit_of
from sim.engine.units.text import figure_text
from sim.system.installed import resolved
from sim.system.parameters import Parameter
from sim.system.scenario import Scenario
from sim.system.settings import Count, Size, Values, complete
from sim.system.system import System


@dataclass(frozen=True)
class Case:
    """``system`` with a value for each of its ``settings``."""

    system: System
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, system: System | str, settings: Values) -> Case:
        """The case of ``system``, or of the one of that name; missing ``settings`` take their defaults.

        Raises:
            InputError: no such system, a setting that is not allowed, or one that no layer of a stack uses.
        """
        system = resolved(system)
        values = complete(system.settings, settings, system.parameters.names())
        case = cls(system, values)
        system.check_used(settings if system.asked else [name for name in case.chosen if name in settings])
        return case

    @property
    def inputs(self) -> Mapping[str, Any]:
        """A value for every setting, and for every user-set parameter."""
        return {**self.settings, **{each.name: each.value for each in self.system.parameters.set()}}

    @property
    def chosen(self) -> list[str]:
        """Settings that differ from their defaults."""
        return [each.name for each in self.system.settings if self.settings[each.name] != each.parse(each.default)]

    @property
    def sizes(self) -> list[str]:
        """Sizes and counts that differ from their defaults, as users write them; if there are none, all."""
        sizes = [each for each in self.system.settings if isinstance(each, Count | Size)]
        chosen = [each for each in sizes if each.name in self.chosen] or sizes
        return [f"{each.name}={each.show(self.settings[each.name])}" for each in chosen]

    @property
    def conditions(self) -> Mapping[str, Any]:
        """Settings, overridden by those of a file of jobs: None where no single value describes the jobs."""
        asked = self.system.asked.settings if self.system.asked else {}
        return {**self.settings, **{name: value for name, (value, _) in asked.items()}} if asked else self.settings

    @property
    def plain(self) -> dict[str, Any]:
        """Settings, or the jobs in their place, ready for JSON."""
        values = self.conditions
        return {
            each.name: None if values[each.name] is None else each.plain(values[each.name])
            for each in self.system.settings
        }

    @property
    def shown(self) -> dict[str, str]:
        """Settings, or the jobs in their place, and user-set parameters, as users write them."""
        settings = {each.name: each.show(self.settings[each.name]) for each in self.system.settings}
        settings |= self.system.asked.shown if self.system.asked else {}
        return settings | {each.name: _with_sign(each) for each in self.system.parameters.set()}

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario: a model, and how to read answers off its result."""
        return self.system.scenario(self.settings, reads=self._reads)

    @cached_property
    def folded(self) -> tuple[Scenario, Symmetry]:
        """A scenario for the analytic engine, and its identical parts."""
        if self.system.fold is None:
            return self.scenario, symmetry(self.scenario.model)
        return self.system.folded(self.settings, self._reads)

    @cached_property
    def _reads(self) -> set[str]:
        """Names of the settings and parameters read while the model was built."""
        return set()

    def without_effect(self) -> tuple[str, ...]:
        """Non-default settings and user-set parameters that no model built so far has read."""
        given = [*self.chosen, *(each.name for each in self.system.parameters.set())]
        mentioned = self.system.mentioned
        read = self._reads if mentioned is None else mentioned
        return tuple(name for name in given if name not in read) if self._reads else ()

    def changed(self, values: Mapping[str, float]) -> Scenario:
        """The scenario with other parameter ``values``; without any, the one that is built already."""
        if not values:
            return self.scenario
        return self.system.scenario(self.settings, self.system.parameters.changed(values))

    def __hash__(self) -> int:
        """Hash by value; the generated method would fail, as mappings have no hash."""
        return hash((self.system, frozenset(self.settings.items())))

    def forget(self) -> None:
        """Release the built scenarios; they are built again when needed."""
        self.__dict__.pop("scenario", None)
        self.__dict__.pop("folded", None)

    def __getstate__(self) -> dict[str, Any]:
        """State without scenarios: another process builds its own, as measures cannot be pickled."""
        return {"system": self.system, "settings": self.settings}


def _with_sign(entry: Parameter) -> str:
    unit = unit_of(entry.unit)
    return figure_text(entry.value, _WORDS.get(unit.sign, "") if unit else "").replace(" ", "")


_WORDS = {"B": "bytes", "B/s": "bytes/s", "s": "s"}
"""Units of parameters that are written with a prefix, by their sign."""
