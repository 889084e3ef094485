"""Of simple curves that one is kept which tells fitted jobs best from each other, whatever held-out ones say."""

from __future__ import annotations

import numpy as np
import pytest

from sim.data.baselines.best import FEWEST, best
from sim.data.shape import Shape
from sim.prediction.jobs import shape_of
from sim.system.settings import complete
from stacksim.measuring.choice import system_of

STACK = """
title = "t"

[settings]
users = { default = 1, range = [1, 1024] }
depth = { default = 1, range = [1, 1024] }
block = { default = "4KiB" }
op = { default = "read", options = ["read", "write"] }

[load]
clients = "users"
depth = "depth"
block = "block"
op = "op"

[[layer]]
kind = "steps"
name = "device"
steps = [{ delay = "10us" }]
"""
GRID = [(op, block, users, depth) for op in ("read", "write") for block in (4, 64) for users, depth in
        ((1, 1), (2, 1), (4, 1), (8, 1), (1, 4), (4, 4))]  # fmt: skip


def capped(op, block, users, depth):
    """Each stream gets the same, up to a most."""
    alone = {4: 10.0, 64: 60.0}[block] * (1.0 if op == "read" else 0.5)
    return min(alone * users * depth, 70.0)


def told_by(places, values):
    """The best curve through ``values`` at ``places``."""
    settings = [complete(system_of(STACK).settings, stated(*place)) for place in places]
    return best(shape_of(system_of(STACK)), settings, np.array(values))


def stated(op, block, users, depth):
    return {"op": op, "block": f"{block}KiB", "users": users, "depth": depth}


def test_capped_data_is_fitted_by_the_capped_curve():
    curve = told_by(GRID, [capped(*place) for place in GRID])
    assert curve.name == "capped linear"
    unseen = {("read", 4, 3, 1): capped("read", 4, 3, 1), ("write", 64, 16, 4): 140.0}
    settings = {place: complete(system_of(STACK).settings, stated(*place)) for place in unseen}
    errors = [abs(curve.says(settings[place]) / value - 1.0) for place, value in unseen.items()]
    assert np.median(errors) == pytest.approx((0.0 + 0.5) / 2.0, abs=0.01)


def test_too_few_jobs_have_no_best_curve():
    assert told_by(GRID[: FEWEST - 1], [capped(*place) for place in GRID[: FEWEST - 1]]) is None


def test_the_parts_of_settings_are_those_of_the_stack():
    assert shape_of(system_of(STACK)) == Shape("block", (("users", "depth"), ("users",), ()), ("op",))
