"""Roles of fitted figures: where there is about a parameter for each, the fit restates them."""

from __future__ import annotations

import pytest

from sim.prediction.report import datasets, system_of
from sim.prediction.roles import SATURATED, figures_per_parameter
from sim.system.parameters import Parameter, Parameters


def told_by(name, *cells, basis="derived"):
    return Parameter(name, 1.0, "s", 0.1, 10.0, basis, "a figure", cells)


def test_datasets_that_share_parameters_are_counted_together():
    parameters = Parameters(
        (
            told_by("a", "one/r/1", "one/r/2"),
            told_by("b", "one/r/2", "two/r/1", basis="fitted"),
            told_by("c", "two/r/2", "two/r/3", "two/r/4"),
            told_by("d", "three/r/1"),
            told_by("e", "three/r/2", basis="published"),
            told_by("f", basis="assumed"),
        )
    )
    assert figures_per_parameter(parameters, "one") == figures_per_parameter(parameters, "two") == 6 / 3
    assert figures_per_parameter(parameters, "three") == 1
    assert figures_per_parameter(parameters, "four") is None


@pytest.mark.parametrize(
    ("name", "ratio"), [("zfs-ufs", 17 / 16), ("exadata-v1", 13 / 10), ("direct-copy", 1), ("cached-read", 1)]
)
def test_datasets_with_about_a_parameter_for_each_figure_are_restated_by_their_fit(name, ratio):
    (dataset,) = datasets([name])
    assert figures_per_parameter(system_of(dataset, None).parameters, name) == pytest.approx(ratio)
    assert ratio <= SATURATED


def test_anchors_are_fitted_together_with_the_machines_they_stand_beside():
    both = [
        figures_per_parameter(system_of(each, None).parameters, each.name)
        for each in datasets(["cubefs", "cubefs-anchors"])
    ]
    assert both == [72 / 18, 72 / 18]
