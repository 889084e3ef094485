"""The five hosts: their devices, and their parameters by name.

A parameter of a host is a field ``<host>_<quantity>`` of the record of parameters. A host that lacks one has its
neutral value: the quantity does not exist there, or is unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from models.parts.flash.device import IN_LINE, IN_TURNS, WHOLE


@dataclass(frozen=True)
class Kind:
    """Behaviour of a host's device.

    Attributes:
        volatile: True without power-loss protection: a flush writes the cache out, and writes wait for it.
        order: commands of several writes in turn; whole writes, as virtual devices take them; flushes in line.
    """

    device: str
    volatile: bool = False
    order: str = IN_TURNS


HOSTS = {
    "dell32": Kind("Crucial T500, NVMe", volatile=True),
    "socket2": Kind("Samsung PM9A3, NVMe"),
    "hetz": Kind("Intel D7-P5520, NVMe"),
    "gcpL": Kind("two local NVMe of the cloud, RAID", order=IN_LINE),
    "gcpR": Kind("Hyperdisk Balanced, a network volume", order=WHOLE),
}


@dataclass(frozen=True)
class Host:
    """The quantities of one host.

    Attributes:
        write_s: latency of a single write of 16 KiB, host and device together.
        stream_bytes_per_s: rate of the bytes beyond 16 KiB of one write, on their way to the device.
        foreign_s: extra time of a write if all shared data was last used by another job.
        small_s: latency of a write of the journal; ``sector_s`` before it, if it is only a part of a page.
        xfs_s: extra time of a job's write in the runs on XFS.
        flush_s, serial_s: time of a single flush, and of its serial part.
        merged: share of flushes that the drive merges with a waiting one.
        padding_s: time of the flash for a write through the cache, beyond its bytes.
        command_s: time between two commands of the device.
        cold_s, asleep_s: extra time of a sync and of a journal thread after a block larger than the core's cache,
            as the machine has slept meanwhile.
        bytes_per_s, buffer_bytes, command_bytes: rate of the flash, or a cap; size of the buffer before it, or
            credits; size of a command, if it differs from the common one.
        queues: hardware queues, each with one flush under way.
    """

    write_s: float = 0.0
    small_s: float = 0.0
    command_s: float = 0.0
    bytes_per_s: float = math.inf
    buffer_bytes: float = 0.0
    command_bytes: float = 0.0
    cold_s: float = 0.0
    asleep_s: float = 0.0
    stream_bytes_per_s: float = math.inf
    foreign_s: float = 0.0
    flush_s: float = 0.0
    serial_s: float = 0.0
    merged: float = 0.0
    sector_s: float = 0.0
    xfs_s: float = 0.0
    padding_s: float = 0.0
    queues: float = 1.0


def quantities_of(parameters: Any, name: str) -> Host:
    """The quantities of the host ``name``."""
    names = {each.name: f"{name}_{each.name}" for each in fields(Host)}
    return Host(
        **{quantity: getattr(parameters, field) for quantity, field in names.items() if hasattr(parameters, field)}
    )
