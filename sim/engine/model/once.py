"""Cache of values derived from frozen objects, kept as long as the object lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import finalize

Object = TypeVar("Object")
Value = TypeVar("Value")


def once_for_each(read: Callable[[Object], Value]) -> Callable[[Object], Value]:
    """``read`` with a cache by identity of the object: equality would compare all its content.

    The value must not reference the object, or neither is ever freed. Errors are not cached.
    """
    known: dict[int, Value] = {}

    @wraps(read)
    def value(of: Object) -> Value:
        key = id(of)
        if key not in known:
            known[key] = read(of)
            finalize(of, known.pop, key, None)
        return known[key]

    return value
