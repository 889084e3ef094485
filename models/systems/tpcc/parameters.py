"""Parameters of TPC-C on MySQL. A fitted one has a prior: its value here is the centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import guess, prior
from sim.system import Parameters, parameter


def _page(value: float, drive: str, factor: float = 4.0) -> Any:
    return prior(value, "s", f"of {drive} for a page of 16 KiB, with reads and writes mixed", factor)


@dataclass(frozen=True)
class TpccParameters:
    """Times of drives, I/Os of a transaction, and what no two transactions do at once."""

    others: float = prior(22.0, "1", "I/Os of InnoDB on a volume beside reads: pages, copies, logs, journal", 2.0)
    background: float = prior(
        300.0, "1/s", "I/Os a second of InnoDB whatever the rate: flushing by the clock", 10.0
    )
    myrocks_others: float = prior(5.98, "1", "I/Os of MyRocks beside reads: logs, and merges in large I/Os", 2.0)
    myrocks_data: float = prior(1.61, "1", "blocks that MyRocks reads into its cache, over pages of InnoDB", 3.0)
    instance_iops: float = guess(
        25_000.0,
        "1/s",
        (16_000.0, 40_000.0),
        "cap of the instance, which is not stated: those of 2018 with 122 GiB",
    )
    latency_s: float = guess(0.7e-3, "s", (0.4e-3, 1.5e-3), "of an I/O of a volume")
    window: float = guess(
        3e5, "1", (1e5, 1e6), "transactions for which a page may stay dirty: redo capacity over redo of one"
    )
    binlog_data: float = prior(220e9, "B", "data of the study of the binary log, whose size is not stated", 2.0)
    sm863_read_s: float = _page(88e-6, "the SM863")
    sm863_write_s: float = _page(23e-6, "the SM863, with its copy")
    pro850_read_s: float = _page(775e-6, "the 850 PRO", 6.0)
    pro850_write_s: float = _page(153e-6, "the 850 PRO, with its copy", 6.0)
    pm1725_read_s: float = _page(15e-6, "the PM1725")
    pm1725_write_s: float = _page(38e-6, "the PM1725, with its copy")
    binlog_read_s: float = _page(38.5e-6, "the drive of the study of the binary log")
    binlog_write_s: float = _page(11e-6, "that drive, with its copy")
    size_share: float = prior(0.78, "1", "share of a page's time that goes with its size", 1.25)
    one_by_one_s: float = prior(
        0.198e-3, "s", "of a transaction that no two take at once, with pages of 16 KiB", 2.0
    )
    one_by_one_4k_s: float = prior(
        0.118e-3, "s", "the same with pages of 4 KiB, whose latches cover fewer rows", 2.0
    )
    sysbench_s: float = prior(0.12e-3, "s", "the same in sysbench-tpcc on Percona Server", 2.0)
    flush_s: float = prior(0.2e-3, "s", "of that drive for a flush, with what the file system writes", 10.0)
    binlog_bytes: float = guess(
        7_000.0, "B", (4_000.0, 12_000.0), "of the binary log of a transaction: row images"
    )
    bytes_per_s: float = guess(450e6, "B/s", (400e6, 2000e6), "sequential writes of that drive: SATA, or NVMe")
    cpu_s: float = guess(1e-3, "s", (0.5e-3, 3e-3), "of the cores for a transaction")
    cores: float = parameter(28, "1", 4, 256, "assumed", "two sockets of 14 cores", likely=(14, 56))


PARAMETERS = Parameters.of(TpccParameters)
"""All parameters of TPC-C, before a fit."""
