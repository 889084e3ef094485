"""`stacksim find`: the smallest or cheapest design that meets goals, as text, JSON, picture or table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.cli.console import compilation, count_done, out_json, out_parts, print_warnings
from sim.cli.options import takes_output
from sim.decision.costs import prices_of
from sim.decision.find import Finding, find
from sim.decision.goals import is_goal
from sim.decision.loads import loads_of
from sim.decision.record import columns, record, rows
from sim.decision.space import space_of
from sim.engine.errors import InputError, shown
from sim.engine.files import check_target, write_atomically
from sim.engine.simulation.options import RunOptions
from sim.output.pictures.style import FORMATS, save
from sim.prediction.over_time import Span
from sim.system.system import System


@dataclass(frozen=True)
class Files:
    """Files named on the command line."""

    cost: Path | None
    loads: Path | None
    picture: Path | None
    csv: Path | None


def command(
    system: System,
    given: Sequence[str],
    largest: str | None,
    files: Files,
    options: RunOptions,
    over: Span | None = None,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Search, print and write; return the exit status: 0 with a design, 1 without one."""
    silent = takes_output(files.picture, files.csv, as_json=as_json)
    _check(files)
    goals, settings = [word for word in given if is_goal(word)], [word for word in given if not is_goal(word)]
    _refuse_bare(settings)
    space = space_of(system, settings, largest)
    prices = prices_of(system, files.cost) if files.cost else None
    loads = loads_of(system, files.loads) if files.loads else ()
    compilation(options, quiet=quiet)
    with count_done("searching", quiet=quiet) as on_progress:
        finding = find(
            system, space, goals, options, loads=loads, prices=prices, on_progress=on_progress, over=over
        )
    _write(finding, files)
    if as_json:
        out_json(record(finding))
    elif not silent:
        from sim.output.views.finding import parts, warnings  # lazily: JSON does without rich

        out_parts(parts(finding))
        print_warnings([*dict.fromkeys([*warnings(finding), *system.parameters.warnings])])
    return 0 if finding.found else 1


def _check(files: Files) -> None:
    if files.picture:
        if not files.cost:
            raise InputError("a picture shows what designs cost; give prices, too: --cost FILE.toml")
        check_target("picture", files.picture, FORMATS, or_standard_output=True)
    if files.csv:
        check_target("table", files.csv, (".csv",), or_standard_output=True)


def _refuse_bare(settings: Sequence[str]) -> None:
    for word in settings:
        if "=" not in word:
            raise InputError(
                f"'{shown(word)}' is neither a goal nor a setting; write a goal in quotes, as the shell takes > "
                "and < for itself: 'throughput>=5GB/s', and a setting as cells=1..14"
            )


def _write(finding: Finding, files: Files) -> None:
    if files.csv:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, columns(finding), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(finding))
        write_atomically(files.csv, buffer.getvalue().encode())
    if files.picture:
        from sim.output.pictures.front import front_figure

        save(front_figure(finding), files.picture)
