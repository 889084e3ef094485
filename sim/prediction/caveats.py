"""What a reader has to know of an answer: one function, whichever way the question came in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.prediction.extrapolation import Apart, Extrapolated, apart, ever_measured, extrapolated
from sim.prediction.idle_fields import idle_fields
from sim.simulation.variation import Variation
from sim.system.case import Case
from sim.system.scenario import Scenario


@dataclass(frozen=True)
class Caveats:
    """Of one answer.

    Attributes:
        extrapolated: settings under which nobody has measured the system.
        apart: pairs of settings that nobody has measured together.
        notes: what the model leaves out of this load, and what has no effect in it, one line each.
        percentiles: why they are not known, or rest on assumptions, in a line; empty where they lack nothing.
        assumed: the parameters that nobody measured, published or derived.
        unmeasured: the system, if no measurement of it is known at all.
    """

    extrapolated: tuple[Extrapolated, ...]
    apart: tuple[Apart, ...]
    notes: tuple[str, ...]
    percentiles: str = ""
    assumed: tuple[str, ...] = ()
    unmeasured: str = ""

    @property
    def untested(self) -> tuple[str, ...]:
        """What nobody has measured."""
        nothing = [f"no measurement of {self.unmeasured} is known"] if self.unmeasured else []
        return (*nothing, *map(str, self.extrapolated), *map(str, self.apart))

    @property
    def beyond(self) -> bool:
        """Whether it lies beyond what was measured of the system; not if nothing was."""
        return bool(self.extrapolated or self.apart)

    @property
    def lines(self) -> tuple[str, ...]:
        """Those of this answer as people write them, those that are *untested* first; not what is ``assumed``."""
        return (*(f"untested {each}" for each in self.untested), *self.notes, *filter(None, [self.percentiles]))

    def record(self) -> dict[str, Any]:
        """The JSON record."""
        return {
            "extrapolated": [vars(each) for each in self.extrapolated],
            "apart": [dict(zip(each.settings, each.values, strict=True)) for each in self.apart],
            "notes": list(self.notes),
            "measured": not self.unmeasured,
            "assumed": list(self.assumed),
        }


def caveats_of(case: Case, notes: tuple[str, ...], variation: Variation | None) -> Caveats:
    """Those of an answer to ``case``, whose model has these ``notes``, and whose times had this ``variation``."""
    lacking = f"percentiles {variation.words}" if variation and variation.words else ""
    assumed = tuple(each.name for each in case.system.parameters.assumed())
    unmeasured = "" if ever_measured(case.system) else case.system.name
    return Caveats(tuple(extrapolated(case)), tuple(apart(case)), notes, lacking, assumed, unmeasured)


def notes_of(case: Case, scenario: Scenario) -> Iterator[str]:
    """What ``scenario``, which was built of ``case``, leaves out, and what was given in vain."""
    asked = case.system.asked
    yield from dict.fromkeys((*(asked.notes if asked else ()), *scenario.notes, *idle_fields(case.system)))
    if idle := [name for name in case.without_effect() if name not in scenario.replaced]:
        words = ", ".join(f"{name}={case.shown[name]}" for name in idle)
        yield f"{words}: no effect here, as nothing in the model of this case reads {'them' if idle[1:] else 'it'}"
