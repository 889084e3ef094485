"""Allowed entries of a claim file, and the `Claim` made of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sim.data.hardware.dates import days_of
from sim.engine.errors import InputError, nearest, shown
from sim.system.installed import STACK_FILE
from stacksim.claims.claim import Claim, Number, OtherSide, Subject
from stacksim.claims.number import CHANGE, KINDS, LEAST_MTU, MOST_MTU, RATIO, number_of
from stacksim.claims.verdict import Cause, Word

_LONGEST = 2000
"""Largest number of characters of a text."""

_STATISTICS = {
    "latency": ("mean", "p50", "p90", "p95", "p99", "p99.9", "max", "min"),
    "throughput": ("sum", "each", "mean", "peak"),
    "iops": ("sum", "each", "mean", "peak"),
}
CONDITIONS = ("op", "pattern", "access", "data", "price")


def _quantity(raw: object, info: ValidationInfo) -> Number:
    """Validate a number, or a table of its value and its statistic."""
    name = info.field_name or ""
    of = ""
    if isinstance(raw, Mapping):
        if not {"value"} <= set(raw) <= {"value", "of"}:
            raise InputError('allowed: text, or { value = "…", of = "…" }')
        of, raw = raw.get("of", ""), raw["value"]
        if of not in ("", *_STATISTICS.get(name, ())):
            words = _STATISTICS.get(name)
            raise InputError(f"of is '{shown(of)}'; {nearest(str(of), words) if words else 'leave it out'}")
    number = number_of(raw, {"ratio": RATIO, "change": CHANGE}.get(name) or KINDS[name], of)
    if name == "mtu" and not LEAST_MTU <= number.low == number.high <= MOST_MTU:
        raise InputError(f"allowed: {KINDS[name].allowed}")
    return number


Quantity = Annotated[InstanceOf[Number] | None, BeforeValidator(_quantity)]


def _on_one_line(raw: object) -> str:
    """Validate a text; runs of white space become one blank."""
    text = " ".join(raw.split()) if isinstance(raw, str) else ""
    if not 0 < len(text) <= _LONGEST:
        raise InputError(f"allowed: text, of at most {_LONGEST} characters")
    return text


Text = Annotated[str, BeforeValidator(_on_one_line)]


class _Side(BaseModel):
    """Entries that both sides of a comparison may have."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    throughput: Quantity = None
    throughput_each: Quantity = None
    iops: Quantity = None
    iops_each: Quantity = None
    latency: Quantity = None
    latency_of: Literal["mean", "p50", "p90", "p95", "p99", "p99.9", "max", "min"] | None = None
    elapsed: Quantity = None
    bytes: Quantity = None
    block: Quantity = None
    requests_in_flight: Quantity = None
    memory: Quantity = None
    array_memory: Quantity = None
    duration: Quantity = None
    cores: Quantity = None
    devices: Quantity = None
    links: Quantity = None
    nodes: Quantity = None
    clients: Quantity = None
    mtu: Quantity = None
    price: Text | None = None
    op: Literal["read", "write", "both"] | None = None
    pattern: Literal["sequential", "random"] | None = None
    access: Literal["direct", "buffered"] | None = None
    data: Literal["zeros", "compressible", "random"] | None = None
    system: Text | None = None
    stack: Text | None = None
    settings: dict[str, Any] | None = None
    measure: Text | None = None
    hardware: tuple[Text, ...] = Field((), strict=False)

    @model_validator(mode="after")
    def _of_one_subject(self) -> _Side:
        given = [name for name in ("system", "stack") if getattr(self, name)]
        if len(given) > 1:
            raise InputError("system and stack are both given; allowed: one of them")
        lost = [name for name in ("settings", "measure") if getattr(self, name)]
        if lost and not given and type(self) is ClaimEntry:
            raise InputError(f"{lost[0]} is given without system or stack; name one, or leave it out")
        if self.latency_of and (self.latency is None or self.latency.of):
            raise InputError("latency_of is given without a latency that it is of; add one, or leave it out")
        return self

    def numbers(self) -> dict[str, Number]:
        """The given numbers, by name."""
        given = {name: getattr(self, name) for name in KINDS if getattr(self, name) is not None}
        if self.latency and self.latency_of:
            given["latency"] = replace(self.latency, of=self.latency_of)
        return given

    def conditions(self) -> dict[str, str]:
        """The given conditions, by name."""
        return {name: getattr(self, name) for name in CONDITIONS if getattr(self, name) is not None}

    def subject(self, folder: Path) -> Subject:
        """The subject; a stack file is looked up in ``folder``."""
        own = bool(self.stack and self.stack.endswith(STACK_FILE))
        return Subject(
            system=self.system or (None if own else self.stack),
            stack=folder / self.stack if own and self.stack else None,
            settings=self.settings,
            hardware=self.hardware,
            measure=self.measure,
        )


class ClaimEntry(_Side):
    """One claim; ``expect``, ``cause`` and ``reason`` are a reviewer's notes, and no verdict uses them."""

    text: Text
    source: Text
    date: str | None = None
    ratio: Quantity = None
    change: Quantity = None
    of: str | None = None
    than: _Side | None = None
    expect: Word | None = None
    cause: Cause | None = None
    reason: Text | None = None

    @field_validator("date", mode="before")
    @classmethod
    def _day_month_or_year(cls, raw: object) -> str:
        text = raw.isoformat() if isinstance(raw, dt.date) else raw
        with suppress(InputError):
            date_text = str(text) if isinstance(text, str | int) else ""
            days_of(date_text)
            return date_text
        raise InputError('allowed: a year, month or day, such as "2007", "2007-01" or "2007-01-25"')

    @model_validator(mode="after")
    def _whole(self) -> ClaimEntry:
        compared = [name for name in ("ratio", "change") if getattr(self, name) is not None]
        if len(compared) > 1:
            raise InputError("ratio and change are both given; allowed: one of them")
        if self.of is not None and self.of not in KINDS:
            raise InputError(f"of is '{shown(self.of)}'; {nearest(self.of, KINDS)}")
        if compared and not (self.of and self.than):
            raise InputError(f"{compared[0]} is given without {'than' if self.of else 'of'}; {_COMPARED}")
        if not compared and (self.of or self.than):
            raise InputError(f"{'than' if self.than else 'of'} is given without ratio or change; {_COMPARED}")
        return self

    def claim(self, path: Path, where: str) -> Claim:
        """The claim as a record; ``path`` is its file, ``where`` the place in it that errors name."""
        folder = path.parent
        return Claim(
            text=self.text,
            source=self.source,
            date=self.date,
            numbers=self.numbers(),
            conditions=self.conditions(),
            subject=self.subject(folder),
            comparison=self._comparison(folder),
            where=where,
        )

    def _comparison(self, folder: Path) -> OtherSide | None:
        ratio = self.ratio or self.change
        if not ratio or not self.than or not self.of:
            return None
        than = self.than
        return OtherSide(
            ratio, self.of, self.change is not None, than.numbers(), than.conditions(), than.subject(folder)
        )


_COMPARED = 'write ratio = "3.9", of = "throughput" and a table [claim.than] with the other side'
