"""From the options of a section to a job: their joint meaning, and contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from models.workloads.fio import job_options
from models.workloads.fio.job import BLOCK, Job
from models.workloads.fio.job_sections import Option, Section
from models.workloads.fio.values import Sizes
from sim.engine.errors import shown

MAX_COUNT = 10_000_000
"""Largest number of I/Os of a finite job: each takes several steps, and the job is run several times."""

SLOWEST, FASTEST = 1e-3, 1e7
"""Pace of a process in I/Os a second: from a thousand seconds to a hundred nanoseconds between two of them."""


def value(name: str, option: Option) -> Any:
    """Parse an option; refuse text that fio would not read, or would misread."""
    reader = job_options.READ[name]
    try:
        return reader.read(option.text)
    except ValueError as error:
        raise option.refuse(f"{error}allowed: {reader.allowed}") from None


class Reading:
    """Reader of one job; ``options`` are those of [global], then those of its section."""

    def __init__(self, section: Section, options: Mapping[str, Option]) -> None:
        self.section, self.options = section, options
        self.notes = list(_notes(options))

    def value(self, name: str, default: Any) -> Any:
        """Parsed value of the option ``name``."""
        return value(name, self.options[name]) if name in self.options else default

    def latter(self, name: str, other: str) -> bool:
        """True if ``name`` is given, and after ``other``."""
        names = [each for each in self.options if each in (name, other)]
        return bool(names) and names[-1] == name

    def job(self) -> Job:
        """The job."""
        reads, writes, random = self.value("rw", job_options.PATTERNS["read"])
        share = self._read_share() if reads and writes else float(reads)
        sizes = self._sizes()
        share, pace = self._pace(share, sizes)
        every, data_only = self._sync() if share < 1.0 else (0, False)
        job = Job(
            name=self._name(),
            reads=share,
            random=random,
            read_sizes=sizes[0],
            write_sizes=sizes[1],
            block_bytes=self.value("ba", (0, 0)),
            offsets_bytes=(self.value("offset", 0) or 0, self.value("offset_increment", 0) or 0),
            processes=self.value("numjobs", 1),
            in_flight=self._in_flight(),
            engine=self.value("ioengine", "psync"),
            size_bytes=self._size(),
            file=self._file(),
            direct=self._direct(),
            appends=self.value("file_append", default=False),
            durable=self.value("sync", "no"),
            sync_every=every,
            sync_data_only=data_only,
            pace=pace,
            poisson=self.value("rate_process", default=False),
            think_s=self.value("thinktime", 0.0),
            runtime_s=self.value("runtime", 0.0) or None,
            behind=self.value("stonewall", default=False),
            apart=self.value("new_group", default=False) or self.value("stonewall", default=False),
            together=self.value("group_reporting", default=False),
            options={option.name: option.text for option in self.section.options},
            notes=tuple(self.notes),
        )
        self._check(job)
        return job

    def _name(self) -> str:
        name = str(self.value("name", self.section.name))
        if len(name) > 100 or set(name) & set("[]"):  # noqa: PLR2004  (as of a section)
            raise self.options["name"].refuse("allowed: 100 characters without brackets")
        return name

    def _read_share(self) -> float:
        if self.latter("rwmixwrite", "rwmixread"):
            return 1.0 - float(self.value("rwmixwrite", 50)) / 100
        return float(self.value("rwmixread", 50)) / 100

    def _sizes(self) -> tuple[Sizes, Sizes]:
        if "bssplit" in self.options:
            read, write = self.value("bssplit", (BLOCK, BLOCK))
            return read, write
        read_bytes, write_bytes = self.value("bs", (4096, 4096))
        return ((read_bytes, 1.0),), ((write_bytes, 1.0),)

    def _pace(self, reads: float, sizes: tuple[Sizes, Sizes]) -> tuple[float, float]:
        """The share of reads, and I/Os a second: fio paces each direction by its bytes.

        A rate of I/Os counts each with the smallest size. If reads and writes are paced, their rates determine the
        share of each.
        """
        name = "rate_iops" if "rate_iops" in self.options else "rate"
        if name == "rate_iops" and "rate" in self.options:
            raise self.options[name].refuse("rate is given, too, and fio takes one of them; take one out")
        rates = self.value(name, (0, 0))
        if name == "rate_iops":
            rates = tuple(rate * min(size for size, _ in each) for rate, each in zip(rates, sizes, strict=True))
        read, write = (
            rate / sum(size * share for size, share in each) for rate, each in zip(rates, sizes, strict=True)
        )
        mixed = reads not in (0.0, 1.0)
        if mixed and bool(read) != bool(write):
            raise self.options[name].refuse("allowed for a mix: a rate for reads and one for writes, both above 0")
        pace = read + write if mixed else read if reads else write
        if pace and not SLOWEST <= pace <= FASTEST:
            raise self.options[name].refuse(
                f"that is {pace:g} I/Os a second of each process; allowed: from {SLOWEST:g} to {FASTEST:g}"
            )
        return (read / pace if mixed and pace else reads), pace

    def _sync(self) -> tuple[int, bool]:
        every, every_data = self.value("fsync", 0), self.value("fdatasync", 0)
        if every and every_data:
            raise self.options["fdatasync"].refuse("fsync is given, too; take one out")
        return every or every_data, bool(every_data)

    def _direct(self) -> bool:
        if self.latter("buffered", "direct"):
            return not self.value("buffered", default=True)
        return bool(self.value("direct", default=False))

    def _in_flight(self) -> int:
        """Requests of a process in flight: iodepth, if the engine supports it."""
        depth, engine = self.value("iodepth", 1), self.value("ioengine", "psync")
        why = ""
        if engine in job_options.SYNCHRONOUS:
            why = f"ioengine={engine} has one I/O in flight"
        elif engine == "libaio" and not self._direct():
            why = "libaio waits for buffered I/O; one is in flight"
        elif self.value("thinktime", 0.0):
            why = "with thinktime, fio has one I/O in flight"
        if depth > 1 and why:
            self.notes.append(f"iodepth={depth}: {why}")
        if depth > 1 and not why and engine == "libaio" and any(self._sync()):
            name = "fsync" if "fsync" in self.options else "fdatasync"
            raise self.options[name].refuse(
                f"with libaio and iodepth={depth} it stops all I/O of the process, which is not simulated; "
                "allowed: iodepth=1, or io_uring"
            )
        return 1 if why else int(depth)

    def _size(self) -> int | None:
        """Bytes that a process moves; None if it is endless."""
        name = "io_size" if "io_size" in self.options else "size"
        size, runtime = self.value(name, None), self.value("runtime", 0.0)
        if self.value("time_based", default=False) and not runtime:
            raise self.options["time_based"].refuse("it needs a runtime; add one, such as runtime=60")
        if runtime and name in self.options and not self.value("time_based", default=False):
            self.notes.append(f"runtime={self.options['runtime'].text}: the steady state; {name} does not end it")
        if runtime:
            return None
        if name in self.options and size is None:
            self.notes.append(f"{name}={self.options[name].text}: of an unknown file; the job goes on")
        return size or None

    def _file(self) -> str | None:
        """File of the job, with ``$jobnum`` for the number of a process; None if each process has its own."""
        name = self.value("filename", None)
        if name and ":" in name:
            raise self.options["filename"].refuse("allowed: one file; give each job its own")
        name = name or self.value("filename_format", "").replace("$jobname", self._name()).replace("$filenum", "0")
        return f"{self.value('directory', '')}/{name}" if name else None

    def _check(self, job: Job) -> None:
        size = self.options.get("io_size", self.options.get("size"))
        if size and job.count == 0:
            raise size.refuse(f"allowed: at least a block, {job.io_bytes:.0f} bytes")
        if size and job.count and job.count * job.processes > MAX_COUNT:
            raise size.refuse(
                f"the job ends after {job.count * job.processes} I/Os; allowed: {MAX_COUNT}, or without end: "
                "add time_based=1 and runtime=60"
            )
        if job.random and self.value("random_distribution", 0.0) and not job.direct:
            raise self.options["random_distribution"].refuse(
                "which blocks a page cache holds is not simulated; allowed: random, or direct=1"
            )


def _notes(options: Mapping[str, Option]) -> Iterator[str]:
    """Yield a line for each option that another part answers."""
    for name, option in options.items():
        text = f"{option.name}={shown(option.text)}"
        if name in job_options.IN_THE_STACK:
            yield f"{text}: the stack says what is simulated"
        elif name == "ramp_time":
            yield f"{text}: warm-up is found and left out anyway"
        elif name == "random_distribution" and option.text != "random":
            yield f"{text}: no layer asks for addresses"
