"""The page of a sweep, opened from a file as from a mail: its controls choose what is shown."""

from __future__ import annotations

import pytest

from sim.engine.simulation.options import RunOptions
from sim.output.html import swept
from sim.prediction.sweep import cases_of
from sim.prediction.table import Point
from sim.prediction.work import outcomes_of
from sim.system.installed import find
from stack_files import DISK


@pytest.fixture
def shown(page, tmp_path):
    file = tmp_path / "disk.toml"
    file.write_text(DISK, encoding="utf-8")
    varied = {"users": [1, 4, 16], "block": [4096, 65536, 1 << 20], "op": ["read", "write"]}
    cases = cases_of(find(str(file)), varied)
    outcomes = dict(outcomes_of(cases, RunOptions(engine="analytic")))
    points = [Point(case, outcomes[number]) for number, case in enumerate(cases)]
    path = tmp_path / "swept.html"
    swept.write(swept.Grid.of(points, varied, over="users"), "a disk", "stacksim sweep disk.toml", path)
    page.goto(path.as_uri())
    return page


def values(page):
    return page.eval_on_selector_all("#rows tr[data-value]", "rows => rows.map(row => Number(row.dataset.value))")


def test_a_slider_and_a_list_choose_another_curve(shown):
    small = values(shown)
    assert len(small) == 3
    shown.focus("#control-block")
    shown.keyboard.press("ArrowRight")
    middle = values(shown)
    assert all(one < other for one, other in zip(small, middle, strict=True))
    assert shown.inner_text("label[for=control-block] output") == "64KiB"
    shown.select_option("#control-op", "write")
    assert shown.locator("#chart .chart-mark[role=img]").count() == 3


def test_another_answer_and_a_curve_for_each_value(shown):
    shown.select_option("#control-answer", "mean")
    assert shown.locator("#chart svg[aria-label='mean latency over users']").count() == 1
    shown.select_option("[id='control-a curve for each']", "block")
    assert len(values(shown)) == 9
    assert shown.inner_text("#chart .chart-legend").split("\n")[:3] == ["block 4KiB", "block 64KiB", "block 1MiB"]
    assert shown.is_disabled("#control-block")


def test_points_have_their_values_on_focus_and_in_a_table(shown):
    mark = shown.locator("#chart .chart-mark[role=img]").first
    mark.focus()
    assert shown.inner_text(".chart-tip") == mark.get_attribute("aria-label")
    shown.keyboard.press("ArrowRight")
    assert "users 4" in shown.inner_text(".chart-tip")
    shown.click("#chart summary")
    assert shown.locator(".chart-table tr").count() == 4


def test_at_400_pixels_nothing_is_wider_than_the_page(shown):
    shown.set_viewport_size({"width": 400, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") == 400
