"""The interrupt key, SIGTERM and a hang-up end the command in order: no file half-written, no process left."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT
"""Exit status after the interrupt key, as shells have it."""

TERMINATED = 128 + signal.SIGTERM
"""Exit status after SIGTERM, as shells have it."""


_received: list[int] = []
"""Exit statuses of signals that have come. What a handler raises is lost where Python calls a weak reference back,
for one."""


@contextmanager
def handled() -> Iterator[list[int]]:
    """Handle these signals, unless whoever started this wants them ignored, as ``nohup`` and ``&`` may.

    Gives the exit statuses of those that have come, whether the command noticed or not.
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
    """Take what has come for what ends the command in good order."""
    _received.clear()


def _end(number: int, _frame: FrameType | None) -> None:
    _received.append(128 + number)
    if multiprocessing := sys.modules.get("multiprocessing"):  # else there is no child
        for child in multiprocessing.active_children():  # first: who leaves a pool waits for its work to be done
            child.kill()  # in a long run, its own handler would wait for the end of that
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
