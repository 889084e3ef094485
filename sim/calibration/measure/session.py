"""A measurement from beginning to end: what is there, what is to be run, and running it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.calibration.measure.choice import stack_text
from sim.calibration.measure.dd import LOST, Dd, dd_in
from sim.calibration.measure.facts import Facts, facts_of
from sim.calibration.measure.fio import Fio, fio_in
from sim.calibration.measure.jobs import RAMP_SECONDS, SECONDS, STARTING_SECONDS, Job
from sim.calibration.measure.neighbours import Watch
from sim.calibration.measure.plan import Plan, plan
from sim.calibration.measure.rounds import LEAST, MOST, OnRun, Rounds, run_rounds
from sim.calibration.measure.workplace import (
    check_room,
    file_names,
    laid_out_bytes,
    left_behind,
    workplace,
)
from sim.files import read_toml
from sim.prediction.solvers import solution
from sim.simulation.options import RunOptions
from sim.system.case import Case
from sim.system.stack.build import stack_system
from sim.system.system import System
from sim.units import MB

_EXPECTED = RunOptions(precision=0.05, answers=("throughput",))


@dataclass(frozen=True)
class Session:
    """What is about to be measured: the facts, the text of the stack file and its system, and the jobs."""

    facts: Facts
    text: str
    system: System
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
        writes = [job for job in self.plan.jobs if job.op == "write"]
        rate = sum(_expected_bytes_per_s(self.system, job) for job in writes)
        return laid_out_bytes(self.plan.jobs) + times * (SECONDS + RAMP_SECONDS) * rate

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
        """Refuse, before anything is made, what there is no room for, or nothing to measure with.

        Raises:
            InputError: says which.
        """
        check_room(self.facts, laid_out_bytes(self.plan.jobs))
        self._tool(Path(self.facts.path))

    def run(self, *, keep: bool, on_run: OnRun) -> Rounds:
        """Lay out the files, run every job until it is steady, and take the files away.

        Raises:
            InputError: a job that cannot be run; says why.
        """
        names = file_names(self.plan.jobs)
        with workplace(Path(self.facts.path), names, keep=keep) as folder:
            tool = self._tool(folder)
            watch = Watch()
            tool.lay_out(len(names))
            rounds = run_rounds(self.plan.jobs, tool.run, on_run)
            rounds.beside.extend(watch.notes())
            return rounds

    def machine(self, rounds: Rounds) -> Mapping[str, Any]:
        """The facts that belong to the results, as JSON has them."""
        version = str(rounds.results[0][1].get("fio version", ""))
        return {**self.facts.record(), "fio": version, "notes": [*self.notes, *rounds.notes(self.plan.jobs)]}

    def _tool(self, folder: Path) -> Fio | Dd:
        return fio_in(folder, depth=any(job.depth > 1 for job in self.plan.jobs)) or dd_in(folder)


def session_of(path: Path, stack: Path | None) -> Session:
    """What to measure in the directory ``path``; with the user's own ``stack``, or one that is chosen.

    Raises:
        InputError: no such directory, or a stack that nothing can be measured for.
    """
    facts = facts_of(path)
    text = read_toml("stack file", stack).text if stack else stack_text(facts)
    system = _system(text) if stack is None else stack_system(stack)
    return Session(facts, text, system, plan(system, depth=shutil.which("fio") is not None))


def _system(text: str) -> System:
    """The system of a stack file that is not written yet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stack.toml"
        path.write_text(text, encoding="utf-8")
        return stack_system(path)


def _expected_bytes_per_s(system: System, job: Job) -> float:
    scenario = Case(system, job.settings(system)).scenario
    return scenario.answers(solution(scenario, _EXPECTED))["throughput"].estimate.value * MB
