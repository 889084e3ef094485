"""Planning questions in lessons: those of ``stacksim``, at the precision of lessons."""

from __future__ import annotations

from typing import Any

from sim.decision.find import Finding
from sim.decision.growth import Growth
from sim.prediction.degraded import Degraded
from sim.system.system import System
from stacksim import asking, planning
from stacksim.notebook import asking as lesson


def find(
    system: System | str, *goals: str, largest: str | None = None, engine: str = "auto", **settings: Any
) -> Finding:
    """The smallest design of ``system`` that keeps the ``goals``, such as ``"throughput>=2GB/s"``.

    Args:
        largest: the setting of which the largest value is looked for.
        settings: each a value, a list of values, or a range such as ``"1..14"``.
    """
    return planning.find(system, *goals, largest=largest, precision=lesson.PRECISION, engine=engine, **settings)


def growth(
    system: System | str,
    *goals: str,
    load: str,
    by: float = 0.03,
    months: int = 36,
    engine: str = "auto",
    **settings: Any,
) -> Growth:
    """The month in which each of the ``goals`` breaks if the setting ``load`` grows by the share ``by`` a month.

    Args:
        settings: that of ``load`` among them, as it is in month 0.

    Raises:
        InputError: no value of the load is given.
    """
    return planning.growth(
        system, *goals, load=load, by=by, months=months, precision=lesson.PRECISION, engine=engine, **settings
    )


def fail(system: System | str, *, engine: str = "auto", **settings: Any) -> Degraded:
    """Predict ``system`` under ``settings`` after each of its parts fails."""
    return asking.fail(system, precision=lesson.PRECISION, engine=engine, **settings)
