"""Loads files into the cache below their device: the page cache of a loop device's backing file.

The kernel, or a service that frees memory, evicts pages that were unused for some seconds. Jobs of many processes
would then read files that jobs of one process left untouched from a slower device.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from pathlib import Path

from sim.engine.errors import InputError, shown

_PIECE_BYTES = 1 << 20


def fetch(folder: Path, names: Sequence[str]) -> None:
    """Read the files ``names`` in ``folder`` once, past the page cache of their own file system.

    Raises:
        InputError: a file cannot be read with direct I/O.
    """
    with mmap.mmap(-1, _PIECE_BYTES) as memory:  # page-aligned, as direct I/O requires
        for name in names:
            try:
                _read_through(folder / name, memory)
            except OSError as error:
                raise InputError(
                    f"'{shown(folder / name)}' cannot be read past its cache: {error.strerror}; measure elsewhere"
                ) from None


def _read_through(path: Path, memory: mmap.mmap) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW)
    try:
        done = 0
        while read := os.preadv(handle, [memory], done):
            done += read
    finally:
        os.close(handle)
