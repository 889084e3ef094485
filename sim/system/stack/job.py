"""A job file in place of a stack's own load: ``predict STACK --job FILE.fio``.

The suffix of the file is the kind of load. Such a kind has, besides ``scenario``: ``parts()``, one load for each
of the consecutive parts of the file; ``said()`` and ``notes()`` of such a part; and ``output(answered)``, a report
in the format of its tool, from the scenario and result of each part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, shown
from sim.engine.result import Result
from sim.system.scenario import Scenario
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry, meant
from sim.system.stack.kinds import LOADS, fields_of, kind_of, kinds
from sim.system.stack.loads import DEFAULT_LOAD
from sim.system.system import Asked, System


@dataclass(frozen=True)
class Job:
    """A job file on a stack.

    Attributes:
        systems: the stack with each part of the file as its load.
    """

    systems: tuple[System, ...]
    _kind: Any

    def output(self, answered: Sequence[tuple[Scenario, Result]]) -> dict[str, Any]:
        """Report in the format of the file's tool."""
        made: dict[str, Any] = self._kind.output(answered)
        return made


def job_of(system: System, path: Path, kind: str = "") -> Job:
    """The job file ``path`` on the stack of ``system``.

    Args:
        kind: kind of load, if it is not the suffix of the file.

    Raises:
        InputError: ``system`` is no stack file, or the job file cannot be simulated.
    """
    stack = system.build
    if not isinstance(stack, Stack):
        raise InputError(f"system '{system.name}' has its own loads; give a stack file, or one of models/stacks")
    kind = kind or path.suffix.removeprefix(".")
    files = [name for name, each in kinds(LOADS).items() if hasattr(each, "parts")]
    if kind not in files:
        endings = " or ".join(f".{name}" for name in files)
        raise InputError(f"job '{shown(path)}' is not a {endings} file; give its name such an ending")
    if not path.is_file():
        raise InputError(f"no job file '{shown(path)}'; name another")
    whole = kind_of(LOADS, kind)(file=str(path))
    systems = (
        replace(system, build=_with_load(stack, kind, _values(part)), asked=_asked(system, stack, part))
        for part in whole.parts()
    )
    return Job(tuple(systems), whole)


def _asked(system: System, stack: Stack, part: Any) -> Asked:
    """Load of a ``part`` of a job file, in place of the settings that only the load of ``stack`` uses."""
    of_load = {each.name for each in system.settings} - stack.mentioned(load=False)
    names = {each.name: each.default for each in system.settings} | vars(system.parameters.values)
    plain = {each.name: each for each in fields_of(kind_of(LOADS, DEFAULT_LOAD))}
    written = stack.load.fields if stack.load.kind == DEFAULT_LOAD else {}
    asked: dict[str, tuple[Any, str]] = {}
    others: dict[str, tuple[str, str]] = {}
    for name, said in part.said().items():
        if name not in plain:
            others[name] = said.text, said.otherwise
        elif written.get(name) in of_load:
            asked[written[name]] = said.value, said.text
        else:
            own = plain[name].parse(meant(written.get(name, plain[name].default), plain[name], names))
            others |= {name: (said.text, plain[name].show(own))} if said.value != own else {}
    return Asked(asked, others, part.notes())


def _values(part: Any) -> Mapping[str, Any]:
    return {each.name: getattr(part, each.name) for each in fields(part)}


def _with_load(stack: Stack, kind: str, values: Mapping[str, Any]) -> Stack:
    where = f"job '{shown(values['file'])}'"
    load = Entry({"": where}, kind, kind, shared=False, fields=values)
    return replace(stack, load=load, beside=())
