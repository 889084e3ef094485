"""Parameters of the array system. Nothing published measures an array's cache, so most are standard or assumed."""

from __future__ import annotations

from dataclasses import dataclass

from sim.system import Parameters, parameter

_S2 = "Direct I/O, file-system locks, arrays (weblog, 2006-2007)"


@dataclass(frozen=True)
class ArrayParameters:
    """Numbers of the array's parts."""

    paths: float = parameter(2, "paths", 1, 64, "published", f"{_S2}: 2 x 2Gb FCP paths")
    path_bytes_per_s: float = parameter(
        200e6, "bytes/s", 1e7, 1e10, "published", f"{_S2}: two paths carry roughly 400 MB/s"
    )
    controllers: float = parameter(
        2, "processors", 1, 64, "assumed", "a mid-range array has two storage processors"
    )
    controller_s: float = parameter(
        50e-6,
        "s",
        1e-6,
        1e-2,
        "assumed",
        "20,000 I/O/s for each storage processor",
        likely=(25e-6, 100e-6),  # mid-range arrays were sold with 20,000 to 80,000 I/O/s from cache
    )
    position_s: float = parameter(
        5.4e-3,
        "s",
        1e-5,
        5e-2,
        "derived",
        "15k rpm: seek of 3.4 ms and half a turn, 2.0 ms",
        likely=(4.9e-3, 6.0e-3),  # mean seeks of such disks: from 2.9 ms (2.5 inches) to 4.0 ms (writes)
    )
    destage_position_s: float = parameter(
        3.3e-3,
        "s",
        1e-5,
        5e-2,
        "derived",
        "15k rpm: 32 writes sorted by their place are a 33rd of the stroke apart; a seek grows from 0.4 ms with "
        "the root of its length to 3.4 ms for a third of the stroke: 1.3 ms; and half a turn, 2.0 ms",
        likely=(2.5e-3, 5.4e-3),  # low: the whole cache is sorted before it is destaged; high: nothing is
    )
    disk_bytes_per_s: float = parameter(120e6, "bytes/s", 1e6, 1e10, "published", "15k rpm disks: 120 to 200 MB/s")
    copies: float = parameter(2, "copies", 1, 3, "assumed", "mirrored, as redo and data files mostly are")
    chunk_bytes: float = parameter(
        65536, "bytes", 4096, 1 << 20, "published", "CLARiiON: destaged in chunks of 64 KiB"
    )
    low_watermark: float = parameter(0.6, "share", 0.0, 0.99, "published", "CLARiiON's default: 60 %")
    high_watermark: float = parameter(0.8, "share", 0.01, 1.0, "published", "CLARiiON's default: 80 %")
    dirty_share: float = parameter(
        0.25,
        "share",
        0.01,
        1.0,
        "assumed",
        "the part of the cache that may be dirty is a setting",
        likely=(0.1, 0.6),  # leaves 0.4 to 0.9 of the cache for reads
    )
    ahead_bytes: float = parameter(
        2 << 20,
        "bytes",
        1,
        1 << 30,
        "assumed",
        "what an array fetches ahead of a run at most: 4096 blocks of 512 bytes, a usual default",
        likely=(512 << 10, 4 << 20),  # from four I/Os of 128 KiB to twice the value
    )
    call_s: float = parameter(
        30e-6,
        "s",
        1e-7,
        1e-2,
        "assumed",
        "dd between two writes of 128 KiB",
        likely=(15e-6, 65e-6),  # zeroed at 2 to 8 GB/s
    )


PARAMETERS = Parameters.of(ArrayParameters)
