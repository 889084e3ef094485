"""The case that a claim is about: its numbers and conditions, mapped to settings of its system.

Systems name their settings differently. Only names that mean one and the same thing in all of
them are mapped; the others are listed, so that a reader knows what the prediction left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError
from sim.engine.units import factor
from sim.system.case import Case
from sim.system.installed import find
from sim.system.settings import Choice, Flag, Setting, parsed
from sim.system.system import System
from stacksim.claims.claim import ANSWERED, Claim, Number, Subject

SAME: Mapping[str, tuple[str, ...]] = {
    "block": ("block",),
    "memory": ("memory",),
    "array_memory": ("array_memory",),
    "devices": ("devices",),
    "links": ("links",),
    "nodes": ("nodes",),
    "cores": ("cores",),
    "bytes": ("bytes",),
    "clients": ("clients",),
    "requests_in_flight": ("depth", "clients", "threads"),
}
"""Roles of settings that mean the same as a number of a claim; the first that a system has is used.

Each client has one request in flight, or as many as ``depth`` says.
"""

BOTH = ("both", "mixed")
"""Names of the option for simultaneous reads and writes."""

_DIRECT: Mapping[str, tuple[str, ...]] = {
    "direct": ("direct", "forcedirectio"),
    "buffered": ("buffered",),
}
_FLAGS = {"direct_io": True, "page_cache": False}
"""The value of each flag for direct access, by role."""

READ_APART = ("duration",)
"""Numbers that say which part of an answer was observed."""


@dataclass(frozen=True)
class ClaimedCase:
    """A claim's case, with the settings that the claim gives.

    Attributes:
        said: settings given by the claim, directly or through its numbers; the others have defaults.
        left_out: numbers and conditions to which no setting of the system corresponds, as text.
        request: bytes of a request if no setting says so; None: taken from the model.
    """

    case: Case
    said: Mapping[str, Any]
    left_out: tuple[str, ...] = ()
    request: float | None = None

    @classmethod
    def of(cls, claim: Claim) -> ClaimedCase | None:
        """The case of ``claim``; None if it is about no system.

        Raises:
            InputError: unknown system or setting, or a value that is not allowed.
        """
        return _claimed(claim.subject, claim.numbers, claim.conditions, claim.where)

    @classmethod
    def other(cls, claim: Claim) -> ClaimedCase | None:
        """The case of the other side of a comparison; settings that it leaves open are as in the claim.

        Raises:
            InputError: unknown system or setting, or a value that is not allowed.
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
        """Value of the setting that corresponds to the number ``name``; None if there is none."""
        setting = same_setting(self.case.system, name)
        return int(self.case.settings[setting.name]) if setting else None

    @property
    def block(self) -> float | None:
        """Bytes of a request: by the setting, or else by the watched workload."""
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
        collected = _Said(system, dict(explicit))
        collected.conditions(conditions)
        collected.numbers(numbers)
        return ClaimedCase(Case.of(system, collected.settings), collected.settings, tuple(collected.left_out))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def system_of(name: str) -> System:
    """The system ``name``, or that of a stack file; the same object while the file is unchanged."""
    path = Path(name)
    return _system(name, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=64)
def _system(name: str, changed_ns: int) -> System:  # noqa: ARG001  (a file that was changed is read again)
    return find(name)


def same_setting(system: System, name: str) -> Setting | None:
    """The setting of ``system`` that corresponds to the number ``name`` of a claim; None if there is none."""
    return next(iter(system.settings.of_role(*SAME.get(name, ()))), None)


@dataclass
class _Said:
    """Settings that a claim gives, collected step by step; those given by name take precedence."""

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
        """Map numbers to settings: counts of clients first, then requests in flight of all together."""
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
        """Counts of all that have ``setting`` each: clients for a depth, nodes for a setting of each node."""
        roles = ("clients", "threads", "nodes") if setting.means == "depth" else ("nodes",)
        for other in self.system.settings.of_role(*roles):
            if other is not setting and (other.means != "nodes" or "each node" in setting.help):
                yield int(self.settings.get(other.name, other.default))

    def _keep(self, name: str, said: str, setting: Setting | None, value: Any) -> None:
        """Take ``value`` for ``setting``, unless the claim sets it by name."""
        try:
            meant = setting.parse(value) if setting else None
        except InputError:
            meant = None
        if setting is None or meant is None:
            self.left_out.append(f"{name} {said}")
        elif self.settings.setdefault(setting.name, meant) != meant:
            self.left_out.append(f"{name} {said} ({setting.name} is set to something else)")


def _meant(system: System, name: str, word: str) -> Iterator[tuple[Setting, Any]]:
    """Settings that express the condition ``name`` = ``word``, and their values."""
    for setting in system.settings:
        if isinstance(setting, Choice) and name == "op" == setting.means:
            words = BOTH if word == "both" else (word,)
            yield from ((setting, option) for option in setting.options if option in words)
        elif isinstance(setting, Choice) and name == "access" == setting.means:
            yield from ((setting, option) for option in setting.options if option in _DIRECT[word])
        elif isinstance(setting, Flag) and name == "access" and setting.means in _FLAGS:
            yield setting, _FLAGS[setting.means] == (word == "direct")
        elif setting.name == name == "pattern":
            yield setting, word
