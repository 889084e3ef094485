"""A picture of a prediction over time: throughput above, the levels of buffers below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.engine.units.text import LONG_TIMES
from sim.output.pictures import style
from sim.output.pictures.chart import Axis, Chart, Curve
from sim.prediction.over_time import PredictionOverTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 2_000
"""Most points of a curve: of more, each step is the mean of neighbours."""

MARKS = 60
"""Most points of a chart in a page, where each has a mark."""

_UNITS = (*LONG_TIMES, ("s", 1.0), ("ms", 1e-3))


def figure(prediction: PredictionOverTime) -> Figure:
    """Throughput in each part with burst and sustained rate dashed; below, the share that each level is full."""
    record, levels = prediction.record, prediction.levels
    panels = 1 + bool(levels)
    drawn = style.blank(11.0, 0.6 + 2.8 * panels)
    rows = drawn.subplots(panels, 1, sharex=True, squeeze=False)[:, 0]
    unit, scale = _unit(prediction)
    step, rates = _rates(prediction, POINTS)
    edges = [number * step * record.resolution_s / scale for number in range(len(rates) + 1)]
    rows[0].stairs(rates, edges, baseline=None, color=style.BLUE, linewidth=1.2, label="in each part")
    for colour, name in ((style.VERMILION, "burst"), (style.GREEN, "sustained")):
        if record.burst if name == "burst" else prediction.answers[name].estimate.known:
            rows[0].axhline(prediction.value(name), color=colour, linestyle="--", linewidth=1, label=name)
    rows[0].set_ylabel(f"throughput ({prediction.unit})")
    if levels:
        _levels(rows[1], prediction, edges, step)
    for axes in rows:
        axes.set_ylim(bottom=0.0)
        axes.set_xlim(0.0, edges[-1])
        style.dress(axes)
        axes.legend(**style.OUTSIDE)
    rows[-1].set_xlabel(f"{unit} since the beginning")
    shown = "  ".join(f"{name}={text}" for name, text in prediction.shown.items())
    style.title(drawn, f"{prediction.system}  {shown}")
    return drawn


def chart(prediction: PredictionOverTime) -> Chart:
    """Throughput over time as a chart of a page, each point the mean of the time around it."""
    unit, scale = _unit(prediction)
    step, rates = _rates(prediction, MARKS)
    x = [(number + 0.5) * step * prediction.record.resolution_s / scale for number in range(len(rates))]
    curves = [Curve("throughput", x, rates.tolist())]
    if prediction.answers["sustained"].estimate.known:
        curves.append(Curve("sustained", [x[0], x[-1]], [prediction.value("sustained")] * 2, dashed=True))
    return Chart(f"{prediction.system} over time", Axis("time", unit), Axis("throughput", prediction.unit), curves)


def _unit(prediction: PredictionOverTime) -> tuple[str, float]:
    """Unit of the time axis, and its size in seconds."""
    return next((each for each in _UNITS if prediction.record.seconds >= 2.0 * each[1]), _UNITS[-1])


def _rates(prediction: PredictionOverTime, most: int) -> tuple[int, NDArray[np.float64]]:
    """Throughput of at most about ``most`` steps, and the number of parts in a step."""
    rates = prediction.record.rates
    step = max(1, len(rates) // most)
    count = len(rates) // step
    return step, rates[: count * step].reshape(count, step).mean(axis=1) * prediction.amount


def _levels(axes: Axes, prediction: PredictionOverTime, edges: list[float], step: int) -> None:
    capacity = {each.name: getattr(each, "capacity", 1) for each in prediction.case.scenario.model.places}
    for number, name in enumerate(prediction.levels):
        shares = prediction.record.levels[name][::step][: len(edges)] * 100.0 / capacity[name]
        colour = style.PALETTE[number % len(style.PALETTE)]
        axes.plot(edges[: len(shares)], shares, color=colour, linewidth=1.2, label=style.plain(name))
    axes.set_ylabel("level (% full)")
    axes.set_ylim(top=105.0)
