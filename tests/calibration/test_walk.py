"""Between simulations the analytic engine carries what was simulated; slopes are found anew where they miss."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from linear import Linear
from sim.calibration.solve import _descend, solve
from sim.calibration.walk import Place, walk


class Curved(Linear):
    """Two figures whose logarithms are squares; by the analytic engine ``share`` as large, and ``off`` times."""

    def __init__(self, measured=(0.3, 0.9), off=0.95, share=1.0):
        super().__init__([[1.0, 0.0], [0.0, 1.0]], measured)
        self.off, self.share = off, share
        self.ran, self.computed_at = [], []

    def predict(self, points, figures=None, _lengths=None):
        chosen = [0, 1] if figures is None else list(figures)
        self.ran += list(points)
        return np.exp(np.array(points)[:, chosen] ** 2)

    def compute(self, points, figures):
        self.computed_at.append((len(points), list(figures)))
        return self.off * np.exp(self.share * np.array(points)[:, list(figures)] ** 2)


def begun(problem, point=(0.2, 0.2)):
    return Place.at(problem, np.array(point), (0, 1), "long enough")


def test_a_walk_ends_at_the_minimum_and_simulates_nothing_on_its_way():
    problem = Curved()
    end = walk(begun(problem), 2.0, 1e-4, fresh=True)
    assert len(problem.ran) == 1
    assert end.point == pytest.approx([math.sqrt(0.3), math.sqrt(0.9)], abs=0.01)
    assert np.exp(end.logs) == pytest.approx(np.exp(end.point**2))


def test_a_fit_with_an_engine_that_is_off_by_a_share_runs_twice():
    """Where it begins, and with longer runs where the first walk ends: the second goes nowhere."""
    problem = Curved()
    solution = solve(problem, (0, 1), np.array([0.2, 0.2]))
    assert len(problem.ran) == 2
    assert solution.predicted == pytest.approx(np.exp(solution.point**2))
    assert solution.point == pytest.approx([math.sqrt(0.3), math.sqrt(0.9)], abs=0.01)


def test_nothing_is_simulated_again_within_a_hundredth():
    """The share in which the engine errs has changed by 1.7 % where the first walk ends."""
    problem = Curved(share=0.98)
    solution = solve(problem, (0, 1), np.array([0.2, 0.2]))
    assert 2 <= len(problem.ran) <= 3
    problem.ran.clear()
    assert solution.predicted == pytest.approx(problem.predict([solution.point])[0], rel=5e-3)
    assert solution.predicted == pytest.approx(np.exp([0.3, 0.9]), rel=1e-3)


def test_slopes_are_simulated_where_the_engine_no_longer_agrees():
    """At 0.9 it computes 15 % too little of the second figure, at 0.3 5 % of the first."""
    problem = Curved(off=1.0, share=0.82)
    ahead = walk(begun(problem), 2.0, 1e-4, fresh=True)
    assert np.isfinite(ahead.tangent.computed).tolist() == [True, True]
    problem.ran.clear()
    after = ahead.simulated()
    assert np.isfinite(after.tangent.computed).tolist() == [True, False]
    assert len(problem.ran) == 1 + 3
    assert after.tangent.slopes[1, 1] == pytest.approx(2.0 * after.point[1] + 0.05)


def test_a_figure_that_the_engine_does_not_know_is_simulated_where_each_step_ends():
    problem = Curved(off=math.nan)
    solution = solve(problem, (0, 1), np.array([0.2, 0.2]))
    assert len(problem.ran) > 6
    assert solution.point == pytest.approx([math.sqrt(0.3), math.sqrt(0.9)], abs=0.02)


def test_a_walk_stays_within_its_reach():
    problem = Curved(measured=(9.0, 9.0))
    begin = begun(problem)
    end = walk(begin, 0.25, 1e-4, fresh=True)
    assert begin.distance(end) == pytest.approx(0.25)


def test_slopes_are_found_anew_only_of_figures_that_they_missed():
    problem = Curved()
    here = begun(problem)
    there = here.carried(np.array([0.2, 0.6]))
    problem.computed_at.clear()
    renewed = there.renewed(here)
    assert problem.computed_at == [(3, [1])]
    assert renewed.tangent.slopes[1] == pytest.approx([0.0, 1.2 + 0.05])
    assert renewed.tangent.slopes[0].tolist() == here.tangent.slopes[0].tolist()


def test_curved_slopes_meet_a_curved_problem():
    problem = Curved()
    here = begun(problem)
    there = here.carried(np.array([0.25, 0.3]))
    step = there.point - here.point
    assert here.logs + there.tangent.slopes @ step == pytest.approx(there.logs)
    assert (there.tangent.slopes[0, 1], there.tangent.slopes[1, 0]) == (0.0, 0.0)


def test_a_walk_ends_with_slopes_of_where_it_ends():
    problem = Curved()
    end = walk(begun(problem), 2.0, 1e-4, fresh=True)
    assert not end.stale
    assert np.diag(end.tangent.slopes) == pytest.approx(2.0 * end.point + 0.05, abs=0.05)


STRAIGHT = Linear([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], [0.3, 0.1, -0.2])


def at(*point):
    return Place.at(STRAIGHT, np.array(point), (0, 1, 2), "long enough")


def test_residuals_cost_and_jacobian_equal_those_by_hand():
    """Deviations of the priors are 2; figures weigh 25."""
    here = at(0.2, -0.4)
    residuals = [(0.2 - 0.3) * 25, (-0.2 - 0.1) * 25, (-0.8 + 0.2) * 25, 0.1, -0.2]
    assert here.residuals == pytest.approx(residuals)
    assert here.cost == pytest.approx(sum(math.sqrt(1 + each**2) - 1 for each in residuals))
    assert here.jacobian == pytest.approx(25 * STRAIGHT.slopes)
    assert [here.distance(at(*each)) for each in ((0.6, -1.4), (-0.2, 0.6))] == pytest.approx([0.5, 0.5])
    low, high = here.around(0.5, np.array([-0.5, -9.0]), np.array([9.0, 0.5]))
    assert (low.tolist(), high.tolist()) == ([-0.5, -1.4], [1.2, 0.5])
    assert here.only((2, 0)).logs == pytest.approx([-0.8, 0.2])


@pytest.mark.parametrize(("moved", "stale"), [(0.099, False), (0.101, True), (-0.099, False), (-0.101, True)])
def test_slopes_are_stale_a_twentieth_of_a_deviation_from_where_they_were_found(moved, stale):
    here = at(0.0, 0.0)
    assert here.carried(np.array([0.0, moved])).stale is stale
    assert not here.carried(np.array([0.0, moved])).fresh().stale


@pytest.mark.parametrize(("moved", "near"), [(0.009, True), (0.011, False)])
def test_places_are_near_by_their_computed_figures(moved, near):
    here = at(0.0, 0.0)
    assert here.near(at(moved, 0.0), 0.01) is at(moved, 0.0).near(here, 0.01) is near
    unknown = replace(here, tangent=replace(here.tangent, computed=np.full(3, np.nan)))
    assert not here.near(unknown, 1.0)


def test_the_best_point_minimises_linear_residuals_within_the_bounds():
    here, wide = at(1.0, 1.0), np.full(2, 4.0)
    point, cost = here.best(-wide, wide)
    assert cost == pytest.approx(at(*point).cost)
    for each in (at(*(point + step)) for step in ([0.01, 0], [-0.01, 0], [0, 0.01], [0, -0.01])):
        assert each.cost > cost
    point, _ = here.best(np.array([0.5, -4.0]), wide)
    assert point[0] == pytest.approx(0.5)


@pytest.mark.parametrize(("missed", "anew"), [(0.019, []), (0.021, [1]), (-0.021, [1])])
def test_slopes_that_miss_by_two_per_cent_are_renewed(missed, anew, monkeypatch):
    here, asked = at(0.0, 0.0), []
    there = here.carried(np.array([0.2, 0.2]))
    monkeypatch.setattr(Place, "anew", lambda _self, rows: asked.extend(rows))
    replace(there, logs=there.logs + np.array([0.0, missed, 0.0])).renewed(here)
    assert asked == anew


def test_a_failed_walk_halves_the_next_and_success_doubles_it_up_to_a_deviation(monkeypatch):
    """Of seven walks, each a fifth of a deviation long, the first ends where the cost has risen."""
    costs, reaches = iter([12.0, 9.0, 8.0, 7.0, 6.0, 5.0]), []

    def place(cost):
        return SimpleNamespace(cost=cost, distance=lambda _to: 0.2)

    def walked(at, reach, _enough, *, fresh):
        reaches.append(reach)
        assert fresh
        near = len(reaches) == 7
        return SimpleNamespace(
            cost=at.cost / 2.0, near=lambda *_: near, simulated=lambda: place(next(costs)), end=True
        )

    monkeypatch.setattr("sim.calibration.solve.walk", walked)
    assert _descend(place(10.0), 0.01).end
    assert reaches == [1.0, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_a_descent_ends_after_twenty_simulations(monkeypatch):
    ran = []

    def place(cost):
        return SimpleNamespace(cost=cost, distance=lambda _to: 0.2)

    def walked(at, *_reach, fresh):
        assert fresh
        simulated = lambda: ran.append(at.cost) or place(at.cost / 2.0)  # noqa: E731
        return SimpleNamespace(cost=at.cost / 2.0, near=lambda *_: False, simulated=simulated)

    monkeypatch.setattr("sim.calibration.solve.walk", walked)
    assert _descend(place(1.0), 0.01).cost == 0.5**20
    assert len(ran) == 20


@pytest.mark.parametrize(
    ("known", "off", "anew"), [(True, 0.099, []), (True, -0.101, [1]), (False, 0.019, []), (False, 0.021, [1])]
)
def test_slopes_are_renewed_where_a_simulation_differs_from_the_forecast(known, off, anew, monkeypatch):
    """By a tenth of what the analytic engine says; by two per cent where it says nothing."""
    here, asked, moved = at(0.1, 0.2), [], np.array([0.0, off, 0.0])
    monkeypatch.setattr(Place, "anew", lambda _self, rows: asked.extend(rows))
    computed = here.tangent.computed + moved if known else np.where(moved, np.nan, here.tangent.computed)
    logs = here.logs if known else here.logs + moved
    replace(here, logs=logs, tangent=replace(here.tangent, computed=computed)).simulated()
    assert asked == anew


def test_a_failed_step_halves_the_next_and_success_doubles_it_up_to_the_reach():
    costs, radii = iter([12.0, 9.0, 8.0, 7.0, 6.0, 5.0]), []

    def place(cost):
        made = SimpleNamespace(cost=cost, problem=STRAIGHT, stale=False, tangent=SimpleNamespace(computed=[1.0]))
        made.around = lambda radius, low, high: radii.append(radius) or (low, high)
        made.best = lambda _low, _high: (None, cost if len(radii) > 7 else 0.0)
        made.carried = lambda _point: place(next(costs))
        made.renewed = lambda _before: made
        made.distance = lambda _to: 0.2
        return made

    assert walk(place(10.0), 1.0, 0.01, fresh=True).cost == 5.0
    assert radii == [1.0, 1.0, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]
