"""Frozen dataclasses whose fields say more than a default: what a person is told, and what is allowed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeVar

from sim.errors import InputError

Kept = TypeVar("Kept")

_KEPT = "stacksim"


def field_with(default: Any, kept: object) -> Any:
    """A field of a dataclass with this ``default``, in which ``kept`` can be found again."""
    return dataclasses.field(default=default, metadata={_KEPT: kept})


def kept_in(record: type, kind: type[Kept], hint: str) -> Iterator[Kept]:
    """What each field of ``record`` keeps, in their order, with the name of the field.

    Raises:
        InputError: no dataclass, or a field that keeps nothing of ``kind``; ``hint`` says how to write one.
    """
    if not dataclasses.is_dataclass(record):
        raise InputError(f"{record.__name__} is no dataclass; write @dataclass(frozen=True) above it")
    for each in dataclasses.fields(record):
        kept = each.metadata.get(_KEPT)
        if not isinstance(kept, kind):
            raise InputError(
                f"field '{each.name}' of {record.__name__} is no {kind.__name__.lower()}; write {hint}"
            )
        yield dataclasses.replace(kept, name=each.name)  # type: ignore[type-var]
