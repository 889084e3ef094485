"""The directory of its own in which a measurement makes its files, and from which it takes no others away."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sim.calibration.measure.facts import Facts
from sim.calibration.measure.jobs import Job
from sim.errors import InputError, shown

FILE_BYTES = 64 << 20
"""Of the file of each process: many times what a device's own cache may hold would take too long to lay out."""

PREFIX = "stacksim-measure-"

FULL = 0.1
"""A file system with a smaller share of room left is nearly full, and measured as such."""

OF_MEMORY = 0.25
"""Files in memory take at most this share of it."""


def file_names(jobs: Sequence[Job]) -> list[str]:
    """One for each process of the job that has most."""
    return [f"data.{number}" for number in range(max(job.users for job in jobs))]


def laid_out_bytes(jobs: Sequence[Job]) -> int:
    """What all files take."""
    return FILE_BYTES * len(file_names(jobs))


def check_room(facts: Facts, needed: int) -> None:
    """Refuse what cannot be written, or would fill what others need.

    Raises:
        InputError: read-only, no permission, nearly full, too little room or memory; says how much is needed.
    """
    where = f"'{shown(facts.mount_point)}'"
    if facts.read_only:
        raise InputError(f"{where} is mounted read-only; name a directory that can be written to")
    if not os.access(facts.path, os.W_OK | os.X_OK):
        raise InputError(f"no directory can be made in '{shown(facts.path)}': Permission denied; name another")
    left = facts.free_bytes - needed
    if left < FULL * facts.total_bytes:
        raise InputError(
            f"{where} has {_gigabytes(facts.free_bytes)} left, and {_gigabytes(needed)} of files would leave "
            f"less than {FULL:.0%} of it; make room, or name a directory elsewhere"
        )
    if facts.kind == "memory" and needed > OF_MEMORY * facts.memory_bytes:
        raise InputError(
            f"files of {_gigabytes(needed)} in memory are more than {OF_MEMORY:.0%} of "
            f"{_gigabytes(facts.memory_bytes)}; measure on a machine with more memory"
        )


@contextmanager
def workplace(path: Path, names: Sequence[str], *, keep: bool) -> Iterator[Path]:
    """A new directory in ``path``; at the end, however that comes, the files ``names`` in it and itself are gone.

    Raises:
        InputError: it cannot be made.
    """
    try:
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=path))
    except OSError as error:
        raise InputError(f"no directory can be made in '{shown(path)}': {error.strerror}; name another") from None
    try:
        yield made
    finally:
        if not keep:
            with _undisturbed():
                _clear(made, names)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let the interrupt key, pressed twice, SIGTERM and a hang-up wait until it is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _clear(folder: Path, names: Sequence[str]) -> None:
    """Take away ``names`` in ``folder``, then itself; what others have put there stays, and the folder with it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            for name in names:
                with suppress(OSError):
                    os.unlink(name, dir_fd=handle)
        finally:
            os.close(handle)
        folder.rmdir()


def left_behind(path: Path) -> list[str]:
    """Directories of measurements that were ended by force, by name."""
    return sorted(each.name for each in path.glob(f"{PREFIX}*") if each.is_dir())


def _gigabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.3g} GB"
