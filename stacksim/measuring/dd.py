"""Runs dd if fio is missing: sequential, one request in flight of each process, and no latencies."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, shown
from stacksim.measuring import children
from stacksim.measuring.jobs import RAMP_SECONDS, SECONDS, Job

LOST = (
    "fio is not installed: dd reads and writes in sequence, with one request in flight of each process, so that "
    "what is fitted knows no random access and no depth; apt-get install fio"
)
"""Note on figures by dd."""

PATIENCE_SECONDS = 120.0
"""Time after which a dd that was asked to end counts as hanging."""

_COPIED = re.compile(r"^([0-9]+) bytes? .*copied, ([0-9.e+-]+) s", re.MULTILINE)


@dataclass(frozen=True)
class Dd:
    """dd over the files in ``folder``, of ``file_bytes`` each."""

    program: str
    folder: Path
    file_bytes: int

    def lay_out(self, users: int, piece_bytes: int) -> None:
        """Write the files of ``users`` processes sequentially, ``piece_bytes`` at a time.

        Raises:
            InputError: dd failed; the message says why.
        """
        sizes = (f"bs={piece_bytes}", f"count={self.file_bytes // piece_bytes}", "oflag=direct", "conv=fsync")
        for number in range(users):
            _together("the layout of the files", self.program, [("if=/dev/zero", self._to(number), *sizes)])

    def run(self, job: Job) -> dict[str, Any]:
        """Total rate of the processes of ``job``, in the form of fio's results.

        Raises:
            InputError: dd failed, hung, or printed nothing.
        """
        words = [self._words(job, number) for number in range(job.users)]
        rate = _together(job.name, self.program, words, SECONDS + RAMP_SECONDS)
        sides = {op: {"bw_bytes": int(rate) if op == job.op else 0} for op in ("read", "write")}
        return {"jobs": [{"jobname": job.name, "error": 0, **sides}]}

    def _words(self, job: Job, number: int) -> tuple[str, ...]:
        sizes = f"bs={job.block}", f"count={self.file_bytes // job.block}"
        if job.op == "read":
            return f"if={self.folder / f'data.{number}'}", "of=/dev/null", *sizes, "iflag=direct"
        return "if=/dev/zero", self._to(number), *sizes, "oflag=direct", "conv=notrunc"

    def _to(self, number: int) -> str:
        return f"of={self.folder / f'data.{number}'}"


def dd_in(folder: Path, file_bytes: int) -> Dd:
    """Dd over files in ``folder``, if this machine has dd.

    Raises:
        InputError: there is neither fio nor dd.
    """
    program = shutil.which("dd")
    if program is None:
        raise InputError("neither fio nor dd is installed; install fio, as with: apt-get install fio")
    return Dd(program, folder, file_bytes)


def _together(
    name: str, program: str, words: Sequence[tuple[str, ...]], seconds: float = PATIENCE_SECONDS
) -> float:
    """Total bytes/s of simultaneous dd processes, one for each of ``words``; all end with this process.

    Those still running after ``seconds`` are asked to end, and then report their progress.
    """
    until = time.monotonic() + seconds
    with ExitStack() as ending:
        processes = []
        for each in words:
            processes.append(_begun(program, each))
            ending.callback(children.ended, processes[-1])
        return sum(_copied(name, process, until) for process in processes)


def _begun(program: str, words: tuple[str, ...]) -> subprocess.Popen[str]:
    return children.begun([program, *words], {**os.environ, "LC_ALL": "C"})


def _copied(name: str, process: subprocess.Popen[str], until: float) -> float:
    """Bytes a second of one dd, which may run ``until`` that time."""
    try:
        complaint = process.communicate(timeout=max(until - time.monotonic(), 0.0))[1]
    except subprocess.TimeoutExpired:
        complaint = _told_to_end(name, process)
    copied = _COPIED.search(complaint)
    if copied is None or float(copied[2]) <= 0.0 or process.returncode not in (0, -signal.SIGINT):
        said = (complaint.strip().splitlines() or ["nothing"])[-1]
        raise InputError(f"{name}: dd failed with status {process.returncode}: {shown(said)}; fix it")
    return int(copied[1]) / float(copied[2])


def _told_to_end(name: str, process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=PATIENCE_SECONDS)[1]
    except subprocess.TimeoutExpired:
        raise InputError(f"{name}: dd did not end in {PATIENCE_SECONDS:.0f} s; is the storage hanging?") from None
