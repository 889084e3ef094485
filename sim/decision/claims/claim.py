"""A claim: what somebody says that a storage stack does, its numbers, and what it is about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWERED = ("throughput", "throughput_each", "iops", "iops_each", "latency", "elapsed")
"""Numbers that are measured, and not settings of what is measured."""


@dataclass(frozen=True)
class Number:
    """A quantity as somebody said it, and where it is by the rounding of its digits.

    Attributes:
        low: the least that it may be, in SI; 0 of "at most".
        high: the most that it may be, in SI; infinite of "at least".
        unit: "bytes/s", "/s", "s", "bytes"; empty of what is counted, and of ratios.
        said: as it was written.
        of: what it is of many: "mean", "sum", "each", "peak", "p99" …; empty where nothing is said.
        cut: how much more than ``high`` it may be where its last digits were cut off and not rounded.
    """

    low: float
    high: float
    unit: str
    said: str
    of: str = ""
    cut: float = 0.0

    @property
    def most(self) -> float:
        """The most that it may be, however its digits came about."""
        return self.high + self.cut

    @property
    def value(self) -> float:
        """What was said: the middle of both ends, or the only end that there is."""
        if math.isinf(self.high):
            return self.low
        return (self.low + self.high) / 2 if self.low > 0.0 else self.high


@dataclass(frozen=True)
class Subject:
    """What a claim is about: a system or a stack file with its settings, or hardware alone; or nothing.

    Attributes:
        system: the name of an installed system, or of a shipped stack.
        stack: a stack file.
        settings: of the system or stack, by name; the others have their defaults.
        hardware: names of the catalogue, ``2 x fc-2`` for two side by side; all of them are passed in series.
        measure: the answer of the system that the number is, if it is not the main one.
    """

    system: str | None = None
    stack: Path | None = None
    settings: Mapping[str, Any] | None = None
    hardware: tuple[str, ...] = ()
    measure: str | None = None

    @property
    def modelled(self) -> str | None:
        """The name by which ``find`` knows the system or stack; None of hardware alone, or of nothing."""
        return str(self.stack) if self.stack else self.system


@dataclass(frozen=True)
class OtherSide:
    """What a claim is compared with, and by how much it differs.

    Attributes:
        ratio: the number ``of`` the claim over that of the other side: 0.72 of "28 % less".
        of: which number is compared, such as ``throughput``.
        change: whether it was said as a change in per cent.
        numbers: of the other side, by name.
        conditions: of the other side.
        subject: of the other side; what it does not say is as in the claim.
    """

    ratio: Number
    of: str
    change: bool
    numbers: Mapping[str, Number]
    conditions: Mapping[str, str]
    subject: Subject

    def with_those_of(self, claim: Claim) -> Mapping[str, Number]:
        """Its numbers; what it does not say is as in ``claim``, but for what was measured."""
        return {**{name: each for name, each in claim.numbers.items() if name not in ANSWERED}, **self.numbers}


@dataclass(frozen=True)
class Claim:
    """What somebody says.

    Attributes:
        text: as it was said.
        source: who said it, where and when.
        date: of what was measured, ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; hardware has dates. None: not known.
        numbers: by name (`KINDS`).
        conditions: ``op``, ``pattern``, ``access``, ``data``, ``price``, as far as they are said.
        subject: what it is about.
        comparison: with what else, if it is a claim of a ratio or a change.
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
        """Its numbers, with the ratio to the other side if it is compared."""
        return {**self.numbers, **({"ratio": self.comparison.ratio} if self.comparison else {})}
