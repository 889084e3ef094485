"""Parameters of the host with the ioDrive Duo: those that one thread determines, and those that it leaves open.

A small write of one thread takes call + submission + serial part + alone + bytes × small, a large one on each of
the two cards a time for every further piece. The share of these sums for which the card is busy, and another
thread would have to wait, is not determined by one thread, and there is one figure of several threads:
``duo_command_s`` and ``duo_between_s`` are assumed within their ranges, and the sums stay as fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.parameters import guess
from sim.engine.units import KIB
from sim.system import parameter

_FIT = "stacksim fit shared-file"
_SIZES = ("1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M")
_ONE_THREAD = tuple(f"shared-file/{size}/{name} (1thr)" for size in _SIZES for name in ("xfs", "ext4"))
_HALVES = tuple(f"shared-file/{size}/{name} (1thr)" for size in ("64K", "128K") for name in ("xfs", "ext4"))


@dataclass(frozen=True)
class DuoParameters:
    """The host, and its two striped cards.

    Priors of fitted parameters do not come from the figures; ranges include the interval of the fit, and the 3.2 %
    by which single runs scatter about it; that of the serial part also a dependence on the block.
    """

    duo_cores: float = parameter(
        8, "cores", 1, 1024, "assumed", "two sockets of four cores, of its time", likely=(4, 16)
    )
    duo_submit_s: float = guess(5e-6, "s", (3e-6, 1e-5), "of a core under the lock: block layer of Linux 2.6")
    duo_wake_s: float = guess(
        3e-6,
        "s",
        (5e-7, 1.5e-5),
        "until a thread that slept at the lock runs; less where one that runs takes the lock before it",
    )
    duo_xfs_s: float = parameter(
        2.19e-6,
        "s",
        2.5e-7,
        1.6e-5,
        "fitted",
        f"{_FIT}: of a core, beyond what ext4 takes; prior: some thousand instructions",
        _ONE_THREAD,
        likely=(6e-7, 5e-6),
        prior=2e-6,
    )
    duo_serial_s: float = parameter(
        1.385e-5,
        "s",
        2e-6,
        3.2e-5,
        "fitted",
        f"{_FIT}: one write after the other, in file system, driver and interrupts; prior: two such steps of 4 us",
        ("shared-file/4K/xfs (8thr)",),
        likely=(1.18e-5, 1.62e-5),
        prior=8e-6,
    )
    duo_alone_s: float = parameter(
        2.49e-5,
        "s",
        6.5e-6,
        1.04e-4,
        "fitted",
        f"{_FIT}: of a card that is free, for no bytes; prior: data sheet, 26 us",
        _ONE_THREAD,
        likely=(2.29e-5, 2.74e-5),
        prior=2.6e-5,
    )
    duo_small_s_per_byte: float = parameter(
        1.78e-9,
        "s/byte",
        5e-10,
        8e-9,
        "fitted",
        f"{_FIT}: of a card that is free, for each byte of a piece; prior: in at 1 GB/s, written at 1 GB/s",
        _ONE_THREAD,
        likely=(1.62e-9, 1.98e-9),
        prior=2e-9,
    )
    duo_piece_s: float = parameter(
        1.006e-4,
        "s",
        4.7e-5,
        1.88e-4,
        "fitted",
        f"{_FIT}: from one piece of 64 KiB of a write to the next; prior: data sheet, 1.4 GB/s of two cards",
        _ONE_THREAD,
        likely=(9.4e-5, 1.07e-4),
        prior=9.4e-5,
    )
    duo_variation: float = parameter(
        0.39,
        "1",
        0.075,
        1.2,
        "fitted",
        f"{_FIT}: coefficient of variation of a card's time for a piece; prior: flash collects garbage",
        _ONE_THREAD,
        likely=(0.305, 0.46),
        prior=0.3,
    )
    duo_command_s: float = guess(
        1.2e-5,
        "s",
        (4e-6, 2.2e-5),
        "of a card for a piece, beside its bytes; the data sheet's 167,000 writes of 4 KiB a second leave 7 us",
    )
    duo_between_s: float = guess(
        3e-6,
        "s",
        (9e-7, 1e-5),
        "for which a card waits for the next piece of a write; the data sheet's 1.4 GB/s leave 8 us",
    )
    duo_piece_bytes: float = parameter(
        64 * KIB,
        "bytes",
        4 * KIB,
        1 << 20,
        "derived",
        "the default chunk of a striped volume; 128 KiB take as long as 64 KiB, so two halves at once",
        _HALVES,
    )
