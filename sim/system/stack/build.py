"""From a stack file to a system: layers are built from the bottom up, each on those below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from sim.engine.errors import InputError, ModelError, StackFileError
from sim.engine.model.places import Place
from sim.engine.model.workloads import Workload
from sim.system.scenario import Measure, Scenario
from sim.system.stack.bare_steps import STEPS, BareSteps, places_of
from sim.system.stack.document import Source, read
from sim.system.stack.fields import Entry, texts_in
from sim.system.stack.kinds import FLUSH, LAYERS, LOADS, NEEDED, NFS_SERVER, PAGES, Below, Filled, kind_of
from sim.system.stack.loads import DEFAULT_LOAD, all_loads, loads_of
from sim.system.stack.optional import Checked, background, features, layer_of, notes, refusals
from sim.system.stack.remarks import unlike, without_band
from sim.system.stack.values import failures_of, parameters_of, seen_of, settings_of, units_of
from sim.system.system import System

Made = TypeVar("Made")

_OWN = ("sim", "models", "stacksim")


@dataclass(frozen=True)
class Stack:
    """A stack file whose entries were read; called with settings and parameters, it builds the scenario.

    Attributes:
        where: the file, as the beginning of errors.
        places: places of bare steps.
        layers: layers from top to bottom.
        beside: further, simultaneous loads.
        lacking: notes on the file itself for its predictions, a line each.
        uncertain: parameters with an uncertain value.
    """

    where: str
    title: str
    load: Entry
    places: tuple[Entry, ...]
    layers: tuple[Entry, ...]
    beside: tuple[Entry, ...] = ()
    lacking: tuple[str, ...] = ()
    uncertain: frozenset[str] = frozenset()

    @classmethod
    def of(cls, source: Source) -> Stack:
        """Read the entries of ``source``.

        Raises:
            InputError: an entry is not usable; the message has its line.
        """
        document, taken = source.document, set[str]()
        places = tuple(Entry.of(source, "place", *each, taken) for each in enumerate(document.place))
        for place in places:
            if place.name in {**document.settings, **document.parameters}:
                raise StackFileError(
                    f"{place.located('name')}: {place} is a setting or parameter, too; rename one"
                )
        layers = tuple(Entry.of(source, "layer", *each, taken) for each in enumerate(document.layer))
        load, *beside = loads_of(source)
        return cls(source.where(""), document.title, load, places, layers, beside=tuple(beside))

    def __call__(self, settings: Any, parameters: Any) -> Scenario:
        """The scenario for a value of each setting and parameter."""
        names = names_of(settings, parameters)
        layers, top = self._made(names)
        load = self.load.made(LOADS, names)
        answered = layers.answered(self.load, load.asks() if hasattr(load, "asks") else {})
        notes = (*answered, *self.lacking)
        try:
            others = [(entry, entry.made(LOADS, names)) for entry in self.beside]
            scenario = all_loads(self.load, load, others, top, layers.background)
        except ModelError as error:
            raise ModelError(f"{self.where}: {error}") from error
        except StackFileError:
            raise  # it has its place already
        except InputError as error:
            raise StackFileError(f"{self.load.located()}: {self.load}: {error}") from error
        measures = {**scenario.measures, **layers.measures}
        published, line_rates = self._published(names), self._line_rates(names)
        return replace(scenario, measures=measures, published=published, line_rates=line_rates, notes=notes)

    def paths(self, settings: Any, parameters: Any) -> tuple[object, ...]:
        """Paths of the layers for I/Os of every kind, and the layers' own workloads."""
        layers, top = self._made(names_of(settings, parameters))
        return *kind_of(LOADS, DEFAULT_LOAD).every_path(top), *layers.background  # type: ignore[attr-defined]

    def _made(self, names: Mapping[str, Any]) -> tuple[_Layers, Any]:
        """The layers, and the top one.

        Raises:
            StackFileError: a layer is not reached.
        """
        layers = _Layers(self.layers, names, places_of(self.places, names))
        top = layers.below(0, "")("")
        if unreached := [entry for number, entry in enumerate(self.layers) if number not in layers.reached]:
            above = self.layers[self.layers.index(unreached[0]) - 1]
            raise StackFileError(
                f"{unreached[0].located()}: nothing reaches {unreached[0]}, as {above} above it is a device; "
                "put it above, or leave it out"
            )
        return layers, top

    def filled(self, settings: Any, parameters: Any) -> dict[str, dict[str, Filled]]:
        """Fields that the file leaves out and others of the same layer imply, by layer and name."""
        implied = self._implied(names_of(settings, parameters))
        return {
            entry.name: {name: each for name, each in fields.items() if name not in entry.fields}
            for entry, fields in implied
        }

    def _implied(self, names: Mapping[str, Any]) -> list[tuple[Entry, Mapping[str, Filled]]]:
        layers = (entry for entry in self.layers if entry.kind != STEPS)
        return [(entry, implied) for entry in layers if (implied := entry.implied(LAYERS, names))]

    def _published(self, names: Mapping[str, Any]) -> dict[tuple[str, str], str]:
        """Source of the limit of a place, by layer and name ending, if not the file itself."""
        published: dict[tuple[str, str], str] = {}
        for entry, fields in self._implied(names):
            own = {place for name in fields.keys() & entry.fields.keys() for place in fields[name].places}
            for each in fields.values():
                published |= {
                    (entry.name, place): each.source for place in each.places if each.source and place not in own
                }
        return published

    def _line_rates(self, names: Mapping[str, Any]) -> dict[tuple[str, str], float]:
        """Ratio of the named hardware's rate to the file's rate, by layer and name ending.

        No entry if the file's is higher: then it is other hardware. 1 for a rate that cannot be exceeded, unless
        an uncertain parameter stands for it.
        """
        rates: dict[tuple[str, str], list[float]] = {}
        for entry, fields in self._implied(names):
            layer = entry.made(LAYERS, names)
            for name, each in fields.items():
                for place in each.places if each.source else ():
                    rates.setdefault((entry.name, place), []).append(each.value / getattr(layer, name))
        line_rates = {place: max(times) for place, times in rates.items() if min(times) >= 1.0}
        for entry in (each for each in self.layers if each.kind != STEPS):
            kept: Iterable[tuple[str, str]] = getattr(entry.made(LAYERS, names), "kept", tuple)()
            line_rates |= {
                (entry.name, place): 1.0 for name, place in kept if entry.fields.get(name) not in self.uncertain
            }
        return line_rates

    def may_give(self, what: str, settings: Any, parameters: Any) -> bool:
        """True if a layer provides ``what``, one of ``NEEDED``, under these settings."""
        names = names_of(settings, parameters)
        kinds = ((entry.made(LAYERS, names), entry) for entry in self.layers if entry.kind != STEPS)
        return any(what in features(kind, "gives", entry.fields) for kind, entry in kinds)

    def mentioned(self, *, load: bool = True) -> frozenset[str]:
        """Every text in a field, such as names of used settings and parameters; optionally without the load's."""
        loads = (self.load, *self.beside) if load else ()
        entries = (*self.places, *self.layers, *loads)
        return frozenset(text for entry in entries for text in texts_in(entry.fields))


