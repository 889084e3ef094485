"""A job file: its sections as jobs, and groups of simultaneous ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from models.workloads.fio import job_options
from models.workloads.fio.job import Job
from models.workloads.fio.job_reading import Reading, value
from models.workloads.fio.job_sections import GLOBAL, Option, Section, sections
from sim.engine.errors import InputError, did_you_mean, shown

MAX_JOBS = 1000
"""Largest number of sections of a file."""

Groups = tuple[tuple[Job, ...], ...]


@dataclass(frozen=True)
class JobFile:
    """A job file that can be simulated.

    Attributes:
        options: options of its [global] sections, for reports.
        groups: groups of simultaneous jobs; each begins when the one before it has ended.
    """

    options: Mapping[str, str]
    groups: Groups

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All jobs in the order of the file."""
        return tuple(chain.from_iterable(self.groups))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on options for readers, each line once."""
        return tuple(dict.fromkeys(note for job in self.jobs for note in job.notes))


def read_jobs(path: Path) -> JobFile:
    """Read the job file ``path``.

    Raises:
        InputError: one line with the file, the line and the option that cannot be simulated.
    """
    defaults: dict[str, Option] = {}
    jobs: list[Job] = []
    names: dict[str, str] = {}
    for section in sections(path):
        if section.name == GLOBAL:
            defaults = _overridden(defaults, _checked(section))
            continue
        job = Reading(section, _overridden(defaults, _checked(section))).job()
        if job.name in names:
            raise InputError(
                f"{section.place}: job '{shown(job.name)}' is in {names[job.name]} already; rename one"
            )
        names[job.name] = section.place
        jobs.append(job)
        if len(jobs) > MAX_JOBS:
            raise InputError(f"{section.place}: more jobs than {MAX_JOBS}; split the file")
    return JobFile({option.name: option.text for option in defaults.values()}, _groups(jobs))


def _groups(jobs: Iterable[Job]) -> Groups:
    groups: list[list[Job]] = []
    for job in jobs:
        if job.behind or not groups:
            groups.append([])
        groups[-1].append(job)
    return tuple(map(tuple, groups))


def _overridden(defaults: Mapping[str, Option], options: Mapping[str, Option]) -> dict[str, Option]:
    """All options, later ones last: of equivalent ones, the last counts."""
    return {**{name: option for name, option in defaults.items() if name not in options}, **options}


def _checked(section: Section) -> dict[str, Option]:
    """The options of ``section`` by their main name, the last one of each; unsupported ones are refused."""
    options: dict[str, Option] = {}
    for option in section.options:
        name = job_options.ALIASES.get(option.name, option.name)
        if name not in job_options.KNOWN:
            hint = did_you_mean(name, job_options.KNOWN)
            raise InputError(
                f"{option.place}: no option '{shown(name)}'; {hint}allowed: {', '.join(sorted(job_options.READ))}"
            )
        if option.text != job_options.REFUSED.get(name, option.text):
            fix = f"allowed: {job_options.REFUSED[name]}" if job_options.REFUSED[name] else "take it out"
            raise option.refuse(f"that changes the answer and is not simulated; {fix}")
        if name in job_options.READ:
            value(name, option)
        options.pop(name, None)  # a repeated option moves to the end
        options[name] = option
    return options
