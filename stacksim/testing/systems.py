"""The check of a system: its explanations, all that it reads, and its model in both engines."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any

from sim.engine.errors import InputError
from sim.system.case import Case
from sim.system.installed import resolved
from sim.system.settings import Choice, Flag, Setting
from sim.system.system import System
from stacksim.testing.runs import check_engines, check_frozen, check_progress


def check_system(system: System, **settings: Any) -> None:
    """Check a system: settings and parameters explain themselves, and under ``settings`` both engines agree.

    A model with a step or a cache policy in Python runs in the reference engine alone. Each client of a load
    without end goes on to complete requests. A system without answers of its own reads every setting and
    parameter, under ``settings`` or with one of its words or flags changed.

    Raises:
        AssertionError: says what does not hold.
    """
    system = resolved(system)
    for setting in system.settings:
        assert setting.help, f"setting '{setting.name}' has no help"
        assert setting.parse(setting.show(setting.default)) == setting.default, (
            f"'{setting.name}' is not read back"
        )
    for parameter in system.parameters.entries:
        assert parameter.source, f"parameter '{parameter.name}' does not say where it is from"
        assert parameter.low <= parameter.value <= parameter.high, f"'{parameter.name}' is outside its bounds"
    for record in (system.settings.record, system.parameters.record):
        if isinstance(record, type) and is_dataclass(record):
            check_frozen(record)
    case = Case.of(system, settings)
    scenario = case.scenario
    if not scenario.measures:
        _check_reads(case)
    check_engines(system.name, scenario.model)
    if not scenario.model.finite:
        check_progress(system.name, scenario.model, scenario.watch, 0.05)


def _check_reads(case: Case) -> None:
    """Check that every setting and parameter is read, or used in the stack file."""
    system = case.system
    reads = {*(system.mentioned or ())}
    for changed in ({}, *({each.name: word} for each in system.settings for word in _words(each))):
        with suppress(InputError):
            system.scenario({**case.settings, **changed}, reads=reads)
    names = (*(each.name for each in system.settings), *system.parameters.names())
    unread = ", ".join(name for name in names if name not in reads)
    assert not unread, f"nothing reads {unread}; use it, take it out, or give settings under which it counts"


def _words(setting: Setting) -> tuple[object, ...]:
    return setting.options if isinstance(setting, Choice) else (True, False) if isinstance(setting, Flag) else ()
