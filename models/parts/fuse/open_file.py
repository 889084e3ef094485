"""The bytes of one file between its caller, the daemon and its LOB, from open to close.

write:  requests ──> [stream] ┄┄> session, chunk by chunk;   flush waits for the last
read:   requests <── [stream] <┄┄ session, chunk by chunk, once the cells have found the first
        and calls <── [ahead] <┄┄ requests of the kernel, where it reads ahead

A file of less than a chunk is moved by one call of the session. The first chunk of a file waits longer than later
ones, as the cells have not prefetched it; a small file has only this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.parts.page_cache.window import Window
from models.paths import pieces
from sim import Buffer, Delay, Fork, Path, Put, Step, Take


@dataclass(frozen=True)
class WholeFile:
    """One open file.

    Attributes:
        stream: window between the daemon and the session.
        flushed: a token once all chunks are written.
        first_read_s: extra time of the first chunk.
        ahead: window of the kernel's read-ahead, if any.
    """

    stream: Window
    flushed: Buffer
    first_read_s: float
    ahead: Window | None = None

    def behind(self, file: IO) -> Step:
        """The background work for the whole ``file``, beside its requests."""
        chunks = _moved(file, self.stream)
        if file.op == "write":
            return Fork((*chunks, Put(self.flushed)), wait=False)
        ahead = [_moved(file, self.ahead)] if self.ahead else []
        return Fork((Delay(self.first_read_s), *chunks), *ahead, wait=False)

    def flush(self) -> Step:
        """Wait until all written data is in the LOB."""
        return Take(self.flushed)


def _moved(file: IO, window: Window) -> Path:
    """All of ``file``, piece by piece."""
    return pieces(file, window.piece_bytes, lambda piece: window.moved(piece.size_bytes))
