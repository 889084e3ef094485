"""`stacksim growth SYSTEM GOAL… --load rate=3000 --by 3%`: the month in which each goal breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from sim.cli import console
from sim.cli.options import takes_output, whole_from
from sim.decision.goals import is_goal
from sim.decision.growing_load import LEAST, MOST, MOST_MONTHS, GrowingLoad
from sim.decision.growth import grow
from sim.decision.growth_record import record
from sim.engine.errors import InputError, shown
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.engine.units.reading import SHARES, number
from sim.output.pictures import growth as growth_picture
from sim.output.pictures.style import FORMATS, save
from sim.prediction.over_time import Span
from sim.system.settings import pairs
from sim.system.system import System

_EXAMPLE = "stacksim growth dbfs 'p99<=2ms' --load users=8"


def goals_and_settings(given: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Separate goals from settings.

    Raises:
        InputError: no goal, or a word that is neither.
    """
    goals = [word for word in given if is_goal(word)]
    if not goals:
        raise InputError(f"no goal is given; give one in quotes, and the load that grows, such as {_EXAMPLE}")
    return goals, pairs(word for word in given if not is_goal(word))


def growing_load(system: System, load: str | None, by: str, months: str, start: str | None) -> GrowingLoad:
    """Parse the growth of the load.

    Raises:
        InputError: one of the texts cannot be used.
    """
    if load is None:
        raise InputError("no load is named; say which setting grows, and its value today: --load users=8")
    number = whole_from("months", months, 1)
    if number > MOST_MONTHS:
        raise InputError(f"months is '{shown(months)}'; allowed: a whole number from 1 to {MOST_MONTHS}")
    return GrowingLoad.of(system.settings, load, _share(by), number, _month(start))


def _share(text: str) -> float:
    share = number(text, SHARES)
    if share is None or not LEAST <= share <= MOST:
        raise InputError(
            f"by is '{shown(text)}'; allowed: a share from {LEAST:.2%} to {MOST:.0%}, such as 3% or 0.03"
        )
    return share


def _month(text: str | None) -> date:
    if text is None:
        return date.today().replace(day=1)  # noqa: DTZ011  (the calendar on the wall)
    match = re.fullmatch(r"([0-9]{4})-(0[1-9]|1[0-2])", text)
    if not match or match[1] < "1900":
        raise InputError(f"from is '{shown(text)}'; allowed: a year and a month, such as 2026-12")
    return date(int(match[1]), int(match[2]), 1)


def command(
    system: System,
    goals: Sequence[str],
    settings: Mapping[str, str],
    load: GrowingLoad,
    options: RunOptions,
    picture: Path | None,
    over: Span | None = None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate the months, print when each goal breaks, and draw it if requested."""
    silent = takes_output(picture, as_json=as_json)
    if picture:
        check_target("picture", picture, FORMATS, or_standard_output=True)
    if load.setting.name in settings:
        raise InputError(f"{load.setting.name} is the load and a setting, too; give it once, behind --load")
    console.compilation(options, quiet=quiet)
    with console.count_done("simulating loads", quiet=quiet) as on_progress:
        growth = grow(system, settings, goals, load, options, on_progress, over)
    if picture:
        save(growth_picture.figure(growth), picture)
    if as_json:
        console.out_json(record(growth))
    elif not silent:
        from sim.output.views.growth import parts  # lazily: JSON does without rich

        console.out_parts(parts(growth))
        console.print_warnings([*growth.warnings, *system.parameters.warnings])
