"""The case that a claim is about: its numbers and conditions as settings of its system that mean the same.

What settings are called differs from one system to the next. Only names that mean one and the same thing in all of
them are mapped; the rest is named, so that a reader knows what the prediction did not look at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.decision.claims.claim import ANSWERED, Claim, Number, Subject
from sim.errors import InputError
from sim.system.case import Case
from sim.system.installed import find
from sim.system.settings import Choice, Flag, Setting, parsed
from sim.system.system import System
from sim.units import factor

SAME: Mapping[str, tuple[str, ...]] = {
    "block": ("block",),
    "memory": ("memory",),
    "array_memory": ("array_memory", "cache"),
    "devices": ("devices", "drives", "disks", "cells"),
    "links": ("links", "paths"),
    "nodes": ("nodes", "hosts"),
    "cores": ("cores",),
    "bytes": ("bytes", "file"),
    "clients": ("clients", "jobs", "users", "streams", "sessions", "processes", "writers", "threads"),
    "requests_in_flight": ("depth", "clients", "jobs", "users", "streams", "sessions", "processes", "writers"),
}
"""Settings that mean the same as a number of a claim; the first that a system has counts."""

CLIENTS = SAME["clients"]
"""Each of them has one request on its way, or as many as ``depth`` says."""

BOTH = ("both", "mixed")
"""What reads and writes at once are called."""

_DIRECT: Mapping[str, tuple[str, ...]] = {
    "direct": ("direct", "forcedirectio"),
    "buffered": ("buffered",),
}
_ACCESS = ("access", "mount")
_FLAGS = {"direct_io": True, "page_cache": False}
"""Whether the flag is set where access is direct."""

READ_APART = ("duration",)
"""Numbers that say which part of an answer was seen."""


@dataclass(frozen=True)
class ClaimedCase:
    """What a claim is about.

    Attributes:
        said: the settings that the claim gives, by itself or by what means the same; the others have defaults.
        left_out: numbers and conditions that no setting of the system means, as people read them.
        request: bytes of a request where no setting says so; None: the model tells.
    """

    case: Case
    said: Mapping[str, Any]
    left_out: tuple[str, ...] = ()
    request: float | None = None

    @classmethod
    def of(cls, claim: Claim) -> ClaimedCase | None:
        """The case of ``claim``; None if it is about no system.

        Raises:
            InputError: no such system, or a setting that it does not have, or not so.
        """
        return _claimed(claim.subject, claim.numbers, claim.conditions, claim.where)

    @classmethod
    def other(cls, claim: Claim) -> ClaimedCase | None:
        """The case of the other side of a comparison; what that side does not say is as in the claim.

        Raises:
            InputError: no such system, or a setting that it does not have, or not so.
        """
        than = claim.comparison
        if than is None:
            return None
        theirs, ours = than.subject, claim.subject
        settings = theirs.settings if theirs.modelled else {**(ours.settings or {}), **(theirs.settings or {})}
        same = Subject(
            theirs.system if theirs.modelled else ours.system,
            theirs.stack if theirs.modelled else ours.stack,
            settings,
            measure=theirs.measure or ours.measure,
        )
        conditions = {**claim.conditions, **than.conditions}
        return _claimed(same, than.with_those_of(claim), conditions, claim.where)

    def count(self, name: str) -> int | None:
        """The value of the setting that means the same as the number ``name``; None if there is none."""
        setting = same_setting(self.case.system, name)
        return int(self.case.settings[setting.name]) if setting else None

    @property
    def block(self) -> float | None:
        """Bytes of a request: those of the setting, or else what one of the watched workload moves."""
        if self.count("block") or self.request:
            return self.count("block") or self.request
        scenario = self.case.scenario
        return scenario.amount * (factor(scenario.unit, "byte / second") or 0.0) or None


def _claimed(
    subject: Subject, numbers: Mapping[str, Number], conditions: Mapping[str, str], where: str
) -> ClaimedCase | None:
    name = subject.modelled
    if name is None:
        return None
    try:
        system = system_of(name)
        explicit = parsed(system.settings, subject.settings or {})
        said = _Said(system, dict(explicit))
        said.conditions(conditions)
        said.numbers(numbers)
        return ClaimedCase(Case.of(system, said.settings), said.settings, tuple(said.left_out))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def system_of(name: str) -> System:
    """The system ``name``, or that of a stack file: the same one again while the file stays as it is."""
    path = Path(name)
    return _system(name, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=64)
def _system(name: str, changed_ns: int) -> System:  # noqa: ARG001  (a file that was changed is read again)
    return find(name)


def same_setting(system: System, name: str) -> Setting | None:
    """The setting of ``system`` that means the same as the number ``name`` of a claim."""
    by_name = {each.name: each for each in system.settings}
    return next((by_name[each] for each in SAME.get(name, ()) if each in by_name), None)


@dataclass
class _Said:
    """The settings that a claim gives, while they are put together; those given by name are kept."""

    system: System
    settings: dict[str, Any]
    left_out: list[str] = field(default_factory=list)

    def conditions(self, conditions: Mapping[str, str]) -> None:
        for name, word in conditions.items():
            if name == "price":
                continue
            setting = next(_meant(self.system, name, word), None)
            self._keep(name, word, *(setting or (None, None)))

    def numbers(self, numbers: Mapping[str, Number]) -> None:
        """Counts of clients come before what they have in flight together."""
        for name in SAME:
            if name in numbers:
                self._number(name, numbers[name])
        unknown = [name for name in numbers if name not in (*SAME, *ANSWERED, *READ_APART)]
        self.left_out += [f"{name} {numbers[name].said}" for name in unknown]

    def _number(self, name: str, number: Number) -> None:
        setting = same_setting(self.system, name)
        share = number.value
        if setting and name in ("clients", "requests_in_flight"):
            share /= math.prod(self._others(setting))
        self._keep(name, number.said, setting, round(share) if share == round(share) else share)

    def _others(self, setting: Setting) -> Iterator[int]:
        """How many there are of what has as many as ``setting`` says each."""
        names = [*(CLIENTS if setting.name == "depth" else ()), *SAME["nodes"]]
        by_name = {each.name: each for each in self.system.settings}
        for other in (by_name[name] for name in names if name in by_name):
            if other is not setting and (other.name in CLIENTS or "each node" in setting.help):
                yield int(self.settings.get(other.name, other.default))

    def _keep(self, name: str, said: str, setting: Setting | None, value: Any) -> None:
        """Take ``value`` for ``setting``, unless the claim sets that by name."""
        try:
            meant = setting.parse(value) if setting else None
        except InputError:
            meant = None
        if setting is None or meant is None:
            self.left_out.append(f"{name} {said}")
        elif self.settings.setdefault(setting.name, meant) != meant:
            self.left_out.append(f"{name} {said} ({setting.name} is set to something else)")


def _meant(system: System, name: str, word: str) -> Iterator[tuple[Setting, Any]]:
    """Settings that mean that the condition ``name`` is ``word``, and their values."""
    for setting in system.settings:
        if isinstance(setting, Choice) and name == "op" == setting.name:
            words = BOTH if word == "both" else (word,)
            yield from ((setting, option) for option in setting.options if option in words)
        elif isinstance(setting, Choice) and name == "access" and setting.name in _ACCESS:
            yield from ((setting, option) for option in setting.options if option in _DIRECT[word])
        elif isinstance(setting, Flag) and name == "access" and setting.name in _FLAGS:
            yield setting, _FLAGS[setting.name] == (word == "direct")
        elif setting.name == name == "pattern":
            yield setting, word
