"""Waterfalls in narrow terminals: bars become shorter or go, numbers and names stay."""

from __future__ import annotations

import pytest
from rich.console import Console

from sim.output.views.waterfall import Step, Waterfall

STEPS = [
    Step(("75.0%", "653.2 µs", "0.974"), "waiting for node 1 daemon threads ready", 0.0, 0.75, "░"),
    Step(("20.0%", "174.2 µs", "1"), "served by node 1 cpu", 0.75, 0.95, "█"),
    Step(("5.0%", "43.55 µs", ""), "12 more"),
]


def printed(width):
    console = Console(width=width)
    with console.capture() as captured:
        console.print(Waterfall(STEPS))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize(("width", "bar"), [(115, 24), (80, 13), (75, 8), (74, 0), (40, 0)])
def test_bars_take_the_room_that_numbers_and_names_leave(width, bar):
    heading, first, *rest = printed(width)
    assert heading == "share      time  visits"
    assert first.split()[:3] == ["75.0%", "653.2", "µs"]
    assert first.count("░") == round(0.75 * bar)
    whole = " ".join(" ".join([first, *rest]).replace("░", "").replace("█", "").split())
    assert "…" not in whole
    for step in STEPS:
        assert " ".join(step.numbers).strip() in whole
    assert max(map(len, [first, *rest])) <= width


def test_a_name_goes_on_below_itself_when_there_is_no_room_for_it():
    _, first, second, *_ = printed(50)
    assert first.endswith("waiting for node 1 daemon")
    assert second.strip() == "threads ready"
    assert first.index("waiting") == second.index("threads")


def test_a_page_has_bars_of_full_length():
    assert "░" * 18 in Waterfall(STEPS).html()
