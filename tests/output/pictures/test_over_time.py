"""The picture of a prediction over time: a step for each part, and the share that each level is full."""

from __future__ import annotations

import pytest

from filling import FILLING
from sim.engine.simulation.options import RunOptions
from sim.output.pictures import over_time
from sim.prediction.over_time import Span, predict_over_time
from sim.system.case import Case


@pytest.fixture(scope="module")
def prediction():
    return predict_over_time(Case.of(FILLING, {}), Span(60.0), RunOptions(), intervals=False)


def test_rates_are_steps_and_levels_a_share(prediction):
    above, below = over_time.figure(prediction).axes
    steps = above.patches[0].get_data()
    assert steps.values == pytest.approx(prediction.record.rates * prediction.amount)
    assert steps.edges[-1] == 60.0
    assert [line.get_ydata()[0] for line in above.lines] == [
        prediction.value(name) for name in ("burst", "sustained")
    ]
    (level,) = below.lines
    assert level.get_label() == "cache"
    assert (level.get_ydata()[0], level.get_ydata()[-1]) == pytest.approx((0.0, 100.0), abs=0.1)


def test_many_parts_are_drawn_by_their_means(prediction, monkeypatch):
    monkeypatch.setattr(over_time, "POINTS", 20)
    above, below = over_time.figure(prediction).axes
    values = above.patches[0].get_data().values
    assert len(values) == 20
    assert values.mean() == pytest.approx(prediction.value("throughput"))
    assert len(below.lines[0].get_xdata()) == 21


def test_levels_of_the_model_alone_are_not_drawn():
    steady = predict_over_time(Case.of("gp3", {}), Span(20.0), RunOptions(), intervals=False)
    assert len(over_time.figure(steady).axes) == 1
