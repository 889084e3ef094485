"""A stack file as a picture: its load, then each layer from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.output.pictures import style
from sim.output.stack_drawing import Implied, boxes
from sim.system.stack.build import Stack

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLE, _LINE = 0.30, 0.20
"""Inches of the first line of a box, and of each other line."""

_WIDE = 7.0
"""Inches of the picture."""


def figure(stack: Stack, implied: Implied) -> Figure:
    """The stack as a picture."""
    from matplotlib.patches import FancyBboxPatch  # lazily: Matplotlib is slow to import

    drawn_boxes = list(boxes(stack, implied))
    heights = [_TITLE + _LINE * len(fields) + 0.1 for _, fields in drawn_boxes]
    total = sum(heights) + 0.3 * len(drawn_boxes) + 0.4
    drawn = style.blank(_WIDE, total)
    drawn.set_layout_engine("none")  # boxes have fixed places
    axes = drawn.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, _WIDE), ylim=(0.0, total))
    axes.set_axis_off()
    axes.text(0.3, total - 0.25, style.plain(stack.title), fontsize=style.TITLE, weight="bold", va="center")
    top = total - 0.5
    for number, ((heading, fields), height) in enumerate(zip(drawn_boxes, heights, strict=True)):
        if number:
            arrow = {"arrowstyle": "-|>", "color": style.GREY}
            axes.annotate("", xy=(1.0, top), xytext=(1.0, top + 0.3), arrowprops=arrow)
        fill = (style.BLUE if number == 0 else style.GREY, style.FILL)
        box = FancyBboxPatch((0.3, top - height), 6.4, height, boxstyle="round,pad=0,rounding_size=0.08", fc=fill)
        axes.add_patch(box)
        axes.text(0.45, top - _TITLE / 2 - 0.03, style.plain(heading), fontsize=10, weight="bold", va="center")
        for row, line in enumerate(fields):
            at = top - _TITLE - _LINE * (row + 0.5)
            axes.text(0.6, at, style.plain(line), fontsize=style.SMALL, va="center", family="monospace")
        top -= height + 0.3
    return drawn
