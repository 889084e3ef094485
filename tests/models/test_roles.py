"""Figures that parameters are made from: traced through the derivations, not listed by hand."""

import dataclasses
import importlib
import pkgutil

import pytest

from models import systems as rooms
from sim.prediction.report import datasets
from sim.prediction.roles import role_of
from sim.system.derivation import Input
from sim.system.installed import find, systems
from sim.system.records import kept_in

FACTORS = {
    "s": (1.0,),
    "MB/s": (1e6,),
    "%": (1.0, 0.01),
    "waits": (1.0,),
    "writes/s": (1.0,),
    "kIO/s": (1e3,),
    "transactions/s": (1.0,),
    "µs": (1e-6,),
    "us": (1e-6,),
}
"""From the unit of a figure to that of a derivation, which takes a share as a share or in per cent."""


def _records():
    """Every record of numbers that a derivation begins with."""
    for module in pkgutil.walk_packages(rooms.__path__, f"{rooms.__name__}."):
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, type) and each.__module__ == module.name and dataclasses.is_dataclass(each):
                fields = dataclasses.fields(each)
                if fields and all(isinstance(field.metadata.get("stacksim"), Input) for field in fields):
                    yield each


RECORDS = list(_records())


@pytest.fixture(scope="module")
def figures():
    return {figure.cell: figure for each in datasets(()) for figure in each.measurements}


def test_derivations_are_found():
    assert len(RECORDS) >= 7


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__module__)
def test_a_derivation_begins_with_figures_as_they_were_published(record, figures):
    numbers = record()
    for each in kept_in(record, Input, ""):
        for name in each.figures:
            figure, value = figures[name], getattr(numbers, each.name)
            off = min(abs(value / factor - figure.value) for factor in FACTORS[figure.unit])
            assert off <= figure.half_width * (1.0 + 1e-9), name


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__module__)
def test_a_number_that_is_no_figure_is_an_assumed_parameter_or_the_pace_of_a_run(record):
    assumed = {entry.name for each in systems().values() for entry in each.parameters.entries if not entry.cells}
    for each in kept_in(record, Input, ""):
        assert each.figures or each.name in assumed or each.name.endswith("pace"), each.name


def test_a_figure_that_a_derivation_touches_counts_as_fitted_wherever_it_is_compared():
    touched = {cell for record in RECORDS for each in kept_in(record, Input, "") for cell in each.figures}
    for dataset in datasets(()):
        for figure in dataset.predicted():
            if figure.cell in touched:
                assert role_of(find(dataset.system), dataset, figure) == "fitted", figure.cell


@pytest.mark.parametrize("cell", ["exadata-v1/completion time/Exadata", "exadata-v1/direct path write/Ext3 time"])
def test_figures_that_were_once_forgotten_are_fitted(cell):
    (dataset,) = datasets(["exadata-v1"])
    (figure,) = (each for each in dataset.measurements if each.cell == cell)
    assert role_of(find(dataset.system), dataset, figure) == "fitted"
