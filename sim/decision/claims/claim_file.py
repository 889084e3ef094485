"""A claim file: what somebody says, in TOML, checked entry by entry; nothing in it is executed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sim.decision.claims.claim import Claim
from sim.decision.claims.entries import ClaimEntry
from sim.decision.claims.subject import check
from sim.errors import InputError, shown
from sim.files import read_toml
from sim.system.complaints import complaint
from sim.system.stack.lines import Lines

MOST = 10_000
"""Claims of a file."""


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    claim: list[ClaimEntry] = Field(min_length=1, max_length=MOST)


def read(path: Path) -> tuple[Claim, ...]:
    """The claims of the file ``path``.

    Raises:
        InputError: it cannot be read, or has an entry that is not allowed; names file and line.
    """
    toml = read_toml("claim file", path)
    lines = Lines.of(toml.text)
    try:
        document = _Document.model_validate(toml.tables)
    except ValidationError as error:
        line = _line(lines, error.errors()[0]["loc"])
        raise InputError(f"{_where(path, line)}: {complaint(error, _Document)}") from None
    return tuple(_claim(path, lines, index, entry) for index, entry in enumerate(document.claim))


def check_entries(entries: Mapping[str, object], folder: Path) -> None:
    """Refuse ``entries`` of one claim, a part of them though it be; its files are looked up in ``folder``.

    Raises:
        InputError: the entry, and what is wrong with it.
    """
    some = {"text": "said", "source": "somebody", **entries}
    try:
        claim = ClaimEntry.model_validate(some).claim(folder / "claims.toml", "")
    except ValidationError as error:
        raise InputError(complaint(error, ClaimEntry)) from None
    check(claim.subject, lambda key: key)


def _claim(path: Path, lines: Lines, index: int, entry: ClaimEntry) -> Claim:
    """The record, whose hardware, systems and settings are known."""

    def where(key: str) -> str:
        return _where(path, lines.of_entry("claim", index, key))

    claim = entry.claim(path, where(""))
    check(claim.subject, where)
    if claim.comparison:
        check(claim.comparison.subject, lambda key: where(f"than.{key}"))
    return claim


def _line(lines: Lines, where: tuple[int | str, ...]) -> int | None:
    """The line of the entry ``where``, such as ``("claim", 2, "than", "throughput")``."""
    table, index, *keys = (*where, "", "", "")[: max(len(where), 3)]
    key = ".".join(map(str, keys[:2])) if keys[0] in {"than", "settings"} else str(keys[0])
    return lines.of_entry(str(table), index if isinstance(index, int) else 0, key)


def _where(path: Path, line: int | None) -> str:
    return f"claim file '{shown(path)}'" + (f" line {line}" if line else "")
