"""Buffers of the kernel when memory is short: a new one reuses the pages of an old one.

The kernel keeps small buffers ready. A large one is unmapped, with a TLB shootdown on every core before its pages
may be reused, and mapped again.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.host.processor import Processor
from sim import Fork, Path

LARGE_BYTES = 32 * 1024
"""Buffers up to 8 pages of 4 KiB are kept ready (OpenSolaris, kmem.c: kmem_va)."""


@dataclass(frozen=True)
class Buffers:
    """Buffers of ``size_bytes`` each.

    Attributes:
        threads: cores of the host.
        reclaim_s: system time of each core to give up a large buffer for a new one.
        short: True if memory is short.
    """

    cpu: Processor
    threads: int
    size_bytes: int
    reclaim_s: float
    short: bool

    def path(self, io: IO) -> Path:
        """Allocate as many buffers as the bytes of ``io`` fill."""
        if not self.short or self.size_bytes <= LARGE_BYTES:
            return ()
        core = self.cpu.system(io.size_bytes / self.size_bytes * self.reclaim_s)
        return (Fork(*(core for _ in range(self.threads))),)


@dataclass(frozen=True)
class InBuffers:
    """A file whose writes fill buffers."""

    buffers: Buffers
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of one write."""
        return (*self.buffers.path(io), *self.below.path(io))
