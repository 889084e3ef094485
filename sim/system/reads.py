"""Recording of the settings and parameters that a build function reads: unread ones have no effect."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

Record = TypeVar("Record")


def noting(record: Record, reads: set[str]) -> Record:
    """A copy of ``record``, a dataclass or namespace, that adds each field that is read, by name, to ``reads``."""
    kind: Any = _noting_kind(type(record))  # type: ignore[arg-type]
    copy: Record = kind.__new__(kind)
    values = vars(record)
    object.__getattribute__(copy, "__dict__").update(values, _reads=reads, _names=frozenset(values))
    return copy


@cache
def _noting_kind(kind: type) -> type:
    """One recording class for each ``kind``, as copies of a record must compare equal."""

    def read(self: Any, name: str) -> Any:
        values = object.__getattribute__(self, "__dict__")
        names = values.get("_names", ())  # a copy made by ``replace`` has none: making it read all
        if name in names:
            values["_reads"].add(name)
        elif name == "__dict__" and "_names" in values:  # such as by ``vars``
            values["_reads"].update(names)
            return {each: values[each] for each in names}
        return kind.__getattribute__(self, name)  # type: ignore[call-arg]

    return type(kind.__name__, (kind,), {"__getattribute__": read, "__module__": kind.__module__})
