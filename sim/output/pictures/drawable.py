"""Limits of one picture of a sweep, checked before anything is simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sim.engine.errors import InputError, StacksimError, nearest, shown
from sim.engine.simulation.options import ANALYTIC
from sim.output.pictures.static import MAX_CURVES
from sim.prediction.sweep import groups
from sim.system.case import Case
from sim.system.scenario import LATENCIES

MAX_PANELS = 4
"""Largest number of units in a picture, each in a panel of its own."""


def parsed_measures(text: str) -> list[str]:
    """Parse names of answers to draw; ``hit ratio`` may be written for ``hit_ratio``.

    Raises:
        InputError: one is given twice.
    """
    names = [each.strip().replace(" ", "_") for each in text.split(",")]
    if len(set(names)) < len(names):
        raise InputError(f"an answer is given twice in '{shown(text)}'; give each once")
    return names


def horizontal(varied: Mapping[str, Sequence[Any]], over: str | None = None) -> str:
    """The setting along the x axis of a picture: the one with most values, a number if one is varied.

    Args:
        over: the required setting; None to choose.

    Raises:
        InputError: nothing to draw: no setting, or not ``over``, has two values.
    """
    several = {name: values for name, values in varied.items() if len(values) > 1}
    if not several:
        raise InputError(
            f"nothing to draw with {', '.join(varied)} alone; give a setting several values, such as users=1,4,8"
        )
    if over is not None:
        if over not in several:
            raise InputError(f"cannot draw over '{shown(over)}', which does not vary; {nearest(over, several)}")
        return over
    return max(several, key=lambda name: (numeric(several[name]), len(several[name])))


def numeric(values: Sequence[Any]) -> bool:
    """True if all ``values`` are numbers, which need an axis with room between them."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def check_measures(
    cases: Sequence[Case],
    varied: Mapping[str, Sequence[Any]],
    names: Sequence[str],
    engine: str = "auto",
    paired: Sequence[str] = (),
    over: str | None = None,
) -> None:
    """Refuse a sweep that one picture cannot draw, before hours of simulation.

    Raises:
        InputError: a combination has no such answer, the units differ, or there are too many lines.
    """
    across = horizontal(varied, over)
    together = groups(varied, paired)
    count = len(names) * math.prod(len(varied[group[0]]) for group in together if across not in group)
    if count > MAX_CURVES:
        raise InputError(f"a picture of {count} lines cannot be read; allowed: {MAX_CURVES}; vary less")
    for case in cases:
        try:
            units = case.scenario.units
        except StacksimError:  # that point will report it itself
            continue
        for name in names:
            if name not in units:
                raise InputError(
                    f"system '{case.system.name}' has no answer '{shown(name)}' here; {nearest(name, units)}"
                )
            if engine == ANALYTIC and name in LATENCIES and name != "mean":
                raise InputError(f"the analytic engine does not know {name}; draw mean, or choose engine auto")
        if len({units[name] for name in names}) > MAX_PANELS:
            named = ", ".join(f"{name} in {units[name]}" for name in names)
            raise InputError(f"one picture cannot draw {named}; draw answers of {MAX_PANELS} units at most")
