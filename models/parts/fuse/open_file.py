"""The bytes of one file between the daemon and its LOB, from open to close.

write:  requests ──> put into [buffer];   behind them:  take a chunk ──> session;  flush waits for the last
read:   requests ──> take from [buffer];  behind them:  wait for the cells ──> session ──> put a chunk

A file of less than a chunk is moved by one call of the session. The first chunk of a file waits longer than those
of a stream, as the cells have read nothing ahead of it; a small file has no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import pieces
from sim import Buffer, Delay, Fork, Path, Put, Step, Take


@dataclass(frozen=True)
class WholeFile:
    """One open file.

    Attributes:
        buffer: in bytes, two chunks.
        flushed: a token once all chunks are written.
        chunk_bytes: the most that one call of the session moves.
        first_read_s: time that the first chunk waits longer than a later one.
        below: the session.
    """

    buffer: Buffer
    flushed: Buffer
    chunk_bytes: int
    first_read_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One request: only the buffer."""
        return (Put(self.buffer, io.size_bytes) if io.op == "write" else Take(self.buffer, io.size_bytes),)

    def behind(self, file: IO) -> Step:
        """The background work for the whole ``file``, beside its requests."""
        chunks = pieces(file, self.chunk_bytes, self._chunk)
        if file.op == "write":
            return Fork((*chunks, Put(self.flushed)), wait=False)
        return Fork((Delay(self.first_read_s), *chunks), wait=False)

    def flush(self) -> Step:
        """Wait until all that was written is in the LOB."""
        return Take(self.flushed)

    def _chunk(self, chunk: IO) -> Path:
        moved = self.below.path(chunk)
        if chunk.op == "write":
            return (Take(self.buffer, chunk.size_bytes), *moved)
        return (*moved, Put(self.buffer, chunk.size_bytes))


@dataclass(frozen=True)
class ReadAheadFile:
    """One open file that is read through pages: the kernel fetches it from the daemon, a window at a time.

    Attributes:
        pages: what was fetched and not yet read; its ``below`` is the mount.
        file: the same file between the daemon and its LOB.
    """

    pages: WholeFile
    file: WholeFile

    def path(self, io: IO) -> Path:
        """One call: only the pages."""
        return self.pages.path(io)

    def behind(self, file: IO) -> Step:
        """The daemon's work and the kernel's read-ahead for the whole ``file``, beside its calls."""
        return Fork((self.file.behind(file), self.pages.behind(file)), wait=False)

    def flush(self) -> Step:
        """Nothing was written."""
        return self.file.flush()
