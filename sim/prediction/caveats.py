"""Caveats of an answer, collected in one function for all commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from sim.engine.simulation.variation import Variation
from sim.prediction.extrapolation import Apart, Extrapolated, apart, extrapolated, unmeasured
from sim.prediction.prediction_record import CaveatsRecord
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.system import System

LISTED = 8
"""Largest number of defaults that are named; of more, only the number is given."""


@dataclass(frozen=True)
class Caveats:
    """Caveats of one answer.

    Attributes:
        extrapolated: settings outside those under which the system was measured.
        apart: pairs of settings that were never measured together.
        notes: parts of this load that the model leaves out, and settings without effect, one line each.
        percentiles: why they are not known, or rest on assumptions, in a line; empty if neither.
        assumed: parameters that were neither measured, published nor derived.
        defaults: numbers that layers of a stack file leave at their defaults, by layer; no band includes them.
        unmeasured: why the measured conditions of the system are not known; empty if they are.
        structures: answers of all structures of the system, in a line; empty if they agree.
    """

    extrapolated: tuple[Extrapolated, ...]
    apart: tuple[Apart, ...]
    notes: tuple[str, ...]
    percentiles: str = ""
    assumed: tuple[str, ...] = ()
    unmeasured: str = ""
    structures: tuple[str, ...] = ()
    defaults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def untested(self) -> tuple[str, ...]:
        """All that was never measured, as text."""
        nothing = [self.unmeasured] if self.unmeasured else []
        return (*nothing, *map(str, self.extrapolated), *map(str, self.apart))

    @property
    def beyond(self) -> bool:
        """True if the settings lie beyond those measured of the system; False if nothing was measured."""
        return bool(self.extrapolated or self.apart)

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines for the reader, those that are extrapolated first; without ``assumed``."""
        return (*self.beside_percentiles, *filter(None, [self.percentiles]))

    @property
    def beside_percentiles(self) -> tuple[str, ...]:
        """Lines for the reader without those on percentiles."""
        return (*(f"extrapolated: {each}" for each in self.untested), *self.structures, *self.notes)

    def record(self) -> CaveatsRecord:
        """The JSON record."""
        defaults = (f"{layer}: {each}" for layer, left in self.defaults.items() for each in left)
        return {
            "extrapolated": [
                {"setting": each.setting, "value": each.value, "measured": each.measured}
                for each in self.extrapolated
            ],
            "apart": [dict(zip(each.settings, each.values, strict=True)) for each in self.apart],
            "notes": list(self.notes),
            "measured": not self.unmeasured,
            "assumed": [*self.assumed, *defaults],
        }


def caveats_of(
    case: Case, notes: tuple[str, ...], variation: Variation | None, structures: tuple[str, ...] = ()
) -> Caveats:
    """Caveats of an answer to ``case``, with the ``notes`` of its model and the ``variation`` of its times."""
    lacking = next(iter(lacking_percentiles(case, [variation])), "")
    assumed = tuple(each.name for each in case.system.parameters.assumed())
    found = tuple(extrapolated(case)), tuple(apart(case))
    return Caveats(*found, notes, lacking, assumed, unmeasured(case.system), structures, _defaults(case))


def _defaults(case: Case) -> Mapping[str, tuple[str, ...]]:
    return layers.left_at_default(case) if (layers := _of_layers(case.system)) else {}


def lacking_percentiles(case: Case, variations: Sequence[Variation | None]) -> dict[str, list[int]]:
    """Lines on deficient percentiles of answers to cases like ``case``, each with the indices of its answers.

    One line is for all answers with constant times, with all their places, and one for all with assumed times.
    """
    alike: dict[str, list[int]] = {}
    for number, each in enumerate(variations):
        if each and each.words:
            alike.setdefault(each.status, []).append(number)
    lines = {}
    for numbers in alike.values():
        several = [each for number in numbers if (each := variations[number])]
        places = dict.fromkeys(place for each in several for place in each.places)
        lines[f"percentiles {_words(case.system, replace(several[0], places=tuple(places)))}"] = numbers
    return lines


def _words(system: System, variation: Variation) -> str:
    """Deficiency of percentiles, as text."""
    return layers.words_of(system, variation) if (layers := _of_layers(system)) else variation.words


def assumptions(several: Iterable[Caveats]) -> str:
    """Assumed parameters and ``defaults`` of all of ``several`` answers, in one line; of many, their number."""
    names, defaults = dict[str, None](), dict[str, tuple[str, ...]]()
    for each in several:
        names |= dict.fromkeys(each.assumed)
        defaults |= each.defaults
    said = ", ".join(names) or "nothing"
    if not (count := sum(map(len, defaults.values()))):
        return said
    listed = "; ".join(f"{layer} {', '.join(left)}" for layer, left in defaults.items())
    counted = f"{count} numbers of {len(defaults)} layers, which `stacksim stack check` names"
    return f"{said}; defaults that no interval covers: {listed if count <= LISTED else counted}"


def notes_of(case: Case, scenario: Scenario) -> Iterator[str]:
    """Lines on what ``scenario`` of ``case`` leaves out, and on settings without effect."""
    asked = case.system.asked
    yield from dict.fromkeys((*(asked.notes if asked else ()), *scenario.notes, *_idle_fields(case.system)))
    if idle := [name for name in case.without_effect() if name not in scenario.replaced]:
        words = ", ".join(f"{name}={case.shown[name]}" for name in idle)
        yield f"{words}: no effect here, as nothing in the model of this case reads {'them' if idle[1:] else 'it'}"


def _idle_fields(system: System) -> tuple[str, ...]:
    return layers.idle_fields(system) if (layers := _of_layers(system)) else ()


def _of_layers(system: System) -> ModuleType | None:
    if not system.in_layers:
        return None
    from sim.prediction import stack_caveats  # lazily: only stack files need it, and it loads much

    return stack_caveats
