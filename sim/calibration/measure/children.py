"""Programs that do not outlive this process: even if it is killed, they are told to end (prctl(2), Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

GONE_SECONDS = 10.0
"""Until a program that was killed is gone."""

_PR_SET_PDEATHSIG = 1
"""Of linux/prctl.h: which signal a process gets when its parent is gone."""


def begun(command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``command`` in a session of its own, with pipes from what it prints.

    It gets SIGTERM when this process dies, at which fio ends its own processes, too; SIGKILL would leave them.

    Raises:
        OSError: it cannot be started.
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
    """What the child does first: ask for the signal; if the process ``parent`` is gone already, end."""

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask


def ended(process: subprocess.Popen[str]) -> None:
    """End a process that still runs, and all that it has started; they may run when it is gone itself."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # what waits for a device that hangs does not even end
            process.communicate(timeout=GONE_SECONDS)
