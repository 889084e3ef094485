"""A measured figure beside its prediction, and the errors of several."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sim.prediction.ledger import First
from sim.prediction.repeats import Repeats
from sim.prediction.roles import RESTATED_BY_FIT, Role
from sim.statistics.estimates import percentile_95


@dataclass(frozen=True)
class Cell:
    """One measured figure and its prediction.

    Attributes:
        published: as it was published, or measured by the user.
        error: predicted / published - 1.
        held_out: the same error for a fit that had not seen the figure; None for a figure that was not fitted.
        restated: what makes a figure of that role say nothing new; else None.
        restated_by_fit: whether it is fitted, and there is about a parameter for each such figure.
        first: of a predicted figure, what was first predicted of it; None where no ledger has it.
    """

    dataset: str
    row: str
    column: str
    measure: str
    published: float
    unit: str
    predicted: float
    low: float
    high: float
    error: float
    role: Role
    held_out: float | None
    restated: str | None = None
    restated_by_fit: bool = False
    first: First | None = None

    @property
    def counted_as(self) -> str:
        """The role under which its error counts."""
        return RESTATED_BY_FIT if self.restated_by_fit else self.role


@dataclass(frozen=True)
class Summary:
    """Absolute errors of so many ``cells``, as fractions: mean, median, 95th percentile and worst.

    Attributes:
        figures_per_parameter: of a dataset, how many figures tell a parameter; None where they tell none.
        repeats: of a dataset, how far apart repeats of a run lie; None where nothing was repeated.
    """

    name: str
    cells: int
    mape: float
    median: float
    p95: float
    worst: float
    figures_per_parameter: float | None = None
    repeats: Repeats | None = None

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``report --json``."""
        values = asdict(self)
        return {"dataset": values.pop("name"), **values}


def summarise(name: str, cells: Iterable[Cell]) -> Summary:
    """Absolute errors of ``cells`` (at least one), under a ``name``."""
    errors = sorted(abs(cell.error) for cell in cells)
    middle, most = statistics.median(errors), percentile_95(errors)
    return Summary(name, len(errors), statistics.fmean(errors), middle, most, errors[-1])
