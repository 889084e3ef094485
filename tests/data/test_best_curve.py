"""Of simple curves that one is kept which tells fitted jobs best from each other, whatever held-out ones say."""

from __future__ import annotations

import pytest

from sim.calibration.measure.choice import system_of
from sim.calibration.measure.curve import best_curve
from sim.data.baselines.best import FEWEST
from sim.data.dataset import Measurement
from sim.data.shape import Shape
from sim.prediction.rivals import shape_of

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


def figure(op, block, users, depth, value):
    conditions = f"op={op} block={block}KiB users={users} depth={depth}"
    return Measurement(
        dataset="d", source="s", table="t", row=conditions, column="c", measure="throughput", value=value,
        unit="MB/s", half_width=0.01, conditions=tuple(sorted(pair.split("=") for pair in conditions.split())),
        quality="table", line=1,
    )  # fmt: skip


def test_what_is_capped_is_told_by_the_curve_with_a_cap():
    system = system_of(STACK)
    curve = best_curve(system, [figure(*place, capped(*place)) for place in GRID])
    assert curve.name == "capped linear"
    unseen = [figure("read", 4, 3, 1, capped("read", 4, 3, 1)), figure("write", 64, 16, 4, 140.0)]
    assert curve.error(system, unseen) == pytest.approx((0.0 + 0.5) / 2.0, abs=0.01)


def test_of_too_few_jobs_nothing_is_said():
    few = [figure(*place, capped(*place)) for place in GRID[: FEWEST - 1]]
    assert best_curve(system_of(STACK), few) is None


def test_the_parts_of_settings_are_those_of_the_stack():
    assert shape_of(system_of(STACK)) == Shape("block", (("users", "depth"), ("users",), ()), ("op",))
