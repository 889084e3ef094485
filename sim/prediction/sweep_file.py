"""Reading a sweep file: the system, the values that vary, and run options, in a few lines of TOML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sim.engine.errors import InputError, shown
from sim.engine.files import read_toml
from sim.prediction.sweep import checked, groups
from sim.system.complaints import complaint
from sim.system.from_python import names_python
from sim.system.installed import STACK_FILE
from sim.system.stack.lines import Lines
from sim.system.system import System

Read = TypeVar("Read")

_MAX_MIB = 16
"""Largest size of a sweep file, in MiB: a hundred thousand values take less."""


class Document(BaseModel):
    """Entries of a sweep file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    system: str = Field(min_length=1)
    settings: dict[str, Any] = {}
    set: dict[str, Any] = {}
    pair: list[str] = []
    engine: str | None = None
    precision: Any = None
    watch: str | None = None
    max_steps: int | None = None
    seed: int | None = None
    fitted: str | None = None
    intervals: bool = False


@dataclass(frozen=True)
class SweepFile:
    """A sweep file that was read."""

    path: Path
    document: Document
    lines: Lines

    @property
    def system(self) -> str:
        """Name of the system; a file is looked up beside this one."""
        name = self.document.system
        return str(self.path.parent / name) if name.endswith(STACK_FILE) or names_python(name) else name

    @property
    def fitted(self) -> Path | None:
        """Path of the file of fitted parameters, looked up beside this one; None if not given."""
        return None if self.document.fitted is None else self.path.parent / self.document.fitted

    def values(self, system: System) -> dict[str, list[Any]]:
        """Checked values for each setting and parameter.

        Raises:
            InputError: as for ``checked``; with file and line.
        """
        document, values = self.document, dict[str, list[Any]]()
        for name, raw in document.settings.items():
            values |= self.located("settings", name, partial(checked, system, _listed(name, raw), {}))
        for name, raw in document.set.items():
            values |= self.located("set", name, partial(checked, system, {}, _listed(name, raw)))
        self.located("pair", "", lambda: groups(values, document.pair))
        return values or checked(system, {}, {})

    def option(self, name: str) -> str | None:
        """The run option ``name`` as text for the command; None if the file does not have it."""
        value = getattr(self.document, name)
        return None if value is None else str(value)

    def located(self, table: str, key: str, read: Callable[[], Read]) -> Read:
        """Return the result of ``read``; errors are prefixed with the file and the line of the entry.

        Raises:
            InputError: raised by ``read``.
        """
        try:
            return read()
        except InputError as error:
            raise InputError(f"{_where(self.path, self.lines.of_entry(table, 0, key))}: {error}") from None


def _listed(name: str, raw: Any) -> dict[str, list[Any]]:
    """Values of an entry, which may be a single one."""
    return {name: raw if isinstance(raw, list) else [raw]}


def is_sweep(name: str) -> bool:
    """True if ``name`` is a sweep file, not a stack file: it names a system, or has no layers.

    Raises:
        InputError: the file cannot be read.
    """
    if not name.endswith(STACK_FILE):
        return False
    tables = read_toml("sweep or stack file", Path(name), _MAX_MIB).tables.keys()
    return "system" in tables or (bool(tables) and not tables & {"title", "layer"})


def read(path: Path) -> SweepFile:
    """Read a sweep file.

    Raises:
        InputError: an entry that is not allowed; names file and line.
    """
    toml = read_toml("sweep file", path, _MAX_MIB)
    lines = Lines.of(toml.text)
    try:
        return SweepFile(path, Document.model_validate(toml.tables), lines)
    except ValidationError as error:
        table, key = [*map(str, error.errors()[0]["loc"]), ""][:2]
        raise InputError(f"{_where(path, lines.of_entry(table, 0, key))}: {complaint(error, Document)}") from None


def _where(path: Path, line: int | None) -> str:
    return f"sweep file '{shown(path)}'" + (f" line {line}" if line else "")
