"""Reading a claim file: TOML, checked entry by entry; nothing in it is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from sim.data.hardware import parts
from sim.engine.errors import InputError, shown
from sim.engine.files import read_toml
from sim.system.complaints import complaint
from sim.system.installed import find
from sim.system.settings import parsed
from sim.system.stack.lines import Lines
from stacksim.claims.claim import Claim, Subject
from stacksim.claims.entries import ClaimEntry

_BEGIN = "begin each claim with [[claim]]"


def read(path: Path) -> tuple[Claim, ...]:
    """The claims of the file ``path``.

    Raises:
        InputError: it cannot be read, or has an entry that is not allowed; names file and line.
    """
    toml = read_toml("claim file", path)
    lines = Lines.of(toml.text)
    for name in toml.tables.keys() - {"claim"}:
        raise InputError(f"{_where(path, lines.of_entry('', 0, name))}: no entry '{shown(name)}'; {_BEGIN}")
    claims = toml.tables.get("claim")
    if not isinstance(claims, list) or not claims or not all(isinstance(each, dict) for each in claims):
        raise InputError(f"{_where(path, None)}: no claims in it; {_BEGIN}")
    return tuple(_claim(path, lines, index, entries) for index, entries in enumerate(claims))


def check_entries(entries: Mapping[str, object], folder: Path) -> None:
    """Check ``entries`` of one claim, which need not be complete; its files are looked up in ``folder``.

    Raises:
        InputError: the entry, and what is wrong with it.
    """
    claim_of({"text": "said", "source": "somebody", **entries}, folder)


def claim_of(entries: Mapping[str, object], folder: Path) -> Claim:
    """The claim with these ``entries`` of a claim file; its files are looked up in ``folder``.

    Raises:
        InputError: the entry, and what is wrong with it.
    """
    try:
        claim = ClaimEntry.model_validate(entries).claim(folder / "claims.toml", "")
    except ValidationError as error:
        raise InputError(_fault(error)) from None
    _check_subject(claim.subject, lambda key: key)
    if claim.comparison:
        _check_subject(claim.comparison.subject, lambda key: f"than.{key}")
    return claim


def _claim(path: Path, lines: Lines, index: int, entries: Mapping[str, object]) -> Claim:
    """One claim, with its hardware, systems and settings looked up; errors name file and line."""

    def where(*keys: str) -> str:
        return _where(path, lines.of_entry("claim", index, ".".join(keys)))

    def found(*keys: str) -> str:
        return where(*keys[:-1], "stack" if keys[-1] == "system" and "stack" in entries else keys[-1])

    try:
        claim = ClaimEntry.model_validate(entries).claim(path, where())
    except ValidationError as error:
        keys = (str(key) for key in error.errors()[0]["loc"])
        raise InputError(f"{where(*keys)}: {_fault(error)}") from None
    _check_subject(claim.subject, found)
    if claim.comparison:
        _check_subject(claim.comparison.subject, lambda key: found("than", key))
    return claim


def _fault(error: ValidationError) -> str:
    """The error in one line; for entries that do not go together, without the list of all others."""
    first = error.errors()[0]
    together = first["type"] == "value_error" and first["loc"] in ((), ("than",))
    return str(first["ctx"]["error"]) if together else complaint(error, ClaimEntry)


def _where(path: Path, line: int | None) -> str:
    return f"claim file '{shown(path)}'" + (f" line {line}" if line else "")


def _check_subject(subject: Subject, where: Callable[[str], str]) -> None:
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
