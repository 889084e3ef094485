"""A picture of a prediction over time: throughput above, the levels of buffers below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.output.pictures import style
from sim.prediction.over_time import PredictionOverTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 2_000
"""Most points of a curve: of more, each step is the mean of neighbours."""

_UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3))


def figure(prediction: PredictionOverTime) -> Figure:
    """Throughput in each part with burst and sustained rate dashed; below, the share that each level is full."""
    record, levels = prediction.record, prediction.levels
    panels = 1 + bool(levels)
    drawn = style.blank(11.0, 0.6 + 2.8 * panels)
    rows = drawn.subplots(panels, 1, sharex=True, squeeze=False)[:, 0]
    unit, scale = next((each for each in _UNITS if record.seconds >= 2.0 * each[1]), _UNITS[-1])
    step = max(1, len(record.rates) // POINTS)
    count = len(record.rates) // step
    rates = record.rates[: count * step].reshape(count, step).mean(axis=1) * prediction.amount
    edges = [number * step * record.resolution_s / scale for number in range(count + 1)]
    rows[0].stairs(rates, edges, baseline=None, color=style.BLUE, linewidth=1.2, label="in each part")
    for colour, name in ((style.VERMILION, "burst"), (style.GREEN, "sustained")):
        if name == "sustained" or record.burst:
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


def _levels(axes: Axes, prediction: PredictionOverTime, edges: list[float], step: int) -> None:
    capacity = {each.name: getattr(each, "capacity", 1) for each in prediction.case.scenario.model.places}
    for number, name in enumerate(prediction.levels):
        shares = prediction.record.levels[name][::step][: len(edges)] * 100.0 / capacity[name]
        colour = style.PALETTE[number % len(style.PALETTE)]
        axes.plot(edges[: len(shares)], shares, color=colour, linewidth=1.2, label=style.plain(name))
    axes.set_ylabel("level (% full)")
    axes.set_ylim(top=105.0)
