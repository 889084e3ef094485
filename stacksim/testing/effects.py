"""The check that each field of a kind of layer has an effect: another value changes some path or answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

from models.io import FileIO, Op
from sim.engine.errors import InputError
from sim.engine.model.places import Station
from sim.engine.model.steps import Path, Use
from sim.prediction.digest import Digest, UnknownMeaningError
from sim.prediction.idle_fields import moved
from sim.system.settings import Choice, Setting, Settings, Size, parsed
from sim.system.stack.kinds import LOADS, kind_of
from sim.system.stack.loads import DEFAULT_LOAD
from sim.system.stack.optional import FEATURES, background, features, layer_of, notes, path_of, refusals

_SIZES, _NUMBERS = (1 << 20,), (1, 3, 1e-3, 0.5)
"""Values of which the first allowed ones are tried where no multiple of the field's own is another one."""

_ASKED = [FileIO(op, 4096 if op != "flush" else 0, asynchronous=True, slow=2.0) for op in get_args(Op)]
"""I/Os beside those that show the effect of fields in stack files."""


def check_effects(kind: type, settings: Mapping[str, Any]) -> None:
    """Refuse fields of which no value that is tried changes what the kind makes of any I/O.

    Each is tried under ``settings``, and again with one other field changed, as it may matter beside that alone.
    A field of a kind of setting of which no other value is known here is not judged.
    """
    written = parsed(Settings.of(kind), settings)
    with suppress(UnknownMeaningError):  # a step in Python may do anything
        _digest(kind, written)  # raises an error if it is refused
        idle = ", ".join(_Fields(kind, written).idle())
        assert not idle, (
            f"no value of {idle} of {kind.__name__} changes a path; use it, take it out, or give settings under "
            "which it counts"
        )


class _Fields:
    """The fields of ``kind``, with the given values in ``written``."""

    def __init__(self, kind: type, written: Mapping[str, Any]) -> None:
        self._kind, self._written = kind, written
        self._settings = tuple(Settings.of(kind))
        self._known: dict[str, bytes | None] = {}

    def idle(self) -> Iterator[str]:
        """Names of fields without effect."""
        for each in self._settings:
            values = self._values(each)
            if values and not any(self._matters(each.name, values, world) for world in self._worlds(each)):
                yield each.name

    def _worlds(self, apart: Setting) -> Iterator[Mapping[str, Any]]:
        """Values of the other fields: those given, and those with another one of one field."""
        yield self._written
        for each in sorted(self._settings, key=lambda setting: setting.name not in self._written):
            if each is not apart:
                yield from ({**self._written, each.name: value} for value in self._values(each))

    def _values(self, setting: Setting) -> tuple[Any, ...]:
        now = self._written.get(setting.name, setting.default)
        others = [each for each in (setting.default, *moved(setting, now), *_allowed(setting)) if each != now]
        return tuple(others if isinstance(setting, Choice) else others[:2])

    def _matters(self, name: str, values: Iterable[Any], world: Mapping[str, Any]) -> bool:
        own = self._meaning(world)
        others = (self._meaning({**world, name: value}) for value in values)
        return own is not None and any(other != own for other in others)

    def _meaning(self, written: Mapping[str, Any]) -> bytes | None:
        """Digest of all that the kind makes under these values of its fields; None if it refuses them."""
        key = repr(sorted(written.items()))
        if key not in self._known:
            try:
                self._known[key] = _digest(self._kind, written)
            except InputError:
                self._known[key] = None
        return self._known[key]


def _allowed(setting: Setting) -> Iterator[Any]:
    for value in _SIZES if isinstance(setting, Size) else _NUMBERS:
        with suppress(InputError):
            yield setting.parse(value)


def _digest(kind: type, written: Mapping[str, Any]) -> bytes:
    implied: Mapping[str, Any] = getattr(kind, "filled", lambda _: {})(written)
    made = kind(**{**{name: each.value for name, each in implied.items()}, **written})
    layer = layer_of(made, "layer", _Below)
    every_path = kind_of(LOADS, DEFAULT_LOAD).every_path  # type: ignore[attr-defined]
    paths = *every_path(layer), *(path_of(layer, io) for io in _ASKED)
    told = features(made, "gives", written), features(made, "needs"), dict(refusals(made))
    return Digest().of(*paths, background(layer), *told, notes(made, dict.fromkeys(FEATURES, "asked")))


@dataclass(frozen=True)
class _Below:
    """A layer below, whose place is another one for each I/O."""

    copy: str

    def path(self, io: FileIO) -> Path:
        return (Use(Station(f"{self.copy}{Digest().of(io).hex()}"), 1e-9),)
