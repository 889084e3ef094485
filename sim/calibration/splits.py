"""Splits of figures for cross-validation: fixed folds, and transfers to unseen conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.data.dataset import Dataset, Measurement

FOLDS = 9
"""Folds of a cross-validation."""


@dataclass(frozen=True)
class Split:
    """Indices of the figures that a fit uses (``seen``) and of those that it predicts (``held_out``)."""

    name: str
    seen: tuple[int, ...]
    held_out: tuple[int, ...]


def folds(runs: Sequence[int], most: int = FOLDS) -> tuple[Split, ...]:
    """Split figures into folds: every ninth run, in the order of first appearance in the table.

    Answers of one run follow from each other (throughput and latency, by Little's law), so they are held out
    together. Neighbours are in different folds, and the choice is fixed.

    Args:
        runs: number of each figure's run, from 0 in the order of the table.
    """
    number = min(most, max(runs) + 1)
    return tuple(
        Split(
            f"cross-validation, fold {fold + 1}",
            tuple(each for each, run in enumerate(runs) if run % number != fold),
            tuple(each for each, run in enumerate(runs) if run % number == fold),
        )
        for fold in range(number)
    )


def transfers(dataset: Dataset, figures: Sequence[Measurement]) -> tuple[Split, ...]:
    """The splits of ``dataset``, as indices into its ``figures``."""
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
