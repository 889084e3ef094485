"""Names and open files of one mount, as a process sees them: the kernel in front, the daemon and the store behind.

look up, create, unlink ──> hold the parent directory ── requests ──> store
all others              ──> requests ──> store

The kernel holds a directory while a name in it is looked up, made or removed, until the daemon has answered: so
MKNOD in one directory does not run in parallel (white paper on DBFS, bug 9961241). A file is created by MKNOD,
then OPEN. Attributes that the daemon knows from a listing or from its last change are not asked of the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from models.io import IO
from models.layer import Layer
from sim import Fork, Hold, Lock, Path, Step


class Store(Protocol):
    """The store that the daemon calls for names and attributes."""

    def resolve(self) -> Path: ...
    def commit(self) -> Step: ...
    def change(self) -> Path: ...
    def remove(self) -> Path: ...
    def listing(self, names: float) -> Path: ...


class OpenFile(Protocol):
    """The bytes of one file, behind the daemon."""

    def behind(self, file: IO) -> Step: ...
    def flush(self) -> Step: ...


@dataclass(frozen=True)
class Namespace:
    """One process on one mount.

    Attributes:
        request: function from the serving steps to a request to the daemon.
        directory: the directory that the process works in.
        store: the store of names and attributes.
        file, data: the open file, and the layer of its reads and writes.
        system_call: CPU time of a call that moves data before it reaches the mount.
    """

    request: Callable[..., Path]
    directory: Lock
    store: Store
    file: OpenFile
    data: Layer
    system_call: Step

    def look_up(self) -> Path:
        return (self._in_directory(*self.request()),)

    def find(self) -> Path:
        return (self._in_directory(*self.request(*self.store.resolve())),)

    def create(self) -> Path:
        check = self.request(*self.store.resolve())
        return (self._in_directory(*check, *self.request(*self.store.change())),)

    def unlink(self) -> Path:
        return (self._in_directory(*self.request(), *self.request(*self.store.remove())),)

    def remove_directory(self) -> Path:
        return (self._in_directory(*self.request(), *self.request(*self.store.change())),)

    def set_attributes(self) -> Path:
        return self.request(*self.store.change())

    def get_attributes(self) -> Path:
        return self.request()

    def open_directory(self) -> Path:
        return self.request()

    def list_names(self, names: float) -> Path:
        return self.request(*self.store.listing(names))

    def close_directory(self) -> Path:
        return (*self.request(), self._released())

    def transfer(self, file: IO, calls: Path) -> Path:
        opened = self.request(*self.store.resolve())
        if not file.size_bytes:
            return (*opened, *calls, *self.request(), self._released())
        last = (self.file.flush(), self.store.commit()) if file.op == "write" else ()
        return (*opened, self.file.behind(file), *calls, *self.request(*last), self._released())

    def call(self, io: IO) -> Path:
        return (self.system_call, *self.data.path(io))

    def _in_directory(self, *requests: Step) -> Step:
        return Hold(self.directory.exclusive, *requests)

    def _released(self) -> Step:
        return Fork(self.request(), wait=False)
