"""Shared by the tests of whole systems: other parameters, and settings and parameters that change no model."""

from __future__ import annotations

from dataclasses import replace

from sim.system.settings import complete


def model_of(system, settings):
    """The model under these settings; the others have their defaults."""
    return system.scenario(complete(system.settings, settings), system.parameters).model


def changed(system, **values):
    """The system with other parameters."""
    return replace(system, parameters=system.parameters.changed(values))


def idle_settings(system, others, *cases):
    """Names in ``others`` whose value, in place of that of a case, changes the model of no case."""
    return [
        name
        for name, value in others.items()
        if all(model_of(system, case | {name: value}) == model_of(system, case) for case in cases or [{}])
    ]


def idle_parameters(system, cases, moved=lambda entry: 1.25 * entry.value):
    """Names of parameters that, ``moved``, change the model of no case."""
    plain = [model_of(system, case) for case in cases]
    other = {each.name: changed(system, **{each.name: moved(each)}) for each in system.parameters.entries}
    return [name for name, moves in other.items() if [model_of(moves, case) for case in cases] == plain]
