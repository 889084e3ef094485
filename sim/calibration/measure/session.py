"""A measurement from beginning to end: what is there, what is to be run, and running it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.calibration.measure.backing import fetch
from sim.calibration.measure.choice import at_once, stack_texts, system_of
from sim.calibration.measure.dd import LOST, Dd, dd_in
from sim.calibration.measure.facts import RAW, Facts, facts_of
from sim.calibration.measure.fio import Fio, fio_in, fio_on
from sim.calibration.measure.jobs import RAMP_SECONDS, SECONDS, STARTING_SECONDS, Job, candidates
from sim.calibration.measure.neighbours import Watch
from sim.calibration.measure.plan import Plan, plan
from sim.calibration.measure.rounds import LEAST, MOST, OnRun, Rounds, run_rounds
from sim.calibration.measure.workplace import (
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
from sim.errors import InputError
from sim.files import read_toml
from sim.prediction.solvers import solution
from sim.simulation.options import RunOptions
from sim.system.case import Case
from sim.system.stack.build import stack_system
from sim.system.system import System
from sim.units import MB

_EXPECTED = RunOptions(precision=0.05, answers=("throughput",))


@dataclass(frozen=True)
class Subject:
    """What is to be measured.

    Attributes:
        texts: the stack files that may be fitted; the measurements are planned for the first.
        system: that of the first.
    """

    facts: Facts
    texts: tuple[str, ...]
    system: System

    @property
    def text(self) -> str:
        """The stack file that is planned for."""
        return self.texts[0]


@dataclass(frozen=True)
class Session(Subject):
    """A subject and the jobs for it."""

    plan: Plan

    @property
    def seconds(self) -> float:
        """How long all jobs take if every one is run as often as it is at least."""
        return LEAST * len(self.plan.jobs) * (SECONDS + RAMP_SECONDS + STARTING_SECONDS)

    @property
    def seconds_at_most(self) -> float:
        """How long they take if no job is steady."""
        return self.seconds * MOST / LEAST

    @property
    def bytes_written(self) -> float:
        """About as many as are written: the files, and what write jobs write if the stack is right."""
        return self._written(LEAST)

    @property
    def bytes_at_most(self) -> float:
        """About as many as are written if no job is steady."""
        return self._written(MOST)

    def _written(self, times: int) -> float:
        writes = [job for job in self.plan.jobs if job.op != "read"]
        rate = sum(job.write_share * _expected_bytes_per_s(self.system, job) for job in writes)
        return self._laid_out_bytes + times * (SECONDS + RAMP_SECONDS) * rate

    @property
    def _laid_out_bytes(self) -> int:
        return 0 if self.facts.kind == RAW else laid_out_bytes(self.facts, self.plan.jobs)

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the figures has to know before anything is run."""
        left = left_behind(Path(self.facts.path))
        without = () if shutil.which("fio") else (LOST,)
        behind = (f"an earlier measurement was ended by force: {', '.join(left)} may be deleted",) if left else ()
        return (*without, *self.facts.notes, *behind)

    def record(self) -> dict[str, Any]:
        """The stable interface of ``measure --dry-run``."""
        return {
            "path": self.facts.path,
            "stack": self.text,
            "jobs": [{**job.record(), "role": self.plan.role(job)} for job in self.plan.jobs],
            "seconds": self.seconds,
            "bytes_written": round(self.bytes_written),
            "bytes_at_most": round(self.bytes_at_most),
            "facts": self.facts.record(),
            "notes": list(self.notes),
        }

    def check(self) -> None:
        """Refuse, before anything is made, what is in use, has no room, or nothing to be measured with.

        Raises:
            InputError: says which.
        """
        if self.facts.kind != RAW:
            check_alone(Path(self.facts.path))
            check_room(self.facts, self._laid_out_bytes)
        self._tool(Path(self.facts.path))

    def run(self, *, keep: bool, on_run: OnRun) -> Rounds:
        """Lay out the files, run every job until it is steady, and take the files away.

        Raises:
            InputError: a job that cannot be run; says why.
        """
        watch = Watch()
        rounds = self._on_device(on_run) if self.facts.kind == RAW else self._in_directory(on_run, keep=keep)
        rounds.beside.extend(watch.notes())
        return rounds

    def _on_device(self, on_run: OnRun) -> Rounds:
        return run_rounds(self.plan.jobs, self._tool(Path(self.facts.path)).run, on_run)

    def _in_directory(self, on_run: OnRun, *, keep: bool) -> Rounds:
        """Over files in a directory of its own, looked at before each job, and fetched into a cache below."""
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

            return run_rounds(self.plan.jobs, run, on_run)

    def machine(self, rounds: Rounds) -> Mapping[str, Any]:
        """The facts that belong to the results, as JSON has them."""
        version = str(rounds.results[0][1].get("fio version", ""))
        return {**self.facts.record(), "fio": version, "notes": [*self.notes, *rounds.notes(self.plan.jobs)]}

    def _tool(self, place: Path) -> Fio | Dd:
        asynchronous = any(job.depth > 1 for job in self.plan.jobs) and not at_once(self.facts)
        if self.facts.kind == RAW:
            return fio_on(place, asynchronous=asynchronous)
        size_bytes = file_bytes(self.facts, self.plan.jobs)
        return fio_in(place, size_bytes, asynchronous=asynchronous) or dd_in(place, size_bytes)


def subject_of(path: Path, stack: Path | None, raw: Path | None = None) -> Subject:
    """What is behind the directory ``path``; with the user's own ``stack``, or one that is chosen.

    Args:
        raw: the same path again, if it is a raw device that is to be read.

    Raises:
        InputError: no such directory or device, or no such stack; a stack with writes for a raw device.
    """
    facts = facts_of(path, raw=raw)
    texts = (read_toml("stack file", stack).text,) if stack else stack_texts(facts)
    system = stack_system(stack) if stack else system_of(texts[0])
    if facts.kind == RAW and any(job.op != "read" for job in candidates(system)):
        raise InputError(
            f"stack '{system.name}' can be asked for writes, and a raw device is only read; write its setting as "
            'op = { default = "read", options = ["read"] }'
        )
    return Subject(facts, texts, system)


def session_of(subject: Subject) -> Session:
    """The jobs that tell most about ``subject``, which takes some seconds.

    Raises:
        InputError: a stack that nothing can be measured for.
    """
    jobs = plan(subject.system, depth=shutil.which("fio") is not None)
    return Session(subject.facts, subject.texts, subject.system, jobs)


def _expected_bytes_per_s(system: System, job: Job) -> float:
    scenario = Case(system, job.settings(system)).scenario
    return scenario.answers(solution(scenario, _EXPECTED))["throughput"].estimate.value * MB
