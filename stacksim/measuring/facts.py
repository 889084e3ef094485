"""Facts about the storage of a directory, from /proc and /sys; nothing is measured here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.engine.errors import InputError, shown
from stacksim.measuring import fuse_daemon, limits, mounts
from stacksim.measuring.mounts import Mount

MEMORY = ("tmpfs", "ramfs", "devtmpfs")
WITHOUT_FILES = (
    *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "efivarfs", "fusectl"),
    *("hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "resctrl", "rpc_pipefs", "securityfs", "selinuxfs"),
    *("smackfs", "sysfs", "tracefs"),
)
"""File systems that hold no ordinary files, such as views of the kernel (filesystems(5), kernel source)."""

NETWORK = ("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "afs", "9p", "virtiofs", "beegfs")

RAW = "raw"
"""File system and kind of a raw device, which is only read."""

_MEMORY_KIB = re.compile(r"^MemTotal:\s+([0-9]+) kB$", re.MULTILINE)
_CACHE_KIB = re.compile(r"([0-9]+)K")
_SCHEDULER = re.compile(r"\[([a-z-]+)\]")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Facts:
    """Storage of a directory.

    Attributes:
        path: absolute, without symbolic links.
        mount_point, source, filesystem, options: entries of its mount.
        kind: ``memory``, ``fuse``, ``network``, ``raw`` or ``disk``.
        device: name of the block device, such as ``vda``; empty if there is none or it is unknown.
        model: model name that the device reports; empty if it reports none.
        rotational: the kernel's flag; often wrong for virtual devices.
        scheduler: I/O scheduler of the device; ``none`` without a device.
        queues: hardware queues of the device; 1 if unknown.
        requests: I/Os that each queue holds (nr_requests); 0 if unknown.
        sector_bytes: physical block size of the device; 0 if unknown.
        write_cache: True if Linux flushes the device, as its cache is volatile.
        writes_through: True if it can write through that cache (FUA).
        backing_file: backing file of a loop device; else empty.
        cached_below: True if a loop device leaves its file in the page cache.
        throttled: limits of the control group on this device, a line each.
        daemon_threads: present number of threads of the daemon of a FUSE mount; 0 without a daemon, or if unknown.
        daemon_attributes: whether the daemon of a FUSE mount keeps extended attributes.
        cores, memory_bytes, kernel: cores, memory and kernel release of the machine.
        halted_s, awake_s: time to leave the deepest idle state of the cores, and idle time after which a core
            enters it; 0 if unknown.
        cache_bytes: size of the largest cache of the first core; 0 if unknown.
        free_bytes, total_bytes: bytes of the file system that are free, and all, without those reserved for root;
            for a raw device, 0 and its size.
        read_only: True if the mount takes no writes, or for a raw device, which is only read.
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
    queues: int
    requests: int
    sector_bytes: int
    write_cache: bool
    writes_through: bool
    backing_file: str
    cached_below: bool
    throttled: tuple[str, ...]
    daemon_threads: int
    daemon_attributes: bool
    cores: int
    memory_bytes: int
    cache_bytes: int
    kernel: str
    halted_s: float
    awake_s: float
    free_bytes: int
    total_bytes: int
    read_only: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of the figures, a line each."""
        return tuple(_notes(self))


def facts_of(path: Path, root: Path = Path("/"), raw: Path | None = None) -> Facts:
    """The facts of the directory ``path``; ``root`` is where proc and sys are.

    Args:
        raw: ``path`` repeated, to confirm reading a raw device.

    Raises:
        InputError: there is no such directory, it holds no files, or its storage is unknown; a raw device was not
            named twice, or cannot be read.
    """
    resolved = _resolved(path)
    if raw is not None or resolved.is_block_device():
        _check_named_twice(path, resolved, raw)
        return _of_device(root, resolved)
    if not resolved.is_dir():
        raise InputError(f"'{shown(path)}' is no directory; name the one whose storage is to be measured")
    mount = mounts.of_path(_text(root / "proc/self/mountinfo"), resolved)
    if mount is None:
        raise InputError(f"no mount is known for '{shown(path)}'; it needs Linux, with /proc")
    if mount.filesystem in WITHOUT_FILES:
        raise InputError(
            f"'{shown(path)}' is on {mount.filesystem}, where no files of one's own can be; name a directory on "
            "the storage to be measured"
        )
    room = os.statvfs(resolved)
    free_bytes = room.f_bavail * room.f_frsize
    total_bytes = (room.f_blocks - room.f_bfree + room.f_bavail) * room.f_frsize
    read_only = "ro" in mount.options or bool(room.f_flag & os.ST_RDONLY)
    return _facts(root, resolved, mount, free_bytes, total_bytes, read_only=read_only)


def _of_device(root: Path, device: Path) -> Facts:
    size_bytes, number = _size_bytes(device), device.stat().st_rdev
    mount = Mount(f"{os.major(number)}:{os.minor(number)}", "", (), RAW, str(device))
    return _facts(root, device, mount, 0, size_bytes, read_only=True)


def _facts(root: Path, path: Path, mount: Mount, free_bytes: int, total_bytes: int, *, read_only: bool) -> Facts:
    device = _device(root, mount.number)
    queue = device / "queue"
    backing = _text(device / "loop/backing_file").strip()
    return Facts(
        path=str(path),
        mount_point=mount.point,
        source=mount.source,
        filesystem=mount.filesystem,
        options=mount.options,
        kind=_kind(mount.filesystem),
        device=device.name if queue.is_dir() else "",
        model=_text(device / "device/model").strip(),
        rotational=_text(queue / "rotational").strip() == "1",
        scheduler=_scheduler(_text(queue / "scheduler")),
        queues=max(1, len([*(device / "mq").glob("[0-9]*")])),
        requests=_number(queue / "nr_requests"),
        sector_bytes=_number(queue / "physical_block_size"),
        write_cache=_text(queue / "write_cache").strip() == "write back",
        writes_through=_text(queue / "fua").strip() == "1",
        backing_file=backing,
        cached_below=bool(backing) and _text(device / "loop/dio").strip() != "1",
        throttled=limits.of_device(root, mount.number),
        daemon_threads=fuse_daemon.threads(root, mount) if _kind(mount.filesystem) == "fuse" else 0,
        daemon_attributes=_kind(mount.filesystem) == "fuse" and fuse_daemon.keeps_attributes(path),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=_memory_bytes(_text(root / "proc/meminfo")),
        cache_bytes=_cache_bytes(root / "sys/devices/system/cpu/cpu0/cache"),
        kernel=_release(_text(root / "proc/sys/kernel/osrelease")),
        **_deepest_idle(root / "sys/devices/system/cpu/cpu0/cpuidle"),
        free_bytes=free_bytes,
        total_bytes=total_bytes,
        read_only=read_only,
    )


def _resolved(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except OSError as error:
        raise InputError(f"'{shown(path)}': {error.strerror}; name a directory that exists") from None
    except RuntimeError:  # raised by Python for a loop of links
        raise InputError(f"'{shown(path)}' is a link that leads to itself; name a directory") from None


def _check_named_twice(path: Path, resolved: Path, raw: Path | None) -> None:
    """Refuse a raw device that is named once, and a second name that is not a raw device."""
    if not resolved.is_block_device():
        raise InputError(f"'{shown(path)}' is no raw device; leave --raw out")
    if raw is None:
        raise InputError(
            f"'{shown(path)}' is a raw device, which is never written to; name a directory on it, or have it "
            f"read: --raw {shown(path)}"
        )
    if _resolved(raw) != resolved:
        raise InputError(f"the device is '{shown(path)}', and --raw '{shown(raw)}'; name the same one twice")


def _size_bytes(device: Path) -> int:
    """Size of a readable raw device."""
    try:
        handle = os.open(device, os.O_RDONLY)
        try:
            size = os.lseek(handle, 0, os.SEEK_END)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"'{shown(device)}' cannot be read: {error.strerror}; name another") from None
    if not size:
        raise InputError(f"'{shown(device)}' has no bytes; is there a medium in it?")
    return size


def _text(path: Path) -> str:
    """Content of a file of the kernel; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _device(root: Path, number: str) -> Path:
    """Folder of the block device ``number`` (major:minor); for a partition that of its disk."""
    folder = (root / "sys/dev/block" / number).resolve()
    return folder if (folder / "queue").is_dir() else folder.parent


def _kind(filesystem: str) -> str:
    if filesystem in MEMORY:
        return "memory"
    if filesystem == "fuse" or filesystem.startswith("fuse."):
        return "fuse"
    if filesystem == RAW:
        return RAW
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


def _number(path: Path) -> int:
    """A number that the kernel writes; 0 if there is none."""
    text = _text(path).strip()
    return int(text) if text.isdigit() else 0


def _deepest_idle(folder: Path) -> dict[str, float]:
    """Times of the deepest idle state that is not disabled, by their names in ``Facts``."""
    states = [each for each in folder.glob("state[0-9]*") if not _number(each / "disable")]
    halted_us, awake_us = max(
        ((_number(each / "latency"), _number(each / "residency")) for each in states), default=(0, 0)
    )
    return {"halted_s": halted_us * 1e-6, "awake_s": awake_us * 1e-6}


def _cache_bytes(folder: Path) -> int:
    """Size of the largest cache that a core has or shares; sizes are written as 32768K."""
    sizes = [_CACHE_KIB.fullmatch(_text(each).strip()) for each in folder.glob("index*/size")]
    return max((int(size[1]) << 10 for size in sizes if size), default=0)


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
