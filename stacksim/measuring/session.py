"""A measurement from beginning to end: its subject, its jobs, and their runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.engine.errors import InputError
from sim.engine.files import read_toml
from sim.engine.simulation.options import RunOptions
from sim.engine.units import MB
from sim.prediction.prediction_record import fields_of
from sim.prediction.solvers import solution
from sim.system.case import Case
from sim.system.stack.build import stack_system
from sim.system.system import System
from stacksim.measuring.backing import fetch
from stacksim.measuring.choice import at_once, stack_texts, system_of
from stacksim.measuring.dd import LOST, Dd, dd_in
from stacksim.measuring.facts import RAW, Facts, facts_of
from stacksim.measuring.fio import Fio, RawFio, program_of
from stacksim.measuring.jobs import RAMP_SECONDS, SECONDS, STARTING_SECONDS, Job, JobRecord, candidates, own_jobs
from stacksim.measuring.neighbours import Watch
from stacksim.measuring.plan import Plan, plan, plan_of
from stacksim.measuring.rounds import LEAST, MOST, OnRun, Rounds, Run, run_rounds
from stacksim.measuring.workplace import (
    LaidOut,
    check_alone,
    check_room,
    file_bytes,
    file_names,
    laid_out_bytes,
    layout_bytes,
    left_behind,
    workplace,
)

PATIENCE_S = 120.0
"""Time limit of a job: longer than a device that is busy with other work takes."""

MOST_AGAIN = 6
"""Largest number of jobs in a second round: a minute."""

More = Callable[[Rounds], Sequence[Job]]
"""Jobs of a second round, from the results of the first."""

_EXPECTED = RunOptions(precision=0.05, answers=("throughput",))


@dataclass(frozen=True)
class Subject:
    """The storage to measure, and the means.

    Attributes:
        texts: candidate stack files; measurements are planned for the first.
        system: system of the first.
        program: path of fio; None without one.
        wait_s: time to wait for another measurement, or for a job that does not end; None: no time, and as long as
            a busy device may take.
    """

    facts: Facts
    texts: tuple[str, ...]
    system: System
    program: str | None
    wait_s: float | None

    @property
    def text(self) -> str:
        """The stack file that measurements are planned for."""
        return self.texts[0]


class PlannedRecord(JobRecord):
    """A job, and what it is for."""

    role: str


class SessionRecord(TypedDict):
    """The storage, the stack file, and the jobs with their expected seconds and bytes."""

    path: str
    stack: str
    jobs: list[PlannedRecord]
    seconds: float
    bytes_written: int
    bytes_at_most: int
    facts: Facts
    notes: list[str]


@dataclass(frozen=True)
class Session(Subject):
    """A subject and its jobs.

    Attributes:
        own: True if the jobs are the user's.
    """

    plan: Plan
    own: bool

    @property
    def most_again(self) -> int:
        """Largest number of jobs in a second round, beside those that a first fit misses."""
        return 0 if self.own or self.program is None else MOST_AGAIN

    @property
    def seconds(self) -> float:
        """Duration of all jobs with the least number of runs."""
        return LEAST * len(self.plan.jobs) * (SECONDS + RAMP_SECONDS + STARTING_SECONDS)

    @property
    def seconds_at_most(self) -> float:
        """Duration of all jobs, and of a second round, if none is steady."""
        jobs = len(self.plan.jobs)
        return self.seconds * MOST / LEAST * (jobs + self.most_again) / jobs

    @property
    def bytes_written(self) -> float:
        """Approximate bytes written, by the layout of the files and by write jobs as predicted."""
        return self._written(LEAST)

    @property
    def bytes_at_most(self) -> float:
        """Approximate largest number of bytes written: no job is steady, and a second round is run."""
        return self._written(MOST, self.most_again)

    def _written(self, times: int, again: int = 0) -> float:
        """Bytes of all jobs, and of ``again`` more of those that write most, each run ``times`` times."""
        writes = [job for job in self.plan.jobs if job.op != "read"]
        rates = [job.write_share * _expected_bytes_per_s(self.system, job) for job in writes]
        rate = sum(rates) + again * max(rates, default=0.0)
        return self._laid_out_bytes + times * (SECONDS + RAMP_SECONDS) * rate

    @property
    def _laid_out_bytes(self) -> int:
        return 0 if self.facts.kind == RAW else laid_out_bytes(self.facts, self.plan.jobs)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user before anything is run."""
        left = left_behind(Path(self.facts.path))
        without = () if self.program else (LOST,)
        behind = (f"an earlier measurement was ended by force: {', '.join(left)} may be deleted",) if left else ()
        return (*without, *self.facts.notes, *behind)

    def record(self) -> SessionRecord:
        """Record for ``measure --dry-run``, a stable interface."""
        return {
            "path": self.facts.path,
            "stack": self.text,
            "jobs": [{**job.record(), "role": self.plan.role(job)} for job in self.plan.jobs],
            "seconds": self.seconds,
            "bytes_written": round(self.bytes_written),
            "bytes_at_most": round(self.bytes_at_most),
            "facts": fields_of(self.facts),
            "notes": list(self.notes),
        }

    def check(self) -> None:
        """Refuse storage that is in use or full, or a missing tool, before anything is made.

        Raises:
            InputError: the message says which.
        """
        if self.facts.kind != RAW:
            check_alone(Path(self.facts.path), until=time.monotonic() + (self.wait_s or 0.0))
            check_room(self.facts, self._laid_out_bytes)
        self._tool(Path(self.facts.path))

    def run(self, *, keep: bool, on_run: OnRun, more: More) -> Rounds:
        """Lay out the files, run every job until it is steady, then ``more`` jobs, and remove the files.

        Raises:
            InputError: a job of the first round cannot be run; the message says why.
        """
        watch = Watch()
        if self.facts.kind == RAW:
            rounds = self._both_rounds(self._tool(Path(self.facts.path)).run, on_run, more)
        else:
            rounds = self._in_directory(on_run, more, keep=keep)
        rounds.beside.extend(watch.notes())
        return rounds

    def _both_rounds(self, run: Run, on_run: OnRun, more: More) -> Rounds:
        """Run all jobs, then ``more``; a second round that fails is left out, and noted."""
        rounds = run_rounds(self.plan.jobs, run, on_run)
        jobs = more(rounds)
        try:
            return rounds.followed_by(run_rounds(jobs, run, on_run))
        except InputError as error:
            rounds.beside.append(f"no second round: {error}")
            return rounds

    def _in_directory(self, on_run: OnRun, more: More, *, keep: bool) -> Rounds:
        """Run in a directory of its own; check its files, and load them into a cache below, before each job."""
        names = file_names(self.plan.jobs)
        with workplace(Path(self.facts.path), names, keep=keep) as folder:
            tool = self._tool(folder)
            tool.lay_out(len(names), layout_bytes(self.facts))
            laid_out = LaidOut.of(folder, names)

            def run(job: Job) -> dict[str, Any]:
                laid_out.check()
                if self.facts.cached_below:
                    fetch(folder, names[: job.users])
                return tool.run(job)

            return self._both_rounds(run, on_run, more)

    def beside(self, more: Sequence[Job]) -> Session:
        """Copy that fits ``more`` jobs."""
        return replace(self, plan=self.plan.beside(more))

    def without(self, lost: Collection[Job]) -> Session:
        """Copy without jobs that were ``lost``."""
        return replace(self, plan=self.plan.without(lost))

    def machine(self, rounds: Rounds) -> Mapping[str, Any]:
        """Facts that belong to the results, as in JSON."""
        version = str(rounds.results[0][1].get("fio version", ""))
        return {**asdict(self.facts), "fio": version, "notes": [*self.notes, *rounds.notes(self.plan.jobs)]}

    def _tool(self, place: Path) -> Fio | Dd:
        asynchronous = any(job.depth > 1 for job in self.plan.jobs) and not at_once(self.facts)
        size_bytes = 0 if self.facts.kind == RAW else file_bytes(self.facts, self.plan.jobs)
        if self.program is None:
            return dd_in(place, size_bytes)
        kind = RawFio if self.facts.kind == RAW else Fio
        return kind(
            self.program, place, asynchronous, size_bytes, PATIENCE_S if self.wait_s is None else self.wait_s
        )


