"""What a reader has to know of an answer: one function, whichever way the question came in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.prediction.extrapolation import Apart, Extrapolated, apart, extrapolated
from sim.system.case import Case
from sim.system.scenario import Scenario


@dataclass(frozen=True)
class Caveats:
    """Of one answer.

    Attributes:
        extrapolated: settings under which nobody has measured the system.
        apart: pairs of settings that nobody has measured together.
        notes: what the model leaves out of this load, and what has no effect in it, one line each.
    """

    extrapolated: tuple[Extrapolated, ...]
    apart: tuple[Apart, ...]
    notes: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """All of them as people write them, those that are *untested* first."""
        return (*(f"untested {each}" for each in (*self.extrapolated, *self.apart)), *self.notes)

    def record(self) -> dict[str, Any]:
        """The JSON record."""
        return {
            "extrapolated": [vars(each) for each in self.extrapolated],
            "apart": [dict(zip(each.settings, each.values, strict=True)) for each in self.apart],
            "notes": list(self.notes),
        }


def caveats_of(case: Case, notes: tuple[str, ...]) -> Caveats:
    """Those of an answer to ``case``, whose model has these ``notes``."""
    return Caveats(tuple(extrapolated(case)), tuple(apart(case)), notes)


def notes_of(case: Case, scenario: Scenario) -> Iterator[str]:
    """What ``scenario``, which was built of ``case``, leaves out, and what was given in vain."""
    asked = case.system.asked
    yield from dict.fromkeys((*(asked.notes if asked else ()), *scenario.notes))
    if idle := [name for name in case.without_effect() if name not in scenario.replaced]:
        words = ", ".join(f"{name}={case.shown[name]}" for name in idle)
        yield f"{words}: no effect here, as nothing in the model of this case reads {'them' if idle[1:] else 'it'}"
