"""The catalogue file: TOML, each value with its unit, checked on reading."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sim.data.hardware.dates import days_of
from sim.data.hardware.record import Basis, Frame, Hardware, Limit, Line, Op
from sim.engine.errors import InputError, nearest, shown
from sim.engine.files import read_toml
from sim.engine.units import quantity
from sim.system.complaints import complaint, form

_RATE, _SIZE, _COUNTED_RATE = "bytes/s", "bytes", "1/s"
_A_SECOND = "/s"
_EXAMPLES = {_RATE: "'212.5 MB/s'", _SIZE: "'16 GiB'", "s": "'2 ms'"}

UNITS: dict[str, str] = {
    "bandwidth": _RATE,
    "duplex_bandwidth": _RATE,
    "iops": _COUNTED_RATE,
    "latency": "s",
    "typical_latency": "s",
    "memory": _SIZE,
    "capacity": _SIZE,
    "burst_iops": _COUNTED_RATE,
    "burst_bandwidth": _RATE,
    "burst_credits": "1",
    "burst_bytes": _SIZE,
}
"""Unit in the records of each quantity that may be bounded."""

_Text = Annotated[str, form(r"[^\x00-\x1f]+", "text on one line, not empty")]
_Name = Annotated[str, form(r"[a-z0-9][a-z0-9.-]*", "small letters, digits, . and -")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _dated(text: str | None) -> str | None:
    """Return ``text`` if it is a date or None."""
    if text is not None:
        days_of(text)
    return text


class _Limit(_Entry):
    what: str
    value: int | float | str
    op: Op | None = None
    basis: Basis | None = None
    source: _Text | None = None
    since: str | None = None
    until: str | None = None
    note: str = ""

    _check_dates = field_validator("since", "until")(_dated)

    @field_validator("what")
    @classmethod
    def _known(cls, what: str) -> str:
        if what not in UNITS:
            raise ValueError(nearest(what, UNITS))
        return what


class _Frame(_Entry):
    payload: int = Field(ge=64)
    around: int = Field(ge=0)
    headers: int = Field(0, ge=0)


class _Line(_Entry):
    gigabits: float = Field(gt=0)
    code: Annotated[str, form(r"[1-9][0-9]*/[1-9][0-9]*", "a ratio, such as 64/66")]
    lanes: int = Field(1, ge=1)
    frame: _Frame | None = None


class _Hardware(_Entry):
    name: _Name
    title: _Text
    kind: _Name
    since: str
    basis: Basis = "published"
    source: _Text
    aliases: tuple[_Name, ...] = ()
    line: _Line | None = None
    limits: tuple[_Limit, ...] = Field(min_length=1)

    _check_since = field_validator("since")(_dated)


class _Catalogue(_Entry):
    hardware: tuple[_Hardware, ...] = Field(min_length=1)


def read(path: Path) -> dict[str, Hardware]:
    """Read every entry of the file ``path``, by name.

    Raises:
        InputError: the file cannot be read, or an entry is not usable; the message names both.
    """
    tables = read_toml("catalogue", path).tables
    try:
        entries = _Catalogue.model_validate(tables).hardware
    except ValidationError as error:
        raise InputError(f"{path}, {complaint(error, _Catalogue)}; fix this entry") from None
    names = Counter(name for entry in entries for name in (entry.name, *entry.aliases))
    if twice := [name for name, times in names.items() if times > 1]:
        raise InputError(f"{path} has the name '{twice[0]}' twice; give each entry names of its own")
    return {entry.name: _hardware(path, entry) for entry in entries}


def _hardware(path: Path, entry: _Hardware) -> Hardware:
    limits = tuple(_limit(f"{path}, {entry.name}", entry, limit) for limit in entry.limits)
    return Hardware(
        entry.name, entry.title, entry.kind, entry.since, entry.source, limits, entry.aliases, _line(entry.line)
    )


def _line(written: _Line | None) -> Line | None:
    if written is None:
        return None
    data, sent = map(int, written.code.split("/"))
    frame = Frame(**written.frame.model_dump()) if written.frame else None
    bits_per_s = written.gigabits * 1e9
    bytes_per_s = bits_per_s * written.lanes * data / sent / 8
    return Line(bits_per_s, (data, sent), written.lanes, frame, bytes_per_s)


def _limit(where: str, entry: _Hardware, written: _Limit) -> Limit:
    unit = UNITS[written.what]
    value = _value(f"{where}, {written.what}", written.value, unit)
    if not value > 0:
        raise InputError(f"{where}, {written.what} is {shown(written.value)}; allowed: more than 0")
    return Limit(
        written.what,
        value,
        unit,
        written.op,
        written.basis or entry.basis,
        written.source or entry.source,
        written.since,
        written.until,
        written.note,
    )


def _value(where: str, written: float | str, unit: str) -> float:
    """Convert ``written`` to ``unit``: a text with its unit for quantities, a number for counts."""
    if unit in ("1", _COUNTED_RATE):
        if isinstance(written, str):
            raise InputError(f"{where} is '{shown(written)}'; allowed: a number")
        return float(written)
    if not isinstance(written, str) or (unit == _RATE) != written.endswith(_A_SECOND):
        raise InputError(
            f"{where} is '{shown(written)}'; allowed: a text with its unit, such as {_EXAMPLES[unit]}"
        )
    if unit == "s":
        return quantity(where, written, "second")
    return quantity(where, written.removesuffix(_A_SECOND), "byte")  # pint, which knows rates, is slow to load
