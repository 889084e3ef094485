"""Planning questions in lessons: find a design, growth until a goal breaks, loss of a part."""

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
from sim.notebook.asking import options_of
from sim.prediction.degraded import Degraded, degraded
from sim.system.case import Case
from sim.system.installed import resolved
from sim.system.system import System


def find(
    system: System | str, *goals: str, largest: str | None = None, engine: str = "auto", **settings: Any
) -> Finding:
    """The smallest design of ``system`` that meets the ``goals``, such as ``"throughput>=2GB/s"``.

    Args:
        largest: the setting to maximise.
        settings: each a value, a list of values, or a range such as ``"1..14"``.
    """
    system = resolved(system)
    words = [f"{name}={_text(value)}" for name, value in settings.items()]
    return found(system, space_of(system, words, largest), goals, options_of(engine))


def growth(
    system: System | str,
    *goals: str,
    load: str,
    by: float = 0.03,
    months: int = 36,
    engine: str = "auto",
    **settings: Any,
) -> Growth:
    """Month in which each of the ``goals`` breaks if the setting ``load`` grows by the share ``by`` a month.

    Args:
        settings: values of settings, including ``load`` in month 0.

    Raises:
        InputError: no value of the load is given.
    """
    system = resolved(system)
    if load not in settings:
        raise InputError(f"the load '{load}' has no value; give it one, as it is today: {load}=…")
    by = checks.number("by", by, low=LEAST, high=MOST)
    months = checks.whole("months", months, 1, most=MOST_MONTHS)
    today = date.today().replace(day=1)  # noqa: DTZ011  (the calendar on the wall)
    growing = GrowingLoad.of(system.settings, f"{load}={settings.pop(load)}", by, months, today)
    return grow(system, settings, goals, growing, options_of(engine))


def fail(system: System | str, *, engine: str = "auto", **settings: Any) -> Degraded:
    """Performance of ``system`` under ``settings`` after the failure of each of its parts."""
    return degraded(Case.of(resolved(system), settings), options_of(engine))


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple | range) else str(value)
