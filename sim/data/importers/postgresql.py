"""Counters of PostgreSQL as CSV, between two snapshots: ``pg_stat_wal``, ``pg_stat_io``, ``pg_stat_statements``.

    psql --csv -c 'select now(), * from pg_stat_wal' >> wal.csv       # before the load, and again after it

Figures are differences from the first snapshot of the file to the last, a second and by operation. A single
snapshot counts from its ``stats_reset`` (a statement's ``stats_since``). Without times there are no rates. Counts
of 0 are left out, and so are times where ``track_io_timing`` or ``track_wal_io_timing`` is off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sim.data.importers.postgresql_views import VIEWS, View
from sim.data.importers.told import Number, Told
from sim.data.package import read_rows, read_text
from sim.engine.errors import InputError, shown
from sim.engine.units.reading import amount

_SINCE = ("stats_reset", "stats_since")


@dataclass(frozen=True)
class _Row:
    """A row of a snapshot, which begins in ``line``."""

    place: str
    line: int
    cells: Mapping[str, str]

    def number(self, name: str) -> Number:
        """The counter ``name``; InputError if it is not a number."""
        text = self.cells[name]
        number = amount(text)
        if not number or number.unit:
            raise InputError(
                f"{self.place}: {name} is '{shown(text)}'; allowed: a number from 0; is the file cut short?"
            )
        return Number.of(number)

    def time_s(self, name: str) -> float | None:
        """The time ``name`` in seconds; None if it is absent; InputError if it is not a time."""
        text = self.cells.get(name)
        if not text:
            return None
        try:
            return datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError, OSError):
            raise InputError(
                f"{self.place}: {name} is '{shown(text)}'; allowed: a time such as 2026-11-27 13:26:31.8+00; set "
                "datestyle = 'ISO' and take the snapshot again"
            ) from None


_Key = tuple[str, ...]
_Snapshot = Mapping[_Key, _Row]


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of CSV of a known view."""
    return _view(head.partition("\n")[0].replace('"', "").strip().split(",")) is not None


def _view(heading: Sequence[str]) -> View | None:
    return next((view for view in VIEWS if view.marks <= {*heading}), None)


def told(path: Path) -> Iterator[Told]:
    """Yield rates and means of all counters.

    Raises:
        InputError: one line with file and line for a row that is cut short, or counters that went backwards.
    """
    view, snapshots = _snapshots(path)
    first, last = snapshots[0] if len(snapshots) > 1 else {}, snapshots[-1]
    figures = [
        figure
        for key, row in last.items()
        for figure in _figures(view, row, first.get(key), _seconds(row, first.get(key), [*first.values()]))
    ]
    if not figures:
        raise InputError(
            f"{path} counts nothing between its snapshots; take one before the load and one behind it"
        )
    yield from figures


def _snapshots(path: Path) -> tuple[View, list[_Snapshot]]:
    """The view, and the rows of each snapshot by their key; each snapshot begins with the headings."""
    rows = [(line, cells) for line, cells in read_rows(path) if any(cells)]
    heading = rows[0][1] if rows else []
    view = _view(heading)
    if not view:
        raise InputError(f"{path} begins with no headings of a view of PostgreSQL; run psql --csv")
    if not read_text(path).endswith("\n"):
        raise InputError(f"{path}, line {rows[-1][0]} does not end; is the file cut short?")
    snapshots: list[dict[_Key, _Row]] = []
    for line, cells in rows:
        place = f"{path}, line {line}"
        if cells == heading:
            snapshots.append({})
            continue
        if len(cells) != len(heading):
            raise InputError(f"{place} has {len(cells)} cells; allowed: {len(heading)}; is the file cut short?")
        named = dict(zip(heading, cells, strict=True))
        key = tuple(named.get(name, "") for name in view.key)
        if key in snapshots[-1]:
            raise InputError(
                f"{place} counts the same as line {snapshots[-1][key].line}; begin each snapshot with its headings"
            )
        snapshots[-1][key] = _Row(place, line, named)
    if not all(snapshots):
        raise InputError(f"{path} has headings without rows; is it cut short? take the snapshot again")
    return view, [*snapshots]


def _seconds(row: _Row, before: _Row | None, first: Sequence[_Row]) -> float | None:
    """Length of the counted time: from the ``first`` snapshot on, or without one since the reset."""
    now = row.time_s("now")
    reset = next((name for name in _SINCE if row.cells.get(name)), "")
    since = first[0].time_s("now") if first else row.time_s(reset)
    if before and reset and row.time_s(reset) != before.time_s(reset):
        raise InputError(
            f"{row.place}: {reset} is another than in line {before.line}; take two snapshots of one time"
        )
    if now is None or since is None:
        return None
    if now <= since:
        raise InputError(f"{row.place}: now is {shown(row.cells['now'])}, which is not after what it counts from")
    return now - since


def _figures(view: View, row: _Row, before: _Row | None, seconds: float | None) -> Iterator[Told]:
    """Yield the figures of one row over ``seconds``, or from ``before`` on."""
    for figure in view.figures:
        count = _counted(row, before, figure.per) if figure.per else Number(seconds or 0.0, 0.0)
        total = _counted(row, before, figure.total)
        if figure.each and total.value:
            total = total.times(row.number(figure.each).value if row.cells.get(figure.each) else 0.0)
        if total.value and count.value:
            value = total.value / count.value
            half_width = (total.half_width + value * count.half_width) / count.value
            yield Told(
                row.line,
                figure.measure,
                value * figure.scale,
                half_width * figure.scale,
                figure.unit,
                part=view.part(row.cells),
            )


def _counted(row: _Row, before: _Row | None, columns: Sequence[str]) -> Number:
    """Sum of those ``columns`` that exist, from ``before`` on.

    Raises:
        InputError: one went backwards.
    """
    value = half_width = 0.0
    for name in columns:
        if not row.cells.get(name):
            continue
        now = row.number(name)
        then = before.number(name) if before and before.cells.get(name) else Number(0.0, 0.0)
        if before and then.value > now.value:
            raise InputError(
                f"{row.place}: {name} is {shown(row.cells[name])}, and was {before.cells[name]} before; take two "
                "snapshots without a reset between"
            )
        value, half_width = value + now.value - then.value, half_width + now.half_width
    return Number(value, half_width)
