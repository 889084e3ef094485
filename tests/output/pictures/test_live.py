"""A picture that moves shows curves, and what was published on top of them."""

from __future__ import annotations

from sim.output.pictures.chart import Axis, Chart, Curve, Points
from sim.output.pictures.live import Live


def chart(*published):
    curve = Curve("block=8KiB", [1, 2, 4], [100.0, 190.0, 300.0])
    return Chart("throughput", Axis("users"), Axis("throughput", "MB/s"), [curve], published)


def test_published_points_are_drawn_over_a_curve():
    live = Live([chart()])
    without = live.draw([chart()])
    assert without.startswith(b"\x89PNG")
    assert live.draw([chart(Points(0, [2], [205.0]))]) != without
