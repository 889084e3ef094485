"""Fields of one table of a stack file: names are replaced by values, which a kind's settings check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sim.engine import checks
from sim.engine.errors import InputError, StackFileError, did_you_mean, nearest, shown
from sim.system.quantities import Quantity, Table
from sim.system.settings import Choice, Setting
from sim.system.stack.document import Source
from sim.system.stack.kinds import Filled, fields_of, kind_of

OWN = ("kind", "name", "shared")
"""Keys of a layer besides the fields of its kind."""


@dataclass(frozen=True)
class Entry:
    """A layer, a load or a place of a stack file.

    Attributes:
        where: file and line of the entry (key ``""``), and of each key.
        kind: kind of layer, load or place.
        name: prefix of the names of its places.
        shared: True if copies of the layers above share it.
        fields: fields as written; the name of a setting or a parameter stands for its value.
    """

    where: Mapping[str, str]
    kind: str
    name: str
    shared: bool
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, source: Source, table: str, index: int, written: Mapping[str, Any], taken: set[str]) -> Entry:
        """Entry number ``index`` of ``table``; an unnamed one gets a name that is not ``taken``.

        Raises:
            InputError: it has no kind, or its name is not usable or taken.
        """
        where = {key: source.where(table, index, key) for key in ("", *written)}
        kind, shared = written.get("kind"), written.get("shared", False)
        if not isinstance(kind, str):
            raise StackFileError(f'{where[""]}: {table} has no kind; add kind = "…"')
        if not isinstance(shared, bool):
            raise StackFileError(f"{where['shared']}: shared is {checks.quoted(shared)}; allowed: true, false")
        name = written.get("name", _free(kind, taken))
        try:
            checks.name(table, name)
        except InputError as error:
            raise StackFileError(f"{where.get('name', where[''])}: {error}") from None
        if name in taken:
            raise StackFileError(f"{where['name']}: the name '{shown(name)}' is taken; give each {table} its own")
        taken.add(name)
        return cls(where, kind, name, shared, {key: value for key, value in written.items() if key not in OWN})

    def __str__(self) -> str:
        return f"'{self.name}'" if self.name == self.kind else f"'{self.name}' ({self.kind})"

    def located(self, key: str = "") -> str:
        """File and line of the entry, or of one of its keys."""
        return self.where.get(key, self.where[""])

    def made(self, group: str, names: Mapping[str, Any]) -> Any:
        """The record of its kind in ``group``, with every name in its fields replaced by its value.

        Raises:
            InputError: an unknown kind or field, or a value that is not allowed; with file and line.
        """
        record = self._record(group)
        values = self.checked(fields_of(record), names)
        implied = {name: each.value for name, each in self._implied(record, values).items()}
        return record(**{**implied, **values})

    def implied(self, group: str, names: Mapping[str, Any]) -> Mapping[str, Filled]:
        """Fields, by name, that others of the same layer imply, whether the file has them or not.

        Raises:
            InputError: as for ``made``.
        """
        record = self._record(group)
        return self._implied(record, self.checked(fields_of(record), names))

    def _record(self, group: str) -> type:
        try:
            return kind_of(group, self.kind)
        except InputError as error:
            raise StackFileError(f"{self.located('kind')}: {error}") from None

    def _implied(self, record: type, values: Mapping[str, Any]) -> Mapping[str, Filled]:
        filled: Callable[[Mapping[str, Any]], Mapping[str, Filled]] | None = getattr(record, "filled", None)
        if filled is None:
            return {}
        try:
            return filled(values)
        except InputError as error:
            raise StackFileError(f"{self.located()}: {self}: {error}") from None

    def checked(self, settings: Iterable[Setting], names: Mapping[str, Any]) -> dict[str, Any]:
        """Value of each written field, by name.

        Raises:
            InputError: an unknown field, or a value that is not allowed; with file and line.
        """
        by_name = {setting.name: setting for setting in settings}
        values = {}
        for key, written in self.fields.items():
            if key not in by_name:
                hint = nearest(key, by_name) if by_name else "leave it out"
                raise StackFileError(f"{self.located(key)}: {self} has no field '{shown(key)}'; {hint}")
            try:
                values[key] = by_name[key].parse(meant(written, by_name[key], names))
            except InputError as error:
                raise StackFileError(f"{self.located(key)}: {error}{_misspelt(written, names)}") from None
        return values


def _misspelt(written: Any, names: Mapping[str, Any]) -> str:
    """Hint about a setting or parameter that an unknown word may mean, as the end of an error."""
    words = (each for each in texts_in(written) if each not in names and each.isidentifier())
    near = (hint for each in words if (hint := did_you_mean(each, names, "the setting or parameter ")))
    return next((f"; {hint.rstrip()}" for hint in near), "")


def meant(written: Any, setting: Setting, names: Mapping[str, Any]) -> Any:
    """Value of ``written``: an allowed word stands for itself, even if a parameter has its name."""
    if isinstance(setting, Choice) and written in setting.options:
        return written
    if isinstance(setting, Table) or (isinstance(setting, Quantity) and setting.unit == "second"):
        written = _as_texts(written)
    return resolved(written, names)


def _as_texts(written: Any) -> Any:
    """``written`` with its numbers as texts, so that a time without unit is refused."""
    if isinstance(written, Mapping):
        return {key: _as_texts(value) for key, value in written.items()}
    return str(written) if isinstance(written, int | float) and not isinstance(written, bool) else written


def resolved(written: Any, names: Mapping[str, Any]) -> Any:
    """``written`` with each text that is one of ``names`` replaced by the value of that name."""
    if isinstance(written, str):
        return names.get(written, written)
    if isinstance(written, Mapping):
        return {key: resolved(value, names) for key, value in written.items()}
    if isinstance(written, list):
        return [resolved(value, names) for value in written]
    return written


def texts_in(written: Any) -> Iterator[str]:
    """Yield every text in a field, or in several."""
    if isinstance(written, str):
        yield written
    elif isinstance(written, Mapping):
        yield from chain.from_iterable(map(texts_in, written.values()))
    elif isinstance(written, list):
        yield from chain.from_iterable(map(texts_in, written))


def _free(kind: str, taken: set[str]) -> str:
    """A name for one more of ``kind``: `ssd`, `ssd 2`, `ssd 3`."""
    number = 1
    while (name := kind if number == 1 else f"{kind} {number}") in taken:
        number += 1
    return name
