"""Sweeps: every combination of values of settings and parameters, and the outcome of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import cache
from itertools import product
from typing import Any

from sim.engine.checks import quoted
from sim.engine.errors import InputError, nearest, shown
from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction import Prediction
from sim.prediction.work import outcomes_of
from sim.system.case import Case
from sim.system.ranges import RANGE, values_of
from sim.system.settings import pairs, parsed
from sim.system.system import System
from sim.system.what_if import given_value, set_values, with_set

OnProgress = Callable[[int, int], None]
"""Called with the number of predictions done, and the number of all."""

MAX = 100_000
"""Largest number of predictions of one sweep: more would take days, and the machine's memory."""


def axes(system: System, words: Iterable[str], set_words: Iterable[str] = ()) -> dict[str, list[Any]]:
    """Parse words such as ``nodes=1,2,4`` or ``nodes=1..4``: checked values for each setting or parameter.

    Args:
        set_words: words about parameters.

    Raises:
        InputError: an unknown setting or parameter, a value that is not allowed, one given twice, or no word.
    """
    texts = pairs(words), set_values(set_words, "cores=4,8")
    settings, parameters = ({name: text.split(",") for name, text in each.items()} for each in texts)
    return checked(system, settings, parameters)


def checked(
    system: System, settings: Mapping[str, Sequence[Any]], parameters: Mapping[str, Sequence[Any]]
) -> dict[str, list[Any]]:
    """A list of checked values for each setting and each parameter, from values or texts.

    Raises:
        InputError: as for ``axes``.
    """
    if not isinstance(parameters, Mapping):
        raise InputError(f"parameters are {quoted(parameters)}; allowed: a mapping, such as {{'cores': [4, 8]}}")
    values: dict[str, list[Any]] = {}
    for name, raw in {**settings, **parameters}.items():
        if isinstance(raw, str | bytes | Mapping) or not isinstance(raw, Iterable):
            raise InputError(f"{name} is {quoted(raw)}; allowed: a list of values, such as [1, 8]")
    settings, parameters = ({name: [*raw] for name, raw in each.items()} for each in (settings, parameters))
    for name, raw in settings.items():
        each = _expanded(system, name, raw)
        values[name] = [parsed(system.settings, {name: value}, system.parameters.names())[name] for value in each]
    for name, raw in parameters.items():
        values[name] = [given_value(system, name, value) for value in raw]
    for name, raw in {**settings, **parameters}.items():
        if not raw:
            raise InputError(f"{name} has no values; give it at least one")
        if len(set(values[name])) < len(values[name]):
            text = ",".join(map(str, raw))
            raise InputError(f"a value of {name} is given twice in '{shown(text)}'; give each once")
    if not values:
        raise InputError("nothing varies; give a setting several values, such as users=1,8")
    return values


def _expanded(system: System, name: str, raw: Sequence[Any]) -> Iterator[Any]:
    """``raw`` with ranges such as ``1..4`` replaced by their values."""
    setting = next((each for each in system.settings if each.name == name), None)
    for value in raw:
        if setting and isinstance(value, str) and RANGE in value:
            yield from values_of(setting, value)
        else:
            yield value


def groups(values: Mapping[str, Sequence[Any]], paired: Iterable[str] = ()) -> list[tuple[str, ...]]:
    """Groups of names that vary together: those in a text such as ``nodes,cells``, and all others alone.

    Raises:
        InputError: a name that does not vary, one paired twice, or different numbers of values.
    """
    group_of: dict[str, tuple[str, ...]] = {name: (name,) for name in values}
    for text in paired:
        names = tuple(each.strip() for each in text.split(","))
        for name in names:
            if name not in values:
                raise InputError(
                    f"'{shown(text)}' pairs '{shown(name)}', which does not vary; {nearest(name, values)}"
                )
            if len(group_of[name]) > 1 or names.count(name) > 1:
                raise InputError(f"{name} is paired twice; name it once")
            if len(values[name]) != len(values[names[0]]):
                counts = f"{names[0]} has {len(values[names[0]])} values and {name} has {len(values[name])}"
                raise InputError(f"'{shown(text)}' pairs settings of which {counts}; give each as many")
        if len(names) == 1:
            raise InputError(f"'{shown(text)}' is no pair; name two settings or more, such as nodes,cells")
        group_of |= dict.fromkeys(names, names)
    return list(dict.fromkeys(group_of.values()))


def crossed(values: Mapping[str, Sequence[Any]], paired: Iterable[str] = ()) -> list[dict[str, Any]]:
    """All combinations; the last name varies fastest, and paired ones vary together.

    Raises:
        InputError: there are too many combinations, or names that cannot be paired.
    """
    together = groups(values, paired)
    if (points := math.prod(len(values[names[0]]) for names in together)) > MAX:
        raise InputError(f"these settings make {points} combinations; allowed: {MAX}; vary less")
    steps = ([dict(zip(names, row, strict=True)) for row in _rows(values, names)] for names in together)
    return [{name: step[name] for step in combination for name in step} for combination in product(*steps)]


def _rows(values: Mapping[str, Sequence[Any]], names: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    return zip(*(values[name] for name in names), strict=True)


def cases_of(system: System, values: Mapping[str, Sequence[Any]], paired: Iterable[str] = ()) -> list[Case]:
    """The cases of all combinations of the values of settings and parameters, by name; see ``crossed``."""
    settings = {each.name for each in system.settings}

    @cache
    def changed(*parameters: tuple[str, float]) -> System:
        return with_set(system, dict(parameters))

    return [
        Case.of(
            changed(*((name, value) for name, value in combination.items() if name not in settings)),
            {name: value for name, value in combination.items() if name in settings},
        )
        for combination in crossed(values, paired)
    ]


def predict_all(
    cases: Sequence[Case],
    options: RunOptions | Sequence[RunOptions],
    *,
    limits: bool = True,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
) -> list[Prediction]:
    """Predict all ``cases``, in order; without prediction intervals, which would take 17 to 33 more runs each.

    Args:
        options: for all cases, or one for each, with the same engine.
        limits: determine the limit of each, while its model is in memory.
        executor: its workers predict; by default threads of this machine, or processes if there are many cases.
        on_progress: called whenever a prediction is done.

    Raises:
        StacksimError: the error of the first prediction that fails, which ends all.
    """
    predictions: dict[int, Prediction] = {}
    with closing(outcomes_of(cases, options, limits=limits, executor=executor)) as outcomes:
        for number, outcome in outcomes:
            if outcome.prediction is None:
                raise outcome.error or RuntimeError(outcome.known.reason)
            predictions[number] = outcome.prediction
            if on_progress:
                on_progress(len(predictions), len(cases))
    return [predictions[number] for number in range(len(cases))]
