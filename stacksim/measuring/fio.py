"""Runs fio: lays the files out once, then runs each job over them. Results are kept as printed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, shown
from sim.engine.units import MB
from stacksim.measuring import children
from stacksim.measuring.jobs import RAMP_SECONDS, SECONDS, Job

LAYOUT_SECONDS = 120.0
"""Time limit of writing the files: far more than a device of 100 MB/s needs."""

_MOST = 1e18
"""Largest credible rate, bytes/s: a thousand times that of all storage of a data centre."""

_REASONS = tuple(map(os.strerror, errno.errorcode))
"""Names of system errors."""

_RW = {"read": "read", "write": "write", "mixed": "rw"}
_SYNC = {"no": (), "data": ("--sync=dsync",), "all": ("--sync=sync",)}

_SAID = 200
"""Characters of fio's output that a message repeats."""


class HungError(InputError):
    """A job that did not end."""


@dataclass(frozen=True)
class Fio:
    """fio over files of ``file_bytes`` each in the folder ``place``.

    Attributes:
        patience_s: how long after its own run time fio is taken to hang.
        asynchronous: whether requests that follow each other are submitted by libaio, too, as others have to be,
            unless they wait for a flush.
    """

    program: str
    place: Path
    asynchronous: bool
    file_bytes: int
    patience_s: float

    def lay_out(self, users: int, piece_bytes: int) -> None:
        """Write the files of ``users`` processes sequentially, ``piece_bytes`` at a time.

        Raises:
            InputError: fio failed; the message says why.
        """
        words = ["--name=layout", "--rw=write", f"--bs={piece_bytes}", "--end_fsync=1", f"--numjobs={users}"]
        name = "the layout of the files"
        _result(name, self._ran(name, words, LAYOUT_SECONDS, submitted=self.asynchronous))

    def run(self, job: Job) -> dict[str, Any]:
        """Results of ``job`` as in fio's JSON.

        Raises:
            HungError: fio did not end.
            InputError: fio failed, was killed, or its result is cut short or empty.
        """
        words = [
            f"--name={job.name}",
            f"--rw={'' if job.order == 'sequential' else 'rand'}{_RW[job.op]}",
            *_SYNC[job.durable],
            f"--bs={job.block}",
            f"--numjobs={job.users}",
            f"--iodepth={job.depth}",
            f"--runtime={SECONDS:g}s",
            f"--ramp_time={RAMP_SECONDS:g}s",
            "--time_based",
            "--norandommap",
            "--overwrite=1",
        ]
        seconds = SECONDS + RAMP_SECONDS
        return _result(job.name, self._ran(job.name, words, seconds, submitted=self._submitted(job)))

    def _submitted(self, job: Job) -> bool:
        """Return True if libaio submits the requests of ``job``.

        A worker of the kernel would then send the flushes of durable writes, and no control group limits those.
        """
        return job.depth > 1 or (self.asynchronous and job.durable == "no")

    def _ran(self, name: str, words: Sequence[str], seconds: float, *, submitted: bool) -> str:
        """The standard output of fio with ``words``."""
        command = [
            self.program,
            *words,
            *self._where(),
            f"--ioengine={'libaio' if submitted else 'psync'}",
            "--direct=1",
            "--group_reporting",
            "--lat_percentiles=1",
            "--output-format=json",
        ]
        output, complaint, status = _run(name, command, seconds + self.patience_s)
        if status < 0:
            raise InputError(f"{name}: fio was ended by {_signal_name(-status)}; measure again")
        if status:
            raise InputError(f"{name}: fio failed with status {status}: {_why(complaint, output)}; fix it")
        return output

    def _where(self) -> Sequence[str]:
        """Options for a file of each process in the folder."""
        size = f"--size={self.file_bytes}"
        return f"--directory={_plain(self.place)}", "--filename_format=data.$jobnum", size, "--fallocate=none"


@dataclass(frozen=True)
class RawFio(Fio):
    """Runs of fio over the whole device ``place``, with fio's option that refuses writes."""

    def _where(self) -> Sequence[str]:
        return f"--filename={_plain(self.place)}", "--readonly"


def _plain(path: Path) -> str:
    """Name with its colons escaped, which fio takes for separators of folders."""
    return str(path).replace(":", "\\:")


def program_of(named: str | None) -> str | None:
    """The fio that is ``named``, or that of this machine; None if it has none.

    Raises:
        InputError: ``named`` is no program.
    """
    path = shutil.which(named or "fio")
    if named and path is None:
        raise InputError(f"'{shown(named)}' is not a program that can be run; name the program to measure with")
    return path


def megabytes_per_s(result: dict[str, Any], op: str) -> float:
    """Rate that a result has for reads, writes, or both."""
    sides = ("read", "write") if op == "mixed" else (op,)
    return float(sum(job[side]["bw_bytes"] for job in result["jobs"] for side in sides)) / MB


def _run(name: str, command: Sequence[str], patience: float) -> tuple[str, str, int]:
    """Output, error output and exit status of ``command``, which ends with this process in any case."""
    try:
        process = children.begun(command)
    except OSError as error:
        raise InputError(f"{name}: fio cannot be started: {error.strerror}; fix it") from None
    try:
        output, complaint = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        raise HungError(f"{name}: fio did not end within {patience:.0f} s; is the storage hanging?") from None
    finally:
        children.ended(process)
    return output, complaint, process.returncode


def _result(name: str, text: str) -> dict[str, Any]:
    """The JSON in fio's output, which may have notes around it."""
    try:
        result: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
        moved = sum(_whole(job[op]["bw_bytes"]) for job in result["jobs"] for op in ("read", "write"))
        errors = [_whole(job["error"]) for job in result["jobs"]]
    except (ValueError, KeyError, TypeError, OverflowError):
        raise InputError(
            f"{name}: the result of fio is cut short or is none: {_said(text)}; measure again"
        ) from None
    if failed := [error for error in errors if error]:
        raise InputError(f"{name}: fio ended with error {failed[0]} ({os.strerror(failed[0])}); fix its cause")
    if moved <= 0:
        raise InputError(f"{name}: nothing was read or written; is the storage hanging, or the clock wrong?")
    return result


def _whole(value: object) -> int:
    """Check a number of bytes, or of an error, as fio prints it.

    Raises:
        ValueError: it is no whole number, or larger than any storage.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST:
        raise ValueError
    return int(value)


def _why(complaint: str, output: str) -> str:
    """The first system error in fio's complaint or output; else its last line."""
    for text in (complaint, output):
        if reasons := [reason for reason in _REASONS if reason in text]:
            return min(reasons, key=lambda reason: (text.index(reason), -len(reason)))
    return _said(complaint or output)


def _said(text: str) -> str:
    """Last non-empty line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["nothing"]
    return shown(lines[-1][-_SAID:])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
