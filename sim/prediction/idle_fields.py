"""Fields of a stack file without effect: other values give the same models throughout.

An effect is found by comparing models: they are built with the field's value, with others and without it, under
the settings as they are and with another value of each, for the load of the file and for I/Os of every
kind. So a rate of writes has an effect though the load only reads, and a log device beside ``sync = "disabled"``
has none. A load's fields have an effect if its requests change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from sim.engine.errors import InputError, StacksimError, shown
from sim.engine.model.places import Station
from sim.engine.model.steps import Use
from sim.prediction.digest import Digest, UnknownMeaningError
from sim.system.releases import ReleaseOf
from sim.system.settings import Choice, Flag, Setting
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.build import Stack, names_of
from sim.system.stack.fields import Entry, meant
from sim.system.stack.kinds import LAYERS, LOADS, fields_of, kind_of
from sim.system.system import System

_OTHER = "another value"
"""Name of the setting that replaces a field's value; no real setting or parameter can have it."""

_SERVERS = 1000
"""Servers of the place that records a load's requests: enough for any rate of arrivals."""

_TIMES = (2.0, 0.5)
"""Factors by which a number is multiplied to see its effect."""


Meaning = Callable[[Stack, Any, Any], bytes]
"""Digest of the model that a stack builds from settings and parameters."""


@dataclass(frozen=True)
class _Written:
    """A stack with its settings and the values of its parameters, compared by their text."""

    text: str
    system: System = field(compare=False)


def idle_fields(system: System) -> tuple[str, ...]:
    """Lines on the fields of a stack file without effect; empty for other systems."""
    if not isinstance(system.build, Stack):
        return ()
    read = system.build, system.settings, system.parameters.values, system.failures
    return _found(_Written(repr(read), system))


@lru_cache(maxsize=16)
def _found(written: _Written) -> tuple[str, ...]:
    return tuple(_Fields(written.system).lines())


@dataclass(frozen=True)
class _Field:
    """A field written in one entry of ``stack``: the layer or load of ``group`` at ``where``."""

    stack: Stack
    group: str
    where: Mapping[str, str]
    setting: Setting

    @property
    def entry(self) -> Entry:
        entries = (self.stack.load, *self.stack.beside, *self.stack.layers)
        return next(each for each in entries if each.where is self.where)

    def without(self) -> Stack:
        """The stack without the field."""
        return self._exchanged({key: each for key, each in self.entry.fields.items() if key != self.setting.name})

    def named(self, key: str) -> Stack:
        """The stack in which the field ``key`` of the same entry has the value ``_OTHER``."""
        return self._exchanged({**self.entry.fields, key: _OTHER})

    def _exchanged(self, fields: Mapping[str, Any]) -> Stack:
        def of(entries: Iterable[Entry]) -> tuple[Entry, ...]:
            return tuple(replace(each, fields=fields) if each.where is self.where else each for each in entries)

        (load,) = of([self.stack.load])
        return replace(self.stack, load=load, beside=of(self.stack.beside), layers=of(self.stack.layers))


