"""A stack file with fitted values in place of initial ones; the rest of its text is unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sim.data.fitted import FittedValue
from sim.engine.errors import InputError, shown
from sim.system.parameters import DEVIATIONS, Parameter
from sim.system.system import System

OF_INTERVAL = DEVIATIONS / 1.96
"""Half-width of a 90 % range, as a share of that of a 95 % interval."""

_SIGNS = {"s": (1e6, "us"), "bytes/s": (1e-6, "MB/s"), "bytes": (1.0, "B")}
"""Scale and unit sign of a value, by the unit of a parameter; any other is a plain number."""

_ENTRY = re.compile(r"(?P<name>[A-Za-z_][\w-]*)\s*=\s*\{.*\}\s*(#.*)?")
_TABLE = re.compile(r"\s*\[")


def fitted_text(text: str, system: System, values: Mapping[str, FittedValue], source: str) -> str:
    """The stack file ``text`` of ``system`` with fitted ``values`` and their ranges, from ``source``.

    Raises:
        InputError: a fitted parameter is not written on one line of [parameters], as `name = {…}`.
    """
    lines, left = [], dict(values)
    parameters = {each.name: each for each in system.parameters.free()}
    for line, table in _with_tables(text):
        entry = _ENTRY.fullmatch(line) if table == "[parameters]" else None
        value = left.pop(entry["name"], None) if entry else None
        lines.append(_entry(parameters[entry["name"]], value, source) if entry and value else line)
    if left:
        raise InputError(
            f"parameter '{shown(next(iter(left)))}' is not on one line of [parameters], as name = {{ … }}, so "
            "that no fitted stack file can be written; write it so, or use --fitted with fit.json"
        )
    return "\n".join(lines) + "\n"


def _with_tables(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with the heading of its table."""
    table = ""
    for line in text.splitlines():
        if _TABLE.match(line) and "=" not in line:
            table = line.partition("#")[0].strip()
        yield line, table


def _entry(parameter: Parameter, value: FittedValue, source: str) -> str:
    ends = (value.value * (end / value.value) ** OF_INTERVAL for end in (value.low, value.high))
    low, high = (_written(end, parameter.unit) for end in ends)
    bounds = ", ".join(_written(end, parameter.unit) for end in (parameter.low, parameter.high))
    return (
        f"{parameter.name} = {{ value = {_written(value.value, parameter.unit)}, bounds = [{bounds}], "
        f'range = [{low}, {high}], basis = "fitted", source = "{source}" }}'
    )


def _written(value: float, unit: str) -> str:
    """A value with its unit, in the form of a stack file."""
    scale, sign = _SIGNS.get(unit, (1.0, ""))
    number = f"{value * scale:.6g}"
    return f'"{number}{sign}"' if sign else number
