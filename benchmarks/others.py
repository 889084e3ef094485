"""stacksim against other simulators, where these are installed, on a closed and an open tandem network."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from benchmarks import by_others, models
from benchmarks.by_others import Simulate
from benchmarks.pace import Run, in_turns
from benchmarks.table import Row, missing, per_second
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine

SECONDS, SECONDS_OF_RUST = 10.0, 300.0
"""Simulated in one turn."""

CLOSE = 0.03
"""Customers a simulated second may differ by so much from ours: ten seconds have some ten thousand."""


def against_others() -> Iterator[Row]:
    """Visits a second of processor time and how many times the first's that is; customers a simulated second."""
    with tempfile.TemporaryDirectory() as folder:
        rust = by_others.nexosim(Path(folder))
        for closed in (True, False):
            yield from _compared(closed, rust)


def _compared(closed: bool, rust: Simulate | None) -> Iterator[Row]:  # noqa: FBT001  (the contract of by_others)
    kind = "closed tandem" if closed else "open tandem"
    model = models.closed_tandem() if closed else models.open_tandem()
    own = {"compiled engine": Run(CompiledEngine(model, 1)), "reference engine": Run(ReferenceEngine(model, 1))}
    given = {"salabim": by_others.by_salabim, "ciw": by_others.by_ciw, "simpy": by_others.by_simpy}
    others = {name: Other(each, closed, SECONDS) for name, each in given.items() if find_spec(name)}
    if rust:
        others["nexosim, in Rust"] = Other(rust, closed, SECONDS_OF_RUST)
    takes: dict[str, Callable[[], float]] = {**others, **own}
    rates = dict(zip(takes, in_turns(list(takes.values())), strict=True))
    least = min(rates.values())
    expected = own["compiled engine"].customers_per_s()
    for name, rate in sorted(rates.items(), key=lambda each: each[1]):
        customers = (others.get(name) or own[name]).customers_per_s()
        same = abs(customers / expected - 1) <= CLOSE
        yield Row(f"{kind}: {name}", per_second(rate), f"{rate / least:.3g} ×", f"{customers:.0f} /s", same)
    yield from (missing(name) for name in ("salabim", "ciw") if name not in others)
    if not rust:
        yield Row("nexosim, in Rust", "not built", "a recent cargo", "")


class Other:
    """Runs of another simulator; calling it takes one and returns visits a second of processor time."""

    def __init__(self, simulate: Simulate, closed: bool, seconds: float) -> None:  # noqa: FBT001  (as above)
        self._simulate, self._closed, self._seconds = simulate, closed, seconds
        self._visits = 0

    def __call__(self) -> float:
        start_s = _processor_s()
        self._visits = self._simulate(self._closed, self._seconds)
        return self._visits / (_processor_s() - start_s)

    def customers_per_s(self) -> float:
        """Customers through both stations in a simulated second."""
        return self._visits / len(models.SERVERS) / self._seconds


def _processor_s() -> float:
    """Of this process and of those that it has waited for."""
    return sum(each.ru_utime + each.ru_stime for each in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))
