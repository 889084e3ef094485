"""An animation as data; the page only draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.engine.model.model import Model
from sim.engine.model.places import Gate
from sim.engine.simulation.window import Window, all_spans
from stacksim.animation.batches import Batch, batches, gathered
from stacksim.animation.dots import Dot, dots
from stacksim.animation.rows import Row, rows, used

MAX_STAYS = 30_000
"""Stays of requests at places that a page holds: about a megabyte."""

SECONDS_PER_REQUEST = 5
"""Seconds that a request of median latency takes on the page at its initial speed, about."""


@dataclass(frozen=True)
class Film:
    """Requests that move through places from ``begin_ns`` until ``end_ns``.

    Attributes:
        heading: system and settings.
        watched: the group whose requests are counted.
        rows: places, in the order of the path.
        batches: batches at gates; stays in the state ``gathered`` refer to them by number.
        notes: omissions, a sentence each.
    """

    heading: Mapping[str, str]
    watched: str
    begin_ns: int
    end_ns: int
    rows: Sequence[Row]
    dots: Sequence[Dot]
    batches: Sequence[Batch]
    notes: Sequence[str]

    @property
    def completed(self) -> int:
        """Number of requests of the watched group that end within the film."""
        requests = (dot for dot in self.dots if dot.parent is None and dot.group == self.watched)
        return sum(self.begin_ns < dot.end_ns <= self.end_ns and not dot.open for dot in requests)

    def speeds_ns(self) -> tuple[list[int], int]:
        """Speeds to choose from, in simulated ns per second (1, 2, 5, 10, …), and the index of the initial one."""
        latencies = sorted(dot.end_ns - dot.begin_ns for dot in self.dots if dot.parent is None)
        usual_ns = max(1, latencies[len(latencies) // 2] // SECONDS_PER_REQUEST) if latencies else 1
        speeds = [digit * 10**power for power in range(19) for digit in (1, 2, 5)]
        at = max(index for index, speed in enumerate(speeds) if speed <= usual_ns)
        first = max(0, at - 9)
        return speeds[first : at + 7], at - first

    def record(self) -> dict[str, Any]:
        """Data of the page, ready for JSON; times are nanoseconds since the beginning."""
        places = [place for row in self.rows for place in row.places]
        row_of, number_of = used(self.rows), {place: number for number, place in enumerate(places)}
        speeds, speed = self.speeds_ns()
        return {
            "heading": dict(self.heading),
            "watched": self.watched,
            "end": self.end_ns - self.begin_ns,
            "speeds": speeds,
            "speed": speed,
            "rows": [
                {"name": row.name, "kind": row.kind, "room": row.room, "band": row.band, "places": len(row.places)}
                for row in self.rows
            ],
            "places": [{"name": place, "row": row_of[place]} for place in places],
            "dots": [self._dot(dot, number_of) for dot in self.dots],
            "batches": [
                [number_of[each.gate], each.dot, each.begin_ns - self.begin_ns, each.end_ns - self.begin_ns]
                for each in self.batches
            ],
            "notes": list(self.notes),
        }

    def _dot(self, dot: Dot, number_of: Mapping[str, int]) -> dict[str, Any]:
        """A dot. Stays: begin, state, place and, if gathered, batch; holdings: place, mode, times, amount."""
        zero = self.begin_ns
        return {
            "group": dot.group,
            "number": dot.number,
            "client": f"{dot.workload}, client {dot.client}",
            "parent": dot.parent,
            "begin": dot.begin_ns - zero,
            "end": dot.end_ns - zero,
            "stays": [
                [stay.begin_ns - zero, stay.state[0], number_of[stay.place]]
                + ([stay.batch] if stay.state == "gathered" else [])
                for stay in dot.stays
                if stay.begin_ns < self.end_ns
            ],
            "holds": [
                [
                    number_of[each.held.place],
                    int(each.held.exclusive),
                    each.begin_ns - zero,
                    each.end_ns - zero,
                    each.held.amount,
                ]
                for each in dot.holdings
                if each.begin_ns < self.end_ns
            ],
        }


def film_of(window: Window, model: Model, heading: Mapping[str, str], wanted: int) -> Film:
    """Film of ``window``, as far as a page can hold it.

    Args:
        wanted: requested number of requests.
    """
    gates = {place.name for place in model.places if isinstance(place, Gate)}
    end_ns = _end_ns(window)
    drawn = dots(window.requests, gates, end_ns)
    made = batches(drawn, gates)
    drawn = gathered(drawn, model, made)
    watched, begin_ns = window.watched, window.begin_ns
    silent = Film(heading, watched, begin_ns, end_ns, rows(model, drawn), drawn, made, ())
    return replace(silent, notes=tuple(_notes(silent, window, wanted)))


def _end_ns(window: Window) -> int:
    """End of the window, or the time at which a page is full of stays."""
    spans = all_spans(span for requests in window.requests.values() for span in requests)
    begins = sorted(interval.begin_ns for span in spans for interval in span.intervals)
    return min(window.end_ns, begins[MAX_STAYS]) if len(begins) > MAX_STAYS else window.end_ns


def _notes(shown: Film, window: Window, wanted: int) -> Iterator[str]:
    if shown.end_ns < window.end_ns:
        most = f"a page holds {MAX_STAYS:,} steps on their way"
        yield f"It ends after {shown.completed:,} of {wanted:,} requests: {most}."
    if window.unseen:
        yield f"{window.unseen:,} requests that began before it was recorded are not shown."
    lost = sum(dot.open and dot.end_ns < shown.end_ns for dot in shown.dots)
    if lost:
        yield f"{lost:,} requests disappear before the end: what they do then takes longer than was recorded."
