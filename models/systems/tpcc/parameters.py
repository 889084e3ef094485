"""Parameters of TPC-C on MySQL: fitted to the published tables, or assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import guess
from sim.system import Parameters, parameter

_VOLUMES = {
    engine: tuple(
        f"tpcc-volumes/{engine}, {iops:,} IOPS/{column}"
        for iops in range(1000, 9000, 1000)
        for column in ("mean of the last half", "mean")
    )
    for engine in ("InnoDB", "MyRocks")
}


def _pools(row: str, *pools: int) -> tuple[str, ...]:
    return tuple(f"tpcc-pool/{row}/{pool} GB, NOTPM x 23 / 600" for pool in pools)


_SM863 = _pools("SM863 SATA, pages of 16k", *range(5, 125, 10))
_SM863_4K = _pools("SM863 SATA, pages of 4k", 5, 65)
_850_PRO = _pools("850 PRO SATA, pages of 16k", 5, 65, 115)
_PM1725 = _pools("PM1725 NVMe, pages of 16k", 5, 65, 115)
_SYNCED = tuple(f"tpcc-binlog/binary log synced at each commit/{pool} GB" for pool in range(10, 90, 10))
_BINLOG = (
    *(each for each in _SYNCED if "/20 " not in each and "/40 " not in each),
    *(f"tpcc-binlog/no binary log/{pool} GB" for pool in (10, 30, 50, 60, 70, 80)),
    *(f"tpcc-binlog/no binary log/{pool} GB, again" for pool in (70, 80)),
)


def _fitted(value: float, unit: str, prior: float, why: str, cells: tuple[str, ...], factor: float = 4.0) -> Any:
    """A fitted value, with the centre of its prior and the factor to the bounds on either side."""
    return parameter(value, unit, prior / factor, prior * factor, "fitted", why, cells)


@dataclass(frozen=True)
class TpccParameters:
    """Times of drives, I/Os of a transaction, and what no two transactions do at once."""

    others: float = _fitted(
        22.4, "1", 20.0, "I/Os of InnoDB beside reads: pages, copies, logs, journal", _VOLUMES["InnoDB"], 2.0
    )
    background: float = _fitted(
        239.0,
        "1/s",
        200.0,
        "I/Os a second of InnoDB whatever the rate: flushing by the clock",
        _VOLUMES["InnoDB"],
        10.0,
    )
    myrocks_others: float = _fitted(
        6.25, "1", 5.0, "I/Os of MyRocks beside reads: logs, and merges in large I/Os", _VOLUMES["MyRocks"], 2.0
    )
    myrocks_data: float = _fitted(
        1.31, "1", 1.5, "blocks that MyRocks reads into its cache, over pages of InnoDB", _VOLUMES["MyRocks"], 3.0
    )
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
    binlog_data: float = _fitted(
        242e9, "B", 200e9, "data of the study of the binary log, whose size is not stated", _BINLOG, 2.0
    )
    sm863_read_s: float = _fitted(
        94.6e-6, "s", 85e-6, "a page of 16 KiB of the SM863, reads and writes mixed", _SM863
    )
    sm863_write_s: float = _fitted(12.9e-6, "s", 23e-6, "the same, written, with its copy", _SM863)
    pro850_read_s: float = _fitted(791e-6, "s", 760e-6, "a page of 16 KiB of the 850 PRO", _850_PRO, 6.0)
    pro850_write_s: float = _fitted(145e-6, "s", 170e-6, "the same, written, with its copy", _850_PRO, 6.0)
    pm1725_read_s: float = _fitted(15.3e-6, "s", 15e-6, "a page of 16 KiB of the PM1725", _PM1725)
    pm1725_write_s: float = _fitted(38.7e-6, "s", 38e-6, "the same, written, with its copy", _PM1725)
    binlog_read_s: float = _fitted(41e-6, "s", 42e-6, "a page of 16 KiB of the drive of that study", _BINLOG)
    binlog_write_s: float = _fitted(5.4e-6, "s", 11e-6, "the same, written, with its copy", _BINLOG)
    size_share: float = _fitted(
        0.783, "1", 0.78, "share of a page's time that goes with its size", _SM863_4K, 1.25
    )
    one_by_one_s: float = _fitted(
        199e-6,
        "s",
        200e-6,
        "of a transaction that no two take at once, with pages of 16 KiB",
        _SM863 + _PM1725,
        2.0,
    )
    one_by_one_4k_s: float = _fitted(
        118e-6, "s", 120e-6, "the same with pages of 4 KiB, whose latches cover fewer rows", _SM863_4K, 2.0
    )
    sysbench_s: float = _fitted(120e-6, "s", 120e-6, "the same in sysbench-tpcc on Percona Server", _BINLOG, 2.0)
    flush_s: float = _fitted(
        172e-6, "s", 200e-6, "of the drive of the binary log for a flush, with what XFS writes", _BINLOG, 10.0
    )
    binlog_bytes: float = guess(
        7_000.0, "B", (4_000.0, 12_000.0), "of the binary log of a transaction: row images"
    )
    bytes_per_s: float = guess(450e6, "B/s", (400e6, 2000e6), "sequential writes of that drive: SATA, or NVMe")
    cpu_s: float = guess(1e-3, "s", (0.5e-3, 3e-3), "of the cores for a transaction")
    cores: float = parameter(28, "1", 4, 256, "assumed", "two sockets of 14 cores", likely=(14, 56))


PARAMETERS = Parameters.of(TpccParameters)
"""All parameters of TPC-C."""