class _Fields:
    """The fields of a stack file, and the settings under which its models are compared."""

    def __init__(self, system: System) -> None:
        assert isinstance(system.build, Stack)  # noqa: S101  (that is what a stack file makes)
        self._system, self._stack = system, system.build
        self._own: dict[tuple[Meaning, int], bytes] = {}
        self._defaults = {each.name: each.parse(each.default) for each in system.settings}
        self._worlds = [self._defaults, *self._others()]

    def lines(self) -> Iterator[str]:
        """Lines on all fields without effect."""
        idle = (each for each in self._written() if all(self._idle(each, world) for world in self._worlds))
        yield from map(self._line, idle)

    def _others(self) -> Iterator[dict[str, Any]]:
        """Settings with another value of one of them, or with those of a failure."""
        for each in self._system.settings:
            yield from ({**self._defaults, each.name: value} for value in moved(each, self._defaults[each.name]))
        for failure in self._system.failures:
            yield {**self._defaults, **failure.settings}

    def _written(self) -> Iterator[_Field]:
        """Fields with values other than their defaults."""
        layers = [entry for entry in self._stack.layers if entry.kind != STEPS]
        loads = [] if self._system.asked else [self._stack.load, *self._stack.beside]
        for group, entries in ((LOADS, loads), (LAYERS, layers)):
            for entry in entries:
                for each in fields_of(kind_of(group, entry.kind)):
                    if each.name in entry.fields and self._value(entry, each) != each.default:
                        yield _Field(self._stack, group, entry.where, each)

    def _value(self, entry: Entry, setting: Setting) -> Any:
        """The value in the entry, or the default."""
        if setting.name not in entry.fields:
            return setting.default
        names = names_of(self._system.settings.record(**self._defaults), self._system.parameters.values)
        return setting.parse(meant(entry.fields[setting.name], setting, names))

    def _idle(self, field: _Field, world: Mapping[str, Any], other: Any = None) -> bool:
        """True if models under the settings ``world`` do not depend on the field.

        Settings other than the defaults from which no model can be built count as True.

        Args:
            other: the value of ``_OTHER`` in the stack.
        """
        meanings = (_of_own_load, _of_every_io) if field.group == LAYERS else (_of_requests,)
        return all(self._same(meaning, field, world, other) for meaning in meanings)

    def _same(self, meaning: Meaning, field: _Field, world: Mapping[str, Any], other: Any) -> bool:
        def of(stack: Stack, value: Any) -> bytes:
            return meaning(stack, SimpleNamespace(**world, **{_OTHER: value}), self._system.parameters.values)

        try:
            own = self._own.get((meaning, id(world))) if other is None else None
            own = own or of(field.stack, other)
        except (StacksimError, UnknownMeaningError):
            return world is not self._defaults
        if other is None:
            self._own[meaning, id(world)] = own
        try:
            if of(field.without(), other) != own:
                return False
        except StacksimError:
            return False  # the field is required
        others = moved(field.setting, self._value(field.entry, field.setting)) if other is None else ()
        return all(of(field.named(field.setting.name), each) == own for each in others)

    def _line(self, field: _Field) -> str:
        key, entry = field.setting.name, field.entry
        text = f"{entry.located(key)}: {entry} has {key} = {shown(entry.fields[key])}, which does nothing"
        others = fields_of(kind_of(field.group, entry.kind))
        for other in (each for each in others if field.group == LOADS or each.name in entry.fields):
            now = self._value(entry, other)
            beside = replace(field, stack=field.named(other.name))
            if used := [each for each in _words(other, now) if not self._idle(beside, self._defaults, each)]:
                words = " or ".join(map(other.show, used))
                return (
                    f"{text} with {other.name} = {other.show(now)}; leave it out, or let {other.name} be {words}"
                )
        return f"{text} in this stack; leave it out"


def _words(setting: Setting, now: Any) -> Iterator[Any]:
    """Other options of a choice or flag."""
    if isinstance(setting, Choice):
        yield from (each for each in setting.options if each != now)
    elif isinstance(setting, Flag):
        yield not now


def moved(setting: Setting, now: Any) -> Iterator[Any]:
    """Other allowed values."""
    yield from _words(setting, now)
    if isinstance(setting, ReleaseOf):
        yield from (setting.low, setting.high)
    if isinstance(now, int | float) and not isinstance(now, bool):
        for times in _TIMES:
            try:
                yield setting.parse(type(now)(now * times))
            except InputError:
                continue


def _of_own_load(stack: Stack, settings: Any, parameters: Any) -> bytes:
    """Digest of the model with the file's own load."""
    made = stack(settings, parameters)
    return Digest().of(made.model.workloads, tuple(made.measures), dict(made.published), dict(made.line_rates))


def _of_every_io(stack: Stack, settings: Any, parameters: Any) -> bytes:
    """Digest of the layers' paths for I/Os of every kind."""
    return Digest().of(*stack.paths(settings, parameters))


def _of_requests(stack: Stack, settings: Any, parameters: Any) -> bytes:
    """Digest of the requests of the loads."""
    names, requests = names_of(settings, parameters), []
    for entry in (stack.load, *stack.beside):
        made = entry.made(LOADS, names).scenario(_Recorder())
        requests.append((made.model.workloads, made.amount, made.unit))
    return Digest().of(*requests)


class _Recorder:
    """A layer whose path encodes the request."""

    def path(self, io: Any) -> Any:
        return (Use(Station(Digest().of(io).hex(), _SERVERS), 1e-9),)
