"""Small records of ZFS: each costs processor time and a pointer, however few bytes it has."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest

from layers import Below
from models.io import IO
from models.systems.zfs_ufs.file_systems import Zfs
from models.systems.zfs_ufs.settings import ZfsUfsSettings
from models.systems.zfs_ufs.system import ZFS_UFS
from sim.engine.model.demands import demands_s
from sim.prediction import predict

PARAMETERS, KIB = ZFS_UFS.parameters, 1024
POINTER = next(each for each in PARAMETERS.entries if each.name == "pointer_bytes")
SIZES = (512, KIB, 2 * KIB, 4 * KIB, 8 * KIB)


def files(**asked):
    return Zfs(ZfsUfsSettings(checksum=False, **asked), PARAMETERS.values)


def system_s(layers, path):
    """Processor time of one walk of ``path``, of all cores."""
    return demands_s(path)[layers.cpu.system_time]


def catalog_s(recordsize):
    asked = {"phase": "catalog", "recordsize": recordsize}
    return predict(ZFS_UFS, asked, intervals=False).answers["elapsed"].estimate.value


def test_the_smaller_the_record_below_a_block_the_longer_the_catalog_takes():
    times = [catalog_s(size) for size in SIZES]
    assert times == sorted(times, reverse=True)
    assert times[0] > 1.01 * times[-1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("op", ["read", "write"])
def test_blocks_on_their_way_take_a_core_each_and_a_pointer_each(size, op):
    layers, below, blocks = files(recordsize=size), Below(), 64 * KIB / size
    pipeline = replace(layers.records, below=below)
    assert system_s(layers, pipeline.path(IO(op, 64 * KIB))) == pytest.approx(blocks * PARAMETERS["record_s"])
    (stored,) = below.seen
    assert stored.size_bytes == 64 * KIB + blocks * PARAMETERS["pointer_bytes"]


@pytest.mark.parametrize(("pattern", "entered"), [("new", 1), ("sequence", 1), ("scattered", 4)])
def test_a_call_enters_each_record_that_it_has_a_part_in(pattern, entered):
    layers = files(recordsize=32 * KIB)
    copied_s = 32 * KIB * PARAMETERS["copy_s_per_byte"]
    called_s = system_s(layers, layers.file(pattern).path(IO("write", 32 * KIB)))
    assert called_s == pytest.approx(copied_s + entered * PARAMETERS["record_s"])


def test_records_that_are_read_from_memory_are_entered_too():
    layers = files(recordsize=KIB)
    copied_s = 32 * KIB * PARAMETERS["copy_s_per_byte"]
    called_s = system_s(layers, layers.source.path(IO("read", 32 * KIB)))
    assert called_s == pytest.approx(copied_s + 32 * PARAMETERS["record_s"])


def lzjb_bytes(source):
    """Bytes of ``source`` compressed as by lzjb.c of OpenSolaris: matches of 3 to 66 bytes, 1 KiB back."""
    seen, place, length, items = [0] * 256, 0, 0, 0
    while place < len(source):
        length += items % 8 == 0
        items += 1
        found = 0
        if place <= len(source) - 66:
            first, second, third = source[place : place + 3]
            key = ((first + 13) ^ (second - 13) ^ third) & 255
            back, seen[key] = (place - seen[key]) & 1023, place
            while back and back <= place and found < 66 and source[place + found] == source[place - back + found]:
                found += 1
        length += 2 if found >= 3 else 1
        place += found if found >= 3 else 1
    return length


def pointers(stored_bytes, checksums):
    """An indirect block: of each block its place, its properties and its checksum (spa.h: blkptr_t)."""
    sectors = stored_bytes // 512
    made = (
        struct.pack("<16Q", sectors, 0x12345 + number * sectors, *[0] * 4, 2**63, *[0] * 3, 4711, 1, *each)
        for number, each in enumerate(checksums)
    )
    return b"".join(made)


def fletcher2(block):
    sums = [0, 0, 0, 0]
    for first, second in struct.iter_unpack("<2Q", block):
        sums[:2] = sums[0] + first, sums[1] + second
        sums[2:] = sums[2] + sums[0], sums[3] + sums[1]
    return [each % 2**64 for each in sums]


def empty_block(number, checksum):
    """The header of an empty Oracle block: its kind, address, time and checksum."""
    return struct.pack("<HHIIHBBHH", 0xA21E, 0, 2**24 + number, 260641, 0, 1, 4, checksum, 0)


def test_pointer_size_lies_between_those_of_empty_and_full_blocks():
    draws = random.Random(1)  # noqa: S311
    full = [[draws.getrandbits(64) for _ in range(4)] for _ in range(128)]
    empty = [fletcher2(empty_block(number, draws.getrandbits(16)).ljust(512, b"\0")) for number in range(128)]
    ends = [lzjb_bytes(pointers(*each)) / 128 for each in ((512, empty), (8 * KIB, full))]
    assert POINTER.likely == pytest.approx(ends, abs=1.0)
    assert ends[0] < PARAMETERS["pointer_bytes"] < ends[1] < 128