@dataclass(frozen=True)
class _Background:
    """Workloads of layers.

    Layers above come first, as a layer may know its workloads only after its paths are made, some by those above.
    """

    layers: list[Any]

    def __iter__(self) -> Iterator[Workload]:
        above_first = reversed(self.layers)  # lower layers were made first
        return chain.from_iterable(map(background, above_first))


@dataclass
class _Layers:
    """Builder of the layers of one model.

    Attributes:
        reached: indices of the layers built so far.
        background: workloads of layers.
        measures: answers of layers.
    """

    entries: tuple[Entry, ...]
    names: Mapping[str, Any]
    places: Mapping[str, Place]
    reached: set[int] = field(default_factory=set)
    background: _Background = field(default_factory=lambda: _Background([]))
    measures: dict[str, Measure] = field(default_factory=dict)
    _made: dict[tuple[int, str], Any] = field(default_factory=dict)
    _kinds: dict[int, Any] = field(default_factory=dict)

    def answered(self, load: Entry, asked: Mapping[str, str]) -> tuple[str, ...]:
        """Simplifications of the layers for a load that ``asked`` for certain features; a line each.

        Raises:
            StackFileError: no layer provides a needed feature, or one refuses the load.
        """
        given = {number: self._gives(number) for number in self.reached}
        for number in self._kinds:
            for what in self._of(number, lambda kind: features(kind, "needs")):
                if all(what not in given[below] for below in self.reached if below > number):
                    entry = self.entries[number]
                    raise StackFileError(f"{entry.located()}: {entry} needs {what} below it; {NEEDED[what]}")
        for what, fix in NEEDED.items():
            if what in asked and all(what not in gives for gives in given.values()):
                raise StackFileError(f"{load.located()}: {asked[what]} needs {what}, which no layer has; {fix}")
        for number in self._kinds:
            for what, why in self._of(number, refusals).items():
                if what in asked:
                    entry = self.entries[number]
                    raise StackFileError(f"{load.located()}: {asked[what]}: {entry} {why}")
        asked = {**asked, **({PAGES: PAGES} if any(PAGES in gives for gives in given.values()) else {})}
        noted = (self._of(number, lambda kind: notes(kind, asked)) for number in self._kinds)
        return tuple(chain.from_iterable(noted))

    def _of(self, number: int, called: Callable[[Any], Made]) -> Made:
        """Result of a function of a kind, whose errors get the place of its layer in the file."""
        try:
            return called(self._kinds[number])
        except StackFileError:
            raise  # of a layer below, with its place
        except InputError as error:
            entry, kind = self.entries[number], ModelError if isinstance(error, ModelError) else StackFileError
            raise kind(f"{entry.located()}: {entry}: {error}") from error

    def _gives(self, number: int) -> frozenset[str]:
        """Features of ``NEEDED`` of a layer; bare steps may have all but a flush that they do not name."""
        entry = self.entries[number]
        if entry.kind == STEPS:
            return frozenset((NFS_SERVER, *([FLUSH] if "flush" in texts_in(entry.fields) else [])))
        return self._of(number, lambda kind: features(kind, "gives", entry.fields))

    def below(self, number: int, copy: str) -> Below:
        """Builder of layer ``number`` and all below; ``copy`` is the prefix of place names."""

        def make(more: str) -> Any:
            if number == len(self.entries):
                last = self.entries[-1]
                raise StackFileError(
                    f'{last.located()}: {last} needs a layer below it; add one, such as [[layer]] kind = "ssd"'
                )
            entry = self.entries[number]
            key = number, "" if entry.shared else copy + more
            if key not in self._made:
                self._made[key] = self._layer(*key)
            return self._made[key]

        return make

    def _layer(self, number: int, copy: str) -> Any:
        self.reached.add(number)
        entry, below = self.entries[number], self.below(number + 1, copy)
        below_it = number + 1 < len(self.entries)
        if entry.kind == STEPS:
            layer: Any = BareSteps.of(entry, self.names, self.places, copy, below if below_it else None)
        else:
            self._kinds[number] = entry.made(LAYERS, self.names)
            layer = self._of(number, lambda kind: layer_of(kind, copy + entry.name, below))
        self.background.layers.append(layer)
        self.measures |= getattr(layer, "measures", dict)()
        own = type(layer).__module__.partition(".")[0] in _OWN
        return layer if own else Checked(layer, f"{entry.located()}: {entry}")


def names_of(settings: Any, parameters: Any) -> dict[str, Any]:
    """Values that a text in a field may stand for."""
    return {**vars(settings), **{name: _whole(value) for name, value in vars(parameters).items()}}


def _whole(value: float) -> float:
    """``value`` as an int if it is whole, since a parameter may be a count."""
    return int(value) if value == value // 1 else value


def stack_system(path: Path) -> System:
    """The system of a stack file, named like the file.

    Raises:
        InputError: the file cannot be read, or its system cannot work.
    """
    source = read(path)
    settings = settings_of(source)
    parameters = replace(parameters_of(source), seen_under=seen_of(source, settings))
    stack = Stack.of(source)
    for wrong in unlike(stack, units_of(settings, parameters)):
        raise StackFileError(wrong)
    names = [*(each.name for each in settings), *parameters.names()]
    uncertain = frozenset(each.name for each in parameters.entries if each.basis != "published")
    stack = replace(stack, lacking=tuple(without_band(stack, names)), uncertain=uncertain)
    failures = failures_of(source, settings)
    return System(path.stem, stack.title, settings, parameters, stack, failures=failures)
