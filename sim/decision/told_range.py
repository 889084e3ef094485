"""Ranges of designs in which a goal breaks whose answer comes from measured jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sim.decision.goals import Goal
from sim.decision.loads import Load
from sim.decision.search import Option, Search
from sim.engine.errors import StacksimError
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case


@dataclass(frozen=True)
class ToldRange:
    """Values of ``setting``, with the rest of the design unchanged, between which ``goal`` breaks at 90 %.

    Attributes:
        load: name of the load.
        first: the lowest value whose band reaches beyond the limit; None if there is none.
        last: the highest value whose band reaches within it; None if there is none.
        most: the highest value for which measured jobs give the answer.
    """

    goal: str
    load: str
    setting: str
    first: Any
    last: Any
    most: Any


def told_ranges(found: Search, option: Option, goal: Goal, load: Load) -> Iterator[ToldRange]:
    """The range along each ordered setting, if measured jobs give answers for several of its values."""
    for number, axis in enumerate(found.space.axes):
        ranks = [option.candidate.moved(number, rank) for rank in range(len(axis.values) if axis.ordered else 0)]
        designs = [found.at[each].candidate.design for each in ranks]
        bands = _bands(found, designs, axis.setting.name, goal, load)
        if len(bands) > 1:
            beyond = [each for each, band in bands.items() if not goal.keeps(_end(band, low=goal.at_least))]
            within = [each for each, band in bands.items() if goal.keeps(_end(band, low=not goal.at_least))]
            first, last = min(beyond, default=None), max(within, default=None)
            yield ToldRange(goal.text, load.name, axis.setting.name, first, last, max(bands))


def _end(band: PredictionInterval, *, low: bool) -> float:
    return band.low if low else band.high


def _bands(
    found: Search, designs: list[Mapping[str, Any]], name: str, goal: Goal, load: Load
) -> dict[Any, PredictionInterval]:
    """Bands from measured jobs for those ``designs`` that have one, by their value of the setting ``name``."""
    bands = {}
    for design in designs:
        with suppress(StacksimError):  # its trial says why there is no such case
            if band := _band(found.trials.case(design, load), goal.measure):
                bands[design[name]] = band
    return bands


def _band(case: Case, measure: str) -> PredictionInterval | None:
    from sim.prediction.told_percentiles import told_percentiles  # lazily: curves load scipy

    return next((each.band for each in told_percentiles(case) if each.measure == measure), None)
