"""Results of ``fio --output-format=json`` as figures of a system: those of a group of jobs that ran at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path

from sim.data.importers import fio_results
from sim.data.importers.figures import PROCESSES, Reading
from sim.data.importers.fio_results import BUCKET, MIXED, WORKLOADS, Ran
from sim.errors import InputError, shown
from sim.system.settings import Choice, whole
from sim.system.stack.build import Stack
from sim.system.system import System
from sim.units import MB

NAMES = {"bs": ("block",), "numjobs": PROCESSES, "iodepth": ("depth",)}
"""The setting for an option of fio: the first of these that the system has."""

UNSUPPORTED = ("rate", "rate_iops", "thinktime", "bsrange", "bssplit", "bs_unaligned", "kb_base")
"""Options that change the load, and for which no system has a setting."""

FLUSHES = ("fsync", "fdatasync")
"""Options with which a request of a system is a write and its flush, of which fio tells the latencies apart."""

_SIZE = re.compile(r"([0-9]+)([kmg]?)b?", re.IGNORECASE)


def readings(path: Path, system: System) -> Iterator[Reading]:
    """The bandwidth of every group of jobs; InputError with its line for one that cannot be used."""
    for group in _groups(path):
        yield _bandwidth(path, group, system)


def answers(path: Path, system: System) -> Iterator[Reading]:
    """Everything that fio tells of every group of jobs, whatever ``system`` answers; InputError as above.

    I/Os a second come twice, as ``iops`` and as the ``throughput`` of systems that count I/Os.
    """
    for group in _groups(path):
        bandwidth = replace(_bandwidth(path, group, system), of_tool=True)
        yield bandwidth
        sides = [side for ran in group for side in ran.sides]
        if rate := fio_results.iops(sides):
            for measure in ("iops", "throughput"):
                yield replace(
                    bandwidth, measure=measure, value=rate, half_width=_SIX_DIGITS * len(sides), unit="IO/s"
                )
        if any(ran.options.get(option, "0") != "0" for ran in group for option in FLUSHES):
            continue
        if mean_s := fio_results.mean_s(sides):
            yield replace(bandwidth, measure="mean", value=mean_s, half_width=_SIX_DIGITS * 1e-9, unit="s")
        if p99_s := fio_results.p99_s(sides):
            yield replace(bandwidth, measure="p99", value=p99_s, half_width=p99_s * BUCKET, unit="s")


_SIX_DIGITS = 5e-7
"""Rounding of what fio writes as a decimal number."""


def _groups(path: Path) -> Iterator[list[Ran]]:
    """The entries that ran at once; InputError for groups that did not run one after the other."""
    groups = [list(jobs) for _, jobs in groupby(fio_results.entries(path), key=lambda ran: ran.job.group)]
    for number, group in enumerate(groups):
        if number and not any("stonewall" in ran.options for ran in group):
            raise InputError(
                f"{path}, line {group[0].line}: group {group[0].job.group} ran beside another; "
                "allowed: one group after the other (stonewall), or a file each"
            )
        yield group


def _bandwidth(path: Path, group: list[Ran], system: System) -> Reading:
    """What all jobs of a group moved together; they must have the same settings."""
    allowed = {setting.name for setting in system.settings}
    settings_of = [_settings(path, ran, system, allowed) for ran in group]
    for ran, settings in zip(group, settings_of, strict=True):
        if settings != settings_of[0]:
            raise InputError(
                f"{path}, line {ran.line}: job '{shown(ran.job.name)}' ran beside another with other settings; "
                "allowed: jobs that are alike, or one after the other (stonewall)"
            )
    processes = _processes(path, group)
    setting = next((each for each in NAMES["numjobs"] if each in allowed), None)
    for ran in group:
        if not sum(side.bw_bytes for side in ran.sides):
            raise InputError(f"{path}, line {ran.line}: job '{shown(ran.job.name)}' moved nothing; run fio again")
    moved = [side.bw_bytes for ran in group for side in ran.sides]
    return Reading(
        file=path,
        line=group[0].line,
        settings=settings_of[0] | ({setting: str(processes)} if setting else {}),
        measure="throughput",
        value=sum(moved) / MB,
        half_width=0.5 * len(moved) / MB,
        unit="MB/s",
        processes=processes,
    )


def _settings(path: Path, ran: Ran, system: System, allowed: set[str]) -> dict[str, str]:
    """The settings that follow from the options of one job, without the number of processes."""
    place = f"{path}, line {ran.line}: job '{shown(ran.job.name)}'"
    if ran.job.error:
        raise InputError(f"{place} ended with error {ran.job.error}; mend its cause and run fio again")
    for option in UNSUPPORTED:
        if option in ran.options:
            raise InputError(f"{place}: {option} is '{shown(ran.options[option])}'; allowed: jobs without it")
    if ran.options["iodepth"] != "1" and "depth" not in allowed:
        raise InputError(
            f"{place}: iodepth is '{shown(ran.options['iodepth'])}'; allowed: 1; run more jobs instead"
        )
    texts = {"bs": _size(place, ran.options["bs"]), "iodepth": ran.options["iodepth"]}
    named = {name: text for option, text in texts.items() for name in NAMES[option] if name in allowed}
    return _workload(place, ran, system, allowed) | named | _flush(place, ran, system)


def _flush(place: str, ran: Ran, system: System) -> dict[str, str]:
    """What a process calls after each write, if that is a setting with the words ``none`` and those of fio."""
    names = [
        each.name for each in system.settings if isinstance(each, Choice) and {"none", *FLUSHES} <= {*each.options}
    ]
    after = {option: ran.options[option] for option in FLUSHES if ran.options.get(option, "0") != "0"}
    if not names or not after:
        return dict.fromkeys(names, "none")
    if len(after) > 1 or {*after.values()} != {"1"}:
        shown_all = " and ".join(f"{option}={shown(text)}" for option, text in after.items())
        raise InputError(
            f"{place}: {shown_all}; allowed: one of {' and '.join(FLUSHES)}, after each write, which is 1"
        )
    return dict.fromkeys(names, *after)


def _workload(place: str, ran: Ran, system: System, allowed: set[str]) -> dict[str, str]:
    """The settings that say what is read and written, and in which order."""
    word, known = ran.options["rw"], dict(_workloads(system))
    if word not in known:
        of_fio = f"allowed for {system.name}: {', '.join(known)}"
        none = f"{system.name} is no model of such runs of fio; name another system"
        raise InputError(f"{place}: rw is '{shown(word)}'; {of_fio if known else none}")
    if WORKLOADS[word][0] != MIXED:
        return known[word]
    share = _read_percent(place, ran.options)
    if "read_share" in allowed:
        return known[word] | {"read_share": str(Decimal(share) / 100)}
    if share != 50:  # noqa: PLR2004  (percent)
        raise InputError(
            f"{place}: {share}% of it are reads; allowed for {system.name}: 50%, as it has no read_share"
        )
    return known[word]


def _workloads(system: System) -> Iterator[tuple[str, dict[str, str]]]:
    """The workloads of fio that ``system`` can answer, each with its settings.

    A system that knows no other order reads and writes in sequence, as dd does; the load of a stack may be meant
    for either. Without a setting for it, a system may do both, and a stack what its load says.
    """
    choices = {each.name: each.options for each in system.settings if isinstance(each, Choice)}
    stack = system.build if isinstance(system.build, Stack) else None
    name = str(stack.load.fields.get("op", "read")) if stack else "op"  # of a setting, or what a stack always does
    ops = choices.get(name, (name,) if stack else ("read", "write"))
    name_of_order = next((name for name, words in choices.items() if {"sequential", "random"} <= {*words}), "")
    for word, (op, order) in WORKLOADS.items():
        known = word if word in ops else op
        told = known == word or order == "sequential" or name_of_order or stack
        if known in ops and (word in system.loads if system.loads else told):
            values = {name: known, name_of_order: order}
            yield word, {name: text for name, text in values.items() if name in choices}


def _read_percent(place: str, options: Mapping[str, str]) -> int:
    """The share of reads in a mix: of both options the last one counts, as in fio."""
    percent = 50
    for option, text in options.items():
        if option in ("rwmixread", "rwmixwrite"):
            share = whole(text)
            if share is None or not 0 <= share <= 100:  # noqa: PLR2004  (percent)
                raise InputError(f"{place}: {option} is '{shown(text)}'; allowed: a whole number from 0 to 100")
            percent = share if option == "rwmixread" else 100 - share
    return percent


def _size(place: str, text: str) -> str:
    """Bytes of a block size as fio writes it, where 4k is 4096."""
    written = _SIZE.fullmatch(text)
    if not written:
        raise InputError(
            f"{place}: bs is '{shown(text)}'; allowed: one size for both directions, such as 8k, 1m or 4096"
        )
    return str(int(written[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[written[2].lower()])


def _processes(path: Path, group: list[Ran]) -> int:
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
