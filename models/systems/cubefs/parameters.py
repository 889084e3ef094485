"""Parameters of the CubeFS system.

A fitted parameter has a prior: its value here is the centre, and its bounds are two standard deviations away on
each side. The fit uses the bandwidths of both clusters; its result is ``calibration-data/fitted/cubefs.json``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import prior
from sim.system import Parameters, parameter

_FRAME = 1538
"""Line bytes of a frame of 1500: 14 of header, 4 of checksum, 8 of preamble and a gap of 12 (IEEE 802.3)."""

_PAYLOAD, _TIMED_PAYLOAD = 1460, 1448
"""Payload of a frame: less 20 of IP and 20 of TCP (RFC 791, 9293); less 12 of time stamps, too (RFC 7323)."""

MOST_PAYLOAD = 0.96
"""Largest payload share of the line; one client reads at least 0.948 of it."""

_CARD = "cubefs/Sequential read 128k, 1 client/64 processes throughput"

_QUEUE = "for which a read keeps the one queue of a mount, 3 to 15 µs: so a client asks at most 1 / this"
_WRITE_QUEUE = "the same of a write, whose data the daemon fetches from the queue"
_CLIENT_BYTE = "copies and checksum of a client that reads, one request after the other; 1 to 3 GB/s"
_CLIENT_WRITE_BYTE = "the same of a client that writes: one thread at a time fetches data from the mount"
_NODE_BYTE = "copies and checksum of a data node, 1 to 4 GB/s of a processor"
_COMMIT = "of each node that puts a write into its log and applies it (Raft), 50 to 200 µs"
_THREADS = "threads that hand a logged write on to one another, each of which may have to be woken"
_READ = "of an SSD for a read without its bytes, one after the other"
_WRITE = "of an SSD for a write without its bytes, log and data together"
_WAKE = "until an idle machine goes on: a core leaves C6 in 133 µs (Skylake-X, intel_idle of Linux)"
_AFTER = "after which an idle data node sleeps: C6 is worth it from 600 µs on (same)"
_CLIENT_AFTER = "the same of a client, of whose cores few are at work"
_DEEP = "besides, until a machine goes on that was idle for milliseconds"
_NEWER = "of the newer cluster, relative to the older"
_BYTES = "as fast behind SATA, four to six times behind NVMe"
_C6 = "a core leaves C6 in 82 to 290 µs (Ivytown to Sapphire Rapids, intel_idle of Linux)"
_CORE = "a core of some years later is 1.3 to 2 times as fast"


def _software(value: float, unit: str, why: str) -> Any:
    """A time that figures show only in sum with others: half or twice its value is likely."""
    return parameter(value, unit, value / 10.0, value * 10.0, "assumed", why, likely=(value / 2.0, value * 2.0))


@dataclass(frozen=True)
class CubeFSParameters:
    """Numbers of clients, network and data nodes."""

    payload: float = parameter(
        _PAYLOAD / _FRAME,
        "1",
        0.5,
        1.0,
        "derived",
        "of the line, TCP over IPv4 in frames of 1500 bytes; one client reads more than time stamps would leave",
        (_CARD,),
        likely=(_TIMED_PAYLOAD / _FRAME, MOST_PAYLOAD),
    )
    header_bytes: float = parameter(
        128, "bytes", 1, 4096, "assumed", "of a message beside its data", likely=(64, 256)
    )
    one_way_s: float = _software(10e-6, "s", "a message over one switch, with both kernels")
    fuse_queue_s: float = prior(7e-6, "s", _QUEUE)
    fuse_write_queue_s: float = prior(12e-6, "s", _WRITE_QUEUE)
    client_s: float = _software(12e-6, "s", "of a client's daemon for a request")
    client_byte_s: float = prior(0.7e-9, "s/byte", _CLIENT_BYTE)
    client_write_byte_s: float = prior(0.7e-9, "s/byte", _CLIENT_WRITE_BYTE)
    node_s: float = _software(12e-6, "s", "of a data node for a message")
    node_byte_s: float = prior(0.5e-9, "s/byte", _NODE_BYTE)
    commit_s: float = prior(100e-6, "s", _COMMIT)
    commit_threads: float = prior(1.5, "1", _THREADS)
    read_access_s: float = prior(200e-6, "s", _READ)
    write_access_s: float = prior(250e-6, "s", _WRITE)
    ssd_byte_s: float = parameter(
        1 / 540e6,
        "s/byte",
        1e-11,
        1e-7,
        "assumed",
        "SSDs of 1 TB behind SATA at 6 Gb/s give 450 to 560 MB/s",
        likely=(1 / 560e6, 1 / 450e6),
    )
    wake_s: float = prior(133e-6, "s", _WAKE)
    node_after_s: float = prior(350e-6, "s", _AFTER)
    client_after_s: float = prior(200e-6, "s", _CLIENT_AFTER)
    deep_wake_s: float = prior(100e-6, "s", _DEEP)
    deep_after_s: float = parameter(
        5e-3, "s", 1e-4, 1.0, "assumed", "after which an idle machine sleeps deeper", likely=(2.5e-3, 10e-3)
    )
    newer_cpu: float = prior(1.6, "1", f"speed of processors {_NEWER}; {_CORE}", 1.25)
    newer_access: float = prior(1.5, "1", f"speed of an access to an SSD {_NEWER}")
    newer_bytes: float = prior(2.0, "1", f"speed of the bytes of an SSD {_NEWER}: {_BYTES}")
    newer_ssd_at_once: float = parameter(
        2,
        "1",
        1,
        256,
        "assumed",
        "accesses that a newer SSD works on at once; with 2 or 3 the figures are met best",
        likely=(1, 6),
    )
    newer_wake: float = prior(1.0, "1", f"speed of wake-ups {_NEWER}; {_C6}", 3.5)


PARAMETERS = Parameters.of(CubeFSParameters)
"""All parameters of the CubeFS system, before a fit."""
