"""Parameters of the redo system: worked out from or fitted to the EXT4 column alone, but for the layer of LVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, derivation, parameter

_POST = "blog post on redo logs on XFS and EXT4, 2023"
_EXT4, _LVM = "redo-filesystems/EXT4/", "redo-filesystems/EXT4 LVM/"

_TRANSACTIONS, _SYNC, _SYNC_WAITS = "transactions per second", "log file sync: mean wait", "log file sync: waits"
_WRITE = "log file parallel write: mean wait"

_FITTED_TO = (
    _TRANSACTIONS,
    _SYNC,
    _WRITE,
    "log file parallel write: waits",
    "LGWR all worker groups: waits",
    "LGWR all worker groups: mean wait",
    "LGWR worker group ordering: waits",
    "LGWR worker group ordering: mean wait",
)
"""Eight figures for six parameters. The wait for any worker is left out: the model shows it too long."""

_IMPLIED = (
    "log file sync: time",
    "log file sync: share of DB time",
    "log file parallel write: time",
    "LGWR all worker groups: time",
    "LGWR worker group ordering: time",
    "redo size per second",
)
"""What follows from the figures above by a product is no prediction either."""


@dataclass(frozen=True)
class _Figures:
    """Mean waits, in seconds, and ``pace``: the same work in another run takes a little more or less."""

    pace: float = derivation.measured(1.0, 0.0)
    rate: float = derivation.rounded(7264.7, 0.05, _EXT4 + _TRANSACTIONS)
    sync_s: float = derivation.rounded(710.03e-6, 0.005e-6, _EXT4 + _SYNC)
    write_s: float = derivation.measured(430.21e-6, 0.005e-6, _EXT4 + _WRITE)
    lvm_write_s: float = derivation.measured(523.49e-6, 0.005e-6, _LVM + _WRITE)

    def session_s(self) -> float:
        """What six sessions do beside waiting, all in one report, whose errors cancel."""
        return self.pace * (6 / self.rate - self.sync_s)

    def layer_s(self) -> float:
        """The difference between two reports."""
        return self.lvm_write_s - self.write_s


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)


def _fitted(value: float, unit: str, low: float, high: float, what: str) -> Any:
    cells = tuple(_EXT4 + figure for figure in _FITTED_TO + _IMPLIED)
    how = "least squares on the logarithms of eight figures of the EXT4 column, simulation in the loop"
    return parameter(value, unit, low, high, "fitted", f"{_POST}: {what}; {how}", cells)


@dataclass(frozen=True)
class RedoParameters:
    """What the database and its device are made of."""

    session_s: float = parameter(
        _FIGURES.session_s(),
        "s",
        1e-6,
        1e-2,
        "derived",
        f"{_POST}, EXT4: six sessions, less log file sync",
        (_EXT4 + _TRANSACTIONS, _EXT4 + _SYNC),
        follows=derivation.follows(_Figures.session_s, _MOVED),
    )
    run_s: float = parameter(
        4_386_595 / 7264.7,
        "s",
        1.0,
        1e6,
        "derived",
        f"{_POST}, EXT4: one log file sync a transaction; turns rates into the counts of a report",
        (_EXT4 + _SYNC_WAITS, _EXT4 + _TRANSACTIONS),
    )
    write_s: float = _fitted(409.4e-6, "s", 5e-5, 5e-3, "mean time of a device write")
    write_cv: float = _fitted(0.320, "1", 0.05, 2.0, "coefficient of variation of a device write")
    idle_s: float = _fitted(47.5e-6, "s", 1e-6, 5e-4, "until a device with nothing in flight begins")
    wake_s: float = _fitted(18.5e-6, "s", 1e-6, 2e-4, "until a process that sleeps runs")
    dispatch_s: float = _fitted(9.77e-6, "s", 1e-6, 1e-4, "CPU of the log writer for a batch")
    post_s: float = _fitted(4.99e-6, "s", 1e-7, 5e-5, "CPU of a worker for each session of a batch")
    layer_s: float = parameter(
        _FIGURES.layer_s(),
        "s",
        1e-9,
        1e-3,
        "derived",
        f"{_POST}: log file parallel write, EXT4 on LVM less EXT4",
        (_LVM + _WRITE, _EXT4 + _WRITE),
        follows=derivation.follows(_Figures.layer_s, _MOVED),
    )
    bytes_per_s: float = parameter(
        1e9,
        "bytes/s",
        1e6,
        1e11,
        "assumed",
        "a virtual disk; the batches of the source are 1.3 kB",
        likely=(3e8, 4e9),  # from a capped volume to a local NVMe device
    )


PARAMETERS = Parameters.of(RedoParameters)
"""All parameters of the redo system."""
