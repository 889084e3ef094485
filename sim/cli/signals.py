"""Orderly end of the command by the interrupt key, SIGTERM or SIGHUP: no partial files, no orphan processes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT
"""Exit status after the interrupt key, as in shells."""

TERMINATED = 128 + signal.SIGTERM
"""Exit status after SIGTERM, as in shells."""


_received: list[int] = []
"""Exit statuses of received signals. Kept here, as an exception of a handler may be lost, such as in a callback of
a weak reference."""


@contextmanager
def handled() -> Iterator[list[int]]:
    """Handle these signals, unless they are ignored by the parent, such as with ``nohup`` and ``&``.

    Yields the exit statuses of received signals, whether the command noticed them or not.
    """
    _received.clear()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        yield _received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def expected() -> None:
    """Treat the signals received so far as an orderly end."""
    _received.clear()


def _end(number: int, _frame: FrameType | None) -> None:
    _received.append(128 + number)
    if multiprocessing := sys.modules.get("multiprocessing"):  # else there is no child
        for child in multiprocessing.active_children():  # first, as leaving a pool waits for its work
            child.kill()  # a plain signal would wait in the child's handler until a long run ends
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
