"""Draws of a fit: none less likely than the covariance says, where predictions do not follow in proportion."""

from __future__ import annotations

import numpy as np
import pytest

from sim.calibration.confidence import certainty
from sim.calibration.draws import draws
from sim.calibration.solve import Solution
from sim.prediction.uncertainty import mirrored_points

FIGURES = 6
LOW, HIGH, WEIGHT = np.log([1e-3, 1e-6]), np.log([1e3, 1e2]), 20.0


class _Made:
    """Six figures that are the sum of two times, of which the second is a hundredth, within bounds."""

    free, prior_weights, low, high = (0, 1), 4.0 / (HIGH - LOW), LOW, HIGH
    weights, scatter, published = np.full(FIGURES, WEIGHT), np.full(FIGURES, 0.05), np.full(FIGURES, 1.01)

    def __init__(self, predicted):
        self.predicted = predicted

    def compute(self, points, seen):
        return np.array([[self.predicted(point)] * len(seen) for point in points])

    def values(self, point):
        return dict(zip("ab", np.exp(np.clip(point, LOW, HIGH)).tolist(), strict=True))

    def residuals(self, predicted, _seen):
        return np.log(predicted / self.published) * self.weights


def _sum(point):
    return float(np.exp(point).sum())


def _product(point):
    """Draws by the slopes of the sum: as much per logarithm of each wherever that is."""
    return 1.01 * float(np.exp((point - np.log([1.0, 0.01])) @ np.array([1.0, 0.01]) / 1.01))


def _drawn(predicted):
    """The draws of a fit that ended at 1 and 0.01, and what the covariance alone says, both as logarithms."""
    slopes = np.tile(WEIGHT * np.array([1.0, 0.01]) / 1.01, (FIGURES, 1))
    at = np.log([1.0, 0.01])
    end = Solution(at, 0.0, tuple(range(FIGURES)), np.full(FIGURES, 1.01), slopes, ())
    problem = _Made(predicted)
    found = certainty(problem, end)
    alone = at + np.array(list(mirrored_points(2))) @ np.linalg.cholesky(found.covariance).T
    return np.log(draws(problem, end, found)), np.clip(alone, LOW, HIGH), at


def _risen(logs, at):
    """By how much the squares rise, and how much that may be, shape (2, draws)."""
    moved = WEIGHT * np.log(np.exp(logs).sum(axis=1) / 1.01)
    risen = FIGURES * moved**2 + np.sum(((logs - at) * _Made.prior_weights) ** 2, axis=1)
    return risen, np.sum(np.array(list(mirrored_points(2))) ** 2, axis=1)


def test_a_small_time_is_drawn_no_larger_than_figures_allow():
    drawn, alone, at = _drawn(_sum)
    assert np.exp(alone[:, 1].max()) > 10.0  # times all that was measured
    assert np.exp(drawn[:, 1].max()) < 0.2
    risen, allowed = _risen(drawn, at)
    assert np.all(risen <= allowed * 1.001)
    whole = np.less_equal(*_risen(alone, at))
    assert 0 < whole.sum() < len(whole)
    assert drawn[whole] == pytest.approx(alone[whole])


@pytest.mark.parametrize("predicted", [_product, lambda _point: float("nan")])
def test_draws_follow_the_covariance_for_proportional_or_unknown_predictions(predicted):
    drawn, alone, _ = _drawn(predicted)
    assert drawn == pytest.approx(alone)
