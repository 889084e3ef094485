"""A stack file as a picture: its load, then each layer from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.output.stack_drawing import Implied, boxes
from sim.system.stack import Stack

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLE, _LINE = 0.30, 0.20
"""Inches of the first line of a box, and of each other."""


def figure(stack: Stack, implied: Implied) -> Figure:
    """The stack as a picture."""
    from matplotlib.figure import Figure  # lazily: it is slow
    from matplotlib.patches import FancyBboxPatch  # lazily: with it

    drawn_boxes = list(boxes(stack, implied))
    heights = [_TITLE + _LINE * len(fields) + 0.1 for _, fields in drawn_boxes]
    total = sum(heights) + 0.3 * len(drawn_boxes) + 0.4
    drawn = Figure(figsize=(7.0, total))
    axes = drawn.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 7.0), ylim=(0.0, total))
    axes.set_axis_off()
    axes.text(0.3, total - 0.25, stack.title, fontsize=12, weight="bold", va="center")
    top = total - 0.5
    for number, ((heading, fields), height) in enumerate(zip(drawn_boxes, heights, strict=True)):
        if number:
            arrow = {"arrowstyle": "-|>", "color": "0.3"}
            axes.annotate("", xy=(1.0, top), xytext=(1.0, top + 0.3), arrowprops=arrow)
        fill = "#dceaf7" if number == 0 else "#f4f1e8"
        box = FancyBboxPatch((0.3, top - height), 6.4, height, boxstyle="round,pad=0,rounding_size=0.08", fc=fill)
        axes.add_patch(box)
        axes.text(0.45, top - _TITLE / 2 - 0.03, heading, fontsize=10, weight="bold", va="center")
        for row, line in enumerate(fields):
            axes.text(0.6, top - _TITLE - _LINE * (row + 0.5), line, fontsize=8, va="center", family="monospace")
        top -= height + 0.3
    return drawn
