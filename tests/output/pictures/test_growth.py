"""The picture of growth: a row for each goal, with its limit and the month in which it breaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pytest

import toy
from sim import Model, Open, Poisson, Station, Use
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.output.pictures.growth import figure
from sim.prediction import RunOptions
from sim.system import Parameters, Scenario, Settings, System
from sim.system.quantities import rate

COARSE = RunOptions(precision=0.2)
DECEMBER = date(2026, 12, 1)


def steps(axes):
    """The values that are drawn as steps, and the edges between them."""
    (drawn,) = (patch.get_data() for patch in axes.patches if not patch.get_fill())
    return drawn.values, drawn.edges


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.fixture(scope="module")
def growth():
    load = GrowingLoad.of(toy.TOY.settings, "clients=4", 0.1, 9, DECEMBER)
    return grow(toy.TOY, {}, ["mean<=4ms", "throughput>=100", "throughput<=1"], load, COARSE)


def test_a_row_for_each_goal(growth):
    latency, throughput, _ = figure(growth).axes
    values, edges = steps(latency)
    goal, month = growth.breakings[0].goal, growth.breakings[0].month
    assert list(values) == pytest.approx([1e3 * each.ends[goal].value for each in growth.months])
    assert list(edges) == [number - 0.5 for number in range(10)]
    limit, breaks = latency.lines
    assert list(limit.get_ydata()) == pytest.approx([4.0, 4.0])
    assert list(breaks.get_xdata()) == [month - 0.5] * 2
    assert latency.get_ylabel() == "mean latency (ms)"
    assert legend(latency) == [
        "where it lies, at 90%",
        "mean latency",
        "mean<=4ms",
        "may break here, at 90%",
        f"breaks in {growth.load.date(month)}",
    ]
    assert len(throughput.lines) == 1
    assert throughput.get_ylabel() == "throughput (1/s)"


def test_where_a_goal_may_break_is_a_strip_in_the_colour_of_its_legend(growth):
    """Not a shade over the interval, which is blue and would turn it grey."""
    wide = [replace(each, earliest=1, latest=6) for each in growth.breakings]
    axes = figure(replace(growth, breakings=tuple(wide))).axes[0]
    (strip,) = (patch for patch in axes.patches if patch.get_label().startswith("may break"))
    assert (strip.get_x(), strip.get_x() + strip.get_width()) == (0.5, 6.5)
    assert strip.get_height() < 0.05
    assert strip.get_facecolor()[3] == 1.0


def test_all_marks_are_within_the_axes(growth):
    """A throughput far above what is asked for, and a latency far above it that is broken already."""
    _, throughput, broken = figure(growth).axes
    assert max(steps(throughput)[0]) < throughput.get_ylim()[1]
    assert max(steps(broken)[0][:1]) < broken.get_ylim()[1]
    assert "broken already" in legend(broken)


def test_months_of_overload_are_hatched():
    @dataclass(frozen=True)
    class Rate:
        rate: float = rate(100.0, "requests a second")

    @dataclass(frozen=True)
    class Nothing:
        pass

    def build(settings, _parameters):
        path = Use(Station("server"), 3e-3)
        return Scenario(Model([Open("load", Poisson(settings.rate), path)]), "load", 1.0, "1/s")

    system = System("open$\\a$", "open", Settings.of(Rate), Parameters.of(Nothing), build)
    load = GrowingLoad.of(system.settings, "rate=200", 0.5, 3, DECEMBER)
    drawn = figure(grow(system, {}, ["mean<=1ms", "throughput>=1"], load, COARSE))
    latency, throughput = drawn.axes
    assert "overload" in legend(latency)
    assert steps(latency)[0][-1] > latency.get_ylim()[1]
    assert np.isnan(steps(throughput)[0][-1])
    drawn.savefig("/dev/null", format="png")  # a name with dollar signs is no formula
