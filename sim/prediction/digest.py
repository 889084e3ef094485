"""Digest of a value's meaning: equal values have equal digests, in every process and on every machine.

Neither the order of sets nor the identity of shared parts matters, nor how the value was written: a model
built from a stack file with another comment has the same digest.
"""

from __future__ import annotations

import hashlib
import inspect
import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.model.steps import Custom

BYTES = 16
"""Bytes of a digest: among a million values, two are equal by chance once in 10**26 times."""

_ENGINE, _MODELS = "sim", "models"
"""Packages of known classes: the first identified by the engine's version, the second by its source."""


class UnknownMeaningError(Exception):
    """A value has no digest: it holds code of its own, which might do anything."""


class Digest:
    """Computes digests; parts shared by several values are read once.

    Attributes:
        files: True if there were files among the values.
    """

    def __init__(self) -> None:
        self.files = False
        self._seen: dict[int, tuple[object, bytes]] = {}
        self._records: dict[type, tuple[bytes, Callable[[Any], tuple[object, ...]]]] = {}

    def of(self, *values: object) -> bytes:
        """The digest of ``values`` in this order.

        Raises:
            UnknownMeaningError: a value contains a function, or an object of an unknown class.
        """
        return _hashed(self._encoded(values))

    def _encoded(self, value: Any) -> bytes:
        """``value`` as bytes that no other value has; records are encoded as their digest."""
        kind = type(value)
        if kind in self._records:
            return self._record(value)
        if kind is tuple:
            return b"(" + b"".join(map(self._encoded, value)) + b")"
        if kind in _PLAIN:
            return _PLAIN[kind](value)
        if is_dataclass(kind):
            self._records[kind] = _class(kind), _fields(kind)
            return self._record(value)
        return self._collection(value)

    def _record(self, value: Any) -> bytes:
        """Digest of the class and the fields, cached for each object, as steps are shared by many paths."""
        seen = self._seen.get(id(value))
        if seen is None:
            name, fields_of = self._records[type(value)]
            encoded = b"r" + _hashed(name + b"".join(map(self._encoded, fields_of(value))))
            seen = value, encoded
            self._seen[id(value)] = seen  # keeps the object alive, so that no other gets its identity
        return seen[1]

    def _collection(self, value: Any) -> bytes:
        if isinstance(value, list):
            return self._encoded(tuple(value))
        if isinstance(value, Mapping):
            return b"{" + b"".join(sorted(map(self._encoded, value.items()))) + b"}"
        if isinstance(value, set | frozenset):
            return b"<" + b"".join(sorted(map(self._encoded, value))) + b">"
        self.files |= isinstance(value, Path)
        return _rare(value)


def _hashed(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=BYTES).digest()


def _text(value: str) -> bytes:
    content = value.encode("utf-8", "surrogatepass")
    return b"s%d:%b" % (len(content), content)


_PLAIN: Mapping[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"n",
    bool: lambda value: b"t" if value else b"f",
    int: lambda value: b"i%x;" % value if value >= 0 else b"i-%x;" % -value,
    float: lambda value: b"d" + struct.pack("<d", value),
    str: _text,
    bytes: lambda value: b"b%d:%b" % (len(value), value),
}


def _rare(value: Any) -> bytes:
    """Encoding of values that models seldom have: files, by their content, and arrays."""
    if isinstance(value, Path):
        facts = value.stat()
        return _content(value, facts.st_size, facts.st_mtime_ns)
    if isinstance(value, np.generic):
        return _PLAIN[type(value.item())](value.item())
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return b"a" + _text(f"{value.dtype.str}{value.shape}") + _hashed(np.ascontiguousarray(value).tobytes())
    raise UnknownMeaningError(f"{getattr(value, '__qualname__', type(value).__qualname__)} is code of its own")


@cache
def _content(file: Path, _size: int, _changed_ns: int) -> bytes:
    """Digest of the content of ``file``; read again if its size or time has changed."""
    with file.open("rb") as opened:
        return b"p" + hashlib.file_digest(opened, "sha256").digest()


@cache
def _fields(kind: type[Any]) -> Callable[[Any], tuple[object, ...]]:
    """Getter of the values of all fields of a record of class ``kind``."""
    names = [each.name for each in fields(kind)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


@cache
def _class(kind: type) -> bytes:
    """The name of a class; for classes not covered by the engine's version, also a digest of its module.

    Raises:
        UnknownMeaningError: the class belongs to neither package.
    """
    package = kind.__module__.partition(".")[0]
    if kind is Custom or package not in (_ENGINE, _MODELS):
        raise UnknownMeaningError(f"{kind.__qualname__} is code of its own")
    name = _text(f"{kind.__module__}:{kind.__qualname__}")
    return name if package == _ENGINE else name + _hashed(Path(inspect.getfile(kind)).read_bytes())
