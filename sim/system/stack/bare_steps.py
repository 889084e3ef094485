"""Bare steps in a stack file: the vocabulary of steps itself, for mechanisms without a layer.

    [[place]]
    kind = "station"
    name = "disk"
    servers = 2

    [[layer]]
    kind = "steps"
    steps = [
      { use = "disk", time = "4ms", bandwidth = "150MB/s", distribution = "exponential" },
      { delay = "10us", only = "write" },
    ]

Steps are taken in order; `{ below = true }` stands for the layer below. Without it, a layer below follows at the
end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sim.engine import checks
from sim.engine.errors import InputError, StackFileError, nearest, shown
from sim.engine.model.distributions import Constant, Distribution, Exponential, Gamma
from sim.engine.model.places import Buffer, Lock, Place, Pool, Station
from sim.engine.model.steps import Choose, Delay, Fork, Hold, Path, Put, Repeat, Take, Use
from sim.system.quantities import Quantity
from sim.system.settings import Choice, Count, Flag, Number, Setting, Size
from sim.system.stack.fields import Entry, meant
from sim.system.stack.kinds import Below

STEPS = "steps"
"""The kind of a layer of bare steps."""


class Request(Protocol):
    """Interface of an I/O for bare steps."""

    @property
    def op(self) -> str:
        """Operation, such as ``read``."""

    @property
    def size_bytes(self) -> int:
        """Size in bytes."""


_PLACES: Mapping[str, tuple[type[Place], tuple[Setting, ...]]] = {
    "station": (Station, (Count("servers", 1, ""),)),
    "lock": (Lock, ()),
    "pool": (Pool, (Count("tokens", 1, ""),)),
    "buffer": (Buffer, (Size("capacity", 1, "", high=1 << 50), Size("initial", 0, "", 0, 1 << 50))),
}


def places_of(entries: Iterable[Entry], names: Mapping[str, Any]) -> dict[str, Place]:
    """The places of a stack file, by name.

    Raises:
        InputError: an unknown kind or field, or a value that is not allowed.
    """
    places = {}
    for entry in entries:
        if entry.kind not in _PLACES:
            known = nearest(entry.kind, _PLACES)
            raise StackFileError(f"{entry.located('kind')}: no kind of place '{shown(entry.kind)}'; {known}")
        make, settings = _PLACES[entry.kind]
        places[entry.name] = make(entry.name, **entry.checked(settings, names))
    return places


_Make = Callable[[Request], Path]
"""Makes the steps of one I/O from a step as written."""

_TIME: tuple[Setting, ...] = (
    Quantity("time", 0.0, ""),
    Quantity("bandwidth", math.inf, "", "byte / second", 1.0),
    Choice("distribution", "constant", "", ("constant", "exponential", "gamma")),
    Number("cv", 1.0, "", 0.01, 100.0),
)

_ONLY = Choice("only", "any", "", ("any", "read", "write", "flush"))

_BESIDE: Mapping[str, tuple[Setting, ...]] = {
    "use": (*_TIME, Size("turn", 0, "", 0, 1 << 40)),
    "delay": _TIME,
    "hold": (Choice("mode", "exclusive", "", ("exclusive", "shared")), Count("tokens", 1, "")),
    "put": (Size("amount", 1, "", high=1 << 50),),
    "take": (Size("amount", 1, "", high=1 << 50),),
    "fork": (Flag("wait", default=True, help=""),),
    "choose": (),
    "repeat": (),
    "below": (),
}
"""Keys allowed beside the key of a step, which names a place or a list of steps."""

_NESTED = ("hold", "repeat")
"""Steps that contain others, under the key ``steps``."""


@dataclass(frozen=True)
class BareSteps:
    """A layer of the steps that ``makes`` make for each I/O."""

    makes: tuple[_Make, ...]

    @classmethod
    def of(
        cls, entry: Entry, names: Mapping[str, Any], places: Mapping[str, Place], copy: str, below: Below | None
    ) -> BareSteps:
        """The steps of ``entry``.

        Args:
            copy: prefix of place names, so that each copy of a layer has its own places.
            below: None for the last layer.

        Raises:
            InputError: a step is not usable.
        """
        for key in entry.fields:
            if key != "steps":
                raise StackFileError(f"{entry.located(key)}: {entry} has no field '{shown(key)}'; allowed: steps")
        own = {name: replace(place, name=copy + place.name) for name, place in places.items()}
        reader = _Reader(own, names, below)
        try:
            makes = reader.steps("steps", entry.fields.get("steps"))
        except StackFileError:  # of a layer below
            raise
        except InputError as error:
            raise StackFileError(f"{entry.located('steps')}: {entry}: {error}") from None
        if below and not reader.goes_below:
            makes.append(reader.below("below", {"below": True}))
        return cls(tuple(makes))

    def path(self, io: Request) -> Path:
        """The steps of one I/O."""
        return _path(self.makes, io)


def _path(makes: Iterable[_Make], io: Request) -> Path:
    return tuple(step for make in makes for step in make(io))


class _Reader:
    """Reader of steps at ``places``, in which a text may stand for the value of one of ``names``.

    Attributes:
        goes_below: True once a step for the layer below was read.
    """

    def __init__(self, places: Mapping[str, Place], names: Mapping[str, Any], below: Below | None) -> None:
        self._places, self._names, self._below, self.goes_below = places, names, below, False

    def steps(self, where: str, written: object) -> list[_Make]:
        """Every step of a list."""
        if not isinstance(written, list) or not written:
            raise InputError(f"{where} is {checks.quoted(written)}; allowed: a list of steps, [{{ … }}]")
        return [self._step(f"{where}[{number}]", each) for number, each in enumerate(written, 1)]

    def _step(self, where: str, written: object) -> _Make:
        if not isinstance(written, Mapping):
            raise InputError(f"{where} is {checks.quoted(written)}; allowed: a step, such as {{ delay = '1ms' }}")
        words = [key for key in written if key in _BESIDE]
        if len(words) != 1:
            unknown = next((key for key in written if key not in _BESIDE), "")
            hint = f"{nearest(unknown, _BESIDE)}" if unknown else f"allowed: one of {', '.join(_BESIDE)}"
            raise InputError(f"{where} says {' and '.join(words) or 'nothing to do'}; {hint}")
        (word,) = words
        beside = {each.name: each for each in (*_BESIDE[word], _ONLY)}
        nested = ("steps",) if word in _NESTED else ()
        for key in written:
            if key not in (word, *nested, *beside):
                raise InputError(f"{where} has '{shown(key)}'; {nearest(key, [word, *nested, *beside])}")
        values = {
            name: self._value(replace(each, name=f"{where} {name}"), written.get(name, each.default))
            for name, each in beside.items()
        }
        make: _Make = getattr(self, word)(where, {**written, **values})
        only = values["only"]
        return make if only == "any" else lambda io: make(io) if io.op == only else ()

    def use(self, where: str, step: Mapping[str, Any]) -> _Make:
        station, time, turn = self._place(where, step["use"], Station), _time(step), step["turn"]
        if not turn:
            return lambda io: (Use(station, time(io)),)
        if step["distribution"] != "constant":
            raise InputError(f"{where} has a turn and a distribution; leave one of them out")

        def in_turns(io: Request) -> Path:
            turns = max(1, -(-io.size_bytes // turn))
            return (Repeat(turns, Use(station, time(io).mean / turns)),)

        return in_turns

    def delay(self, where: str, step: Mapping[str, Any]) -> _Make:
        time = _time({**step, "time": self._value(Quantity(f"{where} delay", 0.0, ""), step["delay"])})
        return lambda io: (Delay(time(io)),)

    def hold(self, where: str, step: Mapping[str, Any]) -> _Make:
        place: Any = self._place(where, step["hold"], Lock | Pool)
        inner = self.steps(f"{where} steps", step.get("steps"))
        if isinstance(place, Lock):
            mode = place.shared if step["mode"] == "shared" else place.exclusive
            return lambda io: (Hold(mode, *_path(inner, io)),)
        return lambda io: (Hold(place, *_path(inner, io), tokens=step["tokens"]),)

    def put(self, where: str, step: Mapping[str, Any]) -> _Make:
        buffer = self._place(where, step["put"], Buffer)
        return lambda _: (Put(buffer, step["amount"]),)

    def take(self, where: str, step: Mapping[str, Any]) -> _Make:
        buffer = self._place(where, step["take"], Buffer)
        return lambda _: (Take(buffer, step["amount"]),)

    def fork(self, where: str, step: Mapping[str, Any]) -> _Make:
        branches = [self.steps(f"{where} fork", branch) for branch in _listed(where, step["fork"])]
        return lambda io: (Fork(*(_path(branch, io) for branch in branches), wait=step["wait"]),)

    def choose(self, where: str, step: Mapping[str, Any]) -> _Make:
        options = []
        for option in _listed(where, step["choose"]):
            if not isinstance(option, Mapping) or set(option) != {"share", "steps"}:
                raise InputError(
                    f"{where} has the option {checks.quoted(option)}; allowed: {{ share = 0.1, steps = […] }}"
                )
            steps = self.steps(f"{where} choose", option["steps"]) if option["steps"] != [] else []
            options.append((self._value(Number("share", 0.0, ""), option["share"]), steps))
        return lambda io: (Choose(*((share, _path(steps, io)) for share, steps in options)),)

    def repeat(self, where: str, step: Mapping[str, Any]) -> _Make:
        times = self._value(Count(f"{where} repeat", 1, ""), step["repeat"])
        inner = self.steps(f"{where} steps", step.get("steps"))
        return lambda io: (Repeat(times, *_path(inner, io)),)

    def below(self, where: str, step: Mapping[str, Any]) -> _Make:
        if step["below"] is not True or self._below is None:
            raise InputError(f"{where} goes below, where no layer is; leave it out, or add a layer")
        self.goes_below = True
        layer = self._below("")
        return lambda io: tuple(layer.path(io))

    def _value(self, setting: Setting, written: Any) -> Any:
        return setting.parse(meant(written, setting, self._names))

    def _place(self, where: str, name: object, kind: Any) -> Any:
        place = self._places.get(name) if isinstance(name, str) else None
        if not isinstance(place, kind):
            fitting = [name for name, each in self._places.items() if isinstance(each, kind)]
            hint = nearest(str(name), fitting) if fitting else "add a [[place]] of that name"
            raise InputError(f"{where} names {checks.quoted(name)}, which is no place for it; {hint}")
        return place


def _listed(where: str, written: object) -> list[Any]:
    if not isinstance(written, list) or not written:
        raise InputError(f"{where} has {checks.quoted(written)}; allowed: a list, […]")
    return written


_STATED = "the stack file"
"""Source of distributions that stand in a file."""


def _time(step: Mapping[str, Any]) -> Callable[[Request], Distribution]:
    """Time of a step: a fixed part plus bytes / bandwidth; the sum has the step's distribution."""

    def time(io: Request) -> Distribution:
        mean = step["time"] + io.size_bytes / step["bandwidth"]
        if step["distribution"] == "exponential" and mean:
            return Exponential(mean, source=_STATED)
        gamma = step["distribution"] == "gamma" and mean
        return Gamma(mean, step["cv"], source=_STATED) if gamma else Constant(mean)

    return time
