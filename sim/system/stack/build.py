"""From a stack file to a system: layers are made from the bottom up, each around what is below it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from sim.errors import InputError, ModelError, StackFileError
from sim.model.places import Place
from sim.model.workloads import Workload
from sim.system.scenario import Measure, Scenario
from sim.system.stack.bare_steps import STEPS, BareSteps, places_of
from sim.system.stack.document import Source, read
from sim.system.stack.fields import Entry, texts_in
from sim.system.stack.kinds import FLUSH, LAYERS, LOADS, NEEDED, NFS_SERVER, PAGES, Below, Filled, kind_of
from sim.system.stack.loads import DEFAULT_LOAD, all_loads, loads_of
from sim.system.stack.remarks import unlike, without_band
from sim.system.stack.values import failures_of, parameters_of, seen_of, settings_of, units_of
from sim.system.system import System


@dataclass(frozen=True)
class Stack:
    """A stack file whose entries were read; called with settings and parameters, it builds the scenario.

    Attributes:
        where: the file, to begin an error with.
        places: of bare steps.
        layers: from top to bottom.
        beside: further loads at the same time.
        lacking: what its predictions say of the file itself, a line each.
        uncertain: the parameters that may have other values.
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
        """The entries of ``source``.

        Raises:
            InputError: one that is not usable; names its line.
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
            raise  # which says where
        except InputError as error:
            raise StackFileError(f"{self.load.located()}: {self.load}: {error}") from error
        measures = {**scenario.measures, **layers.measures}
        published, line_rates = self._published(names), self._line_rates(names)
        return replace(scenario, measures=measures, published=published, line_rates=line_rates, notes=notes)

    def paths(self, settings: Any, parameters: Any) -> tuple[object, ...]:
        """What the layers make of I/Os of every kind, and the workloads that they bring with them."""
        layers, top = self._made(names_of(settings, parameters))
        return *kind_of(LOADS, DEFAULT_LOAD).every_path(top), *layers.background  # type: ignore[attr-defined]

    def _made(self, names: Mapping[str, Any]) -> tuple[_Layers, Any]:
        """The layers, and that at the top.

        Raises:
            StackFileError: a layer that nothing reaches.
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
        """The fields of each layer, by its name, that the file leaves out and others of the layer imply."""
        implied = self._implied(names_of(settings, parameters))
        return {
            entry.name: {name: each for name, each in fields.items() if name not in entry.fields}
            for entry, fields in implied
        }

    def _implied(self, names: Mapping[str, Any]) -> list[tuple[Entry, Mapping[str, Filled]]]:
        layers = (entry for entry in self.layers if entry.kind != STEPS)
        return [(entry, implied) for entry in layers if (implied := entry.implied(LAYERS, names))]

    def _published(self, names: Mapping[str, Any]) -> dict[tuple[str, str], str]:
        """Where the limit of a place is from, by its layer and the end of its name; not the file's own."""
        published: dict[tuple[str, str], str] = {}
        for entry, fields in self._implied(names):
            own = {place for name in fields.keys() & entry.fields.keys() for place in fields[name].places}
            for each in fields.values():
                published |= {
                    (entry.name, place): each.source for place in each.places if each.source and place not in own
                }
        return published

    def _line_rates(self, names: Mapping[str, Any]) -> dict[tuple[str, str], float]:
        """How many times its rate in the file the hardware that a layer names has, by places as above.

        None where the file has a higher one: then it is other hardware. Once, where nothing passes a rate and no
        parameter that may be another stands for it.
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
        """Whether a layer gives ``what``, one of ``NEEDED``, under these settings."""
        names = names_of(settings, parameters)
        kinds = ((entry.made(LAYERS, names), entry) for entry in self.layers if entry.kind != STEPS)
        return any(hasattr(kind, "gives") and what in kind.gives(entry.fields) for kind, entry in kinds)

    def mentioned(self, *, load: bool = True) -> frozenset[str]:
        """Every text in a field: the settings and parameters that something uses; perhaps without the load's."""
        loads = (self.load, *self.beside) if load else ()
        entries = (*self.places, *self.layers, *loads)
        return frozenset(text for entry in entries for text in texts_in(entry.fields))


@dataclass(frozen=True)
class _Background:
    """The workloads that layers bring with them.

    A layer may know only after its paths are made, some of them by those above: these come first.
    """

    layers: list[Any]

    def __iter__(self) -> Iterator[Workload]:
        above_first = reversed(self.layers)  # what is below was made before
        return chain.from_iterable(getattr(layer, "background", tuple)() for layer in above_first)


@dataclass
class _Layers:
    """Makes the layers of one model.

    Attributes:
        reached: numbers of the layers made so far.
        background: the workloads that layers bring with them.
        measures: the answers that layers bring with them.
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
        """What the layers leave out of a load that asks for so much, by what; a line each.

        Raises:
            StackFileError: no layer has what the load needs, or one refuses it.
        """
        given = {number: self._gives(number) for number in self.reached}
        for number, kind in self._kinds.items():
            for what in kind.needs() if hasattr(kind, "needs") else ():
                if all(what not in given[below] for below in self.reached if below > number):
                    entry = self.entries[number]
                    raise StackFileError(f"{entry.located()}: {entry} needs {what} below it; {NEEDED[what]}")
        for what, fix in NEEDED.items():
            if what in asked and all(what not in gives for gives in given.values()):
                raise StackFileError(f"{load.located()}: {asked[what]} needs {what}, which no layer has; {fix}")
        for number, kind in self._kinds.items():
            for what, why in kind.refuses().items() if hasattr(kind, "refuses") else ():
                if what in asked:
                    entry = self.entries[number]
                    raise StackFileError(f"{load.located()}: {asked[what]}: {entry} {why}")
        asked = {**asked, **({PAGES: PAGES} if any(PAGES in gives for gives in given.values()) else {})}
        noted = (kind.notes(asked) for kind in self._kinds.values() if hasattr(kind, "notes"))
        return tuple(chain.from_iterable(noted))

    def _gives(self, number: int) -> Collection[str]:
        """What of ``NEEDED`` a layer has; bare steps may be anything but a flush that they do not name."""
        entry = self.entries[number]
        if entry.kind == STEPS:
            return {NFS_SERVER, *([FLUSH] if "flush" in texts_in(entry.fields) else [])}
        kind = self._kinds[number]
        return {*kind.gives(entry.fields)} if hasattr(kind, "gives") else ()

    def below(self, number: int, copy: str) -> Below:
        """Makes the layer ``number``, and all below; ``copy`` begins the names of its places."""

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
            kind = self._kinds[number] = entry.made(LAYERS, self.names)
            try:
                layer = kind.layer(copy + entry.name, below)
            except ModelError as error:
                raise ModelError(f"{entry.located()}: {entry}: {error}") from error
            except StackFileError:
                raise  # of a layer below, which says where
            except InputError as error:
                raise StackFileError(f"{entry.located()}: {entry}: {error}") from error
        self.background.layers.append(layer)
        self.measures |= getattr(layer, "measures", dict)()
        return layer


def names_of(settings: Any, parameters: Any) -> dict[str, Any]:
    """The values that a text in a field may stand for."""
    return {**vars(settings), **{name: _whole(value) for name, value in vars(parameters).items()}}


def _whole(value: float) -> float:
    """A whole number as one, since a parameter may be a count."""
    return int(value) if value == value // 1 else value


def stack_system(path: Path) -> System:
    """The system that a stack file describes; its name is that of the file.

    Raises:
        InputError: the file cannot be read, or describes nothing that works.
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
