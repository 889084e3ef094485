"""What is known of a part before it is measured: values of parts of its kind on machines that were.

The logarithms of n values have the mean m and the deviation s = √((2 p² + Σ (xᵢ − m)²) / (2 + n − 1)), where p is
that of all kinds together, which counts like two machines. The next machine lies about m with a deviation of
s √(1 + 1/n), under Student's distribution of 2 + n − 1 degrees of freedom; see equation 1 of docs/dev/fitting.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sim.errors import InputError, nearest, shown
from sim.files import read_toml
from sim.statistics.student_t import quantile
from sim.system.complaints import complaint
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.quantities import measured
from sim.system.shipped import shipped

WEIGHT = 2
"""Machines that the deviation of all kinds together counts like."""

BOUNDS = 2.0 / DEVIATIONS
"""From the centre of a prior to the bounds of its parameter, over that to the ends of its range."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Machine(_Entry):
    """A part that was measured: on which machine, a quantity such as 25us, and where that stands.

    Attributes:
        like: what kind of machine it is, where that tells parts apart; empty where it is several, or not known.
    """

    machine: str = Field(min_length=1)
    value: str = Field(min_length=1)
    source: str = Field(min_length=1)
    like: str = ""


class Kind(_Entry):
    """Parts of one kind, all measured in one unit."""

    about: str = Field(min_length=1)
    machines: tuple[Machine, ...] = Field(min_length=1, strict=False)

    @property
    def values(self) -> dict[str, float]:
        """What each machine was found to take, in ``unit``."""
        return {each.machine: measured(each.machine, each.value)[1] for each in self.machines}

    @property
    def unit(self) -> str:
        """That of the values."""
        return measured(self.about, self.machines[0].value)[0]


@dataclass(frozen=True)
class Prior:
    """Where a part of a kind lies on a machine that was not measured, in the unit of the values.

    Attributes:
        value: the centre: the geometric mean.
        low, high: bounds for a fit.
        likely: where it lies in nine of ten cases.
        source: of what it was made, in a line.
    """

    value: float
    low: float
    high: float
    likely: tuple[float, float]
    source: str


def spread(kinds_of: Iterable[Sequence[float]]) -> float:
    """Deviation of the logarithm between parts of one kind: that of all kinds together, each by its values."""
    logs = [[math.log(value) for value in values] for values in kinds_of]
    squares = math.fsum((each - fmean(of)) ** 2 for of in logs for each in of)
    return math.sqrt(squares / sum(len(of) - 1 for of in logs))


def prior_of(values: Mapping[str, float], about: str, between: float) -> Prior:
    """The prior that ``values`` make, by the name of each machine; ``between`` is the deviation of all kinds."""
    logs = [math.log(value) for value in values.values()]
    count, mean, freedom = len(logs), fmean(logs), WEIGHT + len(logs) - 1
    squares = WEIGHT * between**2 + math.fsum((each - mean) ** 2 for each in logs)
    deviation = math.sqrt(squares / freedom * (1.0 + 1.0 / count))
    half = quantile(0.5 + 0.5 * CONFIDENCE, freedom) * deviation
    low, first, last, high = (math.exp(mean + step) for step in (-BOUNDS * half, -half, half, BOUNDS * half))
    return Prior(math.exp(mean), low, high, (first, last), f"{about}: {count} measured ({', '.join(values)})")


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds of parts, by name; read once.

    Raises:
        InputError: the file is missing or not usable.
    """
    path = shipped("priors.toml")
    try:
        return MappingProxyType(TypeAdapter(dict[str, Kind]).validate_python(read_toml("priors", path).tables))
    except ValidationError as error:
        raise InputError(f"{path}: {complaint(error, Kind)}") from None


def prior(name: str) -> tuple[str, Prior]:
    """The unit and the prior of the kind ``name``.

    Raises:
        InputError: there is none; says which are allowed.
    """
    if name not in kinds():
        raise InputError(f"no prior '{shown(name)}'; {nearest(name, kinds())}")
    known = kinds()[name]
    between = spread(list(each.values.values()) for each in kinds().values())
    return known.unit, prior_of(known.values, known.about, between)
