"""Units behind the controller that are accessed in parallel, such as dies, or banks of several.

one access          ──> [a unit]                       drawn at random, where the block lies; any that is free;
                                                       or, in a stripe, the next one after every few accesses
pages of a block  ┬ ──> [a unit drawn at random]: page ┬──> done when all are
                  ├ ──> [the next one]: page ──────────┤
                  └ ──> [the next]: … ─────────────────┘

Where a block lies is chance, so two I/Os meet at one unit long before all units are busy: the mean rises slowly
with the depth of a queue, and the 99th percentile at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from models.paths import any_of, varied
from sim import Cache, Fork, Lookup, Path, Replayed, Station, Step, Use


@dataclass(frozen=True)
class Cells:
    """The units of one device.

    Attributes:
        units: a station for each, or a single one with as many servers if any free one is used.
        turn: accesses in a row to each unit, from one to the next; 0: units are not taken in turn.
        variation: coefficient of variation of the time of an access, which ``source`` states.
        steps: cached steps by time and number of pages, shared by many I/Os.
    """

    units: tuple[Station, ...]
    variation: float
    source: str
    turn: int = 0
    steps: dict[tuple[float, int, float], Step] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, name: str, count: int, *, free: bool, variation: float, source: str, turn: int = 0) -> Cells:
        """The units of the device ``name``."""
        if free:
            return cls((Station(f"{name} units", count),), variation, source)
        units = (Station(f"{name} unit {number}") for number in range(1, count + 1))
        return cls(tuple(units), variation, source, turn)

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
        if self.turn:
            return self._in_turn([each for (each,) in starts])
        return any_of(starts)[0] if len(starts) > 1 or early_s else starts[0][0]

    def _in_turn(self, starts: list[Step]) -> Step:
        """The next start, by a look-up for each bit of its number: one that hits is a 1."""
        numbers = [number for number in range(len(starts)) for _ in range(self.turn)]
        found = dict(enumerate(starts))
        for bit in range((len(starts) - 1).bit_length()):
            cache = Cache(f"{self.units[0].name} and further, bit {bit}", 1, role="internal")
            addresses = Replayed(_hits_where([number >> bit & 1 for number in numbers]))
            found = {
                number >> 1: Lookup(cache, addresses, hit=found.get(number + 1, found[number]), miss=found[number])
                for number in found
                if not number & 1
            }
        return found[0]


def _hits_where(bits: list[int]) -> list[int]:
    """Two rounds of addresses; one equals the address before it where its bit is 1."""
    found = list(accumulate(2 * bits, lambda address, bit: address + 1 - bit, initial=-1))
    return found[1:]


def _rows(uses: list[Use], pages: int) -> Iterator[Step]:
    """Yield, for each first unit, the step of ``pages`` on consecutive units."""
    for first in range(len(uses)):
        yield Fork(*((uses[(first + page) % len(uses)],) for page in range(pages)))
