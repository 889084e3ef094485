"""Checks that a claim's subject exists: its system, stack and settings, and each part of its hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sim.data.hardware import parts
from sim.engine.errors import InputError
from sim.system.installed import find
from sim.system.settings import parsed
from stacksim.claims.claim import Subject


def check(subject: Subject, where: Callable[[str], str]) -> None:
    """Refuse unknown hardware, systems and settings; ``where`` returns the position of an entry, by its name.

    Raises:
        InputError: the position, and what is wrong.
    """
    for entry, look_up in _entries(subject):
        try:
            look_up()
        except InputError as error:
            raise InputError(f"{where(entry)}: {error}") from None


def _entries(subject: Subject) -> Iterator[tuple[str, Callable[[], object]]]:
    yield from (("hardware", partial(parts, text)) for text in subject.hardware)
    if subject.modelled:
        yield "stack" if subject.stack else "system", partial(find, subject.modelled)
        yield "settings", partial(_settings, subject.modelled, subject)


def _settings(name: str, subject: Subject) -> object:
    return parsed(find(name).settings, subject.settings or {})
