"""Content of a stack file: TOML, checked entry by entry, nothing executed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sim.engine.errors import InputError, StackFileError, shown
from sim.engine.files import read_toml
from sim.system.complaints import complaint
from sim.system.settings import ROLES
from sim.system.stack.lines import Lines

Plain = bool | int | float | str


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class SettingEntry(_Entry):
    """A setting: its default says whether it is a count, a size, a time, a rate, a choice, or yes or no."""

    default: Plain
    range: tuple[Plain, Plain] | None = Field(None, strict=False, description="lowest and highest value")
    options: tuple[str, ...] | None = Field(None, strict=False, min_length=1, description="the words allowed")
    help: str = ""
    role: str = Field(
        "", description="what it is to importers and claims, if neither its name nor its place says so"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_default(cls, given: object) -> object:
        return given if isinstance(given, Mapping) else {"default": given}


class ParameterEntry(_Entry):
    """A number that describes hardware or software; a plain value is assumed."""

    value: int | float | str | None = None
    prior: str | None = Field(None, description="a kind of part of which machines were measured, such as ssd.read")
    bounds: tuple[int | float | str, int | float | str] | None = Field(
        None, strict=False, description="what cannot be lies outside"
    )
    range: tuple[int | float | str, int | float | str] | None = Field(
        None, strict=False, description="where it is in nine of ten cases"
    )
    basis: Literal["published", "derived", "fitted", "assumed"] = "assumed"
    source: str = ""

    @model_validator(mode="before")
    @classmethod
    def _of_value(cls, given: object) -> object:
        return given if isinstance(given, Mapping) else {"value": given}

    @model_validator(mode="after")
    def _known(self) -> Self:
        if (self.value is None) == (self.prior is None):
            raise ValueError("allowed: a value, or a prior")
        if self.prior and (self.bounds or self.range or self.source):
            raise ValueError("allowed with a prior: a basis; it has bounds, range and source of its own")
        return self


class FailureEntry(_Entry):
    """A part that may fail: what it is, and the settings that say so."""

    part: str = Field(min_length=1, description='what is lost or slow, such as "a replica"')
    set: dict[str, Plain] = Field(min_length=1, description="settings of this file, and their values then")


class Document(_Entry):
    """A stack file."""

    title: str = Field(min_length=1)
    settings: dict[str, SettingEntry] = {}
    parameters: dict[str, ParameterEntry] = {}
    load: dict[str, Any] | list[dict[str, Any]] = Field(
        {}, description="who asks for what: a kind, and its fields; or several such at once, the first one watched"
    )
    measured: list[dict[str, Plain | list[Plain]]] = Field(
        [], description="settings under which the sources of its parameters measured: a value or several of each"
    )
    place: list[dict[str, Any]] = Field([], description="places for bare steps")
    layer: list[dict[str, Any]] = Field(min_length=1, description="from top to bottom: a kind, and its fields")
    failure: list[FailureEntry] = Field([], description="parts that may fail, one at a time")


_OF_LAYERS = ("access", "compression", "cores", "credits", "direct_io", "page_cache", "write_cache")
"""Fields of layers that mean the same wherever they are."""


@dataclass(frozen=True)
class Source:
    """A parsed stack file: its content, and the lines of its entries."""

    path: Path
    document: Document
    lines: Lines

    def role_of(self, setting: str) -> str:
        """The role that the field of a load, or a field of a layer that has one, gives ``setting``; or none.

        Further loads and layers may have settings of their own in one field: the first has the role, unless
        another setting has it already.
        """
        loads = self.document.load if isinstance(self.document.load, list) else [self.document.load]
        watched = self._named(loads[:1], ROLES)
        beside = [*self._named(loads[1:], ROLES), *self._named(self.document.layer, _OF_LAYERS)]
        taken = {role for role, _ in watched} | {
            entry.role or name for name, entry in self.document.settings.items()
        }
        first = {role: name for role, name in reversed(beside) if role not in taken}
        return next((role for role, name in (*watched, *first.items()) if name == setting), "")

    def _named(self, tables: list[dict[str, Any]], fields: Collection[str]) -> list[tuple[str, str]]:
        """Each of ``fields`` of ``tables`` that is a setting, and the setting."""
        items = (item for table in tables for item in table.items())
        return [(field, value) for field, value in items if field in fields and value in [*self.document.settings]]

    def where(self, table: str, index: int = 0, key: str = "") -> str:
        """File and line of an entry, as the beginning of an error."""
        return _where(self.path, self.lines.of_entry(table, index, key))


_LIST = "allowed: a list, […]"
"""End of the error for one table in place of a list."""


def read(path: Path) -> Source:
    """Read a stack file.

    Raises:
        StackFileError: the file cannot be read, is not TOML, or has an entry that is not allowed; with its line.
    """
    try:
        toml = read_toml("stack file", path)
    except InputError as error:
        raise StackFileError(str(error)) from None
    lines = Lines.of(toml.text)
    try:
        return Source(path, Document.model_validate(toml.tables), lines)
    except ValidationError as error:
        first = error.errors()[0]["loc"]
        table, index, key = ([*map(str, first), "", ""][0], 0, "")
        rest = [part for part in first[1:] if not isinstance(part, str) or "[" not in part]
        if rest and isinstance(rest[0], int):
            index, rest = rest[0], rest[1:]
        key = str(rest[0]) if rest else ""
        line = lines.of_entry(table, index, key)
        message = complaint(error, Document)
        if not key and isinstance(toml.tables.get(table), dict) and message.endswith(_LIST):
            message = f"[{table}] is one table; allowed: one for each {table}, each headed [[{table}]]"
        raise StackFileError(f"{_where(path, line)}: {message}") from None


def _where(path: Path, line: int | None) -> str:
    return f"stack file '{shown(path)}'" + (f" line {line}" if line else "")
