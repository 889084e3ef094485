"""Parts that may fail: each is a few settings of the same system, which say what is lost, slow or rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sim import checks
from sim.errors import InputError, shown
from sim.system.settings import Setting, parsed


@dataclass(frozen=True)
class Failure:
    """What changes when one part is lost or degraded.

    Attributes:
        part: what is lost or slow, as people say: "a cell", "the battery of the write cache".
        settings: the values that settings of the same system have then, by name; all others keep theirs.
    """

    part: str
    settings: Mapping[str, Any] = field(hash=False)

    def __str__(self) -> str:
        return f"failure '{shown(self.part)}'"

    def under(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What ``settings`` become.

        Raises:
            InputError: it has failed already under them, or more of it has: a second such part is another failure.
        """
        pairs = [(settings[name], value) for name, value in self.settings.items()]
        if all(given == value for given, value in pairs) or any(_lowered(*pair) for pair in pairs):
            raise InputError("has failed already under the given settings; ask for it without them")
        return {**settings, **self.settings}


def checked(failures: object, settings: Iterable[Setting]) -> tuple[Failure, ...]:
    """The ``failures`` of a system with these ``settings``, every value as its setting reads it.

    Raises:
        InputError: one without a name of its own or without settings, an unknown setting, or a value that is not
            allowed.
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


def _lowered(given: object, value: object) -> bool:
    """Whether a number becomes a smaller one: whatever is counted, more of it is lost, or slower."""
    numbers = [each for each in (given, value) if isinstance(each, int | float) and not isinstance(each, bool)]
    return len(numbers) == len((given, value)) and numbers[1] < numbers[0]


def _changed(failure: Failure, settings: Iterable[Setting]) -> dict[str, Any]:
    if not failure.settings:
        raise InputError(f"{failure} changes nothing; give it settings, such as {{'cells_lost': 1}}")
    try:
        return parsed(settings, failure.settings)
    except InputError as error:
        raise InputError(f"{failure}: {error}") from None
