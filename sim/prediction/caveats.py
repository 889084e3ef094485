"""What a reader has to know of an answer: one function, whichever way the question came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from sim.prediction.extrapolation import Apart, Extrapolated, apart, extrapolated, unmeasured
from sim.simulation.variation import Variation
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.system import System

LISTED = 8
"""Numbers at their defaults that are named; of more, how many they are is said."""


@dataclass(frozen=True)
class Caveats:
    """Of one answer.

    Attributes:
        extrapolated: settings under which nobody has measured the system.
        apart: pairs of settings that nobody has measured together.
        notes: what the model leaves out of this load, and what has no effect in it, one line each.
        percentiles: why they are not known, or rest on assumptions, in a line; empty where they lack nothing.
        assumed: the parameters that nobody measured, published or derived.
        defaults: numbers that layers of a stack file leave at their defaults, by layer; no band includes them.
        unmeasured: why it is not known what was measured of the system; empty where it is.
        structures: what each structure of the system expects, in a line; none where they agree.
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
        """What nobody has measured."""
        nothing = [self.unmeasured] if self.unmeasured else []
        return (*nothing, *map(str, self.extrapolated), *map(str, self.apart))

    @property
    def beyond(self) -> bool:
        """Whether it lies beyond what was measured of the system; not if nothing was."""
        return bool(self.extrapolated or self.apart)

    @property
    def lines(self) -> tuple[str, ...]:
        """Those of this answer as people write them, those that are *untested* first; not what is ``assumed``."""
        return (*self.beside_percentiles, *filter(None, [self.percentiles]))

    @property
    def beside_percentiles(self) -> tuple[str, ...]:
        """The same without what percentiles lack."""
        return (*(f"untested {each}" for each in self.untested), *self.structures, *self.notes)

    def record(self) -> dict[str, Any]:
        """The JSON record."""
        defaults = (f"{layer}: {each}" for layer, left in self.defaults.items() for each in left)
        return {
            "extrapolated": [vars(each) for each in self.extrapolated],
            "apart": [dict(zip(each.settings, each.values, strict=True)) for each in self.apart],
            "notes": list(self.notes),
            "measured": not self.unmeasured,
            "assumed": [*self.assumed, *defaults],
        }


def caveats_of(
    case: Case, notes: tuple[str, ...], variation: Variation | None, structures: tuple[str, ...] = ()
) -> Caveats:
    """Those of an answer to ``case``, whose model has these ``notes``, and whose times had this ``variation``."""
    lacking = next(iter(lacking_percentiles(case, [variation])), "")
    assumed = tuple(each.name for each in case.system.parameters.assumed())
    found = tuple(extrapolated(case)), tuple(apart(case))
    return Caveats(*found, notes, lacking, assumed, unmeasured(case.system), structures, _defaults(case))


def _defaults(case: Case) -> Mapping[str, tuple[str, ...]]:
    return layers.left_at_default(case) if (layers := _of_layers(case.system)) else {}


def lacking_percentiles(case: Case, variations: Sequence[Variation | None]) -> dict[str, list[int]]:
    """What percentiles lack of answers such as that to ``case``, whose times had these ``variations``, and which.

    A line for all of which times are constants, with the places of them all, and one for all that are assumed.
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
    """What percentiles lack."""
    return layers.words_of(system, variation) if (layers := _of_layers(system)) else variation.words


def assumptions(several: Iterable[Caveats]) -> str:
    """What any of ``several`` answers has ``assumed``, and its ``defaults``, in one line; of many, how many."""
    names, defaults = dict[str, None](), dict[str, tuple[str, ...]]()
    for each in several:
        names |= dict.fromkeys(each.assumed)
        defaults |= each.defaults
    said = ", ".join(names) or "nothing"
    if not (count := sum(map(len, defaults.values()))):
        return said
    listed = "; ".join(f"{layer} {', '.join(left)}" for layer, left in defaults.items())
    counted = f"{count} numbers of {len(defaults)} layers, which `stacksim stack check` names"
    return f"{said}; by default, in no band: {listed if count <= LISTED else counted}"


def notes_of(case: Case, scenario: Scenario) -> Iterator[str]:
    """What ``scenario``, which was built of ``case``, leaves out, and what was given in vain."""
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
    from sim.prediction import stack_caveats  # lazily: no use without a stack file, and much to load

    return stack_caveats
