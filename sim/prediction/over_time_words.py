"""Sentences about a run over time: why a burst ends, and why a time is too short to tell what lasts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.model.uses import paced_by
from sim.engine.simulation.allowances import hidden_levels
from sim.engine.simulation.over_time import CYCLES, OverTime
from sim.engine.units.text import LONG_TIMES, duration_text

NEAR = 0.01
"""A level this near to an end of its buffer, as a share of the capacity, has reached it."""

EARLY = 0.2
"""Rises within this share of the time belong to its beginning, if the rate is steady after them."""

FEW = 100
"""Units of the smallest buffer whose level may end a burst."""

BEHIND = 1.5
"""Factor on the least time that would tell what lasts."""


def unsettled(model: Model, record: OverTime, asked_s: float) -> Iterator[str]:
    """Yield reasons why ``record`` does not tell what lasts, each with the time to ask for, one line each."""
    if record.seconds < asked_s - record.resolution_s:
        whole = f"{duration_text(record.seconds)} of {duration_text(asked_s)}"
        yield f"the answer covers {whole}: {record.steps:,} steps were allowed; allow more steps (max_steps)"
    if not record.rates.any():
        yield f"no request ends in that time; ask for {longer(10.0 * record.seconds)}"
    elif record.trend:
        verb = "falls" if record.trend < 0.0 else "rises"
        change = f"by {abs(record.trend):.0%} in a third of the time"
        yield f"the rate still {verb}, {change}; ask for {longer(2.0 * record.seconds)}"
    if record.moving:
        first = min(record.moving, key=lambda each: each.left_s)
        yield (
            f"{_going_on(model, first.name, rises=first.rises)} for {duration_text(first.left_s)} more; "
            f"ask for {longer(record.seconds + first.left_s)}"
        )
    elif record.warming:
        yield f"a cache still fills; ask for {longer(2.0 * record.seconds)}"
    late = record.last_rise_s > EARLY * record.seconds
    if record.cycle is None and 0 < record.teeth <= CYCLES and late:
        times = "once" if record.teeth == 1 else f"{record.teeth} times"
        needed_s = record.seconds * (CYCLES + 2) / record.teeth
        yield f"the rate fell and rose again {times}: too few to tell a period; ask for {longer(needed_s)}"


def longer(seconds: float) -> str:
    """A time in round figures that is longer than ``seconds``, as people type it."""
    seconds *= BEHIND
    unit, scale = next((each for each in LONG_TIMES if seconds >= 2.0 * each[1]), ("s", 1.0))
    value = seconds / scale
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / step) * step:.6g}{unit}"


def burst_ends(model: Model, record: OverTime) -> str:
    """Cause of the end of the burst: a level that has reached an end of its buffer; empty if there is none."""
    if record.burst is None:
        return ""
    part = max(1, min(round(record.burst.end_s / record.resolution_s), len(record.rates)))
    hidden = hidden_levels(model)
    for place in model.places:
        if isinstance(place, Buffer) and place.capacity >= FEW and place.name not in hidden:
            middle, last = (record.levels[place.name][at] / place.capacity for at in (part // 2, part))
            if middle < 1.0 - NEAR <= last:
                return f"when {_level(model, place.name, full=True)}"
            if last <= NEAR < middle:
                return f"when {_level(model, place.name, full=False)}"
    return ""


def _going_on(model: Model, name: str, *, rises: bool) -> str:
    """A level that goes on to its next threshold, as text."""
    if pace := _credits(model, name):
        return f"credits of {pace} {'last' if rises else 'are refilled'}"
    return f"{name} still {'fills' if rises else 'empties'}"


def _level(model: Model, name: str, *, full: bool) -> str:
    """The state of a level at its end, as text; credits are counted as tokens taken."""
    if pace := _credits(model, name):
        return f"credits of {pace} are {'spent' if full else 'back'}"
    return f"{name} is {'full' if full else 'empty'}"


def _credits(model: Model, name: str) -> str:
    """The place that refills the credits whose use the level ``name`` counts; empty if it is another level."""
    roles = {each.name: each.role for each in model.places}
    paces = {moved: pace for pace, moved in paced_by(model).items()}
    return paces.get(name, "") if roles[name] == "internal" else ""
