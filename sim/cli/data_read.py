"""`stacksim data read`: another tool's output as figures, as a table, or as a replayable load."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from sim.cli import console
from sim.cli.options import takes_output
from sim.data.importers import tools, traces
from sim.data.importers.told import Told
from sim.data.importers.tools import Tool
from sim.data.importers.traces import Recorded
from sim.engine.errors import InputError, nearest, shown
from sim.engine.files import check_target, write_atomically
from sim.engine.units.text import figure_text
from sim.output.views.parts import table
from sim.output.views.words import words

COLUMNS = ("part", "load", "measure", "value", "half_width", "unit", "line")


def command(path: Path, csv_file: Path | None, replay: Path | None) -> None:
    """Print the figures of ``path``, or write them as a table, or its I/Os as a replayable load.

    Raises:
        InputError: no file of a known tool; an unusable file; a target that cannot be written.
    """
    file, part = tools.split(path)
    tool = tools.tool_of(file)
    if not file.exists():
        raise InputError(f"no file '{shown(file)}'; allowed: one that another tool wrote")
    if tool is None:
        names = ", ".join(each.name for each in tools.TOOLS)
        raise InputError(
            f"format of '{shown(path)}' not recognized; allowed: what {names} wrote, in UTF-8; a table, and "
            "results of fio and dd, go to `report` or `fit` as they are"
        )
    for what, target in (("csv", csv_file), ("replay", replay)):
        if target:
            check_target(what, target, (".csv",), or_standard_output=True)
            if target.exists() and target.samefile(file):
                raise InputError(f"{what} is '{shown(target)}', the file that is read; name another")
    silent = takes_output(csv_file, replay)
    if csv_file and replay and csv_file.absolute() == replay.absolute():
        raise InputError(f"csv and replay are both '{shown(replay)}'; name two files")
    load = "".join(traces.replay(_recorded(tool, file, part))) if replay else ""
    figures = tools.told(tool, file, part)
    if replay:
        write_atomically(replay, load.encode())
    if csv_file:
        write_atomically(csv_file, _csv(figures))
    if not silent:
        _print(tool, file, figures)


def _recorded(tool: Tool, file: Path, part: str) -> Recorded:
    """The I/Os of the one device that is addressed."""
    if tool.recorded is None:
        raise InputError(f"{file} is of {tool.name}, which records no single I/Os; leave --replay out")
    devices = {each.device: each for each in tool.recorded(file)}
    if not part and len(devices) > 1:
        raise InputError(
            f"{file} has {len(devices)} devices: {', '.join(map(shown, devices))}; name one: "
            f"{file}:{shown(next(iter(devices)))}"
        )
    if part and part not in devices:
        raise InputError(f"{file} has no '{shown(part)}'; {nearest(part, devices)}")
    return devices[part or next(iter(devices))]


def _load(each: Told) -> str:
    """The load as fio options, and other settings."""
    return " ".join(f"{name}={text}" for name, text in {**each.load, **each.settings}.items())


def _csv(found: Sequence[Told]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in found:
        writer.writerow((each.part, _load(each), each.measure, each.value, each.half_width, each.unit, each.line))
    return file.getvalue().encode()


def _print(tool: Tool, file: Path, found: Sequence[Told]) -> None:
    """Print a row for each figure; a part and its load appear only in its first row."""
    console.out(f"{shown(file)}: {tool.name}, {len(found)} figure{'' if len(found) == 1 else 's'}")
    rows = table("part", "load", "measure", "value", "rounding ±", right=3)
    before = None
    for each in found:
        first = (each.part, _load(each))
        part, load = first if first != before else ("", "")
        before = first
        value, half = (figure_text(number, each.unit).rstrip() for number in (each.value, each.half_width))
        rows.add_row(shown(part), shown(load), "–" if each.measure == "none" else words(each.measure), value, half)
    console.out(rows)
