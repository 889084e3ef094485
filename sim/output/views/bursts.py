"""Throughputs that did not last, in a few lines: buffers whose names differ in numbers alone share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.model.identical import common_names
from sim.output.views.parts import Line, about
from sim.output.views.words import interval, time_interval
from sim.result import Burst

SHORT_S = 0.1
"""What is over sooner is the warm-up of a run, and no burst to anybody who has a clock; --json has it."""

_KINDS = 3
"""Kinds of buffers that are shown; --json has every buffer."""


def lines(bursts: Sequence[Burst], amount: float, unit: str) -> Iterator[Line]:
    """The longest burst of each kind of buffer, the longest of all last; ``bursts`` come in that order.

    Args:
        amount: what a completed request counts in ``unit``.
    """
    bursts = [burst for burst in bursts if burst.seconds.value >= SHORT_S]
    names = common_names(burst.place for burst in bursts)
    longest = {names[burst.place]: burst for burst in bursts}
    kinds = sorted(longest, key=lambda name: longest[name].seconds.value)
    hidden = kinds[:-_KINDS]
    for name in kinds[-_KINDS:]:
        alike = sum(names[burst.place] == name for burst in bursts)
        more = f"; {len(hidden)} more kinds of buffer were sooner" if hidden and name == kinds[-1] else ""
        yield about("burst", f"{_lasted(longest[name], name, alike, amount, unit)}{more}")


def _lasted(burst: Burst, name: str, alike: int, amount: float, unit: str) -> str:
    """How fast it was, and for how long: of ``alike`` buffers, until the last."""
    speed = interval(burst.throughput.scaled(amount), unit)
    name = name.removeprefix("buffer ")
    place = f"the last of {alike} alike, {name}," if alike > 1 else name
    return f"{speed} for {time_interval(burst.seconds)}, until {place} is {'full' if burst.full else 'empty'}"
