"""A file read or written in sequence through the page cache: read-ahead, write-behind, and a copy for each byte.

call ──> a window of clusters (read ahead, or written behind) ── and for each of them: copy

The caller goes on while up to ``depth`` clusters are on their way to or from storage, which sees clusters
whatever the size of the calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.window import Window
from models.io import IO, Op
from models.layer import Layer
from models.parts.host.processor import Processor
from sim import Closed, Path


@dataclass(frozen=True)
class CachedFile:
    """One open file on a buffered mount.

    Attributes:
        window: of clusters, each an I/O to storage.
        call_s: system time of one call.
        touch_s_per_byte: system time to find the pages and copy them, or to map them.
    """

    window: Window
    cpu: Processor
    call_s: float
    touch_s_per_byte: float
    below: Layer

    @classmethod
    def of(
        cls,
        name: str,
        op: Op,
        *,
        clusters: int,
        cluster_bytes: int,
        call_bytes: int,
        cpu: Processor,
        call_s: float,
        touch_s_per_byte: float,
        below: Layer,
    ) -> CachedFile:
        """The file ``name`` with a window of so many ``clusters``, moved by calls of ``call_bytes``."""
        window = Window.of(name, op, clusters, cluster_bytes, call_bytes)
        return cls(window, cpu=cpu, call_s=call_s, touch_s_per_byte=touch_s_per_byte, below=below)

    def path(self, io: IO) -> Path:
        """One call: cluster by cluster."""
        return (self.cpu.system(self.call_s), *self.window.path(io, self._touch))

    def _touch(self, piece: IO) -> Path:
        return (self.cpu.system(piece.size_bytes * self.touch_s_per_byte),)

    def behind(self, name: str, *, group: str) -> Closed:
        """The kernel's read-ahead or write-behind."""
        return self.window.behind(name, self.below.path, group=group)
