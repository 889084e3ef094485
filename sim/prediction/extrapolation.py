"""Settings of a case beyond those under which its system was measured, alone or in pairs.

Measured means that models were compared with the figures, published ones or a user's own that were fitted.
Figures added lately, which are in no file of misses yet, do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from sim.prediction.published import compared
from sim.system.case import Case
from sim.system.settings import Setting, complete
from sim.system.system import System


@dataclass(frozen=True)
class Extrapolated:
    """A setting with a value that was never measured; all fields are text for the reader.

    Attributes:
        measured: the values, or the range of numbers, under which figures were published.
    """

    setting: str
    value: str
    measured: str

    def __str__(self) -> str:
        return f"{self.setting}={self.value} (measured: {self.measured})"


def extrapolated(case: Case) -> Iterator[Extrapolated]:
    """Settings of ``case`` outside the published range, or not among published values; empty without figures.

    Each setting is compared by itself; ``apart`` compares pairs.
    """
    measured, conditions = _measured(case.system), case.conditions
    if not measured:
        return
    for setting in case.system.settings:
        value, known = conditions[setting.name], measured[setting.name]
        if not _within(value, known):
            yield Extrapolated(setting.name, case.shown[setting.name], _shown(setting, known))
    for name, (text, otherwise) in case.system.asked.others.items() if case.system.asked else ():
        yield Extrapolated(name, text, otherwise)


@dataclass(frozen=True)
class Apart:
    """Two settings whose values were measured, but never together; all fields are text for the reader."""

    settings: tuple[str, str]
    values: tuple[str, str]

    def __str__(self) -> str:
        one, other = (f"{name}={value}" for name, value in zip(self.settings, self.values, strict=True))
        return f"{one} and {other} together"


def apart(case: Case) -> Iterator[Apart]:
    """Pairs of settings of ``case`` that lie outside all measured combinations.

    Two numbers must lie within the convex hull of published ones; of a number and a word, the number must
    lie within the range published with this word. Settings that are beyond by themselves are left out.
    """
    measured, conditions = _measured(case.system), case.conditions
    within = [
        each for each in case.system.settings if measured and _within(conditions[each.name], measured[each.name])
    ]
    for pair in combinations(within, 2):
        names = (pair[0].name, pair[1].name)
        here = (conditions[names[0]], conditions[names[1]])
        if not _together(here, dict.fromkeys(zip(*(measured[name] for name in names), strict=True))):
            yield Apart(names, (pair[0].show(here[0]), pair[1].show(here[1])))


def measured_ends(system: System, setting: str) -> tuple[Any, ...]:
    """The smallest and the largest measured value of ``setting``; empty if there is none."""
    known = _measured(system).get(setting, ())
    return (min(known), max(known)) if known else ()


def unmeasured(system: System) -> str:
    """Why the measured conditions of ``system`` are not known; empty if they are."""
    if _measured(system):
        return ""
    if system.parameters.seen_under:  # of an older file, whose figures are without their settings
        return f"the fit of {system.name} does not say under which settings it was measured; fit again"
    return f"no measurement of {system.name} is known"


def beyond(case: Case) -> bool:
    """True if the system was never measured under such settings."""
    return any(True for _ in extrapolated(case)) or any(True for _ in apart(case))


def _together(here: tuple[Any, Any], known: Iterable[tuple[Any, Any]]) -> bool:
    """True if two values lie among those ``known``."""
    known = list(known)
    numbers = [all(_is_number(pair[side]) for pair in (here, *known)) for side in (0, 1)]
    if all(numbers):
        return _in_hull([(_off(one, here[0]), _off(other, here[1])) for one, other in known])
    if not any(numbers):
        return here in known
    number, word = (0, 1) if numbers[0] else (1, 0)
    with_it = tuple(pair[number] for pair in known if pair[word] == here[word])
    return _within(here[number], with_it)


def _in_hull(points: Iterable[tuple[float, float]]) -> bool:
    """True if the origin lies in the convex hull of ``points``: seen from it, no half of the plane is empty."""
    points = list(points)
    if (0.0, 0.0) in points:
        return True
    widest = [max(abs(point[axis]) for point in points) or 1.0 for axis in (0, 1)]
    points = [(x / widest[0], y / widest[1]) for x, y in points]  # bytes beside counts would all lie on a line
    angles = sorted(math.atan2(y, x) for x, y in points)
    gaps = [later - earlier for earlier, later in pairwise((*angles, angles[0] + 2.0 * math.pi))]
    return max(gaps) <= math.pi + _ROUNDING


_ROUNDING = 1e-9
"""Tolerance of angles, in radians."""

ALIKE = 0.01
"""Relative difference up to which numbers are equal: 571 bytes of redo were measured, 572 are asked for."""

Measured = Mapping[str, tuple[Any, ...]]
"""Values of each setting under which figures were published, in the order of figures."""

_known: dict[tuple[object, ...], Measured] = {}
"""Measured conditions by system, package and fit, cached since each point of a sweep needs them."""


def _measured(system: System) -> Measured:
    own = system.parameters.seen_under
    key = system.name, system.data_package, own
    if key not in _known:
        conditions = [*compared(system), *(complete(system.settings, dict(each)) for each in own if each)]
        names = conditions[0] if conditions else ()
        _known[key] = {name: tuple(settings[name] for settings in conditions) for name in names}
    return _known[key]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _within(value: Any, known: tuple[Any, ...]) -> bool:
    if known and all(map(_is_number, (value, *known))):
        off = [_off(each, value) for each in known]
        return min(off) <= 0.0 <= max(off)
    return value in known


def _off(known: float, value: float) -> float:
    """Signed distance from ``value`` to a measured value; 0 if they are alike."""
    return 0.0 if math.isclose(known, value, rel_tol=ALIKE) else known - value


def _shown(setting: Setting, known: tuple[Any, ...]) -> str:
    """The range of numbers, or all values, as text."""
    if all(map(_is_number, known)) and len(set(known)) > 1:
        return f"{setting.show(min(known))} … {setting.show(max(known))}"
    return ", ".join(dict.fromkeys(map(setting.show, known)))
