"""Pictures of places: how much is used, where the time of a request goes, and where it goes in two designs."""

from __future__ import annotations

import math

import pytest
from matplotlib.colors import to_hex

from sim.decision.compare import compare
from sim.engine.simulation.latency_breakdown import Breakdown, Share
from sim.engine.simulation.options import RunOptions
from sim.output.pictures import breakdown, comparison, style, usage
from sim.prediction.explanation import explain
from sim.prediction.prediction import predict
from sim.system.case import Case
from toy import TOY

QUICK = RunOptions(precision=0.1, answers=("throughput",))


def predicted(**settings):
    return predict(TOY, settings, QUICK, intervals=False)


def labels(axes):
    return [each.get_text() for each in axes.get_yticklabels()]


def test_used_places_have_a_bar_and_the_limit_its_own_colour():
    full, idle = predicted(clients=30), predicted(clients=1)
    (panel,) = usage.figure(full).axes
    assert labels(panel) == ["server"]
    (bar,) = panel.patches
    assert bar.get_width() == pytest.approx(100.0 * full.result.places["server"].utilisation)
    assert to_hex(bar.get_facecolor()) == style.VERMILION.lower()
    assert [each.get_text() for each in panel.get_legend().get_texts()] == ["limits throughput"]
    (panel,) = usage.figure(idle).axes
    assert to_hex(panel.patches[0].get_facecolor()) == style.BLUE.lower()
    assert panel.get_legend() is None


def test_shares_of_a_latency_follow_one_another_and_add_up_to_it():
    made = next(iter(explain(predicted(clients=8, second=1)).breakdowns.values()))
    (panel,) = breakdown.figure(made, "one request").axes
    begins, widths = zip(*((bar.get_x(), bar.get_width()) for bar in panel.patches), strict=True)
    assert begins == pytest.approx([sum(widths[:row]) for row in range(len(widths))])
    assert sum(widths) == pytest.approx(made.latency_s * 1e3)
    assert panel.get_xlabel() == f"mean of {made.requests} requests (ms)"
    assert labels(panel)[0] == "server"


def test_small_shares_of_a_latency_are_one_bar():
    shares = (Share("wait", "disk", 9_990, 10), Share("serve", "disk", 6, 10), Share("delay", "", 4, 10))
    (panel,) = breakdown.figure(Breakdown(10, 10_000, shares), "one request").axes
    assert labels(panel) == ["disk", "2 more"]
    assert panel.patches[-1].get_width() == pytest.approx(0.001)  # µs, of 1
    assert [each.get_text() for each in panel.get_legend().get_texts()] == ["waiting"]


@pytest.fixture(scope="module")
def compared():
    return compare(Case.of(TOY, {"clients": 20}), Case.of(TOY, {"clients": 20, "items": 2}), QUICK)


def test_answers_of_two_designs_are_drawn_as_ratios(compared):
    figure = comparison.figure(compared)
    ratios = figure.axes[0]
    assert labels(ratios) == ["throughput", "mean latency"]
    values = [x for each in ratios.containers for x in each.lines[0].get_xdata()]
    assert values == [each.ratio.value for each in compared.differences]
    assert [text.get_text() for text in figure.legends[0].get_texts()][:1] == ["B is worse"]
    assert figure.get_suptitle() == "A: toy items 1\nB: toy items 2"


def test_times_in_two_designs_are_bars_of_service_and_then_waiting(compared):
    places = comparison.figure(compared).axes[1]
    server = next(each for each in compared.places.times if each.place == "server")
    assert labels(places)[:2] == ["server   A", "B"]
    served, waited = (container.patches for container in places.containers)
    for number, side in enumerate("ab"):
        whole_ms = served[number].get_width() + waited[number].get_width()
        assert whole_ms == pytest.approx(1e3 * getattr(server, side))
        assert waited[number].get_x() == pytest.approx(served[number].get_width())
    assert places.get_xlabel() == "mean time per request (ms)"
    assert not any(math.isnan(bar.get_width()) for bar in served)
