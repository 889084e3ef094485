"""The directory that a measurement makes for its files, and removes without touching other files."""

from __future__ import annotations

import fcntl
import math
import os
import signal
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sim.engine.errors import InputError, shown
from stacksim.measuring.facts import Facts
from stacksim.measuring.jobs import Job

FILE_BYTES, ALL_BYTES = 64 << 20, 1 << 30
"""Size of each process's file, and of all: to exceed a device's cache many times would take too long."""

CACHES = 8
"""Size of files in memory, as a multiple of the processor's largest cache, if there is room: a process is to find
little of its file in that cache, whether it is alone or not."""

LAID_OUT, LAID_OUT_BELOW = 1 << 20, 64 << 10
"""Bytes of a write when files are laid out: usually, and if the backing file is in the page cache. There each
write stays one piece (a large folio), and ext4 goes through all blocks of a piece at each write: on a loop device
under Linux 6.18, eight processes with four writes of 4 KiB in flight each did 42,000 a second in pieces of 1 MiB,
and 111,000 in those of 64 KiB. Once pages were freed and read again, pieces are those of read-ahead, at most 128
KiB."""

PREFIX = "stacksim-measure-"

LOOK_SECONDS = 1.0
"""Interval of checks for the end of another measurement."""

FULL = 0.1
"""Smallest share of free room: a fuller file system would be measured as nearly full."""

OF_MEMORY = 0.25
"""Largest share of memory for files in memory."""


def file_names(jobs: Sequence[Job]) -> list[str]:
    """A name for each process of the job with most processes."""
    return [f"data.{number}" for number in range(max(job.users for job in jobs))]


def file_bytes(facts: Facts, jobs: Sequence[Job]) -> int:
    """Size of each file: whole MiB."""
    usual = min(FILE_BYTES, ALL_BYTES // len(file_names(jobs)))
    if facts.kind != "memory":
        return usual
    room = min(OF_MEMORY * facts.memory_bytes, facts.free_bytes - FULL * facts.total_bytes)
    most = int(room / len(file_names(jobs))) >> 20 << 20
    return max(usual, min(CACHES * facts.cache_bytes, most))


def layout_bytes(facts: Facts) -> int:
    """Bytes of each write when the files are laid out."""
    return LAID_OUT_BELOW if facts.cached_below else LAID_OUT


def laid_out_bytes(facts: Facts, jobs: Sequence[Job]) -> int:
    """Size of all files."""
    return file_bytes(facts, jobs) * len(file_names(jobs))


def check_room(facts: Facts, needed: int) -> None:
    """Refuse storage that cannot be written, or whose other users would lack room.

    Raises:
        InputError: read-only, no permission, nearly full, too little room or memory; with the size needed.
    """
    where = f"'{shown(facts.mount_point)}'"
    if facts.read_only:
        raise InputError(f"{where} is mounted read-only; name a directory that can be written to")
    if not os.access(facts.path, os.W_OK | os.X_OK):
        raise InputError(f"no directory can be made in '{shown(facts.path)}': Permission denied; name another")
    left = facts.free_bytes - needed
    if left < FULL * facts.total_bytes:
        behind = "".join(
            f"delete {shown(each)} of an earlier measurement, " for each in left_behind(Path(facts.path))
        )
        raise InputError(
            f"{where} has {_gigabytes(facts.free_bytes)} left, and {_gigabytes(needed)} of files would leave "
            f"less than {FULL:.0%} of it; {behind}make room, or name a directory elsewhere"
        )
    if facts.kind == "memory" and needed > OF_MEMORY * facts.memory_bytes:
        raise InputError(
            f"files of {_gigabytes(needed)} in memory are more than {OF_MEMORY:.0%} of "
            f"{_gigabytes(facts.memory_bytes)}; measure on a machine with more memory"
        )


@contextmanager
def workplace(path: Path, names: Sequence[str], *, keep: bool) -> Iterator[Path]:
    """A new directory in ``path``; at the end, in any case, the files ``names`` and the directory are deleted.

    Raises:
        InputError: the directory cannot be made.
    """
    try:
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=path))
    except OSError as error:
        raise InputError(f"no directory can be made in '{shown(path)}': {error.strerror}; name another") from None
    try:
        with _locked(made):
            check_alone(path, made)  # after the lock, so that one of two simultaneous measurements sees the other
            yield made
    finally:
        if not keep:
            with _undisturbed():
                _clear(made, names)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Mark ``folder`` as in use by a lock, which ends with this process; no effect where there are no locks."""
    with ExitStack() as opened:
        with suppress(OSError):
            fcntl.flock(opened.enter_context(_opened(folder)), fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Defer a second interrupt key, SIGTERM and SIGHUP until the end of the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _clear(folder: Path, names: Sequence[str]) -> None:
    """Delete ``names`` in ``folder``, then the folder; if it has other files, these and the folder stay."""
    with suppress(OSError):
        with _opened(folder) as handle:
            for name in names:
                with suppress(OSError):
                    os.unlink(name, dir_fd=handle)
        folder.rmdir()


@dataclass(frozen=True)
class LaidOut:
    """Files that were laid out in ``folder``: device, size and link count of each, by name.

    A tool would create a missing file again, and would write to the target of a link.
    """

    folder: Path
    files: Mapping[str, tuple[int, int, int]]

    @classmethod
    def of(cls, folder: Path, names: Sequence[str]) -> LaidOut:
        """Record the files ``names`` in ``folder`` in their present state.

        Raises:
            InputError: a file is missing.
        """
        return cls(folder, {name: _marks(folder, name) for name in names})

    def check(self) -> None:
        """Refuse to go on if a file has changed.

        Raises:
            InputError: a file is gone, has another size, or is a link.
        """
        for name, marks in self.files.items():
            if _marks(self.folder, name) != marks:
                raise InputError(f"'{shown(self.folder / name)}' was changed by somebody; measure again")


def _marks(folder: Path, name: str) -> tuple[int, int, int]:
    """Device, size and link count of a file; follows no link, neither to it nor to its folder."""
    try:
        if folder.is_symlink() or not stat.S_ISREG((status := (folder / name).lstat()).st_mode):
            raise InputError(f"'{shown(folder / name)}' was put elsewhere by somebody; measure again")
    except OSError as error:
        raise InputError(
            f"'{shown(folder / name)}' was there, and cannot be found: {error.strerror}; measure again"
        ) from None
    return status.st_dev, status.st_size, status.st_nlink


def left_behind(path: Path) -> list[str]:
    """Names of directories of measurements that were killed."""
    return [each.name for each in _workplaces(path) if not _in_use(each)]


def check_alone(path: Path, own: Path | None = None, until: float = -math.inf) -> None:
    """Refuse to measure where another measurement runs.

    Args:
        own: the directory of this measurement.
        until: time of the monotonic clock until which to wait for its end.

    Raises:
        InputError: another measurement runs in ``path``.
    """
    while at_work := [each for each in _workplaces(path) if each != own and _in_use(each)]:
        if time.monotonic() >= until:
            raise InputError(
                f"another measurement is at work in '{shown(at_work[0])}'; wait until it has ended: --wait 10min"
            )
        time.sleep(LOOK_SECONDS)


def _workplaces(path: Path) -> list[Path]:
    return sorted(each for each in path.glob(f"{PREFIX}*") if each.is_dir())


def _in_use(folder: Path) -> bool:
    """True if a running measurement holds the lock of ``folder``; False where there are no locks."""
    with suppress(OSError), _opened(folder) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _gigabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.3g} GB"
