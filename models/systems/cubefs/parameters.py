"""Parameters of the CubeFS system.

Those of basis ``fitted`` come out of least squares with the simulation in the loop, by soft L1 on logarithms, in
three steps: what random requests take, on the figures of random reads and writes of the older cluster; what bytes
and metadata take beside, on those of sequential ones; what the newer hardware does faster, on its eight anchors.
Their bounds are a factor of four away on each side, or two where a comment says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, parameter

_FACTOR = 4.0
"""From the centre of a prior to its bounds."""

_FRAME = 1538
"""Bytes of line for a frame of 1500: 14 of header, 4 of checksum, 8 of preamble and a gap of 12 (IEEE 802.3)."""

_PAYLOAD, _TIMED_PAYLOAD = 1460, 1448
"""Of a frame: without 20 of IP and 20 of TCP (RFC 791, 9293); without 12 of time stamps, too (RFC 7323)."""

_CARD = "cubefs/Sequential read 128k, 1 client/64 processes throughput"


def _fitted(value: float, unit: str, why: str, factor: float = _FACTOR) -> Any:
    return parameter(value, unit, value / factor, value * factor, "fitted", why)


def _software(value: float, unit: str, why: str) -> Any:
    """Time of a processor that the figures see only in sum with others: a factor of two is likely."""
    return parameter(
        value, unit, value / 10.0, value * 10.0, "assumed", why, likely=(value / 2.0, value * 2.0)
    )


@dataclass(frozen=True)
class CubeFSParameters:
    """What clients, network and data nodes are made of."""

    payload: float = parameter(
        _PAYLOAD / _FRAME,
        "1",
        0.5,
        1.0,
        "derived",
        "of the line rate, TCP over IPv4 in frames of 1500 bytes: one client reads 1,130 MiB/s, more than time stamps "
        "would leave",
        (_CARD,),
        likely=(_TIMED_PAYLOAD / _FRAME, 0.96),
    )
    header_bytes: float = parameter(
        128, "bytes", 1, 4096, "assumed", "of a message beside its data", likely=(64, 256)
    )
    one_way_s: float = _software(10e-6, "s", "a message over one switch, with both kernels")
    fuse_queue_s: float = _fitted(
        7.53e-06, "s", "for which a read keeps the one queue of a mount from others; so a client asks at most 1 / this"
    )
    fuse_write_queue_s: float = _fitted(1.24e-05, "s", "the same of a write, whose data are read from the queue")
    client_s: float = _software(12e-6, "s", "of the client's daemon for a request")
    client_byte_s: float = _fitted(7.04e-10, "s/byte", "copies and checksum at a client, one request after the other")
    node_s: float = _software(12e-6, "s", "of a data node for a message")
    node_byte_s: float = _fitted(5.42e-10, "s/byte", "copies and checksum at a data node")
    commit_s: float = _fitted(0.000106, "s", "of each node that puts a write into its log and applies it (Raft)")
    commit_threads: float = _fitted(
        1.47, "1", "threads that hand a logged write on to one another, each of which may have to be woken"
    )
    append_s: float = _fitted(0.000106, "s", "of client and metadata node to enter the new end of a file")
    read_access_s: float = _fitted(0.000208, "s", "of an SSD for a read, without its bytes: 0.05 to 0.8 ms")
    write_access_s: float = _fitted(0.000256, "s", "of an SSD for a write, log and data together")
    ssd_byte_s: float = parameter(
        1 / 540e6,
        "s/byte",
        1e-11,
        1e-7,
        "assumed",
        "SSDs of 1 TB behind SATA at 6 Gb/s give 500 to 560 MB/s",
        likely=(1 / 560e6, 1 / 450e6),
    )
    wake_s: float = _fitted(
        0.000141, "s", "until a machine goes on that was idle: a core leaves C6 in 133 µs (intel_idle of Linux, Skylake-X)"
    )
    node_after_s: float = _fitted(
        0.000339, "s", "after which an idle data node sleeps: target residency of C6 is 600 µs (intel_idle of Linux)"
    )
    client_after_s: float = _fitted(0.000188, "s", "the same of a client, of whose cores few are at work")
    deep_wake_s: float = _fitted(0.000116, "s", "besides, until a machine goes on that was idle for milliseconds")
    deep_after_s: float = parameter(
        5e-3, "s", 1e-4, 1.0, "assumed", "after which an idle machine sleeps deeper", likely=(2.5e-3, 10e-3)
    )
    newer_cpu: float = _fitted(2.53, "1", "speed of the newer processors, relative to the older", 2.0)
    newer_ssd: float = _fitted(1.99, "1", "speed of the newer SSDs, relative to the older")
    newer_wake: float = _fitted(1.64, "1", "speed of the newer wake-ups, relative to the older")


PARAMETERS = Parameters.of(CubeFSParameters)
"""All parameters of the CubeFS system."""
