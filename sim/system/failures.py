"""Parts that may fail: each is a set of settings for the part lost, slow or rebuilding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sim.engine import checks
from sim.engine.errors import InputError, shown
from sim.system.settings import Setting, parsed


@dataclass(frozen=True)
class Failure:
    """Settings under which one part is lost or degraded.

    Attributes:
        part: name of the part in plain words: "a cell", "the battery of the write cache".
        settings: changed settings by name; all others keep their values.
    """

    part: str
    settings: Mapping[str, Any] = field(hash=False)

    def __str__(self) -> str:
        return f"failure '{shown(self.part)}'"

    def under(self, given: Mapping[str, Any], entries: Iterable[Setting]) -> dict[str, Any]:
        """Apply the failure to the settings ``given``; ``entries`` has their defaults.

        Raises:
            InputError: the part, or more of its kind, has failed already: a second such part is another failure.
        """
        changed = [each for each in entries if each.name in self.settings]
        triples = [(each.default, self.settings[each.name], given[each.name]) for each in changed]
        if all(value == now for _, value, now in triples) or any(_beyond(*each) for each in triples):
            raise InputError("has failed already under the given settings; ask for it without them")
        return {**given, **self.settings}


def _beyond(default: object, value: object, now: object) -> bool:
    """True if ``now`` is further from the default than ``value``, which would undo part of a failure."""
    if (
        not isinstance(default, int | float)
        or not isinstance(value, int | float)
        or not isinstance(now, int | float)
    ):
        return False
    return default < value < now or default > value > now


def checked(failures: object, settings: Iterable[Setting]) -> tuple[Failure, ...]:
    """The ``failures`` of a system with these ``settings``, with every value parsed.

    Raises:
        InputError: a failure without its own name or without settings, an unknown setting, or a value that is
            not allowed.
    """
    entries = tuple(settings)
    kept: dict[str, Failure] = {}
    for failure in checks.listed("failures", failures):
        if not isinstance(failure, Failure):
            raise InputError(f"a failure is {checks.quoted(failure)}; allowed: Failure('a cell', {{…}})")
        checks.name("a failure", failure.part)
        if failure.part in kept:
            raise InputError(f"{failure} is listed twice; list it once")
        kept[failure.part] = replace(failure, settings=_changed(failure, entries))
    return tuple(kept.values())


def _changed(failure: Failure, settings: Iterable[Setting]) -> dict[str, Any]:
    if not failure.settings:
        raise InputError(f"{failure} changes nothing; give it settings, such as {{'cells_lost': 1}}")
    try:
        return parsed(settings, failure.settings)
    except InputError as error:
        raise InputError(f"{failure}: {error}") from None
