"""Results of ``fio --output-format=json`` as figures of a system, one set for each group of simultaneous jobs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from sim.data.importers import fio_options, fio_results
from sim.data.importers.figures import Reading
from sim.data.importers.fio_options import FLUSHES, NoSettingError
from sim.data.importers.fio_results import BUCKET, Ran, Side
from sim.data.importers.told import Number, agree
from sim.engine.errors import InputError, shown
from sim.engine.units import MB
from sim.engine.units.reading import whole
from sim.system.system import System


def readings(path: Path, system: System) -> Iterator[Reading]:
    """Yield the bandwidth of every group of jobs; InputError with its line for an unusable one."""
    for group in groups(path):
        yield _bandwidth(path, group, system)


def answers(path: Path, system: System) -> Iterator[Reading]:
    """Yield all figures of every group of jobs, whether or not ``system`` answers them; InputError as above.

    I/Os a second come twice, as ``iops`` and as the ``throughput`` of systems that count I/Os.
    """
    for group in groups(path):
        bandwidth = replace(_bandwidth(path, group, system), of_tool=True)
        yield bandwidth
        sides = [side for ran in group for side in ran.sides]
        if rate := fio_results.iops(sides):
            for measure in ("iops", "throughput"):
                yield replace(
                    bandwidth, measure=measure, value=rate, half_width=SIX_DIGITS * len(sides), unit="IO/s"
                )
        if any(ran.options.get(option, "0") != "0" for ran in group for option in FLUSHES):
            continue
        if mean_s := fio_results.mean_s(sides):
            yield replace(bandwidth, measure="mean", value=mean_s, half_width=SIX_DIGITS * 1e-9, unit="s")
        if p99_s := fio_results.p99_s(sides):
            yield replace(bandwidth, measure="p99", value=p99_s, half_width=p99_s * BUCKET, unit="s")


SIX_DIGITS = 5e-7
"""Rounding of fio's decimal numbers."""


def groups(path: Path) -> Iterator[list[Ran]]:
    """Yield entries that ran at once; InputError for groups that did not run one after the other."""
    groups = [list(jobs) for _, jobs in groupby(fio_results.entries(path), key=lambda ran: ran.job.group)]
    for number, group in enumerate(groups):
        if number and not any("stonewall" in ran.options for ran in group):
            raise InputError(
                f"{path}, line {group[0].line}: group {group[0].job.group} ran beside another; "
                "allowed: one group after the other (stonewall), or a file each"
            )
        yield group


def _bandwidth(path: Path, group: list[Ran], system: System) -> Reading:
    """Total bandwidth of a group of jobs, which must have equal settings."""
    settings_of = [_settings(path, ran, system) for ran in group]
    for ran, settings in zip(group, settings_of, strict=True):
        if settings != settings_of[0]:
            raise NoSettingError(
                f"{path}, line {ran.line}: job '{shown(ran.job.name)}' ran beside another with other settings; "
                "allowed: jobs that are alike, or one after the other (stonewall)"
            )
    processes = processes_of(path, group)
    for ran in group:
        place = f"{path}, line {ran.line}: job '{shown(ran.job.name)}'"
        check_moved(place, ran)
        for side in ran.sides:
            check_bandwidth(place, side, float(fio_options.size(place, ran.options["bs"])))
    moved = [side.bw_bytes for ran in group for side in ran.sides]
    return Reading(
        file=path,
        line=group[0].line,
        settings=settings_of[0]
        | fio_options.processes(processes, system)
        | fio_options.files(set(map(_file, group)), processes, system),
        measure="throughput",
        value=sum(moved) / MB,
        half_width=0.5 * len(moved) / MB,
        unit="MB/s",
        processes=processes,
    )


def check_ended(place: str, ran: Ran) -> None:
    """Refuse a job that failed; InputError."""
    if ran.job.error:
        raise InputError(f"{place} ended with error {ran.job.error}; fix its cause and run fio again")


def check_moved(place: str, ran: Ran) -> None:
    """Refuse a job that neither read nor wrote; InputError."""
    if not sum(side.bw_bytes for side in ran.sides):
        raise InputError(f"{place} moved nothing; run fio again")


def check_bandwidth(place: str, side: Side, block_bytes: float = 0.0) -> None:
    """Refuse a bandwidth that the I/Os a second, or the bytes and the time, of the same entry contradict.

    Args:
        block_bytes: bytes of each I/O, if equal; else 0.
    """
    told = Number(float(side.bw_bytes), 0.5)
    if side.iops and block_bytes:
        iops = Number(side.iops, SIX_DIGITS)
        agree(
            place, told, iops.times(block_bytes), f"iops {side.iops:g} of {block_bytes:g} bytes", what="bw_bytes"
        )
    if side.io_bytes and side.runtime:
        seconds = side.runtime / 1e3
        made = Number(side.io_bytes / seconds, 0.5 * side.io_bytes / seconds / side.runtime)  # half a millisecond
        agree(place, told, made, f"io_bytes {side.io_bytes} in {seconds:g} s", what="bw_bytes")


def _settings(path: Path, ran: Ran, system: System) -> dict[str, str]:
    """The settings that follow from the options of one job, without the number of processes."""
    place = f"{path}, line {ran.line}: job '{shown(ran.job.name)}'"
    check_ended(place, ran)
    settings = fio_options.settings(place, ran.options, system)
    fio_options.check_opened(place, ran.options, system)
    return settings


def _file(ran: Ran) -> str:
    """The file of a job, with ``$jobnum`` for the number of a process."""
    named = ran.options.get("filename_format", "$jobnum").replace("$jobname", ran.job.name)
    return ran.options.get("filename", named)


def processes_of(path: Path, group: list[Ran]) -> int:
    """Number of processes: group_reporting adds the clones of a job up, otherwise each has an entry."""
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
