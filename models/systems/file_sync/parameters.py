"""Parameters of the file-sync system: common ones, and those of each host, named ``<host>_<quantity>``.

A fitted one has a prior, from knowledge of the parts: its value here is the centre, and its bounds are two
standard deviations away on each side. Values that one and two jobs do not determine are assumed, with their
90 % range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import guess, prior
from models.parts.host.record import SWITCH
from sim.engine.units import KIB
from sim.system import Parameters, parameter

MIB = KIB * KIB


def _derived(value: float, unit: str, likely: tuple[float, float], how: str, figures: tuple[str, ...]) -> Any:
    low, high = likely
    cells = tuple(f"file-sync/{figure}" for figure in figures)
    return parameter(value, unit, low / 10, high * 10, "derived", how, cells, likely=likely)


def _large_writes(jobs: int) -> tuple[str, ...]:
    """Rates of dell32 without sync, in blocks of 2 MiB."""
    tests = ("fsync=0_2M", "fdatasync=0_2M")
    return tuple(f"dell32 ext4 {test} {jobs} jobs/writes/s repeat {run}" for test in tests for run in (1, 2))


_NVME = "a write into the memory of an NVMe device, 10 to 20 µs, and as much for fio, system call and interrupt"
_SMALL = "4 or 8 KiB of the journal: as a write of 16 KiB, or somewhat less, without fio"
_FOREIGN = "some ten lines of memory, 0.1 to 0.2 µs each from another core; the sources do not say"
_BYTES = "what devices of its kind take for good in data sheets, 1 to 5 GB/s"
_PROTECTED = "a command that has nothing to do, there and back: less than a write"
_SERIAL = "firmware, for a command that has nothing to do; two jobs do not meet there often enough to tell"
_QUEUES = "a queue for each core (drivers/nvme/host/pci.c), as far as is known"
_BUFFER = "memory of the device that takes writes: some MiB"


@dataclass(frozen=True)
class FileSyncParameters:
    """Numbers of the hosts and their devices."""

    tick_s: float = parameter(
        1e-3,
        "s",
        1e-4,
        1e-1,
        "assumed",
        "a tick of the clock, CONFIG_HZ=1000: of 100, 250, 300 and 1,000, the only one under which what fsync "
        "takes beyond fdatasync is a commit of two writes and a flush on every host",
    )
    wake_s: float = prior(
        SWITCH.value, "s", "3.8 µs are a switch between two processes (models/parts/host/record.py)"
    )
    commit_s: float = prior(
        8e-6, "s", "a commit or a checkpoint of one inode: locks, lists, one block to copy; 2 to 30 µs"
    )
    variation: float = guess(
        0.1, "1", (0.03, 0.4), "coefficient of variation of a command that is alone; means hardly depend on it"
    )
    sharers: float = guess(
        8, "jobs", (2, 32), "jobs that use the same lines: those of one cache, of 4 to 16 cores, or all of them"
    )
    call_s: float = prior(0.7e-6, "s", "a sync that finds nothing to do: a system call and some locks")
    page_s: float = prior(
        0.15e-6, "s", "a page of a direct write, pinned, put into a bio, mapped and released: 0.05 to 0.5 µs"
    )
    command_bytes: float = guess(
        128 * KIB,
        "bytes",
        (64 * KIB, 512 * KIB),
        "largest command that a device takes: 128 KiB on many drives (MDTS), and on others up to 2 MiB",
    )
    cold_s: float = _derived(
        1.5e-6,
        "s",
        (0.8e-6, 3e-6),
        "the same after a block larger than the core's cache: 2.2 µs less 0.7 on socket2, fdatasync of 2 MiB",
        ("socket2 ext4 fdatasync=1_2M 1 jobs/sync latency repeat 1",),
    )
    between_s: float = prior(
        0.7e-6, "s", "fio between a write and a sync: two looks at the clock and its counters"
    )

    dell32_write_s: float = prior(25e-6, "s", _NVME)
    dell32_small_s: float = prior(20e-6, "s", _SMALL)
    dell32_foreign_s: float = prior(1.5e-6, "s", _FOREIGN)
    dell32_flush_s: float = prior(0.5e-3, "s", "a consumer drive programs pages of flash, 0.2 to 1 ms")
    dell32_serial_s: float = prior(0.2e-3, "s", "one of two programmings, data and map, that follow each other")
    dell32_merged: float = parameter(
        0.5,
        "1",
        0.0,
        1.0,
        "assumed",
        "0 for firmware that works on each flush, 1 for one that looks for others that wait; of two jobs only one "
        "ever waits, so that no figure tells",
        likely=(0.05, 1.0),
    )
    dell32_command_s: float = guess(
        0.9e-6, "s", (0.6e-6, 4e-6), "data sheet of the T500: 1.18 million random writes a second (2 TB)"
    )
    dell32_bytes_per_s: float = _derived(
        3261 * 2 * MIB,
        "bytes/s",
        (3000 * 2 * MIB, 3400 * 2 * MIB),
        "3,258 to 3,264 writes of 2 MiB a second by two jobs without sync, in four runs",
        _large_writes(2),
    )
    dell32_buffer_bytes: float = guess(256 * KIB, "bytes", (128 * KIB, MIB), _BUFFER)
    dell32_queues: float = guess(
        16, "queues", (4, 64), f"{_QUEUES}; a consumer drive may have fewer, 8 or 16; no figure of 2 jobs tells"
    )

    socket2_write_s: float = prior(25e-6, "s", _NVME)
    socket2_small_s: float = prior(20e-6, "s", _SMALL)
    socket2_foreign_s: float = guess(
        1.5e-6, "s", (0.4e-6, 6e-6), f"{_FOREIGN}; two jobs are at the ceiling in bytes already"
    )
    socket2_command_s: float = guess(2e-6, "s", (1e-6, 5e-6), "data sheets: 200,000 to 1 million writes a second")
    socket2_bytes_per_s: float = prior(2e9, "bytes/s", _BYTES)
    socket2_buffer_bytes: float = guess(2 * MIB, "bytes", (0.5 * MIB, 16 * MIB), _BUFFER)

    hetz_write_s: float = prior(25e-6, "s", _NVME)
    hetz_small_s: float = prior(20e-6, "s", _SMALL)
    hetz_foreign_s: float = prior(3e-6, "s", _FOREIGN)
    hetz_flush_s: float = prior(10e-6, "s", _PROTECTED)
    hetz_serial_s: float = guess(1e-6, "s", (0.5e-6, 5e-6), _SERIAL)
    hetz_command_s: float = guess(2.5e-6, "s", (1e-6, 7e-6), "data sheets: 150,000 to 1 million writes a second")
    hetz_bytes_per_s: float = prior(4e9, "bytes/s", _BYTES)
    hetz_padding_s: float = prior(
        0.2e-3, "s", "a write through the cache closes what is being filled: padding of some 100 KiB to 2 MiB"
    )
    hetz_buffer_bytes: float = guess(256 * KIB, "bytes", (128 * KIB, MIB), _BUFFER)
    hetz_queues: float = guess(32, "queues", (16, 64), _QUEUES)

    gcpL_write_s: float = prior(80e-6, "s", "a local device through a hypervisor: 50 to 150 µs")  # noqa: N815
    gcpL_small_s: float = prior(80e-6, "s", _SMALL)  # noqa: N815
    gcpL_foreign_s: float = prior(  # noqa: N815
        20e-6, "s", "as elsewhere, and what the hypervisor shares among virtual processors: 5 to 80 µs"
    )
    gcpL_flush_s: float = prior(30e-6, "s", _PROTECTED)  # noqa: N815
    gcpL_serial_s: float = guess(3e-6, "s", (1e-6, 15e-6), _SERIAL)  # noqa: N815
    gcpL_command_s: float = guess(  # noqa: N815
        5.6e-6,
        "s",
        (2.8e-6, 30e-6),
        "documentation of local SSDs: 180,000 writes a second of two; no figure tells",
    )
    gcpL_bytes_per_s: float = prior(0.8e9, "bytes/s", "documentation of local SSDs: some 350 to 400 MiB/s each")  # noqa: N815
    gcpL_buffer_bytes: float = guess(  # noqa: N815
        4 * MIB, "bytes", (2 * MIB, 64 * MIB), "credits of a cap: some milliseconds or more"
    )
    gcpL_command_bytes: float = _derived(  # noqa: N815
        723e3,
        "bytes",
        (0.6e6, 0.9e6),
        "let through before it is paid for: what passes at 390 writes of 2 MiB a second from the last of a write, "
        "which is acknowledged 92 µs later, until the flush after it begins, 821 less 29 µs after that",
        tuple(f"gcpL {fs} fdatasync=1_2M 1 jobs/sync latency repeat 1" for fs in ("ext4", "xfs")),
    )
    gcpL_queues: float = guess(8, "queues", (4, 16), f"{_QUEUES}: 8 virtual processors assumed")  # noqa: N815

    gcpR_write_s: float = prior(500e-6, "s", "a write to a network volume that copies it: 0.3 to 1 ms")  # noqa: N815
    gcpR_small_s: float = prior(400e-6, "s", _SMALL)  # noqa: N815
    gcpR_sector_s: float = prior(200e-6, "s", "the page of which a write is a part, read first: up to a read")  # noqa: N815
    gcpR_xfs_s: float = prior(  # noqa: N815
        20e-6, "s", "another volume, or another day; the source does not say why writes on XFS take longer there"
    )
    gcpR_cold_s: float = prior(  # noqa: N815
        10e-6, "s", "the same of a virtual processor and of the host's threads that serve it: 3 to 40 µs"
    )
    gcpR_asleep_s: float = prior(  # noqa: N815
        50e-6,
        "s",
        "another virtual processor that has slept for milliseconds, on a host that sleeps, too: 15 to 200 µs",
    )
    gcpR_foreign_s: float = guess(3e-6, "s", (1e-6, 20e-6), f"{_FOREIGN}; beside 0.5 ms none is seen")  # noqa: N815
    gcpR_flush_s: float = prior(50e-6, "s", _PROTECTED)  # noqa: N815
    gcpR_serial_s: float = guess(3e-6, "s", (1e-6, 20e-6), _SERIAL)  # noqa: N815
    gcpR_command_s: float = guess(  # noqa: N815
        20e-6,
        "s",
        (15e-6, 100e-6),
        "the volume's I/Os a second, which its owner bought: at least the 4,400 seen; 50,000 is what an instance "
        "with the measured 800 MiB/s may have; 10,000 would do for these bytes",
    )
    gcpR_bytes_per_s: float = prior(0.8e9, "bytes/s", "a cap of 400 to 2,400 MiB/s, as bought")  # noqa: N815
    gcpR_stream_bytes_per_s: float = prior(  # noqa: N815
        1e9, "bytes/s", "one stream over a network of 10 Gb/s and more"
    )
    gcpR_buffer_bytes: float = guess(  # noqa: N815
        32 * MIB, "bytes", (8 * MIB, 256 * MIB), "credits of a cap: some ten milliseconds or more"
    )
    gcpR_queues: float = guess(8, "queues", (4, 16), f"{_QUEUES}: 8 virtual processors assumed")  # noqa: N815


PARAMETERS = Parameters.of(FileSyncParameters)
"""All parameters of the file-sync system, before a fit."""
