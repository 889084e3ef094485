"""The fit of nvme, done anew: what it predicts of figures that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest

from sim.calibration.cross_validation import cross_validate
from sim.calibration.problem import Problem
from sim.prediction.report import datasets
from sim.system import find

pytestmark = pytest.mark.slow


def test_runs_that_a_fit_has_not_seen_are_predicted():
    both = datasets(["nvme", "nvme-blocks"])
    figures = [figure for dataset in both for figure in dataset.fitted()]
    problem = Problem(find("nvme"), figures, None, {dataset.name: dataset.scatter for dataset in both})
    held = cross_validate(problem, lambda _stage: None)
    errors = np.array([abs(held.predicted[index] / each.value - 1.0) for index, each in enumerate(figures)])
    of_depths = np.array([each.dataset == "nvme" for each in figures])
    assert np.median(errors[of_depths]) < 0.02
    assert np.max(errors[of_depths]) < 0.14
    assert np.median(errors[~of_depths]) < 0.07
    assert held.coverage(problem.published) > 0.8
