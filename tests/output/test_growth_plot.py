"""The picture of growth: a row for each goal, with its limit and the month in which it breaks."""

from __future__ import annotations

from datetime import date

import pytest

import toy
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.output.growth_plot import figure
from sim.prediction import RunOptions


def test_a_row_for_each_goal():
    load = GrowingLoad.of(toy.TOY.settings, "clients=4", 0.1, 8, date(2026, 12, 1))
    growth = grow(toy.TOY, {}, ["mean<=4ms", "throughput>=100"], load, RunOptions(precision=0.2))
    latency, throughput = figure(growth).axes
    line, limit, breaks = latency.lines
    assert list(line.get_ydata()) == [each.ends[growth.breakings[0].goal].value for each in growth.months]
    assert list(limit.get_ydata()) == pytest.approx([4e-3, 4e-3])
    assert list(breaks.get_xdata()) == [growth.breakings[0].month] * 2
    assert len(throughput.lines) == 2
    assert throughput.get_ylabel() == "throughput (1/s)"
