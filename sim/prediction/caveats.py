"""What a reader has to know of an answer: one function, whichever way the question came in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.prediction.extrapolation import Apart, Extrapolated, apart, extrapolated
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
    """

    extrapolated: tuple[Extrapolated, ...]
    apart: tuple[Apart, ...]
    notes: tuple[str, ...]
    percentiles: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """All of them as people write them, those that are *untested* first."""
        untested = (f"untested {each}" for each in (*self.extrapolated, *self.apart))
        return (*untested, *self.notes, *filter(None, [self.percentiles]))

    def record(self) -> dict[str, Any]:
        """The JSON record."""
        return {
            "extrapolated": [vars(each) for each in self.extrapolated],
            "apart": [dict(zip(each.settings, each.values, strict=True)) for each in self.apart],
            "notes": list(self.notes),
        }


def caveats_of(case: Case, notes: tuple[str, ...], variation: Variation | None) -> Caveats:
    """Those of an answer to ``case``, whose model has these ``notes``, and whose times had this ``variation``."""
    lacking = f"percentiles {variation.words}" if variation and variation.words else ""
    return Caveats(tuple(extrapolated(case)), tuple(apart(case)), notes, lacking)


def notes_of(case: Case, scenario: Scenario) -> Iterator[str]:
    """What ``scenario``, which was built of ``case``, leaves out, and what was given in vain."""
    asked = case.system.asked
    yield from dict.fromkeys((*(asked.notes if asked else ()), *scenario.notes))
    if idle := [name for name in case.without_effect() if name not in scenario.replaced]:
        words = ", ".join(f"{name}={case.shown[name]}" for name in idle)
        yield f"{words}: no effect here, as nothing in the model of this case reads {'them' if idle[1:] else 'it'}"
