"""Difference of two answers over all structures: each has a ratio and a width of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.decision.difference import Paired
from sim.decision.joint_draws import JointDraw
from sim.decision.over_structures import Both, over_structures, structures_of_both
from sim.decision.spread import Drawn
from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction import predict

ONE_IN_TEN = 1.2815515655446004
"""Standard deviations beyond which one of ten normal draws lies."""


def drawings(*logs):
    """Draws of a structure that move B / A by so much, in logarithms, about 3."""
    return [
        Drawn(JointDraw("both", {}, {}), {"throughput": 100.0}, {"throughput": 300.0 * math.exp(log)})
        for log in (0.0, *logs)
    ]


def compared(name, rival):
    """Two answers that are equal in every pair of runs and under every parameter, beside ``rival``."""
    paired = Paired(name, "MB/s", np.full(4, 100.0), np.full(4, 100.0))
    found = over_structures(paired.difference(), paired, (Both(0.5, {}), rival))
    assert found.structures
    return found


def test_a_structure_is_as_wide_as_its_own_parameters_leave_it():
    """By hand: half of all is at 1, and a tenth of the other half beyond 2 exp(1.28 · 0.3)."""
    found = compared("throughput", Both(0.5, {"throughput": 2.0}, drawings(0.3, -0.3)))
    assert found.band.ratio == pytest.approx((1.0, 2.0 * math.exp(0.3 * ONE_IN_TEN)), rel=1e-3)
    assert found.likely_better == pytest.approx(0.25, abs=0.01)  # A: half of what is at 1 alone


def test_a_structure_of_which_nothing_is_open_is_a_point():
    found = compared("throughput", Both(0.5, {"throughput": 2.0}))
    assert found.band.ratio == pytest.approx((1.0, 2.0), rel=1e-3)


def test_a_percentile_moves_with_the_mean_from_structure_to_structure():
    found = compared("p99", Both(0.5, {"mean": 2.0, "throughput": 9.0}, drawings(0.3, -0.3)))
    assert found.band.ratio == pytest.approx((1.0, 2.0), rel=1e-3)


def test_parameters_of_each_other_structure_are_drawn():
    analytic = RunOptions(engine="analytic")
    a = predict("dbfs", {"nodes": 4, "cells": 7, "users": 8}, analytic)
    assert structures_of_both(a, predict("nvme", {}, analytic)) == ()
    large = predict("dbfs", {"nodes": 8, "cells": 14, "users": 8}, analytic)
    own, *others = structures_of_both(a, large)
    assert not own.drawings
    assert own.weight + sum(each.weight for each in others) == pytest.approx(1.0)
    for each in others:
        centre, *moved = each.drawings
        assert each.shifts["throughput"] > 1.3
        ratios = [one.b["throughput"] / one.a["throughput"] for one in (centre, *moved)]
        assert min(ratios) < ratios[0] < max(ratios)
