"""A picture of curves as data: Matplotlib draws it on paper, `chart.js` in a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """One axis of a chart.

    Attributes:
        unit: empty for a count.
        logarithmic: True if equal factors are equally far apart.
        named: text of each tick by its place; empty for round numbers.
        kinds: True if places are categories, numbered from 0, drawn as bars.
    """

    label: str
    unit: str = ""
    logarithmic: bool = False
    named: Mapping[float, str] | None = None
    kinds: bool = False

    @property
    def title(self) -> str:
        """Label, with the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Curve:
    """Predictions along the x axis, with their intervals.

    Attributes:
        low: lower ends of the intervals; nan where there is none. As long as ``x``, as is ``high``.
        dashed: True if it is not an answer, but such as a limit.
        knee: index of the knee, if any.
        untested: True for each point beyond all measurements; all false if empty.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dashed: bool = False
    knee: int | None = None
    untested: Sequence[bool] = ()


@dataclass(frozen=True)
class Points:
    """Measured and published figures.

    Attributes:
        curve: number of the curve with the same conditions, whose colour they have.
        half_width: rounding, to either side.
    """

    curve: int
    x: Sequence[float]
    y: Sequence[float]
    half_width: Sequence[float] = ()


@dataclass(frozen=True)
class Chart:
    """Curves over one axis, with published figures on top.

    Attributes:
        band: description of its curves' intervals; empty if there are none.
    """

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    published: Sequence[Points] = ()
    band: str = ""

    def record(self) -> dict[str, Any]:
        """Data of `chart.js`, ready for JSON; unknown values are None."""
        return _plain(asdict(self))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case float():
            return value if math.isfinite(value) else None
        case _:
            return value
