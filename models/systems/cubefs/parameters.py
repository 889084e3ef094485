"""Parameters of the CubeFS system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, parameter
from sim.units import KIB

_FACTOR = 4.0
"""From the centre of a prior to its bounds."""


def _prior(value: float, unit: str, why: str, factor: float = _FACTOR) -> Any:
    return parameter(value, unit, value / factor, value * factor, "fitted", why)


@dataclass(frozen=True)
class CubeFSParameters:
    """What clients, network and data nodes are made of."""

    payload: float = parameter(1460 / 1538, "1", 0.5, 1.0, "derived", "of the line rate, with TCP over IPv4 without time stamps", likely=(1448/1538, 1460/1538))
    header_bytes: float = parameter(128, "bytes", 0, 4096, "assumed", "of a message beside its data", likely=(64, 256))
    one_way_s: float = parameter(15e-6, "s", 1e-6, 1e-3, "assumed", "a message over one switch, with both kernels", likely=(8e-6, 30e-6))
    fuse_queue_s: float = _prior(6e-6, "s", "queue")
    client_s: float = parameter(25e-6, "s", 1e-6, 1e-3, "assumed", "client's code", likely=(12e-6, 50e-6))
    client_byte_s: float = parameter(0.5e-9, "s/byte", 1e-11, 1e-7, "assumed", "copies", likely=(0.25e-9, 1e-9))
    node_s: float = parameter(25e-6, "s", 1e-6, 1e-3, "assumed", "node's code", likely=(12e-6, 50e-6))
    commit_s: float = _prior(50e-6, "s", "raft")
    commit_threads: float = _prior(2.5, "1", "threads of raft")
    node_byte_s: float = _prior(0.5e-9, "s/byte", "checksum")
    read_access_s: float = _prior(200e-6, "s", "ssd read")
    write_access_s: float = _prior(220e-6, "s", "ssd write")
    ssd_byte_s: float = parameter(1 / 540e6, "s/byte", 1e-11, 1e-7, "assumed", "SATA", likely=(1 / 560e6, 1 / 450e6))
    append_s: float = _prior(200e-6, "s", "metadata")
    wake_s: float = _prior(150e-6, "s", "light sleep")
    sleep_after_s: float = _prior(500e-6, "s", "target residency of C6, 600 µs in intel_idle of Linux", 3.0)
    client_after_s: float = _prior(150e-6, "s", "client")
    deep_wake_s: float = _prior(150e-6, "s", "deep")
    deep_after_s: float = parameter(5e-3, "s", 1e-4, 1, "assumed", "deep", likely=(3e-3, 10e-3))
    newer_cpu: float = _prior(1.5, "1", "newer cpu speed", 2.0)
    newer_ssd: float = _prior(2.0, "1", "newer SSD speed")
    newer_wake: float = _prior(2.0, "1", "newer wake-ups")


PARAMETERS = Parameters.of(CubeFSParameters)
