"""`stacksim growth SYSTEM GOAL… --load rate=3000 --by 3%`: when does each goal break?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from rich.text import Text

from sim.cli import console
from sim.cli.options import takes_output, whole_from
from sim.decision.goals import is_goal
from sim.decision.growing_load import LEAST, MOST, MOST_MONTHS, GrowingLoad
from sim.decision.growth import Breaking, Growth, grow
from sim.decision.growth_record import record
from sim.errors import InputError, printable, shown
from sim.files import check_target
from sim.output.pictures import growth as growth_picture
from sim.output.pictures.style import FORMATS, save
from sim.output.views.parts import Wide
from sim.output.views.words import UNKNOWN, number, words
from sim.simulation.options import RunOptions
from sim.system.settings import pairs
from sim.system.system import System
from sim.units import time_unit

_EXAMPLE = "stacksim growth dbfs 'p99<=2ms' --load users=8"


def goals_and_settings(given: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Tell the goals from the settings.

    Raises:
        InputError: no goal, or a word that is neither.
    """
    goals = [word for word in given if is_goal(word)]
    if not goals:
        raise InputError(f"no goal is given; give one in quotes, and the load that grows, such as {_EXAMPLE}")
    return goals, pairs(word for word in given if not is_goal(word))


def growing_load(system: System, load: str | None, by: str, months: str, start: str | None) -> GrowingLoad:
    """Read how the load grows.

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
    written = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})(%?)", text)
    share = float(written[1]) / (100 if written[2] else 1) if written else 0.0
    if not LEAST <= share <= MOST:
        raise InputError(
            f"by is '{shown(text)}'; allowed: a share from {LEAST:.2%} to {MOST:.0%}, such as 3% or 0.03"
        )
    return share


def _month(text: str | None) -> date:
    if text is None:
        return date.today().replace(day=1)  # noqa: DTZ011  (the calendar on the wall)
    written = re.fullmatch(r"([0-9]{4})-(0[1-9]|1[0-2])", text)
    if not written or written[1] < "1900":
        raise InputError(f"from is '{shown(text)}'; allowed: a year and a month, such as 2026-12")
    return date(int(written[1]), int(written[2]), 1)


def command(
    system: System,
    goals: Sequence[str],
    settings: Mapping[str, str],
    load: GrowingLoad,
    options: RunOptions,
    picture: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate the months, print when each goal breaks, and draw it if asked."""
    silent = takes_output(picture, as_json=as_json)
    if picture:
        check_target("picture", picture, FORMATS, or_standard_output=True)
    if load.setting.name in settings:
        raise InputError(f"{load.setting.name} is the load and a setting, too; give it once, behind --load")
    console.compilation(options, quiet=quiet)
    with console.count_done("simulating loads", quiet=quiet) as on_progress:
        growth = grow(system, settings, goals, load, options, on_progress)
    if picture:
        save(growth_picture.figure(growth), picture)
    if as_json:
        console.out_json(record(growth))
    elif not silent:
        print_growth(growth)
        console.print_warnings(system.parameters.warnings)


def print_growth(growth: Growth) -> None:
    """When each goal breaks, and the months."""
    load, settings = growth.load, growth.case.settings
    shown_settings = (
        f"{each.name}={each.show(settings[each.name])}"
        for each in growth.case.system.settings
        if each.name != load.setting.name
    )
    console.out(Text.assemble((growth.case.system.name, "bold"), f"  {printable('  '.join(shown_settings))}"))
    rounded = ", rounded to whole numbers" if load.counted else ""
    first = f"{load.setting.name}={load.text(load.today)} in {load.date(0)}"
    console.out(f"load        {first}, {100.0 * load.by:.4g}% more each month{rounded}")
    console.out("")
    width = max(len(each.goal.text) for each in growth.breakings)
    for each in growth.breakings:
        console.out(f"{each.goal.text:<{width}}  {_when(growth, each)}")
    console.out("")
    _print_months(growth)


def _when(growth: Growth, breaking: Breaking) -> str:
    load, last = growth.load, growth.load.date(len(growth.months) - 1)
    if breaking.month is None:
        return f"is kept to {last}, the last month{_perhaps(growth, breaking)}"
    ends = list(
        dict.fromkeys(
            f"after {last}" if month is None else load.date(month)
            for month in (breaking.earliest, breaking.latest)
        )
    )
    again = f"; kept again in {load.date(breaking.again)}" if breaking.again is not None else ""
    if not breaking.month:
        sure = "" if breaking.latest == 0 else f"; at 90% by {ends[-1]}"
        return f"is broken already{sure}{again}"
    at = f"{load.setting.name}={load.text(growth.months[breaking.month].load)}"
    return f"breaks in {load.date(breaking.month)} ({' … '.join(ends)} at 90%), at {at}{again}"


def _perhaps(growth: Growth, breaking: Breaking) -> str:
    """Of a goal that is kept throughout: from when on it may break."""
    if breaking.earliest is None:
        return ""
    when = f"break from {growth.load.date(breaking.earliest)} on" if breaking.earliest else "be broken already"
    return f"; it may {when}, at 90%"


def _print_months(growth: Growth) -> None:
    """A row for each month; each goal has two columns, its answer and whether it is kept."""
    load = growth.load
    columns = [_answers(growth, number) for number in range(len(growth.breakings))]
    headings = ("month", load.setting.name, *(heading for column in columns for heading in column[0]))
    rows = [
        (load.date(month.number), load.text(month.load), *(cell for _, cells in columns for cell in cells[row]))
        for row, month in enumerate(growth.months)
    ]
    console.out(Wide(headings, rows, keys=2))
    if any(UNKNOWN in cell for row in rows for cell in row):
        console.out(f"{UNKNOWN} not known well enough")
    if growth.end:
        console.out(f"the next month cannot be answered: {growth.end}")


def _answers(growth: Growth, number: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and the cells of goal ``number``: the answer in each month, and the verdict."""
    goal = growth.breakings[number].goal
    values = [month.ends[goal] for month in growth.months]
    unit, scale = time_unit(values[0].value) if goal.unit == "s" else (goal.unit, 1.0)
    cells: list[tuple[str, ...]] = [
        (_value(each.value / scale, known=each.known), month.verdict(goal))
        for each, month in zip(values, growth.months, strict=True)
    ]
    return (f"{words(goal.measure)}, {unit}", goal.text), cells


def _value(value: float, *, known: bool) -> str:
    return "overload" if math.isinf(value) else f"{number(value)}{'' if known else UNKNOWN}"
