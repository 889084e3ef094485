"""Pictures that show themselves in Jupyter, wherever it draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.output.pictures import static
from sim.output.pictures.chart import Chart
from sim.output.pictures.style import content
from sim.output.pictures.sweep import charts
from sim.prediction.swept import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure of Matplotlib, made without ``pyplot`` and so shown without it.

    Attributes:
        charts: what it shows as data, if it shows nothing but curves.
    """

    figure: Figure
    charts: Sequence[Chart] = ()

    def _repr_png_(self) -> bytes:
        return content(self.figure, "png")


def curves(sweep: Sweep, *measures: str, over: str | None = None) -> Picture:
    """Answers over a setting, one curve for each combination of the others, with published figures on top.

    Args:
        measures: answers, by default throughput; each unit has its own panel.
        over: the setting along the x axis; without it, the one with most values.

    Raises:
        InputError: nothing to draw, or too many curves to distinguish.
    """
    drawn = charts(sweep.predictions, sweep.varied, measures or ("throughput",), over=over)
    return Picture(static.figure(*drawn), drawn)
