"""A job file of fio as the load of a stack file: ``[load] kind = "fio"``, or ``predict STACK --job FILE.fio``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from models.layer import Layer
from models.workloads.fio.job import Job
from models.workloads.fio.job_file import JobFile, read_jobs
from models.workloads.fio.output import Answered, fio_json
from models.workloads.fio.said import asks, said
from models.workloads.fio.scenario import scenario
from sim import InputError, Workload
from sim.system import Scenario
from sim.system.settings import count, file
from sim.system.stack.kinds import Said

NONE = "none"


@dataclass(frozen=True)
class Fio:
    """The jobs of a job file that run side by side."""

    file: str = file("the job file")
    group: int = count(1, "which jobs: those of the file, or of its first, second, … part between stonewalls")

    def scenario(self, top: Layer, background: Iterable[Workload] = ()) -> Scenario:
        """The jobs on ``top``, beside the ``background`` work of layers.

        Raises:
            InputError: no job file, one that cannot be simulated, or one with fewer groups.
        """
        return scenario(self._group, top, background)

    def parts(self) -> list[Fio]:
        """One for each group of jobs; a group begins when the one before it has ended."""
        return [replace(self, group=number + 1) for number in range(len(self._jobs.groups))]

    def asks(self) -> dict[str, str]:
        """Features that the simultaneous jobs request from the layers."""
        return asks(self._group)

    def said(self) -> dict[str, Said]:
        """The simultaneous jobs in terms of the plain load, and properties without a field there."""
        return said(self._group)

    def output(self, answered: Sequence[Answered]) -> dict[str, Any]:
        """Output in the format of ``fio --output-format=json``, from the answers to all ``parts``."""
        return fio_json(self._jobs, answered)

    def notes(self) -> tuple[str, ...]:
        """Notes for readers on options of the simultaneous jobs."""
        return tuple(dict.fromkeys(note for job in self._group for note in job.notes))

    @property
    def _group(self) -> tuple[Job, ...]:
        """The simultaneous jobs."""
        groups = self._jobs.groups
        if self.group > len(groups):
            raise InputError(
                f"group is {self.group}; '{self.file}' has {len(groups)} that run one after the other"
            )
        return groups[self.group - 1]

    @cached_property
    def _jobs(self) -> JobFile:
        if self.file == NONE:
            raise InputError("file is 'none'; name a job file of fio")
        return read_jobs(Path(self.file))
