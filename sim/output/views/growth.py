"""Growth: the month in which each goal breaks, and a row for each month."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.decision.growth import Breaking, Growth
from sim.engine.errors import printable
from sim.engine.units.text import duration_text, number_text, time_unit
from sim.output.pictures.growth import figure
from sim.output.views.finding import OF_FIO
from sim.output.views.parts import Line, Part, Wide, about
from sim.output.views.prediction import of_all
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, words


def parts(growth: Growth) -> Iterator[Part]:
    """Yield the month in which each goal breaks, and the table of months."""
    load, settings = growth.load, growth.case.settings
    shown_settings = (
        f"{each.name}={each.show(settings[each.name])}"
        for each in growth.case.system.settings
        if each.name != load.setting.name
    )
    yield Line("", growth.case.system.name, f"  {printable('  '.join(shown_settings))}")
    rounded = ", rounded to whole numbers" if load.counted else ""
    first = f"{load.setting.name}={load.text(load.today)} in {load.date(0)}"
    yield about("load", f"{first}, {number_text(100.0 * load.by)}% more each month{rounded}")
    if growth.over:
        yield about("over time", f"goals are about {duration_text(growth.over.seconds)} from the start on")
    yield Line("")
    width = max(len(each.goal.text) for each in growth.breakings)
    for each in growth.breakings:
        yield Line(f"{each.goal.text:<{width}}  {_when(growth, each)}", heading=width + 2)
    yield Line("")
    yield from _months(growth)
    told = {goal.measure: each.by for month in growth.months for goal, each in month.ends.items() if each.by}
    for measure, by in told.items():
        yield Line(f"{measure} by {printable(by)}; {OF_FIO}")


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
        when = f"only {ends[-1]}" if breaking.latest is None else f"by {ends[-1]}"
        sure = "" if breaking.latest == 0 else f"; for sure, at 90%, {when}"
        return f"is broken already{sure}{again}"
    at = f"{load.setting.name}={load.text(growth.months[breaking.month].load)}"
    return f"breaks in {load.date(breaking.month)} ({' … '.join(ends)} at 90%), at {at}{again}"


def _perhaps(growth: Growth, breaking: Breaking) -> str:
    """For a goal that is kept throughout: the month from which on it may break."""
    if breaking.earliest is None:
        return ""
    when = f"break from {growth.load.date(breaking.earliest)} on" if breaking.earliest else "be broken already"
    return f"; it may {when}, at 90%"


def _months(growth: Growth) -> Iterator[Part]:
    """A row for each month; each goal has two columns, its answer and its verdict."""
    load = growth.load
    columns = [_answers(growth, index) for index in range(len(growth.breakings))]
    headings = ("month", load.setting.name, *(heading for column in columns for heading in column[0]))
    rows = [
        (load.date(month.number), load.text(month.load), *(cell for _, cells in columns for cell in cells[row]))
        for row, month in enumerate(growth.months)
    ]
    yield Wide(headings, rows, keys=2)
    if any(UNKNOWN in cell for row in rows for cell in row):
        yield Line(f"{UNKNOWN} not known well enough")
    if growth.end:
        yield Line(f"the next month cannot be answered: {growth.end}")
    elif len(growth.months) < load.months:
        goals = "every goal is" if len(growth.breakings) > 1 else "the goal is"
        yield Line(f"ends here: from then on {goals} certainly broken")
    if predicted := [each.prediction for each in growth.months if each.prediction]:
        yield from of_all(predicted)


def _answers(growth: Growth, index: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and the cells of goal ``index``: the answer in each month, and the verdict."""
    goal = growth.breakings[index].goal
    values = [month.ends[goal] for month in growth.months]
    unit, scale = time_unit(values[0].value) if goal.unit == "s" else (goal.unit, 1.0)
    cells: list[tuple[str, ...]] = [
        (_value(each.value / scale, known=each.known), month.verdict(goal))
        for each, month in zip(values, growth.months, strict=True)
    ]
    return (f"{words(goal.measure)}, {unit}", goal.text), cells


def _value(value: float, *, known: bool) -> str:
    return "overload" if math.isinf(value) else f"{number_text(value)}{'' if known else UNKNOWN}"


VIEW = PartsAndPicture(parts, figure, "the answer of each goal month by month, its interval and its limit")
