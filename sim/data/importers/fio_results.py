"""Parser of ``fio --output-format=json``: the entries of a file, each with its options and results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from sim.data.package import read_text
from sim.engine.errors import InputError
from sim.system.complaints import broken, complaint

DEFAULTS = {"rw": "read", "bs": "4k", "numjobs": "1", "iodepth": "1"}
"""Defaults of fio."""

MIXED = "mixed"

WORKLOADS = {
    "read": ("read", "sequential"),
    "write": ("write", "sequential"),
    "rw": (MIXED, "sequential"),
    "readwrite": (MIXED, "sequential"),
    "randread": ("read", "random"),
    "randwrite": ("write", "random"),
    "randrw": (MIXED, "random"),
}
"""Value of the setting ``op`` and order of blocks for each ``rw``."""

P99 = "99.000000"
"""fio's name of the 99th percentile."""

BUCKET = 1.0 / 128.0
"""Relative error of a percentile of fio: it keeps 64 buckets for each power of two, and reports their middle
(``stat.h`` of fio, at FIO_IO_U_PLAT_BITS)."""

_JSON = re.compile(r"^\{.*^\}", re.DOTALL | re.MULTILINE)
_JOB = re.compile(r'"jobname"\s*:')


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Latency(_Entry):
    """Latency of all I/Os of one direction, in nanoseconds; ``percentile`` by its number as fio writes it."""

    mean: float = Field(default=0.0, ge=0.0, le=1e18)
    percentile: dict[str, float] = Field(default_factory=dict)


class Did(_Entry):
    """Operations of one kind, such as flushes (``sync``)."""

    total_ios: int = Field(default=0, ge=0, le=10**18)
    lat_ns: Latency = Latency()
    clat_ns: Latency = Latency()


class Side(Did):
    """Reads or writes."""

    io_bytes: int = Field(default=0, ge=0, le=10**18)
    bw_bytes: int = Field(ge=0, le=10**18)  # fio 3 and newer
    runtime: int = Field(default=0, ge=0, le=10**12)  # milliseconds
    iops: float = Field(default=0.0, ge=0.0, le=1e18)


class _Job(_Entry):
    name: str = Field(alias="jobname")
    group: int = Field(alias="groupid")
    error: int
    options: dict[str, str | None] = Field(alias="job options")
    read: Side
    write: Side
    sync: Did = Did()


class _Output(_Entry):
    options: dict[str, str | None] = Field(alias="global options", default_factory=dict)
    jobs: tuple[_Job, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Ran:
    """One entry of the results: its line, and all options that it ran with."""

    line: int
    job: _Job
    options: Mapping[str, str]

    @property
    def sides(self) -> list[Side]:
        """Results of the reads, of the writes, or of both for a mix."""
        op, _ = WORKLOADS[self.options["rw"]]
        return [side for name, side in (("read", self.job.read), ("write", self.job.write)) if op in (name, MIXED)]


def entries(path: Path) -> Iterator[Ran]:
    """Yield every entry of the file; InputError with its line for output that is not fio 3's."""
    text = _json(read_text(path))
    lines = [text.count("\n", 0, match.start()) + 1 for match in _JOB.finditer(text)]
    output = _output(path, text, lines)
    for number, job in enumerate(output.jobs):
        options = {**DEFAULTS, **output.options, **job.options}
        yield Ran(_line(lines, number), job, {name: value or "" for name, value in options.items()})


def asked(path: Path) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield the jobs that the file asked for: line, name and options; first ``global``, those of all.

    Clones of a job have an entry each, and are one here. Of options without a value fio 3.33 writes none.
    """
    text = _json(read_text(path))
    lines = [text.count("\n", 0, match.start()) + 1 for match in _JOB.finditer(text)]
    output = _output(path, text, lines)
    yield 1, "global", _texts(output.options)
    for number, job in enumerate(output.jobs):
        if (job.name, job.group) not in {(each.name, each.group) for each in output.jobs[:number]}:
            yield _line(lines, number), job.name, _texts(job.options)


def _texts(options: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value or "1" for name, value in options.items()}


def _json(text: str) -> str:
    """Remove the text that ``--output-format=normal,json`` prints around the JSON; lines keep their numbers."""
    match = _JSON.search(text)
    return "\n" * text.count("\n", 0, match.start()) + match[0] if match else text


def _output(path: Path, text: str, lines: list[int]) -> _Output:
    try:
        return _Output.model_validate(from_json(text, allow_inf_nan=False))
    except ValidationError as error:
        number = next((part for part in error.errors()[0]["loc"] if isinstance(part, int)), len(lines))
        line = _line(lines, number)
        raise InputError(f"{path}, line {line}: {complaint(error, _Output)}; save what fio 3 writes") from None
    except ValueError as error:
        raise InputError(f"{path}: {broken(str(error))}; allowed: one result of fio 3, as JSON") from None


def _line(lines: list[int], job: int) -> int:
    """Line where the entry of a job begins; 1 if unknown."""
    return lines[job] if job < len(lines) else 1


def iops(sides: Sequence[Side]) -> float | None:
    """I/Os a second of all ``sides`` together; None if fio did not report them."""
    return sum(side.iops for side in sides) or None


def mean_s(sides: Sequence[Did]) -> float | None:
    """Mean time from submission to completion of an I/O, in seconds; None if fio did not report it."""
    ios = sum(side.total_ios for side in sides)
    total_ns = sum(side.total_ios * (side.lat_ns.mean or side.clat_ns.mean) for side in sides)
    return total_ns / ios * 1e-9 if total_ns and ios else None


def p99_s(sides: Sequence[Side]) -> float | None:
    """99th percentile of I/O time in seconds; None for several entries, whose percentiles do not add up.

    It counts from submission with ``lat_percentiles``, else it is fio's default, completion latency.
    """
    if len(sides) != 1:
        return None
    p99_ns = sides[0].lat_ns.percentile.get(P99) or sides[0].clat_ns.percentile.get(P99)
    return p99_ns * 1e-9 if p99_ns else None
