"""Figures made from known parameters, scattered and rounded as the paper's are, give these parameters back."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from models.systems.dbfs import DBFS
from sim.calibration.confidence import profile
from sim.calibration.problem import Problem
from sim.calibration.solve import solve
from sim.data.dataset import SCATTER
from sim.prediction.report import datasets

TRUTHS = 4
WITHIN = 0.85
"""Of 52 intervals at 95 %; fewer than that would happen once in a hundred."""


def rounded(figure, value):
    step = 2 * figure.half_width
    return max(step, round(value / step) * step)


@pytest.mark.slow
def test_known_parameters_lie_within_their_intervals():
    (dbfs,) = datasets(["dbfs-dd"])
    generator = np.random.default_rng(11)
    inside = []
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as workers:
        problem = Problem(DBFS, dbfs.fitted(), workers)
        for _ in range(TRUTHS):
            truth = problem.centre + 0.3 * generator.standard_normal(len(problem.free))
            clean = problem.predict([truth])[0]
            noisy = clean * np.exp(SCATTER * generator.standard_normal(len(clean)))
            problem.published = np.array(
                [rounded(figure, value) for figure, value in zip(problem.figures, noisy, strict=True)]
            )
            solution = solve(problem, range(len(problem.figures)), problem.centre)
            for index, value in enumerate(truth):
                low, high = profile(problem, solution, index)
                inside.append(low <= value <= high)
    assert np.mean(inside) >= WITHIN, f"{np.mean(inside):.0%} of {len(inside)} intervals hold the truth"
