"""Memory that cores share: one that copies is as fast as a core, many together as fast as memory."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, latency, rate
from models.parts.fuse.daemon import Fuse
from models.parts.host.cores import Cores
from models.parts.host.host import Host
from models.parts.page_cache.cache import PageCache
from models.parts.page_cache.memory_copy import Copy
from models.parts.zfs.dataset import Zfs

CORE, MEMORY, SIZE = 5e9, 20e9, 1 << 20
NO_WAKE = {"switch": 0.0, "copy": CORE}

KINDS = {
    "copy": Copy(cores=16, read_call=0.0, read_rate=CORE),
    "page cache": PageCache(cores=16, call=0.0, resident=1.0),
    "zfs": Zfs(cores=16, call=0.0, resident=1.0),
    "fuse": Fuse(cores=16, threads=64, queue=0.0, handler=0.0, direct_io=True),
}


def on_host(kind, below=None, **host):
    """A layer of ``kind`` on a host whose threads wake up at once."""
    return Host(**NO_WAKE, **host).layer("host", lambda _: kind.layer("below", lambda _: below or Below(0.0)))


def copied(layer, processes):
    """Bytes a second that so many processes read."""
    return rate(layer, processes=processes, size=SIZE) * SIZE


@pytest.mark.parametrize("name", KINDS)
def test_copies_of_many_cores_are_limited_by_memory_bandwidth(name):
    """16 cores of 5 GB/s before memory of 20 GB/s, of which a byte that is copied takes two: 10 GB/s, not 80."""
    assert copied(on_host(KINDS[name], memory=MEMORY), 16) == pytest.approx(MEMORY / 2, rel=0.02)
    assert copied(on_host(KINDS[name]), 16) == pytest.approx(16 * CORE, rel=0.02)


@pytest.mark.parametrize("name", KINDS)
def test_one_core_copies_as_fast_with_memory_that_is_known(name):
    assert copied(on_host(KINDS[name], memory=MEMORY), 1) == pytest.approx(CORE, rel=0.02)


def test_waiting_for_memory_occupies_the_core():
    """Two processes on one core: each copy keeps it for as long as it takes alone."""
    one_core = Copy(cores=1, read_call=0.0, read_rate=CORE)
    assert copied(on_host(one_core, memory=MEMORY), 2) == pytest.approx(CORE, rel=0.02)


@pytest.mark.parametrize("memory", [float("inf"), 1e12])
def test_below_cores_a_process_copies_on_its_own(memory):
    """Two processes of one core: they take turns, however many cores the copies are said to have."""
    copy = KINDS["copy"].layer("copy", lambda _: Below(0.0))
    one_core = Cores(count=1, time=0.0, interrupt=0.0)
    assert copied(on_host(one_core, copy, memory=memory), 2) == pytest.approx(CORE, rel=0.02)


def test_a_core_copies_no_faster_than_memory():
    assert copied(on_host(KINDS["copy"], memory=4e9), 1) == pytest.approx(2e9, rel=0.02)


def test_layers_of_one_host_share_its_memory():
    """A mount over a file system, whose pages are in memory: each byte is copied by both, 5 GB/s."""
    pages = KINDS["page cache"].layer("pages", lambda _: Below(0.0))
    assert copied(on_host(KINDS["fuse"], pages, memory=MEMORY), 16) == pytest.approx(MEMORY / 4, rel=0.02)


def test_calls_without_bytes_use_no_memory_bandwidth():
    flush = on_host(Copy(cores=1, flush=3e-6), memory=MEMORY)
    assert latency(flush, op="flush", size=0) == pytest.approx(3e-6)


@pytest.mark.parametrize("name", KINDS)
def test_the_engines_agree(name):
    assert_engines_agree(on_host(KINDS[name], memory=MEMORY), 2, processes=3, size=65536)
