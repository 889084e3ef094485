"""Parameters of the redo system: derived from or fitted to the EXT4 column, except two.

The layer of LVM is derived from LVM's column. XFS with blocks of 512 bytes behaves like EXT4, but has 15 % more
buffer busy waits. None of the other nine fitted figures differs by more than 6 %, so that both numbers are fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, derivation, parameter

_POST = "blog post on redo logs on XFS and EXT4, 2023"
_EXT4, _LVM = "redo-filesystems/EXT4/", "redo-filesystems/EXT4 LVM/"
_TWIN = "redo-filesystems/XFS 512/"

_TRANSACTIONS, _SYNC, _SYNC_WAITS = "transactions per second", "log file sync: mean wait", "log file sync: waits"
_WRITE, _WRITES, _WRITE_TIME = (f"log file parallel write: {figure}" for figure in ("mean wait", "waits", "time"))

_FITTED_TO = (
    _TRANSACTIONS,
    _SYNC,
    _WRITE,
    _WRITES,
    "LGWR all worker groups: waits",
    "LGWR all worker groups: mean wait",
    "LGWR worker group ordering: waits",
    "LGWR worker group ordering: mean wait",
    "buffer busy waits: waits",
    "buffer busy waits: mean wait",
)
"""Ten figures for six parameters. The wait for any worker is left out: the model shows it too long."""

_OF_BOTH = ("buffer busy waits: waits", "buffer busy waits: time", "buffer busy waits: share of DB time")
"""A number fitted to two reports of equal runs, and figures that follow from it."""

_IMPLIED = (
    "log file sync: time",
    "log file sync: share of DB time",
    _WRITE_TIME,
    "LGWR all worker groups: time",
    "LGWR worker group ordering: time",
    "buffer busy waits: time",
    "buffer busy waits: share of DB time",
)
"""Figures that follow from those above by a product, and so are no predictions either."""

_EVENTS = (
    "log file parallel write",
    "LGWR any worker group",
    "LGWR all worker groups",
    "LGWR worker group ordering",
)
_SHARES = tuple(f"{event}: share of background time" for event in _EVENTS)

_IDLE_VOLUME = 0.584
"""Share of the writes on LVM that find none in flight, from the model."""


@dataclass(frozen=True)
class _Figures:
    """Mean waits, in seconds, and ``pace``, the run-to-run factor of all of a run's work."""

    pace: float = derivation.measured(1.0, 0.0)
    rate: float = derivation.rounded(7264.7, 0.05, _EXT4 + _TRANSACTIONS)
    sync_s: float = derivation.rounded(710.03e-6, 0.005e-6, _EXT4 + _SYNC)
    syncs: float = derivation.rounded(4_386_595, 0.5, _EXT4 + _SYNC_WAITS)
    busy_time_s: float = derivation.rounded(11.1, 0.05, _EXT4 + "buffer busy waits: time")
    writes: float = derivation.rounded(1_954_831, 0.5, _EXT4 + _WRITES)
    write_time_s: float = derivation.rounded(841, 0.5, _EXT4 + _WRITE_TIME)
    write_share: float = derivation.rounded(0.598, 0.0005, _EXT4 + _SHARES[0])
    any_share: float = derivation.rounded(0.193, 0.0005, _EXT4 + _SHARES[1])
    all_share: float = derivation.rounded(0.118, 0.0005, _EXT4 + _SHARES[2])
    ordering_share: float = derivation.rounded(0.033, 0.0005, _EXT4 + _SHARES[3])
    write_s: float = derivation.measured(430.21e-6, 0.005e-6, _EXT4 + _WRITE)
    lvm_write_s: float = derivation.measured(523.49e-6, 0.005e-6, _LVM + _WRITE)

    @property
    def busy_s(self) -> float:
        """Wait of a session for the contended block, for each transaction."""
        return self.busy_time_s / self.syncs

    @property
    def batch(self) -> float:
        """Commits in a log write."""
        return self.syncs / self.writes

    def session_s(self) -> float:
        """Session time of a transaction, without waits; both terms are of one report, so that errors cancel."""
        return self.pace * (6 / self.rate - self.sync_s)

    def log_cpu_s(self) -> float:
        """Time of all background processes without waits, for each log write."""
        waiting = self.write_share + self.any_share + self.all_share + self.ordering_share
        return (1.0 - waiting) * self.write_time_s / self.write_share / self.writes

    def layer_s(self) -> float:
        """The difference between two reports, divided by the share of writes that cause it."""
        return (self.lvm_write_s - self.write_s) / _IDLE_VOLUME


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)
_SESSION, _LOG_CPU, _LAYER = (
    derivation.outcome(derive, _FIGURES, _MOVED)
    for derive in (_Figures.session_s, _Figures.log_cpu_s, _Figures.layer_s)
)


def _fitted(value: float, unit: str, low: float, high: float, what: str) -> Any:
    cells = (*(_EXT4 + figure for figure in _FITTED_TO + _IMPLIED), *(_TWIN + figure for figure in _OF_BOTH))
    how = "least squares on the logarithms of ten figures of EXT4 and one of XFS 512, simulation in the loop"
    return parameter(value, unit, low, high, "fitted", f"{_POST}: {what}; {how}", cells)


@dataclass(frozen=True)
class RedoParameters:
    """Numbers of the database and its device."""

    session_s: float = parameter(
        _SESSION.value,
        "s",
        1e-6,
        1e-2,
        "derived",
        f"{_POST}, EXT4: six sessions, less log file sync",
        _SESSION.cells,
        follows=_SESSION.follows,
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
    write_s: float = _fitted(381.6e-6, "s", 5e-5, 5e-3, "mean time of a device write")
    write_cv: float = _fitted(0.2575, "1", 0.05, 2.0, "coefficient of variation of a device write")
    idle_s: float = _fitted(84.8e-6, "s", 1e-6, 5e-4, "until a device with nothing in flight begins")
    wake_s: float = _fitted(35.0e-6, "s", 1e-6, 2e-4, "until a process that sleeps runs")
    wake_cv: float = parameter(
        1.0,
        "1",
        0.02,
        3.0,
        "assumed",
        "waking varies widely, so it is exponential; with 0.5 to 1.5 the EXT4 column can be met, too",
        likely=(0.5, 1.5),
    )
    change_s: float = _fitted(2.74e-6, "s", 1e-7, 5e-5, "a session alone changes the block that all change")
    dispatch_s: float = _fitted(14.49e-6, "s", 1e-6, 3e-5, "CPU of the log writer for a batch")
    log_cpu_s: float = parameter(
        _LOG_CPU.value,
        "s",
        3.5e-5,
        1e-4,
        "derived",
        f"{_POST}, EXT4: CPU of log writer and worker for a mean batch, what the waits leave of background time",
        _LOG_CPU.cells,
        follows=_LOG_CPU.follows,
    )
    layer_s: float = parameter(
        _LAYER.value,
        "s",
        1e-9,
        1e-3,
        "derived",
        f"{_POST}: log file parallel write, EXT4 on LVM less EXT4, for each write that finds none in flight",
        _LAYER.cells,
        follows=_LAYER.follows,
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

    @property
    def work_s(self) -> float:
        """CPU time of a session for a transaction, without the contended block."""
        return self.session_s - _FIGURES.busy_s - self.change_s

    @property
    def post_s(self) -> float:
        """CPU time of a worker for each session of a batch: the rest of a mean batch after the log writer."""
        return (self.log_cpu_s - self.dispatch_s) / _FIGURES.batch


PARAMETERS = Parameters.of(RedoParameters)
"""All parameters of the redo system."""
