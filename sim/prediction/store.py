"""A store of results: one SQLite file, which several processes may share and none damages by dying.

Three tables: ``point`` holds the status of each key, with the reason, ``record`` holds the results
of those that are done, and ``claim`` the process at work on a key at present. A result is written in one
transaction, whole or not at all; a claim holds as long as its owner lives.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from sim.engine.errors import InputError, shown
from sim.prediction.owner import is_alive

Status = Literal["done", "unstable", "refused", "failed"]
"""Status of a point: it has a result; no steady state; refused by the model or the engine; or an error."""

FINAL = ("done", "unstable", "refused")
"""Statuses that another run would repeat, so that the point is not run again."""

_MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x5354_4B53  # "STKS"
_VERSION = 1
_HEADER_BYTES, _VERSION_AT, _APPLICATION_AT = 100, 60, 68
"""Layout of the database header: https://www.sqlite.org/fileformat2.html, section 1.3."""

_SCHEMA = f"""
BEGIN;
CREATE TABLE point (key BLOB PRIMARY KEY, status TEXT NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE record (key BLOB PRIMARY KEY, what TEXT NOT NULL, content BLOB NOT NULL);
CREATE TABLE claim (key BLOB PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""

_PATIENCE_S = 60.0
"""Seconds to wait for another process that writes, which takes milliseconds."""

_MANY = 50_000
"""Number of keys from which reading all points is quicker than asking for each."""


@dataclass(frozen=True)
class Known:
    """Status of a point in a store; ``reason`` is empty if it is done."""

    status: Status
    reason: str = ""

    @property
    def final(self) -> bool:
        """True if running it again would give the same."""
        return self.status in FINAL


@dataclass(frozen=True)
class Entry:
    """Record of a point to write: ``what`` it is, as text, and the ``content`` of its result if it is done."""

    key: bytes
    known: Known
    what: str = ""
    content: bytes = b""


class Store:
    """An open store; a context manager.

    Raises:
        InputError: the file is no store, one of another version, or cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with _explained(path):
            if not path.exists():
                _create(path)
            _check(path)
            self._connection = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)
            self._connection.execute("PRAGMA synchronous = NORMAL")  # in WAL: safe whoever is killed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; all that was written stays."""
        self._connection.close()

    def count(self) -> int:
        """Number of points in the store."""
        with _explained(self.path):
            (count,) = self._connection.execute("SELECT count(*) FROM point").fetchone()
        return int(count)

    def known(self, keys: Collection[bytes]) -> dict[bytes, Known]:
        """Status of those of ``keys`` that are in the store."""
        with _explained(self.path):
            if len(keys) >= _MANY:
                return self._known_of_many(keys)
            select = "SELECT status, reason FROM point WHERE key = ?"
            rows = ((key, self._connection.execute(select, (key,)).fetchone()) for key in keys)
            return {key: Known(*row) for key, row in rows if row}

    def _known_of_many(self, keys: Collection[bytes]) -> dict[bytes, Known]:
        """Result of ``known`` by reading all points; those not done are read last, so that they are current."""
        known = dict.fromkeys(keys, Known("done"))
        missing = set(known)
        missing.difference_update(chain.from_iterable(self._connection.execute("SELECT key FROM point")))
        for key in missing:
            del known[key]
        others = self._connection.execute("SELECT key, status, reason FROM point WHERE status <> 'done'")
        return known | {key: Known(status, reason) for key, status, reason in others if key in known}

    def content(self, key: bytes) -> bytes:
        """The result of a point that is done.

        Raises:
            InputError: the store is damaged, as the result is missing.
        """
        with _explained(self.path):
            row = self._connection.execute("SELECT content FROM record WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise InputError(f"store '{shown(self.path)}' is damaged: a result is missing; take a new store")
        content: bytes = row[0]
        return content

    def take(self, keys: Sequence[bytes], owner: str) -> tuple[dict[bytes, Known], set[bytes]]:
        """Claim all of ``keys`` that are still to be run for ``owner``.

        Returns:
            Final statuses by key; and the keys that a living process other than ``owner`` works on.
        """
        with self._transaction():
            known = {key: each for key, each in self.known(keys).items() if each.final}
            busy = {key for key in keys if key not in known and self._is_busy(key, owner)}
            claims = ((key, owner) for key in keys if key not in known and key not in busy)
            self._connection.executemany("INSERT OR REPLACE INTO claim VALUES (?, ?)", claims)
        return known, busy

    def busy(self, keys: Iterable[bytes], owner: str) -> set[bytes]:
        """Keys among ``keys`` that a living process other than ``owner`` works on."""
        with _explained(self.path):
            return {key for key in keys if self._is_busy(key, owner)}

    def _is_busy(self, key: bytes, owner: str) -> bool:
        row = self._connection.execute("SELECT owner FROM claim WHERE key = ?", (key,)).fetchone()
        return row is not None and row[0] != owner and is_alive(row[0])

    def write(self, entries: Sequence[Entry]) -> None:
        """Write ``entries`` and release their claims; all of it or nothing."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO point VALUES (?, ?, ?)",
                ((each.key, each.known.status, each.known.reason) for each in entries),
            )
            connection.executemany(
                "INSERT OR REPLACE INTO record VALUES (?, ?, ?)",
                ((each.key, each.what, each.content) for each in entries if each.known.status == "done"),
            )
            connection.executemany("DELETE FROM claim WHERE key = ?", ((each.key,) for each in entries))

    def release(self, owner: str) -> None:
        """Release all claims of ``owner``."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM claim WHERE owner = ?", (owner,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _create(path: Path) -> None:
    """Create an empty store at ``path``, whole or not at all; another process's store is kept."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".stacksim-") as folder:
        made = Path(folder, "store")
        connection = sqlite3.connect(made, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
        connection.close()
        try:
            os.link(made, path)
        except FileExistsError:
            return


def _check(path: Path) -> None:
    """Refuse files that are no store, by their first bytes: opening another database could already change it."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    application, version = (int.from_bytes(header[at : at + 4], "big") for at in (_APPLICATION_AT, _VERSION_AT))
    if not header.startswith(_MAGIC) or application != _APPLICATION:
        raise InputError(
            f"'{shown(path)}' is no store of stacksim; name another file, or one that is not there yet"
        )
    if version != _VERSION:
        raise InputError(
            f"'{shown(path)}' is a store of version {version}, and this stacksim has {_VERSION}; name another file"
        )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Context that turns errors of the file or of SQLite into one line that names the store."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(f"store '{shown(path)}': {reason}; fix it, or name another file") from error
