"""The first table of a report: how far off each dataset is, and the figures that test the models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from sim.prediction.report import ROLES, Cell, Report, Summary, summarise

Level = Literal["whole", "role"]
"""What a line of totals is about: a whole dataset, or one role in it."""

FEW = 4
"""Datasets of which the roles are told one by one; of more they would fill several screens."""


def totals(report: Report) -> Iterator[tuple[Level, Summary]]:
    """The errors of each dataset, then those of all, if there are several.

    Those of each role follow a dataset, if there are few, and always the last line.
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
    for role in ROLES:
        if of_role := [cell for cell in cells if cell.role == role]:
            yield summarise(role, of_role)


def independent(report: Report) -> Summary | None:
    """The errors of the figures that test the models; None where there are none."""
    cells = [cell for cell in report.cells if cell.role == "predicted"]
    return summarise("predicted", cells) if cells else None
