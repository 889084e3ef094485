"""Candidate stacks for a mount, with the facts of the machine filled in."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from math import sqrt
from pathlib import Path
from string import Template

from sim.calibration.host.host import measure_host, time_text
from sim.engine.errors import InputError
from sim.engine.extensions import load, registered
from sim.system.stack.build import stack_system
from sim.system.system import System
from stacksim.measuring.facts import RAW, Facts
from stacksim.measuring.limits import lowest

GROUP = "stacksim.mounts"
"""Entry-point group of the texts of stack files, by kind of mount."""

STACK_OF = {"disk": "disk", "network": "disk", RAW: "disk", "memory": "memory", "fuse": "fuse"}
"""Entry point for each kind of mount: a network and its server are measured as one device."""

AT_ONCE = ("pmem", "ram", "zram")
"""Name prefixes of devices whose driver completes a request on the calling core before it returns."""

SERVED = ("loop", "nbd", "rbd", "vd", "xvd")
"""Name prefixes of devices that a thread of the kernel or of the host serves, one request at a time."""

TOGETHER = ("loop", "vd")
"""Devices whose thread may report each request, or all together when none is left; Linux does not say which. The
thread of a virtio device is on the host. A loop device's is a kernel worker; a thread that runs once the worker
sleeps, or is preempted, reports its completions."""

LOCKS = ("xfs", "ext3", "ext4")
"""File systems whose file lock the layer ``file`` models."""

_LINE = (
    'line = {{ value = "{}", bounds = ["0.001us", "50us"], range = ["{}", "{}"], basis = "derived", source = '
    '"what a lock takes from core to core of this machine, between writers of one file in memory" }}\n'
)
_LINE_OF_KIND = 'line = { prior = "host.line" }\n'

WAKES_S, LINES_S, COPIES = (0.6e-6, 60e-6), (0.02e-6, 20e-6), (1.5e9, 16e9)
"""Plausible ranges of measured values; beyond them, other work or caches interfered."""

ELSEWHERE = 2.5
"""Factor within which nine of ten wake-ups or copies of another path lie."""

_HOST = """\
[[layer]]
kind = "host"
{times}

"""

LIGHT_S, DEEP_S = 5e-6, 10e-3
"""Exit latencies of idle states that count; a guest reports 1 us (haltpoll), whatever its hypervisor takes."""

MOST_REQUESTS = 1_000_000
"""Largest number of requests that the layer ``scheduler`` takes."""

SCHEDULERS = ("none", "kyber", "mq-deadline", "bfq")
"""Schedulers that the layer ``scheduler`` models."""

_SCHEDULER = """\
[[layer]]
kind = "scheduler"
scheduler = "{scheduler}"
requests = {requests}

"""

_LOCK = """
[[layer]]
kind = "file"
filesystem = "{filesystem}"
access = "direct"
kernel = "{kernel}"
"""

_JOURNAL = """
[[layer]]
kind = "journal"
filesystem = "{filesystem}"
fua = {fua}
"""

_FLUSH = (
    'flush = { value = "100us", bounds = ["0.1us", "100ms"], range = ["5us", "5ms"], basis = "fitted", source = '
    '"a guess: 10 us with power-loss protection, 0.45 ms on a consumer drive, more on a host" }\n'
)
_NO_FLUSH = (
    'flush = { value = "0us", bounds = ["0us", "100ms"], basis = "published", source = "this machine: Linux sends '
    'none, as the device has no cache that may lose what was written" }\n'
)

_LIMITS = """
[[layer]]
kind = "limits"
name = "control group {op}s"
only = "{op}"
flushes = true
iops = "{iops}"
bandwidth = "{bandwidth}"
io_size = "1MiB"
credits = "slice"
"""

LIBFUSE_THREADS = '10, bounds = [1, 1024], source = "max_threads of libfuse 3.12"'
"""Threads of a multi-threaded FUSE daemon, which creates them on demand."""


def stack_texts(facts: Facts) -> tuple[str, ...]:
    """Stack files for ``facts``; measurements tell which of several is right.

    Raises:
        InputError: no installed package has one for this kind of mount.
    """
    return tuple(_text(facts, name) for name in _names(facts))


def system_of(text: str) -> System:
    """The system of a stack file's text that is not saved yet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stack.toml"
        path.write_text(text, encoding="utf-8")
        return stack_system(path)


def _text(facts: Facts, name: str) -> str:
    points = registered(GROUP)
    if name not in points:
        raise InputError(f"no stack for '{facts.kind}' is installed; name your own: --stack FILE.toml")
    text: str = load(points[name])
    if facts.kind == RAW:
        text = "".join(f"{line}\n" for line in _only_read(text))
    known = facts.filesystem in LOCKS and bool(facts.kernel)
    wanted = ("$wake", "$memory", "$line") if known else ("$wake", "$memory")
    machine = this_machine() if any(each in text for each in wanted) else {}
    return Template(text).substitute(
        machine if known else {**machine, "line": ""},
        cores=facts.cores,
        queues=facts.queues,
        filesystem=_plain(facts.filesystem),
        device=_plain(facts.device or facts.source),
        files='["each", "shared"]' if known else '["each"]',
        host=_host(facts, known=known),
        interrupt='"host"' if _sleeps(facts) else "0",
        scheduler=_scheduler(facts),
        lock=_LOCK.format(filesystem=facts.filesystem, kernel=facts.kernel) if known else "",
        journal=_journal(facts),
        flush=_FLUSH if facts.write_cache else _NO_FLUSH,
        limits="".join(_limits(facts)),
        attributes=str(facts.daemon_attributes).lower(),
        threads='1, source = "the daemon has one"' if facts.daemon_threads == 1 else LIBFUSE_THREADS,
    )


