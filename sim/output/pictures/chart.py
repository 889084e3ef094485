"""What a picture of curves shows, as data: Matplotlib draws it for paper, `chart.js` in a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """What an axis shows.

    Attributes:
        unit: empty for a count.
        logarithmic: whether equal factors are equally far apart.
        named: the text at each place that is named; empty if round numbers are to be.
        kinds: whether the places are kinds, numbered from 0: bars stand there, as nothing lies between them.
    """

    label: str
    unit: str = ""
    logarithmic: bool = False
    named: Mapping[float, str] | None = None
    kinds: bool = False

    @property
    def title(self) -> str:
        """The label, and the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Curve:
    """Predictions along the x axis, and the interval in which each lies.

    Attributes:
        low: lower ends of the intervals; nan where there is none. Of the same length as ``x``, as is ``high``.
        dashed: whether it is something else than an answer, such as a limit.
        knee: which point is the knee, if any.
        untested: of each point whether it lies beyond what anybody has measured; all false if empty.
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
    """Figures that somebody measured and published.

    Attributes:
        curve: the number of the curve whose conditions they have, which gives them its colour.
        half_width: what rounding leaves open, to either side.
    """

    curve: int
    x: Sequence[float]
    y: Sequence[float]
    half_width: Sequence[float] = ()


@dataclass(frozen=True)
class Chart:
    """Curves over one axis, with published figures on top.

    Attributes:
        band: what the intervals of its curves are; empty if none is known.
    """

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    published: Sequence[Points] = ()
    band: str = ""

    def record(self) -> dict[str, Any]:
        """What `chart.js` draws, ready for JSON; what is not known is None."""
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
