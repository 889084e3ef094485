"""What is behind a directory, as Linux tells it in /proc and /sys; nothing is measured here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sim.calibration.measure import limits, mounts
from sim.errors import InputError, shown

MEMORY = ("tmpfs", "ramfs", "devtmpfs")
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "afs", "9p", "virtiofs", "beegfs")

_MEMORY_KIB = re.compile(r"^MemTotal:\s+([0-9]+) kB$", re.MULTILINE)
_SCHEDULER = re.compile(r"\[([a-z-]+)\]")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Facts:
    """What a directory is on.

    Attributes:
        path: absolute, without symbolic links.
        mount_point, source, filesystem, options: of the mount that it belongs to.
        kind: ``memory``, ``fuse``, ``network`` or ``disk``.
        device: name of the block device, such as ``vda``; empty where there is none, or it is not known.
        model: what the device says that it is; empty if it says nothing.
        rotational: what the kernel takes the device for; virtual ones often say nothing true.
        scheduler: I/O scheduler of the device; ``none`` where there is no device.
        backing_file: of a loop device; empty otherwise.
        cached_below: whether a loop device leaves its file in the page cache.
        throttled: limits of the control group on this device, a line each.
        cores, memory_bytes, kernel: of the machine.
        free_bytes, total_bytes: of the file system, as an ordinary user may use it.
        read_only: the mount takes no writes.
    """

    path: str
    mount_point: str
    source: str
    filesystem: str
    options: tuple[str, ...]
    kind: str
    device: str
    model: str
    rotational: bool
    scheduler: str
    backing_file: str
    cached_below: bool
    throttled: tuple[str, ...]
    cores: int
    memory_bytes: int
    kernel: str
    free_bytes: int
    total_bytes: int
    read_only: bool

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the figures has to know, a line each."""
        return tuple(_notes(self))


def facts_of(path: Path, root: Path = Path("/")) -> Facts:
    """The facts of the directory ``path``; ``root`` is where proc and sys are.

    Raises:
        InputError: there is no such directory, or Linux does not tell what it is on.
    """
    resolved = _directory(path)
    mount = mounts.of_path(_text(root / "proc/self/mountinfo"), resolved)
    if mount is None:
        raise InputError(f"no mount is known for '{shown(path)}'; it needs Linux, with /proc")
    room = os.statvfs(resolved)
    device = _device(root, mount.number)
    queue = device / "queue"
    backing = _text(device / "loop/backing_file").strip()
    return Facts(
        path=str(resolved),
        mount_point=mount.point,
        source=mount.source,
        filesystem=mount.filesystem,
        options=mount.options,
        kind=_kind(mount.filesystem),
        device=device.name if queue.is_dir() else "",
        model=_text(device / "device/model").strip(),
        rotational=_text(queue / "rotational").strip() == "1",
        scheduler=_scheduler(_text(queue / "scheduler")),
        backing_file=backing,
        cached_below=bool(backing) and _text(device / "loop/dio").strip() != "1",
        throttled=limits.of_device(root, mount.number),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=_memory_bytes(_text(root / "proc/meminfo")),
        kernel=_release(_text(root / "proc/sys/kernel/osrelease")),
        free_bytes=room.f_bavail * room.f_frsize,
        total_bytes=(room.f_blocks - room.f_bfree + room.f_bavail) * room.f_frsize,
        read_only="ro" in mount.options or bool(room.f_flag & os.ST_RDONLY),
    )


def _directory(path: Path) -> Path:
    try:
        resolved = path.resolve(strict=True)
    except OSError as error:
        raise InputError(f"'{shown(path)}': {error.strerror}; name a directory that exists") from None
    except RuntimeError:  # of Python, at links that lead to each other
        raise InputError(f"'{shown(path)}' is a link that leads to itself; name a directory") from None
    if resolved.is_block_device():
        raise InputError(f"'{shown(path)}' is a raw device, which is never written to; name a directory on it")
    if not resolved.is_dir():
        raise InputError(f"'{shown(path)}' is no directory; name the one whose storage is to be measured")
    return resolved


def _text(path: Path) -> str:
    """What stands in a file of the kernel; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _device(root: Path, number: str) -> Path:
    """The folder of the block device ``number`` (major:minor), of a partition the one of its disk."""
    folder = (root / "sys/dev/block" / number).resolve()
    return folder if (folder / "queue").is_dir() else folder.parent


def _kind(filesystem: str) -> str:
    if filesystem in MEMORY:
        return "memory"
    if filesystem == "fuse" or filesystem.startswith("fuse."):
        return "fuse"
    return "network" if filesystem in NETWORK else "disk"


def _scheduler(text: str) -> str:
    chosen = _SCHEDULER.search(text)
    return chosen[1] if chosen else "none"


def _release(text: str) -> str:
    """The first two numbers of a release: 6.18 of 6.18.44-generic."""
    release = _RELEASE.match(text)
    return release[0] if release else ""


def _memory_bytes(text: str) -> int:
    total = _MEMORY_KIB.search(text)
    return int(total[1]) << 10 if total else 0


def _notes(facts: Facts) -> Iterator[str]:
    if facts.cached_below:
        yield f"{facts.device} is a loop device whose file is cached in memory: that cache is measured, too"
    if facts.kind == "network":
        yield "the network and the server are measured as one device; what their caches keep is not told apart"
    if facts.kind == "disk" and not facts.device:
        yield f"{facts.filesystem} does not say which device it is on; several may be measured as one"
    if facts.rotational and facts.model:
        yield f"{facts.device} says that it rotates: measured files are small, so seeks are short"
    for line in facts.throttled:
        yield f"the control group limits {facts.device}: {line}"
