"""A picture of a fit: the interval of each parameter, and correlated pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.calibration.calibrate import Calibration
from sim.output.pictures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure(calibration: Calibration) -> Figure:
    """Intervals as shares of the priors on the left, correlations on the right."""
    names = [each.name for each in calibration.problem.free]
    drawn = style.blank(13.0, max(3.6, 1.5 + 0.36 * len(names)))  # less height has no room for the title
    left, right = drawn.subplots(1, 2)
    intervals(left, calibration)
    _correlations(right, calibration, names)
    return drawn


def intervals(axes: Axes, calibration: Calibration) -> None:
    """Draw each parameter's interval on its prior, both as shares of the middle of the prior."""
    names = [each.name for each in calibration.problem.free]
    for row, parameter in enumerate(calibration.problem.free):
        value = calibration.fitted.parameters[parameter.name]
        axes.plot(
            [parameter.low / parameter.centre, parameter.high / parameter.centre],
            [row, row],
            color=style.FAINT,
            lw=7,
        )
        colour = style.VERMILION if value.at_bound else style.ORANGE if value.at_prior else style.BLUE
        axes.plot([value.low / parameter.centre, value.high / parameter.centre], [row, row], color=colour, lw=3)
        axes.plot(value.value / parameter.centre, row, "o", color=colour)
    axes.set_xscale("log", base=2)
    style.plain_numbers(axes.xaxis)
    axes.tick_params(axis="x", labelsize=style.SMALL)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(
        "value / middle of the prior; grey: the prior\norange: data hardly narrow it; vermilion: at its bound"
    )
    axes.set_title("95 % intervals by profile likelihood", fontsize=style.TITLE)
    style.dress(axes)


def _correlations(axes: Axes, calibration: Calibration, names: list[str]) -> None:
    image = axes.imshow(calibration.certainty.correlation, cmap="RdBu_r", vmin=-1, vmax=1)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), [""] * len(names))
    axes.set_title("pairs that trade off: correlation of the estimates", fontsize=style.TITLE)
    axes.figure.colorbar(image, ax=axes)
