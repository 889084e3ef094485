"""What is read off a frozen object once, and known for as long as the object lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import finalize

Object = TypeVar("Object")
Value = TypeVar("Value")


def once_for_each(read: Callable[[Object], Value]) -> Callable[[Object], Value]:
    """``read``, called once for each object, which is known by identity: equality would compare all inside it.

    The value must not hold the object, or neither is ever let go of. An error is raised again each time.
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
