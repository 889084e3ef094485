"""A stack file drawn: its load, then each layer from top to bottom, as text or as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sim.system.stack import Entry, Filled, Stack

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 72
"""Columns of a drawing as text."""

_TITLE, _LINE = 0.30, 0.20
"""Inches of the first line of a box in a picture, and of each other."""


Implied = Mapping[str, Mapping[str, Filled]]
"""Fields that a stack file leaves out and others imply, by layer and name."""


def text(stack: Stack, implied: Implied) -> str:
    """The stack as text, at most ``WIDTH`` columns wide."""
    lines = [stack.title, ""]
    for number, (heading, fields) in enumerate(_boxes(stack, implied)):
        if number:
            lines.append("   │")
        lines += _box(heading, fields)
    return "\n".join(lines)


def _boxes(stack: Stack, implied: Implied) -> Iterator[tuple[str, list[str]]]:
    """A heading and lines for each load and for each layer."""
    loads = (stack.load, *stack.beside)
    for entry in (*loads, *stack.layers):
        heading = f"load: {_heading(entry)}" if entry in loads else _heading(entry)
        lines = [line for each in entry.fields.items() for line in _field(*each)]
        yield heading, lines + list(_implied(implied.get(entry.name, {})))


def _heading(entry: Entry) -> str:
    kind = "" if entry.name == entry.kind else f" ({entry.kind})"
    return f"{entry.name}{kind}{', one for all copies' if entry.shared else ''}"


def _implied(fields: Mapping[str, Filled]) -> Iterator[str]:
    """What the file leaves out, and where it is from, said once."""
    for source in dict.fromkeys(each.source for each in fields.values() if each.source):
        yield from _wrapped(f"from {source}")
        for name, each in fields.items():
            if each.source == source:
                yield from _wrapped(f"  {name} = {each.text}")


def _field(name: str, value: Any) -> list[str]:
    return _wrapped(f"{name} = {_written(value)}")


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH - 4, subsequent_indent="    " if line.startswith(" ") else "  ")


def _written(value: Any) -> str:
    """A value as it stands in the file, without quotes."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _box(heading: str, fields: list[str]) -> Iterator[str]:
    width = max(map(len, (heading, *fields)))
    yield f"┌─{'─' * width}─┐"
    for line in (heading, *fields):
        yield f"│ {line:<{width}} │"
    yield f"└─{'─' * width}─┘"


def figure(stack: Stack, implied: Implied) -> Figure:
    """The stack as a picture."""
    from matplotlib.figure import Figure  # lazily: it is slow
    from matplotlib.patches import FancyBboxPatch  # lazily: with it

    boxes = list(_boxes(stack, implied))
    heights = [_TITLE + _LINE * len(fields) + 0.1 for _, fields in boxes]
    total = sum(heights) + 0.3 * len(boxes) + 0.4
    drawn = Figure(figsize=(7.0, total))
    axes = drawn.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 7.0), ylim=(0.0, total))
    axes.set_axis_off()
    axes.text(0.3, total - 0.25, stack.title, fontsize=12, weight="bold", va="center")
    top = total - 0.5
    for number, ((heading, fields), height) in enumerate(zip(boxes, heights, strict=True)):
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
