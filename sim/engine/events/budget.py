"""The limits of a run: the number of its steps, and the end of its clock."""

from __future__ import annotations

from collections.abc import Sequence

from sim.engine.errors import TooLongError
from sim.engine.model.model import Model

LAST_NS = (1 << 62) - 1
"""The end of the clock: 146 years, so that a sum of two times fits into 63 bits."""


def endless(model: Model, now_ns: int, steps: Sequence[int], completed: Sequence[int]) -> TooLongError:
    """The error for a run that took more steps than allowed; ``steps`` and ``completed`` by workload."""
    busiest = max(range(len(steps)), key=steps.__getitem__)
    workload = model.workloads[busiest]
    return TooLongError(
        f"stopped after {sum(steps):,} steps at {now_ns / 1e9:.6g} simulated seconds, with no end in sight: "
        f"{workload} took {steps[busiest]:,} of them and completed {completed[busiest]:,} requests; lower its "
        "Repeat times, its branches or its load, or allow more steps"
    )


def check_clock(until_ns: int) -> None:
    """Refuse to run beyond what the clock counts.

    Raises:
        TooLongError: ``until_ns`` is beyond ``LAST_NS``.
    """
    if until_ns > LAST_NS:
        raise TooLongError(
            f"the run would have to go on until {until_ns / 1e9:.3g} simulated seconds; allowed: up to "
            f"{LAST_NS / 1e9:.3g} seconds (146 years); lower the times or the Repeat times of the paths"
        )
