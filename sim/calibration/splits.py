"""Splits of figures for cross-validation: fixed folds, and transfers to conditions that were never seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.data.package import Dataset, Measurement

FOLDS = 9
"""Folds of a cross-validation."""


@dataclass(frozen=True)
class Split:
    """Indices of the figures that a fit sees (``seen``) and of those that it predicts (``held_out``)."""

    name: str
    seen: tuple[int, ...]
    held_out: tuple[int, ...]


def folds(count: int, most: int = FOLDS) -> tuple[Split, ...]:
    """Cut ``count`` figures, two at least, into folds: every ninth in the order of the table.

    Neighbours are in different folds, and the choice is fixed.
    """
    number = min(most, count)
    everything = range(count)
    return tuple(
        Split(
            f"fold {fold + 1}",
            tuple(each for each in everything if each % number != fold),
            tuple(each for each in everything if each % number == fold),
        )
        for fold in range(number)
    )


def transfers(dataset: Dataset, figures: Sequence[Measurement]) -> tuple[Split, ...]:
    """The splits that ``dataset`` asks for, as indices into ``figures`` of it."""
    splits = []
    for transfer in dataset.transfers:
        held = [transfer.holds(each) for each in figures]
        splits.append(
            Split(
                transfer.name,
                tuple(index for index, each in enumerate(held) if not each),
                tuple(index for index, each in enumerate(held) if each),
            )
        )
    return tuple(split for split in splits if split.seen and split.held_out)