def _host(facts: Facts, *, known: bool) -> str:
    """The layer with the times of the host: of a lock's handover, and of idle cores."""
    times = ['line = "line"'] if known else []
    if _sleeps(facts):
        times += [f'awake = "{time_text(facts.awake_s)}"', f'halted = "{time_text(facts.halted_s)}"']
    return _HOST.format(times="\n".join(times)) if times else ""


def _sleeps(facts: Facts) -> bool:
    """True if cores take an idle state that takes long to leave."""
    return LIGHT_S < facts.halted_s <= DEEP_S and 0.0 < facts.awake_s < 1.0


def _scheduler(facts: Facts) -> str:
    """The layer of the device's scheduler and its requests, if Linux tells of them.

    The scheduler's lock, held for a microsecond, is left out above a thread that takes several for each request.
    """
    if facts.scheduler not in SCHEDULERS or not facts.requests:
        return ""
    scheduler = "none" if facts.device.startswith(SERVED) else facts.scheduler
    return _SCHEDULER.format(scheduler=scheduler, requests=min(facts.requests * facts.queues, MOST_REQUESTS))


def _journal(facts: Facts) -> str:
    """The layer of the mount's file system, if there is one."""
    if facts.filesystem not in LOCKS:
        return ""
    filesystem = "xfs" if facts.filesystem == "xfs" else "ext4"
    return _JOURNAL.format(filesystem=filesystem, fua=str(facts.writes_through).lower())


def _limits(facts: Facts) -> Iterator[str]:
    """Yield a layer for each of reads and writes that the control group limits."""
    limits = lowest(facts.throttled)
    for op in ("read", "write"):
        ios, transfers = limits.get((op, "iops")), limits.get((op, "bps"))
        if ios or transfers:
            bandwidth = f"{transfers}B/s" if transfers else "unlimited"
            yield _LIMITS.format(op=op, iops=ios or "unlimited", bandwidth=bandwidth)


@cache
def this_machine() -> dict[str, str]:
    """Times of this machine to wake a thread and to copy, with their ranges for another path.

    ``memory`` is a layer, or empty if copies of several cores do not slow each other down; ``line`` is a
    parameter, at its prior if it could not be measured.
    """
    measured = measure_host()
    low_s, high_s = sorted(_between(seen.value, WAKES_S) for seen in (measured.same_core_s, measured.switch_s))
    wake_s = sqrt(low_s * high_s)  # Linux decides for each pair of threads whether they share a core
    copy = _between(measured.copy_bytes_per_s.value, COPIES)
    memory = measured.memory_bytes_per_s
    line_s = measured.line_s and _between(measured.line_s.value, LINES_S)
    ends_s = (line_s, line_s / ELSEWHERE, line_s * ELSEWHERE) if line_s else ()
    return {
        "line": _LINE.format(*map(time_text, ends_s)) if ends_s else _LINE_OF_KIND,
        "memory": f'[[layer]]\nkind = "host"\nmemory = "{memory / 1e9:.3g}GB/s"\n\n' if memory else "",
        "wake": time_text(wake_s),
        "wake_low": time_text(min(low_s, wake_s / ELSEWHERE)),
        "wake_high": time_text(max(high_s, wake_s * ELSEWHERE)),
        "copy": f"{copy / 1e9:.3g}GB/s",
        "copy_low": f"{copy / ELSEWHERE / 1e9:.3g}GB/s",
        "copy_high": f"{copy * ELSEWHERE / 1e9:.3g}GB/s",
    }


def _between(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return min(max(value, low), high)


def _only_read(text: str) -> Iterator[str]:
    """Yield the lines of the stack file ``text`` without parameters, steps and settings of writes and flushes."""
    for line in text.splitlines():
        if line.startswith("title = "):
            yield line.replace("files on $filesystem over", "reads of the raw device")
        elif line.startswith("op = {"):
            yield 'op = { default = "read", options = ["read"], help = "random reads, past the page cache" }'
        elif not (line.startswith(("write_", "flush", "durable")) or re.search('only = "(write|flush)"', line)):
            yield line


def _names(facts: Facts) -> tuple[str, ...]:
    if facts.throttled:
        return ("limited",)
    if facts.device.startswith(TOGETHER):
        return ("virtqueue", "virtual")
    if facts.device.startswith(AT_ONCE):
        return ("caller", "virtual")
    return ("virtual",) if facts.device.startswith(SERVED) else (STACK_OF[facts.kind],)


def at_once(facts: Facts) -> bool:
    """True if the calling process does the work, so that plain calls differ from libaio."""
    return _names(facts)[0] in ("caller", "fuse", "memory")


def _plain(text: str) -> str:
    """``text`` without characters that a quoted title cannot have."""
    return "".join(each for each in text if each.isprintable() and each not in '"\\')
