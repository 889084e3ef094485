"""A user's own CSV table: a column for each setting, then value and unit, optionally measure and half_width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sim.data.dataset import MAX, MIN
from sim.data.importers.figures import Reading
from sim.data.package import Refused, raised, read_rows, read_text
from sim.engine.errors import InputError, nearest, shown
from sim.engine.units.reading import Amount, amount
from sim.system.system import System

REQUIRED = ("value", "unit")
OPTIONAL = ("measure", "half_width")

_SEPARATORS = re.compile(r"[;\t|]")


def readings(path: Path, system: System, refused: Refused = raised) -> Iterator[Reading]:
    """Yield every row of the table; InputError with its line for an unusable one.

    Args:
        refused: called for each rejected row, which is skipped.
    """
    (_, header), *rows = read_rows(path) or [(1, [])]
    while rows and not any(cell.strip() for cell in rows[-1][1]):
        rows.pop()  # spreadsheets and editors leave blank lines at the end
    columns = [name.strip() for name in header]
    _check_columns(path, columns, system)
    if not rows:
        raise InputError(f"{path}, line 2 is absent; allowed: at least one row; is the file cut short?")
    _check_end(path, columns, rows[-1][0])
    for line, cells in rows:
        try:
            yield _reading(path, line, columns, cells)
        except InputError as refusal:
            refused(refusal)


def _check_columns(path: Path, columns: list[str], system: System) -> None:
    if len(columns) == 1 and (other := _SEPARATORS.search(columns[0])):
        raise InputError(
            f"{path}, line 1 is '{columns[0]:.100}', with {other[0]!r} between the columns; allowed: commas, "
            "and a point in numbers; save it so"
        )
    allowed = [*(setting.name for setting in system.settings), *REQUIRED, *OPTIONAL]
    for number, name in enumerate(columns, 1):
        if name not in allowed:
            raise InputError(f"{path}, line 1, column {number} is '{shown(name)}'; {nearest(name, allowed)}")
        if columns.index(name) < number - 1:
            raise InputError(f"{path}, line 1, column {number} is '{shown(name)}' again; take one of them out")
    for name in REQUIRED:
        if name not in columns:
            raise InputError(f"{path}, line 1 has no column '{name}'; add it, filled in every line")


def _check_end(path: Path, columns: list[str], last: int) -> None:
    """Refuse a last line without a line end: 880 cut to 88 is still a number."""
    if columns[-1] != "unit" and not read_text(path).endswith(("\n", "\r")):
        raise InputError(
            f"{path}, line {last} does not end; is the file cut short? If it is whole, add a line break"
        )


def _reading(path: Path, line: int, columns: list[str], row: list[str]) -> Reading:
    place = f"{path}, line {line}"
    if len(row) != len(columns):
        raise InputError(
            f"{place} has {len(row)} cells; allowed: {len(columns)}, as in line 1; is the file cut short?"
        )
    cells = dict(zip(columns, (cell.strip() for cell in row), strict=True))
    if not cells["unit"]:
        raise InputError(f"{place}: unit is missing; write the unit of {cells['value']}, such as MB/s")
    value = _number(place, "value", cells["value"])
    half_width = _number(place, "half_width", cells["half_width"]) if "half_width" in cells else None
    return Reading(
        file=path,
        line=line,
        settings={name: text for name, text in cells.items() if name not in (*REQUIRED, *OPTIONAL)},
        measure=cells.get("measure", "throughput"),
        value=value.value,
        half_width=half_width.value if half_width else value.half_a_digit,
        unit=cells["unit"],
    )


def _number(place: str, column: str, text: str) -> Amount:
    """Parse ``text``; checked before conversion, so that a message shows the cell as written."""
    number = amount(text)
    if not number or number.unit:
        raise InputError(
            f"{place}: {column} is '{shown(text)}'; allowed: a number such as 405 or 0.91, its unit in the column "
            "unit; fix this cell"
        )
    if not MIN <= number.value <= MAX:
        hint = "; leave the column out where it is not known" if column == "half_width" else ""
        raise InputError(
            f"{place}: {column} is '{shown(text)}'; allowed: a number above 0, from {MIN:g} to {MAX:g}; "
            f"fix this cell or its unit{hint}"
        )
    return number
