"""Role of a figure in a report: whether it tests the models, given the freedom of the parameters."""

from __future__ import annotations

from typing import Literal

from sim.data.dataset import Dataset, Measurement
from sim.system.parameters import Basis, Parameters
from sim.system.system import System

Role = Literal["predicted", "restated", "fitted", "input"]
"""Role of a figure: predicted, it tests the models. Restated, it follows from others, or could not be
missed. Fitted, a parameter was derived from it or fitted to it, or it was given for that; an input is a parameter
itself."""

RESTATED_BY_FIT = "restated by fit"
"""Role of fitted figures with about one parameter for each, so that they could not be missed."""

COUNTED_AS: tuple[str, ...] = ("predicted", "restated", "fitted", RESTATED_BY_FIT, "input")
"""Roles in the order of reports."""

SATURATED = 4.0 / 3.0
"""Figures per parameter up to which a fit restates them: four figures to three parameters leave one free."""

_ROLES: dict[Basis, Role] = {"published": "input", "derived": "fitted", "fitted": "fitted"}


def role_of(system: System, dataset: Dataset, figure: Measurement) -> Role:
    """Role of ``figure`` of ``dataset`` for ``system``."""
    for parameter in system.parameters.entries:
        if figure.cell in parameter.cells:
            return _ROLES[parameter.basis]
    if dataset.why_restated(figure):
        return "restated"
    return "fitted" if dataset.is_for_fit(figure) else "predicted"


def figures_per_parameter(parameters: Parameters, dataset: str) -> float | None:
    """Figures per parameter of ``dataset``, and of datasets that share parameters with it.

    Counted are parameters that were derived from figures or fitted to them; None if there is none.
    """
    tied = [each for each in parameters.entries if each.basis in ("derived", "fitted") and each.cells]
    joined, wider = set[str](), {dataset}
    while wider != joined:
        joined = wider
        of = [each for each in tied if joined & {_dataset_of(cell) for cell in each.cells}]
        wider = joined | {_dataset_of(cell) for each in of for cell in each.cells}
    return len({cell for each in of for cell in each.cells}) / len(of) if of else None


def _dataset_of(cell: str) -> str:
    return cell.partition("/")[0]
