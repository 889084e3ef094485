"""Cliffs: more of a setting breaks goals that less of it keeps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.decision.screening import computed, told
from sim.decision.search import Option, Search


@dataclass(frozen=True)
class Cliff:
    """From ``value`` of ``setting`` on, with the rest of the design unchanged, goals break.

    Attributes:
        last: the largest tried value below; as far as is known, it keeps all goals.
        reason: what breaks.
    """

    setting: str
    last: Any
    value: Any
    status: str
    reason: str


def cliffs(found: Search) -> Iterator[Cliff]:
    """The first cliff of each setting above its value in the design."""
    design = found.design
    if not design:
        return
    for number, axis in enumerate(found.space.axes):
        if not axis.ordered:
            continue
        name = axis.setting.name
        line = [found.at[design.candidate.moved(number, rank)] for rank in range(len(axis.values))]
        above = line[design.candidate.ranks[number] + 1 :]
        if broken := _first_broken(found, above):
            below = [each for each in above[: above.index(broken)] if told(each.trial)]
            last = (below or [design])[-1].candidate.design[name]
            yield Cliff(name, last, broken.candidate.design[name], broken.trial.status, broken.trial.reason)


def _first_broken(found: Search, above: Sequence[Option]) -> Option | None:
    """The first broken option: computed up to it, if goals can be computed, and a few tried by a short run."""
    if not all(asked.percentiles for asked in found.trials.asked):
        next(filter(_is_broken, found.look(above, computed)), None)
    deque(found.look(_fewer(above)), maxlen=0)
    return next(filter(_is_broken, above), None)


def _is_broken(option: Option) -> bool:
    return option.trial.status in ("missed", "unstable")


def _fewer(options: Sequence[Option]) -> Iterator[Option]:
    """The first few options, then ever sparser ones up to the last: a short run of each would take too long."""
    index = 0
    while index < len(options) - 1:
        yield options[index]
        index += max(1, index // 2)
    yield from options[-1:]
