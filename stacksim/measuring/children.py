"""Child programs that end with this process, even if it is killed (prctl(2), Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

GONE_SECONDS = 10.0
"""Longest time until a killed program is gone."""

_PR_SET_PDEATHSIG = 1
"""PR_SET_PDEATHSIG of linux/prctl.h: signal for a process whose parent ends."""


def begun(command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``command`` in a session of its own, with pipes from its output.

    It gets SIGTERM when this process dies, at which fio ends its own processes, too; SIGKILL would leave them.

    Raises:
        OSError: ``command`` cannot be started.
    """
    prctl = ctypes.CDLL(None).prctl  # before the fork, after which as little as possible should be done
    return subprocess.Popen(  # noqa: S603  (words made here)
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=_ending_with(os.getpid(), prctl),  # noqa: PLW1509  (it takes no lock)
        env=environment,
    )


def _ending_with(parent: int, prctl: Callable[[int, int], int]) -> Callable[[], None]:
    """First action of the child: request the signal; exit if the process ``parent`` is gone already."""

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask


def ended(process: subprocess.Popen[str]) -> None:
    """End a process that still runs, and all its children, which may outlive it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # a process that waits for a hanging device cannot be killed
            process.communicate(timeout=GONE_SECONDS)
