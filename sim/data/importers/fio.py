"""Results of ``fio --output-format=json``: one figure a group of jobs that ran at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from sim.data.importers.figures import PROCESSES, Reading
from sim.data.package import read_text
from sim.errors import InputError, shown
from sim.system.complaints import broken, complaint
from sim.system.settings import whole
from sim.system.system import System
from sim.units import MB

DEFAULTS = {"rw": "read", "bs": "4k", "numjobs": "1", "iodepth": "1"}
"""Defaults of fio."""

NAMES = {"rw": ("op",), "bs": ("block",), "numjobs": PROCESSES, "iodepth": ("depth",)}
"""The setting for an option of fio: the first of these that the system has."""

DIRECTIONS = {"read": "read", "randread": "read", "write": "write", "randwrite": "write"}
"""The side of the results that a workload stands on."""

UNSUPPORTED = ("rate", "rate_iops", "thinktime", "bsrange", "bssplit", "bs_unaligned", "kb_base")
"""Options that change the load, and for which no system has a setting."""

_SIZE = re.compile(r"([0-9]+)([kmg]?)b?", re.IGNORECASE)
_JSON = re.compile(r"^\{.*^\}", re.DOTALL | re.MULTILINE)
_JOB = re.compile(r'"jobname"\s*:')


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class _Side(_Entry):
    bw_bytes: int = Field(ge=0, le=10**18)  # fio 3 and newer


class _Job(_Entry):
    name: str = Field(alias="jobname")
    group: int = Field(alias="groupid")
    error: int
    options: dict[str, str | None] = Field(alias="job options")
    read: _Side
    write: _Side


class _Output(_Entry):
    options: dict[str, str | None] = Field(alias="global options", default_factory=dict)
    jobs: tuple[_Job, ...] = Field(min_length=1)


@dataclass(frozen=True)
class _Ran:
    """One entry of the results: where it stands, and all options that it ran with."""

    line: int
    job: _Job
    options: Mapping[str, str]


def readings(path: Path, system: System) -> Iterator[Reading]:
    """Every group of jobs; InputError with its line for one that cannot be used."""
    settings = {setting.name for setting in system.settings}
    groups = [list(jobs) for _, jobs in groupby(_ran(path), key=lambda ran: ran.job.group)]
    for number, group in enumerate(groups):
        if number and not any("stonewall" in ran.options for ran in group):
            raise InputError(
                f"{path}, line {group[0].line}: group {group[0].job.group} ran beside another; "
                "allowed: one group after the other (stonewall), or a file each"
            )
        yield _together(path, group, settings)


def _ran(path: Path) -> Iterator[_Ran]:
    text = _json(read_text(path))
    lines = [text.count("\n", 0, match.start()) + 1 for match in _JOB.finditer(text)]
    output = _output(path, text, lines)
    for number, job in enumerate(output.jobs):
        options = {**DEFAULTS, **output.options, **job.options}
        yield _Ran(_line(lines, number), job, {name: value or "" for name, value in options.items()})


def _json(text: str) -> str:
    """The JSON without what ``--output-format=normal,json`` prints around it; lines keep their numbers."""
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
    """The line where the entry of a job begins; the first line of the file if that is not known."""
    return lines[job] if job < len(lines) else 1


def _together(path: Path, group: list[_Ran], allowed: set[str]) -> Reading:
    """The figure of all jobs of a group, which must have the same settings."""
    settings_of = [_settings(path, ran, allowed) for ran in group]
    for ran, settings in zip(group, settings_of, strict=True):
        if settings != settings_of[0]:
            raise InputError(
                f"{path}, line {ran.line}: job '{shown(ran.job.name)}' ran beside another with other settings; "
                "allowed: jobs that are alike, or one after the other (stonewall)"
            )
    processes = _processes(path, group)
    setting = next((each for each in NAMES["numjobs"] if each in allowed), None)
    sides = [getattr(ran.job, DIRECTIONS[ran.options["rw"]]).bw_bytes for ran in group]
    for ran, bytes_per_s in zip(group, sides, strict=True):
        if not bytes_per_s:
            raise InputError(f"{path}, line {ran.line}: job '{shown(ran.job.name)}' moved nothing; run fio again")
    return Reading(
        file=path,
        line=group[0].line,
        settings=settings_of[0] | ({setting: str(processes)} if setting else {}),
        measure="throughput",
        value=sum(sides) / MB,
        half_width=0.5 * len(sides) / MB,
        unit="MB/s",
        processes=processes,
    )


def _settings(path: Path, ran: _Ran, allowed: set[str]) -> dict[str, str]:
    """The settings that follow from the options of one job, without the number of processes."""
    place = f"{path}, line {ran.line}: job '{shown(ran.job.name)}'"
    if ran.job.error:
        raise InputError(f"{place} ended with error {ran.job.error}; mend its cause and run fio again")
    if ran.options["rw"] not in DIRECTIONS:
        raise InputError(f"{place}: rw is '{shown(ran.options['rw'])}'; allowed: {', '.join(DIRECTIONS)}")
    for option in UNSUPPORTED:
        if option in ran.options:
            raise InputError(f"{place}: {option} is '{shown(ran.options[option])}'; allowed: jobs without it")
    if "op" not in allowed and ran.options["rw"].startswith("rand"):
        raise InputError(
            f"{place}: rw is '{shown(ran.options['rw'])}', but the system has no op; allowed: read, write"
        )
    if ran.options["iodepth"] != "1" and "depth" not in allowed:
        raise InputError(
            f"{place}: iodepth is '{shown(ran.options['iodepth'])}'; allowed: 1; run more jobs instead"
        )
    texts = {"rw": ran.options["rw"], "bs": _size(place, ran.options["bs"]), "iodepth": ran.options["iodepth"]}
    return {name: text for option, text in texts.items() for name in NAMES[option] if name in allowed}


def _size(place: str, text: str) -> str:
    """Bytes of a block size as fio writes it, where 4k is 4096."""
    written = _SIZE.fullmatch(text)
    if not written:
        raise InputError(
            f"{place}: bs is '{shown(text)}'; allowed: one size for both directions, such as 8k, 1m or 4096"
        )
    return str(int(written[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[written[2].lower()])


def _processes(path: Path, group: list[_Ran]) -> int:
    """The number of processes: group_reporting adds the clones of a job up, otherwise each has an entry."""
    total = 0
    for name, jobs in groupby(group, key=lambda ran: ran.job.name):
        entries = list(jobs)
        place, clones = (
            f"{path}, line {entries[-1].line}: job '{shown(name)}'",
            whole(entries[0].options["numjobs"]),
        )
        if not clones:
            raise InputError(
                f"{place}: numjobs is '{shown(entries[0].options['numjobs'])}'; allowed: a whole number from 1"
            )
        if len(entries) not in (1, clones):
            raise InputError(
                f"{place} has {len(entries)} results; allowed: 1 (group_reporting), or {clones} as numjobs says; "
                "is the file cut short?"
            )
        total += clones
    return total
