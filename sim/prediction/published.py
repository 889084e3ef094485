"""Published figures of a system, by the settings under which they were measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.data.dataset import Measurement
from sim.data.misses import FILE, lines
from sim.data.package import DataPackage
from sim.data.packages import contributions, packages
from sim.engine.errors import InputError
from sim.system.case import Case
from sim.system.settings import Values
from sim.system.system import System

Conditions = frozenset[tuple[str, Any]]
"""A value for each setting."""


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure.

    Attributes:
        half_width: half the rounding interval.
    """

    value: float
    unit: str
    half_width: float


def published_figures(system: System) -> dict[tuple[Conditions, str], PublishedFigure]:
    """Published figures of ``system`` on its own hardware, by conditions and measure.

    Empty if parameters were set: such a system was never measured.
    """
    if system.parameters.set():
        return {}
    return {
        (conditions(settings), figure.measure): PublishedFigure(figure.value, figure.unit, figure.half_width)
        for settings, figure in published(system)
    }


def published(system: System) -> Iterator[tuple[Values, Measurement]]:
    """Published figures that ``system`` predicts, each with complete settings."""
    if system.data_package is None:
        return
    for package in packages(Path(system.data_package)):
        for name in package.about(system.measured_as):
            for figure in package.read(name).predicted():
                with suppress(InputError):  # `stacksim report` reports the error
                    yield Case.of(system, dict(figure.conditions)).settings, figure


def compared(system: System) -> Iterator[Values]:
    """Settings of each figure of ``published`` that models were compared with.

    A contribution that was just added is left out: its errors are in no file of misses yet.
    """
    if system.data_package is None:
        return
    added = map(DataPackage, contributions(system.data_package))
    own = {name for package in added for name in package.about(system.measured_as)}
    held = {line["dataset"] for line in lines(system.data_package / FILE)}
    yield from (settings for settings, figure in published(system) if figure.dataset not in own - held)


def conditions(settings: Mapping[str, Any]) -> Conditions:
    """``settings`` as a hashable key."""
    return frozenset(settings.items())
