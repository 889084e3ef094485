"""Pictures that show themselves in Jupyter, wherever it draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.output.pictures.style import content
from sim.output.pictures.sweep import sweep_figure
from sim.prediction.swept import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure of Matplotlib, made without ``pyplot`` and so shown without it."""

    figure: Figure

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
    return Picture(sweep_figure(sweep.predictions, sweep.varied, measures or ("throughput",), over=over))
