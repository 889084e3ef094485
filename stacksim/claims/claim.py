"""A claim: a statement about the performance of a storage stack, its numbers, and its subject."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWERED = ("throughput", "throughput_each", "iops", "iops_each", "latency", "elapsed")
"""Numbers that are measured, not settings of the system that is measured."""


@dataclass(frozen=True)
class Number:
    """A quantity as it was stated, with the range that the rounding of its digits leaves open.

    Attributes:
        low: the least value, in SI; 0 for "at most".
        high: the largest value, in SI; infinite for "at least".
        unit: "bytes/s", "/s", "s", "bytes"; empty for counts and ratios.
        said: as it was written.
        of: its statistic: "mean", "sum", "each", "peak", "p99" …; empty if not stated.
        cut: how much larger than ``high`` it may be if its last digits were truncated, not rounded.
    """

    low: float
    high: float
    unit: str
    said: str
    of: str = ""
    cut: float = 0.0

    @property
    def most(self) -> float:
        """The largest value, whether digits were rounded or truncated."""
        return self.high + self.cut

    @property
    def value(self) -> float:
        """The stated value: the middle of both ends, or the only end."""
        if math.isinf(self.high):
            return self.low
        return (self.low + self.high) / 2 if self.low > 0.0 else self.high


@dataclass(frozen=True)
class Subject:
    """Subject of a claim: a system or a stack file with its settings, or hardware alone; or nothing.

    Attributes:
        system: the name of an installed system, or of a shipped stack.
        stack: a stack file.
        settings: values of settings of the system or stack, by name; all others have their defaults.
        hardware: names of the catalogue, ``2 x fc-2`` for two side by side; data pass all entries in series.
        measure: the answer of the system that the number states, if it is not the main one.
    """

    system: str | None = None
    stack: Path | None = None
    settings: Mapping[str, Any] | None = None
    hardware: tuple[str, ...] = ()
    measure: str | None = None

    @property
    def modelled(self) -> str | None:
        """Name of the system or stack for ``find``; None if the claim is about hardware alone, or nothing."""
        return str(self.stack) if self.stack else self.system


@dataclass(frozen=True)
class OtherSide:
    """The other side of a comparison, and the stated ratio.

    Attributes:
        ratio: the claim's number ``of`` divided by that of the other side: 0.72 for "28 % less".
        of: name of the number compared, such as ``throughput``.
        change: True if it was stated as a change in per cent.
        numbers: numbers of the other side, by name.
        conditions: conditions of the other side.
        subject: subject of the other side; its empty fields are as in the claim.
    """

    ratio: Number
    of: str
    change: bool
    numbers: Mapping[str, Number]
    conditions: Mapping[str, str]
    subject: Subject

    def with_those_of(self, claim: Claim) -> Mapping[str, Number]:
        """Numbers of this side; those not given are taken from ``claim``, except measured ones."""
        return {**{name: each for name, each in claim.numbers.items() if name not in ANSWERED}, **self.numbers}


@dataclass(frozen=True)
class Claim:
    """A statement about a storage stack, with its numbers.

    Attributes:
        text: the statement, as it was made.
        source: who said it, where and when.
        date: date of the measurement, ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; hardware has dates. None: unknown.
        numbers: by name (`KINDS`).
        conditions: ``op``, ``pattern``, ``access``, ``data``, ``price``, as far as they are given.
        subject: the system, stack or hardware.
        comparison: the other side, if it is a claim of a ratio or a change.
        where: file and line, to begin an error with.
    """

    text: str
    source: str
    date: str | None
    numbers: Mapping[str, Number]
    conditions: Mapping[str, str]
    subject: Subject
    comparison: OtherSide | None
    where: str

    @property
    def said(self) -> Mapping[str, Number]:
        """Numbers by name, with the ratio to the other side if there is one."""
        return {**self.numbers, **({"ratio": self.comparison.ratio} if self.comparison else {})}
