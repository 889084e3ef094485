"""Oddities in a valid stack file: unused names, numbers that no parameter reaches."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Protocol

from sim.engine.errors import shown
from sim.engine.extensions import registered
from sim.system.quantities import Quantity, Table
from sim.system.settings import Choice, Count, Number, Setting, Size
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.fields import Entry, meant, texts_in
from sim.system.stack.kinds import LAYERS, LOADS, fields_of, kind_of

_OF_STEPS = ("time", "bandwidth", "delay")
"""Keys of bare steps whose values are times and rates."""

_ZERO = re.compile(r"0(\.0*)?[A-Za-zµ/]*")

_NO_BAND = "no band includes how far off {what} may be; `stacksim stack check` names {them}"


class Entries(Protocol):
    """The entries of a stack file."""

    @property
    def load(self) -> Entry: ...

    @property
    def places(self) -> tuple[Entry, ...]: ...

    @property
    def layers(self) -> tuple[Entry, ...]: ...

    @property
    def beside(self) -> tuple[Entry, ...]: ...


def unused(stack: Entries, names: Iterable[str]) -> Iterator[str]:
    """Yield the ``names`` that no layer, place or load uses, such as those that only a failure changes."""
    written = (each.fields for each in (*stack.places, *_bare(stack)))
    mentioned = {text for fields in written for text in texts_in(fields)}
    mentioned |= {
        text
        for _, field, value in _fields(stack)
        if not (isinstance(field, Choice) and value in field.options)  # a word stands for itself
        for text in texts_in(value)
    }
    yield from (name for name in names if name not in mentioned)


def constants(stack: Entries, names: Iterable[str]) -> Iterator[str]:
    """Yield places of numbers with a physical unit that are neither setting nor parameter."""
    known = set(names)
    for entry, field, written in _fields(stack):
        if isinstance(field, Quantity | Table) or (isinstance(field, Size) and entry in stack.layers):
            yield from (_out_of_reach(entry, field.name, each) for each in _numbers(written) if each not in known)
    for entry in _bare(stack):
        for key, each in _of_steps(entry.fields):
            yield from (_out_of_reach(entry, key, number) for number in _numbers(each) if number not in known)


def without_band(stack: Entries, names: Iterable[str]) -> Iterator[str]:
    """Yield a note for predictions about ``constants``."""
    if (count := len(list(constants(stack, names)))) > 1:
        yield f"{count} numbers of layers are no parameters: {_NO_BAND.format(what='they', them='them')}"
    elif count:
        yield f"a number of a layer is no parameter: {_NO_BAND.format(what='it', them='it')}"


def rates(stack: Entries) -> set[str]:
    """Names that stand for numbers a second, though they are written without a unit."""
    per_second = (
        value for _, field, value in _fields(stack) if isinstance(field, Quantity) and field.unit == "1 / second"
    )
    return {text for value in per_second for text in texts_in(value)}


def without_unit(stack: Entries, plain: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield those of the ``plain`` names, numbers without a unit, that need one of `UNITS`, with it."""
    needed = {text: _unit(field) for _, field, value in _fields(stack) for text in texts_in(value)}
    yield from ((name, needed[name]) for name in plain if needed.get(name) in ("s", "bytes/s"))


def unlike(stack: Entries, units: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each field with a name of another unit, such as a time for a rate."""
    for entry, field, value in _fields(stack):
        wanted = _unit(field)
        for text in texts_in(value):
            if wanted and units.get(text, "1") not in (wanted, "1"):
                where, given = f"{entry.located(field.name)}: {field.name} of {entry}", _WORDS[units[text]]
                yield f"{where} is '{text}', which is {given}; allowed: {_WORDS[wanted]}"


_WORDS = {"1": "a number without a unit", "s": "a time", "bytes": "a size", "bytes/s": "a rate in bytes a second"}
"""Text for each unit of `UNITS`."""


def _unit(field: Setting) -> str:
    """Unit of values of ``field``; empty for words and other types."""
    match field:
        case Quantity(unit="second") | Table():
            return "s"
        case Quantity(unit="byte / second"):
            return "bytes/s"
        case Size():
            return "bytes"
        case Count() | Number() | Quantity():
            return "1"
    return ""


def defaults(stack: Entries, implied: Mapping[str, Collection[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each layer with the times, rates, sizes and counts that its file leaves at their defaults.

    Args:
        implied: fields of layers that others of the layer imply, such as the bandwidth of named hardware.
    """
    for entry in (each for each in stack.layers if each.kind in registered(LAYERS)):
        written = {*entry.fields, *implied.get(entry.name, ())}
        fields = (each for each in fields_of(kind_of(LAYERS, entry.kind)) if each.name not in written)
        if left := tuple(f"{each.name} {each.show(each.default)}" for each in fields if _says_something(each)):
            yield entry.name, left


def _says_something(field: Setting) -> bool:
    """True if the default is a time, or a number with an effect: not 0, and finite."""
    if isinstance(field, Table):
        return field.parse(field.default) != field.parse("0s")
    if not isinstance(field, Quantity | Size | Count) or isinstance(field.default, str | None):
        return False
    return 0.0 < float(field.default) < math.inf


def byte_rates(stack: Entries, names: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the field and the parsed value of every rate in bytes a second in the file."""
    for entry, field, value in _fields(stack):
        if _unit(field) == "bytes/s":
            yield f"{entry.name} {field.name}", field.show(field.parse(meant(value, field, names)))


def _out_of_reach(entry: Entry, key: str, number: str) -> str:
    return f"{entry.located(key)}: {entry} has {shown(key)} = {shown(number)}"


def _bare(stack: Entries) -> list[Entry]:
    return [entry for entry in stack.layers if entry.kind == STEPS]


def _fields(stack: Entries) -> Iterator[tuple[Entry, Setting, Any]]:
    """Yield each written field of a layer or load of a known kind, with its setting; not of bare steps."""
    grouped = ((LAYERS, stack.layers), (LOADS, (stack.load, *stack.beside)))
    for group, entries in grouped:
        for entry in (each for each in entries if each.kind in registered(group)):
            settings = {each.name: each for each in fields_of(kind_of(group, entry.kind))}
            yield from ((entry, settings[key], value) for key, value in entry.fields.items() if key in settings)


def _numbers(written: Any) -> Iterator[str]:
    """Yield every number in a field, as written, except 0 and infinity."""
    if isinstance(written, Mapping):
        yield from chain.from_iterable(map(_numbers, written.values()))
    elif written != "unlimited" and not isinstance(written, bool) and not _ZERO.fullmatch(str(written)):
        yield str(written)


def _of_steps(written: Any) -> Iterator[tuple[str, Any]]:
    """Yield the times and rates in steps, nested ones included."""
    if isinstance(written, Mapping):
        for key, value in written.items():
            if key in _OF_STEPS:
                yield key, value
            else:
                yield from _of_steps(value)
    elif isinstance(written, list):
        yield from chain.from_iterable(map(_of_steps, written))
