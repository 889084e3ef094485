"""Units behind the controller that are accessed in parallel, such as dies, or banks of several.

one access          ──> [a unit]                       drawn at random, where the block lies; or any that is free
pages of a block  ┬ ──> [a unit drawn at random]: page ┬──> done when all are
                  ├ ──> [the next one]: page ──────────┤
                  └ ──> [the next]: … ─────────────────┘

Where a block lies is chance, so two I/Os meet at one unit long before all units are busy: the mean rises slowly
with the depth of a queue, and the 99th percentile at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from models.paths import any_of, varied
from sim import Fork, Path, Station, Step, Use


@dataclass(frozen=True)
class Cells:
    """The units of one device.

    Attributes:
        units: a station for each, or a single one with as many servers if any free one is used.
        variation: coefficient of variation of the time of an access, which ``source`` states.
        steps: cached steps by time and number of pages, shared by many I/Os.
    """

    units: tuple[Station, ...]
    variation: float
    source: str
    steps: dict[tuple[float, int, float], Step] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, name: str, count: int, *, free: bool, variation: float, source: str) -> Cells:
        """The units of the device ``name``."""
        if free:
            return cls((Station(f"{name} units", count),), variation, source)
        units = (Station(f"{name} unit {number}") for number in range(1, count + 1))
        return cls(tuple(units), variation, source)

    def accessed(self, time_s: float, pages: int = 1, early_s: float = 0.0) -> Step:
        """Access pages in parallel, each on a unit for ``time_s``; a single one is done ``early_s`` before."""
        if (time_s, pages, early_s) not in self.steps:
            self.steps[time_s, pages, early_s] = self._accessed(time_s, pages, early_s)
        return self.steps[time_s, pages, early_s]

    def _accessed(self, time_s: float, pages: int, early_s: float) -> Step:
        time = varied(time_s - early_s, self.variation, self.source)
        uses = [Use(unit, time) for unit in self.units]
        starts: list[Path] = [(use,) for use in uses] if pages == 1 else [(each,) for each in _rows(uses, pages)]
        if early_s:
            starts = [(use, Fork((Use(use.station, early_s),), wait=False)) for use in uses]
        return any_of(starts)[0] if len(starts) > 1 or early_s else starts[0][0]


def _rows(uses: list[Use], pages: int) -> Iterator[Step]:
    """Yield, for each first unit, the step of ``pages`` on consecutive units."""
    for first in range(len(uses)):
        yield Fork(*((uses[(first + page) % len(uses)],) for page in range(pages)))