def subject_of(
    path: Path,
    stack: Path | None,
    raw: Path | None = None,
    fio: str | None = None,
    wait_s: float | None = None,
) -> Subject:
    """The subject behind the directory ``path``, with the user's own ``stack`` or chosen ones.

    Args:
        raw: ``path`` repeated, to confirm reading a raw device.
        fio: the program; by default the one on the search path.

    Raises:
        InputError: no such directory or device, stack, or program; a stack with writes for a raw device, or no fio
            for one (dd does not suffice).
    """
    program = program_of(fio)
    facts = facts_of(path, raw=raw)
    if facts.kind == RAW and program is None:
        raise InputError("fio is not installed, and a raw device is read by nothing else; apt-get install fio")
    texts = (read_toml("stack file", stack).text,) if stack else stack_texts(facts)
    system = stack_system(stack) if stack else system_of(texts[0])
    if facts.kind == RAW and any(job.op != "read" for job in candidates(system)):
        raise InputError(
            f"stack '{system.name}' can be asked for writes, and a raw device is only read; write its setting as "
            'op = { default = "read", options = ["read"] }'
        )
    return Subject(facts, texts, system, program, wait_s)


def session_of(subject: Subject, own: Sequence[Path] = ()) -> Session:
    """Session with the jobs of the user's ``own`` job files, or the most informative ones, found in seconds.

    Raises:
        InputError: nothing can be measured for the stack, or the job files are no plan for it.
    """
    known = subject.program is not None
    jobs = plan_of(own_jobs(subject.system, own)) if own else plan(subject.system, depth=known)
    return Session(
        **{each.name: getattr(subject, each.name) for each in fields(subject)}, plan=jobs, own=bool(own)
    )


def _expected_bytes_per_s(system: System, job: Job) -> float:
    scenario = Case(system, job.settings(system)).scenario
    return scenario.answers(solution(scenario, _EXPECTED))["throughput"].estimate.value * MB
