"""Parameters of the redo system: worked out from the EXT4 column alone, but for the layer of LVM, and priors.

What is fitted is fitted to the EXT4 column (``calibration-data/fitted/redo.json``), without its waits for any
worker: the model shows these too long, and they would drag all others along.
"""

from __future__ import annotations

from sim.parameters import Parameter, Parameters

_POST = "blog post on redo logs on XFS and EXT4, 2023"
_EXT4, _LVM = "redo-filesystems/EXT4/", "redo-filesystems/EXT4 LVM/"

_TRANSACTIONS, _SYNC, _SYNC_WAITS = "transactions per second", "log file sync: mean wait", "log file sync: waits"
_WRITE = "log file parallel write: mean wait"


def _prior(name: str, value: float, unit: str, factor: float, why: str) -> Parameter:
    """The middle of a prior; its bounds, two standard deviations away, are a ``factor`` from it."""
    return Parameter(name, value, unit, value / factor, value * factor, "fitted", why)


PARAMETERS = Parameters(
    (
        Parameter(
            "session_s",
            6 / 7264.7 - 710.03e-6,
            "s",
            1e-6,
            1e-2,
            "derived",
            f"{_POST}, EXT4: six sessions, less log file sync",
            (_EXT4 + _TRANSACTIONS, _EXT4 + _SYNC),
        ),
        Parameter(
            "run_s",
            4_386_595 / 7264.7,
            "s",
            1.0,
            1e6,
            "derived",
            f"{_POST}, EXT4: one log file sync a transaction; turns rates into the counts of a report",
            (_EXT4 + _SYNC_WAITS, _EXT4 + _TRANSACTIONS),
        ),
        _prior("write_s", 5e-4, "s", 10.0, "a write to a block device: from 50 µs (flash) to 5 ms (disk)"),
        _prior("write_cv", 0.3, "1", 6.0, "its coefficient of variation: from near constant to exponential"),
        _prior("idle_s", 2e-5, "s", 25.0, "until a device with nothing in flight begins: a wake-up"),
        _prior("wake_s", 1.5e-5, "s", 10.0, "until a process that sleeps runs: 1 to 100 µs"),
        _prior("dispatch_s", 1e-5, "s", 10.0, "CPU of the log writer for a batch: 10,000 instructions"),
        _prior("post_s", 2e-6, "s", 10.0, "CPU of a worker to wake one session: a system call"),
        Parameter(
            "layer_s",
            523.49e-6 - 430.21e-6,
            "s",
            1e-9,
            1e-3,
            "derived",
            f"{_POST}: log file parallel write, EXT4 on LVM less EXT4",
            (_LVM + _WRITE, _EXT4 + _WRITE),
        ),
        Parameter(
            "bytes_per_s",
            1e9,
            "bytes/s",
            1e6,
            1e11,
            "assumed",
            "a virtual disk; the batches of the source are 1.3 kB",
        ),
    )
)
"""All parameters of the redo system."""
