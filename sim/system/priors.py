"""Prior knowledge about a kind of part, from parts measured on other machines.

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

from sim.engine.errors import InputError, nearest, shown
from sim.engine.files import read_toml
from sim.engine.statistics.student_t import quantile
from sim.system.complaints import complaint
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.quantities import measured
from sim.system.shipped import shipped

WEIGHT = 2
"""Weight of the common deviation of all kinds, in machines."""

BOUNDS = 2.0 / DEVIATIONS
"""Ratio of a prior's bounds to its range, each as a distance from the centre."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Machine(_Entry):
    """A measured part: its machine, a quantity such as 25us, and its source.

    Attributes:
        like: class of machine, if parts differ by it; empty for several, or if unknown.
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
        """Measured value of each machine, in ``unit``."""
        return {each.machine: measured(each.machine, each.value)[1] for each in self.machines}

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return measured(self.about, self.machines[0].value)[0]


@dataclass(frozen=True)
class Prior:
    """Prior of a part on an unmeasured machine, in the unit of the values.

    Attributes:
        value: the centre: the geometric mean.
        low, high: bounds for a fit.
        likely: 90 % range.
        source: description of its data, one line.
    """

    value: float
    low: float
    high: float
    likely: tuple[float, float]
    source: str


def spread(kinds_of: Iterable[Sequence[float]]) -> float:
    """Common deviation of the logarithm within kinds, from the values of each kind."""
    logs = [[math.log(value) for value in values] for values in kinds_of]
    squares = math.fsum((each - fmean(of)) ** 2 for of in logs for each in of)
    return math.sqrt(squares / sum(len(of) - 1 for of in logs))


def prior_of(values: Mapping[str, float], about: str, between: float) -> Prior:
    """The prior from ``values`` by machine; ``between`` is the common deviation of all kinds."""
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
        InputError: there is no such kind; the message lists the allowed ones.
    """
    if name not in kinds():
        raise InputError(f"no prior '{shown(name)}'; {nearest(name, kinds())}")
    kind = kinds()[name]
    between = spread(list(each.values.values()) for each in kinds().values())
    return kind.unit, prior_of(kind.values, kind.about, between)
