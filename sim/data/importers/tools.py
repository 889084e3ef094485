"""Detection of the tool that wrote a file, and its figures as readings of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sim.data.importers import (
    blkparse,
    block_csv,
    dd,
    fio_options,
    fsync_rates,
    innodb,
    iostat_text,
    oracle,
    pidstat,
    postgresql,
    rocksdb,
    sysstat,
    traces,
    vdbench,
)
from sim.data.importers.figures import Reading
from sim.data.importers.fio_results import DEFAULTS
from sim.data.importers.told import Told
from sim.data.importers.traces import Recorded
from sim.engine.errors import InputError, nearest, shown
from sim.engine.extensions import load, registered, usable
from sim.system.system import System

HEAD_BYTES = 1 << 16
"""Bytes of a file that are read to detect its tool."""


@dataclass(frozen=True)
class Tool:
    """One kind of file.

    Attributes:
        name: the tool's name for users.
        recognises: True if the text is the beginning of such a file.
        told: reader of its figures.
        recorded: reader of each device's I/Os, for a trace.
        passed_over: True if loads that a system does not model are skipped, as the tool tries all loads.
    """

    name: str
    recognises: Callable[[str], bool]
    told: Callable[[Path], Iterator[Told]]
    recorded: Callable[[Path], Iterator[Recorded]] | None = None
    passed_over: bool = False


def _trace(name: str, recognises: Callable[[str], bool], recorded: Callable[[Path], Iterator[Recorded]]) -> Tool:
    """A tool that records I/Os, with figures that summarise each device."""

    def told(path: Path) -> Iterator[Told]:
        for device in recorded(path):
            yield from traces.figures(device, f"{path}, line {device.line}")

    return Tool(name, recognises, told, recorded)


TOOLS = (
    Tool("pg_test_fsync", fsync_rates.recognises, fsync_rates.told, passed_over=True),
    Tool("vdbench", vdbench.recognises, vdbench.told),
    Tool("iostat or sar", sysstat.recognises, sysstat.told),
    Tool("iostat as text", iostat_text.recognises, iostat_text.told),
    Tool("pidstat", pidstat.recognises, pidstat.told),
    Tool("PostgreSQL's statistics as CSV", postgresql.recognises, postgresql.told),
    Tool("InnoDB's status", innodb.recognises, innodb.told),
    Tool("RocksDB's LOG", rocksdb.recognises, rocksdb.told),
    Tool("AWR or Statspack", oracle.recognises, oracle.told),
    _trace("blkparse", blkparse.recognises, blkparse.recorded),
    _trace("block trace", block_csv.recognises, block_csv.recorded),
)


GROUP = "stacksim.importers"
"""Entry-point group of tools that other packages know."""


def tool_of(path: Path) -> Tool | None:
    """The tool that wrote the file; None if none is known for it, or it is no file that can be read."""
    if not _is_file(path):  # reading a pipe may wait for ever
        return None
    try:
        with path.open("rb") as file:
            start = file.read(HEAD_BYTES)
    except OSError:
        return None
    head = start.decode("utf-8-sig", "replace")
    known = next((tool for tool in TOOLS if tool.recognises(head)), None)
    return known or next((tool for tool in _further() if tool.recognises(head)), None)


def _further() -> Iterable[Tool]:
    """Tools of other packages; a warning names each that cannot be loaded."""
    return usable(registered(GROUP).values(), partial(load, use=_checked)).values()


def _checked(tool: object) -> Tool:
    if not isinstance(tool, Tool):
        raise InputError(f"it is a {type(tool).__name__}; allowed: a Tool")
    return tool


def split(path: Path) -> tuple[Path, str]:
    """Split ``FILE:PART`` into file and part; the part is empty if ``path`` is a file itself."""
    head, _, part = str(path).rpartition(":")
    return (Path(head), part) if head and part and not _is_file(path) and _is_file(Path(head)) else (path, "")


def _is_file(path: Path) -> bool:
    """True if ``path`` is a regular file; False if its name is impossible."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def told(tool: Tool, file: Path, part: str) -> list[Told]:
    """Figures of the file, or of one ``part`` of it.

    Raises:
        InputError: raised by the tool's reader; or there is no such part.
    """
    figures = [*tool.told(file)]
    parts = dict.fromkeys(each.part for each in figures)
    if part and part not in parts:
        raise InputError(f"{file} has no '{shown(part)}'; {nearest(part, parts)}")
    return [each for each in figures if not part or each.part == part]


def readings(path: Path, tool: Tool, system: System) -> Iterator[Reading]:
    """Figures of the file, or of one part of it, with the settings of ``system`` that follow from its load.

    Raises:
        InputError: one line with file and line for an unusable entry.
    """
    file, part = split(path)
    named = dd.settings_in(file) if "=" in file.name else {}
    figures = told(tool, file, part)
    several = len({each.part for each in figures}) > 1  # of which one is meant, whatever each of them does
    for each in figures:
        if each.value <= 0.0 or each.measure == "none":
            continue
        try:
            settings = _settings(f"{file}, line {each.line}", each, system, alone=not several)
        except InputError:
            if part or not tool.passed_over:
                raise
            continue
        twice = next((name for name in named if name in settings), None)
        if twice:
            raise InputError(f"{file}: its name states {twice}, and so does line {each.line}; rename the file")
        yield Reading(
            file=file,
            line=each.line,
            settings={**named, **settings},
            measure=each.measure,
            value=each.value,
            half_width=min(each.half_width, each.value),
            unit=each.unit,
            of_tool=True,
            part=each.part,
            follows=each.follows,
            request_bytes=0.0 if several else each.request_bytes,
        )


def _settings(place: str, each: Told, system: System, *, alone: bool) -> dict[str, str]:
    """Settings of ``system`` that follow from the load; of a part that is ``alone``, also from what it did."""
    names = {setting.name for setting in system.settings}
    said = {name: text for name, text in each.settings.items() if name in names}
    if (op := each.settings.get("op")) in ("read", "write"):
        said.pop("op", None)
        said |= fio_options.operation(f"{place}: '{shown(each.part)}'", op, system) if alone else {}
    if not each.load:
        return said
    options = {**DEFAULTS, **each.load}
    said |= fio_options.settings(f"{place}: '{shown(each.part)}'", options, system)
    if "numjobs" in each.load:
        said |= fio_options.processes(int(each.load["numjobs"]), system)
    return said
