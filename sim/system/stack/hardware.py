"""Replacement of a stack file's hardware by hardware of the catalogue, named on the command line.

    stacksim predict nvme-xfs --hardware samsung-980-pro
    stacksim predict gp3 --hardware instance=m5.xlarge

Values of the catalogue replace those of the file; values known only for its kind get the kind's prior. All others
stay as in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sim.engine.checks import quoted
from sim.engine.errors import InputError, did_you_mean, shown
from sim.system.parameters import Parameter, Parameters
from sim.system.priors import prior
from sim.system.quantities import Quantity
from sim.system.settings import Setting
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry, texts_in
from sim.system.stack.kinds import LAYERS, Filled, fields_of, kind_of, kinds
from sim.system.system import System

FIELD = "hardware"
"""The field of a layer that names its hardware."""


def with_hardware(system: System, words: Iterable[str]) -> System:
    """``system`` with other hardware: names of the catalogue, or LAYER=NAME if several layers may be meant.

    The result is another system, without any measurement.

    Raises:
        InputError: no such layer; a name that is not in the catalogue, or not of a suitable kind.
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"hardware is {quoted(words)}; allowed: a list of names, such as ['gp3']")
    names: dict[str, str] = {}
    changed = system
    for word in words:
        changed, layer, name = _with(changed, word)
        if layer in names:
            raise InputError(f"hardware of '{layer}' is given twice, {names[layer]} and {name}; keep one")
        names[layer] = name
    return (
        replace(changed, name=" ".join((system.name, "with", " and ".join(names.values())))) if names else system
    )


def _with(system: System, word: str) -> tuple[System, str, str]:
    """The system with one layer changed, the name of the layer, and that of its new hardware."""
    stack = system.build
    if not isinstance(stack, Stack):
        raise InputError(
            f"hardware is '{shown(word)}', and system '{system.name}' is written in Python: its parameters say "
            "what it runs on; change them with --set"
        )
    entry, name = _meant(system.name, stack, word)
    kind: Any = kind_of(LAYERS, entry.kind)
    implied: Mapping[str, Filled] = kind.filled({FIELD: name})
    of_kind = kind.priors(implied) if hasattr(kind, "priors") else {}
    left = {key: value for key, value in entry.fields.items() if key not in {FIELD, *implied, *of_kind}}
    others = replace(stack, layers=tuple(each for each in stack.layers if each is not entry)).mentioned()
    parameters = {each.name: each for each in system.parameters.entries}
    shared: dict[str, str] = {}
    for key in (each for each in entry.fields if each in implied):
        parameter = entry.fields[key]
        one_number = isinstance(implied[key].value, int | float)
        if isinstance(parameter, str) and one_number and parameter in parameters.keys() & others:
            # A parameter shared with another layer describes the same thing: a card has the rate of its link.
            shared[key] = parameter
            parameters[parameter] = _stated(parameters[parameter], implied[key])
    parameters |= {text: _of_kind(text) for text in texts_in(of_kind)}
    changed = replace(entry, fields={**left, **shared, **of_kind, FIELD: name})
    stack = replace(
        stack,
        layers=tuple(changed if each is entry else each for each in stack.layers),
        lacking=(*stack.lacking, *_of_the_file(entry, name, left, _chosen(system, left))),
        uncertain=stack.uncertain | {*texts_in(of_kind)},
    )
    used = _used(system.parameters, parameters.values(), stack)
    return replace(system, parameters=used, build=stack), entry.name, name


def _meant(system: str, stack: Stack, word: str) -> tuple[Entry, str]:
    """The layer that ``word`` addresses, and the name of the hardware."""
    if not isinstance(word, str):
        raise InputError(
            f"hardware is {quoted(word)}; allowed: 'NAME' or 'LAYER=NAME', with one of `stacksim hardware`"
        )
    layer, equals, name = word.rpartition("=")
    takers = {entry.name: entry for entry in stack.layers if _names(entry)}
    if not takers:
        taking = [name for name, kind in kinds(LAYERS).items() if _field(kind)]
        raise InputError(
            f"hardware is '{shown(word)}', and no layer of '{system}' takes it; "
            f"those of kind {', '.join(taking)} do"
        )
    if equals and layer not in takers:
        raise InputError(f"hardware is '{shown(word)}'; allowed before =: {', '.join(takers)}")
    among = [takers[layer]] if equals else [*takers.values()]
    fitting = [(entry, name) for entry in among if name in _names(entry)]
    if len(fitting) > 1:
        both = " or ".join(f"'{entry.name}={name}'" for entry, _ in fitting)
        raise InputError(f"hardware is '{shown(word)}', which several layers may be; write {both}")
    if not fitting:
        names = [*dict.fromkeys(each for entry in among for each in _names(entry))]
        whose = " or ".join(entry.name for entry in among)
        taking = [each for each, kind in kinds(LAYERS).items() if name in getattr(_field(kind), "names", ())]
        other = f"it is for layers of kind {', '.join(taking)}; " if taking else did_you_mean(name, names)
        raise InputError(f"no hardware '{shown(name)}' for {whose}; {other}allowed: {', '.join(names)}")
    return fitting[0]


def _names(entry: Entry) -> tuple[str, ...]:
    """Hardware that a layer may name; empty if it has no such field."""
    return getattr(_field(kind_of(LAYERS, entry.kind)), "names", ()) if entry.kind != STEPS else ()


def _field(kind: type) -> Setting | None:
    return next((each for each in fields_of(kind) if each.name == FIELD), None)


def _stated(parameter: Parameter, implied: Filled) -> Parameter:
    """``parameter`` with the catalogue's value."""
    value = float(implied.value)
    low, high = min(parameter.low, value), max(parameter.high, value)
    return Parameter(parameter.name, value, parameter.unit, low, high, "published", implied.source)


def _of_kind(name: str) -> Parameter:
    unit, kept = prior(name)
    return Parameter(name, kept.value, unit, kept.low, kept.high, "assumed", kept.source, likely=kept.likely)


def _chosen(system: System, fields: Mapping[str, Any]) -> dict[str, Setting]:
    """Settings that stand in ``fields``, by field."""
    settings = {each.name: each for each in system.settings}
    return {key: settings[value] for key, value in fields.items() if isinstance(value, str) and value in settings}


def _of_the_file(entry: Entry, name: str, left: Mapping[str, Any], chosen: Mapping[str, Setting]) -> Iterator[str]:
    """Yield notes on values of a layer that the file or a setting has, and the catalogue lacks."""
    if fields := sorted(left.keys() - chosen.keys()):
        yield f"the catalogue has no {' or '.join(fields)} of {name}; {entry.name} keeps what the file says"
    for key, setting in chosen.items():
        if isinstance(setting, Quantity) and setting.unit == "second":
            yield (
                f"the catalogue has no {key} of {name}; {entry.name} keeps {setting.name} ({setting.help}): give "
                f"that of {name}"
            )


def _used(before: Parameters[Any], entries: Iterable[Parameter], stack: Stack) -> Parameters[Any]:
    """Parameters of ``entries`` still in use, without errors measured on the former hardware."""
    mentioned = stack.mentioned()
    kept = before.having(each for each in entries if each.name in mentioned)
    return replace(
        kept, held_out={}, missed=before.missed_elsewhere, missed_along={}, missed_elsewhere={}, seen_under=()
    )
