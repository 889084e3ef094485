"""Throughputs that did not last, in words; buffers whose names differ only in numbers share a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from sim.engine.model.identical import common_names
from sim.engine.result import Burst
from sim.engine.units.text import figure_text

SHORT_S = 0.1
"""Shortest burst that is shown: anything shorter is warm-up; --json has it."""

_KINDS = 3
"""Largest number of kinds of buffers shown; --json has every buffer."""

_DIGITS = 3

_MOVES = (" still fills", " still runs dry", " than taken")
"""Endings of the warnings of a run that ended while a level moved."""


def hint(warnings: Iterable[str]) -> str:
    """Advice beside an answer that a moving level makes unknown, as text; empty if no warning is about one."""
    if any(each in warning for warning in warnings for each in _MOVES):
        return "a level still moves when this run ends; ask for a time, as with --for 2h, to see what lasts"
    return ""


def burst_words(
    bursts: Sequence[Burst], amount: float, unit: str, unnamed: AbstractSet[str] = frozenset()
) -> Iterator[str]:
    """Yield the longest burst of each kind of buffer; ``bursts`` come in order of length, the longest last.

    Args:
        amount: amount of one completed request in ``unit``.
        unnamed: buffers that a user does not know.
    """
    bursts = [burst for burst in bursts if burst.seconds.value >= SHORT_S]
    names = common_names(burst.place for burst in bursts)
    longest = {names[burst.place]: burst for burst in bursts}
    kinds = sorted(longest, key=lambda name: longest[name].seconds.value)
    hidden = kinds[:-_KINDS]
    for name in kinds[-_KINDS:]:
        alike = sum(names[burst.place] == name for burst in bursts)
        more = f"; {len(hidden)} more kinds of buffer were sooner" if hidden and name == kinds[-1] else ""
        burst = longest[name]
        speed = figure_text(burst.throughput.value * amount, unit, _DIGITS)
        until = "" if burst.place in unnamed else _until(burst, name, alike)
        yield f"{speed} for {figure_text(burst.seconds.value, 's', _DIGITS)}{until}{more}"


def _until(burst: Burst, name: str, alike: int) -> str:
    """The end of a burst: the last of ``alike`` buffers is full or empty."""
    name = name.removeprefix("buffer ")
    place = f"the last of {alike} alike, {name}," if alike > 1 else name
    return f", until {place} is {'full' if burst.full else 'empty'}"
