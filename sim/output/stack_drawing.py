"""A stack file drawn as text: its load, then each layer from top to bottom."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry
from sim.system.stack.kinds import Filled

WIDTH = 72
"""Columns of a drawing as text."""

Implied = Mapping[str, Mapping[str, Filled]]
"""Fields that a stack file leaves out and others imply, by layer and name."""


def text(stack: Stack, implied: Implied) -> str:
    """The stack as text, at most ``WIDTH`` columns wide."""
    lines = [stack.title, ""]
    for number, (heading, fields) in enumerate(boxes(stack, implied)):
        if number:
            lines.append("   │")
        lines += _box(heading, fields)
    return "\n".join(lines)


def boxes(stack: Stack, implied: Implied) -> Iterator[tuple[str, list[str]]]:
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
    """Yield fields that the file leaves out, grouped by their source."""
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
