"""Frozen dataclasses whose fields carry metadata: a description, and the allowed values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeVar

from sim.engine import checks
from sim.engine.errors import InputError

Kept = TypeVar("Kept")

_KEPT = "stacksim"


def field_with(default: Any, kept: object) -> Any:
    """A field of a dataclass with this ``default``, which carries ``kept`` in its metadata."""
    return dataclasses.field(default=default, metadata={_KEPT: kept})


def kept_in(record: type, kind: type[Kept], hint: str) -> Iterator[Kept]:
    """Yield the metadata of the fields of ``record``, in their order, each with the name of its field.

    Raises:
        InputError: no dataclass, or a field without metadata of ``kind``; ``hint`` says how to write one.
    """
    if not (isinstance(record, type) and dataclasses.is_dataclass(record)):
        name = record.__name__ if isinstance(record, type) else checks.quoted(record)
        raise InputError(f"{name} is no dataclass; give a class with @dataclass(frozen=True) above it")
    for field in dataclasses.fields(record):
        kept = field.metadata.get(_KEPT)
        if not isinstance(kept, kind):
            raise InputError(
                f"field '{field.name}' of {record.__name__} is no {kind.__name__.lower()}; write {hint}"
            )
        yield dataclasses.replace(kept, name=field.name)  # type: ignore[type-var]
