"""The fit of shared-file finds the values that are written down, and holds for figures that it has not seen."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from models.systems.shared_file import SHARED_FILE
from sim.calibration.problem import Problem
from sim.calibration.solve import solve
from sim.calibration.splits import folds
from sim.prediction.report import datasets

pytestmark = pytest.mark.slow

EIGHT_THREADS = "shared-file/4K/xfs (8thr)"


@pytest.fixture(scope="module")
def problem():
    (dataset,) = datasets(["shared-file"])
    return Problem(SHARED_FILE, dataset.fitted(), scatter={dataset.name: dataset.scatter})


def test_the_fit_finds_the_values_that_are_written_down(problem):
    found = problem.values(solve(problem, range(len(problem.figures)), problem.centre).point)
    for entry in problem.free:
        assert entry.likely[0] <= found[entry.name] <= entry.likely[1]
        assert found[entry.name] == pytest.approx(entry.value, rel=0.2 if entry.name == "duo_xfs_s" else 0.1)


def test_figures_are_predicted_by_fits_that_have_not_seen_them(problem):
    """Each fit begins at the priors. Nothing but eight threads tells the part that is one after the other."""
    errors = {}
    for split in folds(problem.runs):
        point = solve(problem, split.seen, problem.centre).point
        predicted = problem.predict([point], split.held_out)[0]
        for index, value in zip(split.held_out, predicted.tolist(), strict=True):
            errors[problem.figures[index].cell] = abs(value / problem.published[index] - 1.0)
    assert statistics.median(errors.values()) <= 0.03
    eight = errors.pop(EIGHT_THREADS)
    assert 0.1 < eight < 0.5
    assert np.quantile(list(errors.values()), 0.95) <= 0.1
