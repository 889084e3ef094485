"""What was published about a system, by the settings that it was measured under."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.data.package import DataPackage
from sim.errors import InputError
from sim.system.case import Case
from sim.system.system import System

Conditions = frozenset[tuple[str, Any]]
"""A value for each setting."""


def published_figures(system: System) -> dict[tuple[Conditions, str], tuple[float, str]]:
    """Value and unit of each published figure of ``system``, by conditions and measure; those of its own hardware.

    None where parameters were set: that is no system that anybody has measured.
    """
    if system.data_package is None or system.parameters.set():
        return {}
    package = DataPackage(Path(system.data_package))
    datasets = (package.read(name) for name in package.names())
    figures = {}
    for dataset in datasets:
        for figure in dataset.predicted() if dataset.system == system.name else ():
            try:
                case = Case.of(system, dict(figure.conditions))
            except InputError:  # `stacksim report` says what is wrong with it
                continue
            figures[conditions(case.settings), figure.measure] = figure.value, figure.unit
    return figures


def conditions(settings: Mapping[str, Any]) -> Conditions:
    """``settings`` as a key."""
    return frozenset(settings.items())
