"""The first table of a report: errors by dataset and role, and of predictions as first recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sim.prediction.cells import Cell, Summary, summarise
from sim.prediction.ledger import REPEATS
from sim.prediction.report import Report
from sim.prediction.roles import COUNTED_AS

Level = Literal["whole", "role"]
"""Subject of a line of totals: a whole dataset, or one role in it."""

FEW = 4
"""Largest number of datasets with a line for each role; more would fill several screens."""


def totals(report: Report) -> Iterator[tuple[Level, Summary]]:
    """Errors of each dataset, then those of all, if there are several.

    Lines for each role follow a dataset, if there are few, and always the last one.
    """
    names = [summary.name for summary in report.summary]
    parts = [(name, [cell for cell in report.cells if cell.dataset == name]) for name in names]
    if len(parts) > 1:
        parts.append(("all datasets", list(report.cells)))
    for number, (name, cells) in enumerate(parts, 1):
        yield "whole", summarise(name, cells)
        if len(names) <= FEW or number == len(parts):
            yield from (("role", each) for each in _by_role(cells))


def _by_role(cells: Sequence[Cell]) -> Iterator[Summary]:
    for role in COUNTED_AS:
        if of_role := [cell for cell in cells if cell.counted_as == role]:
            yield summarise(role, of_role)


def as_first_predicted(report: Report) -> tuple[Summary, int] | None:
    """Errors of predicted figures as first predicted, and the number whose prediction is unchanged.

    None if no ledger has any of them.
    """
    pairs = [(cell, cell.first) for cell in report.cells if cell.first]
    if not pairs:
        return None
    unchanged = sum(abs(first.error - cell.error) <= REPEATS for cell, first in pairs)
    return summarise("as first predicted", (replace(cell, error=first.error) for cell, first in pairs)), unchanged
