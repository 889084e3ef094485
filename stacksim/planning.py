"""Questions of planning: which design keeps goals, and when do we outgrow it."""

from __future__ import annotations

from datetime import date
from typing import Any

from sim.decision.find import Finding
from sim.decision.find import find as found
from sim.decision.growing_load import LEAST, MOST, MOST_MONTHS, GrowingLoad
from sim.decision.growth import Growth, grow
from sim.decision.space import space_of
from sim.engine import checks
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction.over_time import Span
from sim.system.installed import resolved
from sim.system.system import System


def find(
    system: System | str,
    *goals: str,
    largest: str | None = None,
    duration_s: float | None = None,
    precision: float = 0.01,
    engine: str = "auto",
    seed: int = 1,
    **settings: Any,
) -> Finding:
    """The smallest design that keeps goals.

    Args:
        goals: such as ``"throughput>=2GB/s"`` or ``"p99<=2ms"``.
        largest: the setting of which the largest value is looked for.
        duration_s: seconds from the start on that goals are about, such as ``"lowest second>=1GB/s"``; by default
            they are about the long run.
        precision, engine, seed: as for ``predict``.
        settings: each a value, a list of values, or a range such as ``"1..14"``.

    Returns:
        The design, what it does, and why others were rejected.

    Raises:
        InputError: a goal, setting or range that is not allowed.

    Examples:
        >>> import stacksim
        >>> stacksim.find("redo", "throughput>=4000/s", sessions="1..16", precision=0.05).design
        {'sessions': 4}
    """
    system = resolved(system)
    words = [f"{name}={_text(value)}" for name, value in settings.items()]
    options = RunOptions(engine=engine, precision=precision, seed=seed)
    over = None if duration_s is None else Span(duration_s)
    return found(system, space_of(system, words, largest), goals, options, over=over)


def growth(
    system: System | str,
    *goals: str,
    load: str,
    by: float = 0.03,
    months: int = 36,
    duration_s: float | None = None,
    precision: float = 0.01,
    engine: str = "auto",
    seed: int = 1,
    **settings: Any,
) -> Growth:
    """The month in which each goal breaks while a load grows.

    Args:
        load: the setting that grows; it is among ``settings``, as it is in month 0.
        by: growth a month, as a share.
        months: how far to look.
        duration_s: seconds from the start on that goals are about, as for ``find``.
        precision, engine, seed: as for ``predict``.

    Returns:
        The months that were simulated, and when each goal breaks, with the earliest and latest.

    Raises:
        InputError: the load has no value, or a goal, setting or number is not allowed.
    """
    system = resolved(system)
    if not isinstance(load, str):
        raise InputError(f"load is {checks.quoted(load)}; allowed: the name of a setting, such as load='users'")
    if load not in settings:
        raise InputError(f"the load '{load}' has no value; give it one, as it is today: {load}=…")
    by = checks.number("by", by, low=LEAST, high=MOST)
    months = checks.whole("months", months, 1, most=MOST_MONTHS)
    today = date.today().replace(day=1)  # noqa: DTZ011  (the calendar on the wall)
    growing = GrowingLoad.of(system.settings, f"{load}={settings.pop(load)}", by, months, today)
    options = RunOptions(engine=engine, precision=precision, seed=seed)
    over = None if duration_s is None else Span(duration_s)
    return grow(system, settings, goals, growing, options, over=over)


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple | range) else str(value)
