"""Every control of the explorer, in a browser; what is asserted is what the page says, not its pixels."""

from __future__ import annotations

import json
import logging
import re
from urllib.parse import urlsplit

import pytest

from exploring import command_of, moved, of_controls, settle, value
from sim.cli import main
from stack_files import DISK
from stacksim.explorer import runs


def test_the_answer_is_that_of_the_command_beside_it(disk, monkeypatch, capsys):
    moved(disk, lambda: disk.fill("#setting-users", "8"))
    shown = value(disk)
    words = command_of(disk)
    monkeypatch.setattr("sys.argv", [*words, "--json", "--quiet"])
    with pytest.raises(SystemExit):
        main()
    assert json.loads(capsys.readouterr().out)["throughput"]["value"] == shown
    assert "users=8" in words


def test_a_slider_moves_the_answer_at_once_and_simulates_when_it_rests(disk):
    before = value(disk, "mean")
    slider = disk.get_by_label("users, slider")
    slider.focus()
    disk.evaluate("delete document.getElementById('results').dataset.settled")
    disk.keyboard.press("ArrowRight")
    assert disk.input_value("#setting-users") == "8"
    disk.wait_for_function(f"() => document.querySelector('tr[data-answer=mean]').dataset.value > 1.5 * {before}")
    settle(disk)
    assert "simulated" in disk.inner_text(".hero .how")
    assert slider.get_attribute("aria-valuetext") == "8"
    log = logging.getLogger(__name__)
    log.info("%s ms from a move to its answer", disk.get_attribute("#results", "data-milliseconds"))


def test_a_list_a_size_and_a_parameter_with_a_unit_change_the_answer(disk):
    before = value(disk)
    moved(disk, lambda: disk.select_option("#setting-op", "write"))
    assert of_controls(disk)["a.op"] == "write"
    moved(disk, lambda: disk.fill("#setting-block", "1MiB"))
    larger = value(disk)
    assert larger != before
    disk.click("#parameter-summary")
    moved(disk, lambda: disk.fill("#parameter-access", "1ms"))
    assert value(disk) > larger
    assert "--set access=1ms" in disk.inner_text("#commands code")
    moved(disk, lambda: disk.click("#defaults"))
    assert value(disk) == before


def test_a_value_that_cannot_be_is_reported_beside_its_control_and_nothing_is_lost(disk):
    before = disk.inner_text(".hero .figure")
    disk.fill("#setting-block", "8kB")
    error = disk.locator("[data-name=block] .error")
    error.filter(has_text="8KiB").wait_for()
    assert "dd reads a kB as 1000 bytes" in error.inner_text()
    assert disk.get_attribute("#setting-block", "aria-invalid") == "true"
    assert disk.input_value("#setting-block") == "8kB"
    assert disk.inner_text(".hero .figure") == before
    moved(disk, lambda: disk.fill("#setting-block", "8KiB"))
    assert not error.inner_text()


def test_another_system_has_its_own_controls_and_places(disk):
    moved(disk, lambda: disk.select_option("#system", "san"))
    assert disk.is_visible("#setting-streams")
    assert not disk.locator("#setting-users").count()
    assert disk.locator(".place[data-place='memory *']").count()


def test_a_flag_and_a_decimal_number_are_controls(disk):
    moved(disk, lambda: disk.select_option("#system", "nvme-xfs"))
    before = value(disk)
    moved(disk, lambda: disk.fill("#setting-slow", "2.5"))
    assert value(disk) < before
    moved(disk, lambda: disk.select_option("#system", "san"))
    assert disk.input_value("#setting-page_cache") in ("yes", "no")


def test_where_the_analytic_engine_refuses_the_page_says_so_and_simulates(disk):
    moved(disk, lambda: disk.select_option("#system", "postgresql"))
    assert "which the analytic engine cannot solve" in disk.get_attribute(".hero .how", "title")
    assert value(disk) > 0


def test_slow_curve_shows_its_points_and_progress(page, explorer):
    page.goto(explorer("postgresql"))
    page.locator("#curve-how", has_text=re.compile(r"^working")).wait_for()
    page.locator("#curve-how", has_text=re.compile(r"^working: \d of \d+ points$")).wait_for()
    assert page.locator("#curve .chart-mark").count()


def test_the_title_of_the_axis_covers_no_number(page, explorer):
    page.goto(explorer("postgresql") + "#a=postgresql&over=slow")
    page.locator("#curve .chart-axes text[text-anchor=end]", has_text="10,000").wait_for()
    numbers = page.locator(".chart-axes text[text-anchor=end]").all()
    title = page.locator(".chart-label[transform]").bounding_box()
    assert title["x"] + title["width"] < min(each.bounding_box()["x"] for each in numbers)


def test_on_a_small_screen_the_answer_stays_in_sight_and_no_interval_is_broken(explorer, open_page):
    page = open_page(viewport={"width": 400, "height": 800})
    page.goto(explorer())
    settle(page)
    assert "expected if measured: " in page.inner_text("#brief")
    page.evaluate("scrollTo(0, 1000)")
    assert page.evaluate("document.getElementById('brief').getBoundingClientRect().top") == 0
    line = page.locator("tr[data-answer=mean]")
    label, shown, interval = (line.locator("th, td").nth(number).bounding_box() for number in range(3))
    assert label["y"] == pytest.approx(shown["y"], abs=2)
    assert interval["y"] >= shown["y"] + shown["height"] - 1
    assert interval["height"] < 1.5 * shown["height"]


def test_the_curve_is_that_of_the_chosen_setting_and_answer(disk):
    disk.select_option("#over", "block")
    disk.locator("#curve svg[aria-label='throughput over block']").wait_for()
    disk.locator("#curve-how", has_text=re.compile("^simulated$")).wait_for()
    assert "prediction interval, at 90%" in disk.inner_text("#curve .chart-legend")
    disk.select_option("#answer", "mean")
    disk.locator("#curve svg[aria-label='mean latency over block']").wait_for()
    assert disk.locator("#curve .chart-mark[role=img]").count() > 5


def test_published_figures_are_points_on_the_curve(page, explorer):
    page.goto(explorer("shared-file") + "#a=shared-file&a.file=8GiB&over=writers")
    page.locator("#curve .chart-published[role=img]").first.wait_for()
    assert (
        page.locator("#curve .chart-published[role=img]").first.get_attribute("aria-label").startswith("published")
    )


def test_the_address_keeps_the_state_and_back_and_forward_go_through_it(disk, open_page):
    moved(disk, lambda: disk.fill("#setting-users", "16"))
    moved(disk, lambda: disk.fill("#setting-users", "32"))
    shown, link = disk.inner_text("#answers"), disk.url
    moved(disk, disk.go_back)
    assert disk.input_value("#setting-users") == "16"
    moved(disk, disk.go_forward)
    assert disk.input_value("#setting-users") == "32"
    other = open_page()
    other.goto(link)
    settle(other)
    assert other.inner_text("#answers") == shown


def test_command_and_link_are_copied(explorer, open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(explorer())
    settle(page)
    page.click("#commands button")
    page.locator("#status", has_text="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text("#commands code")
    page.click("#copy-link")
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text === location.href)")


def test_everything_is_reached_by_the_keyboard_alone_and_has_a_name(disk):
    reached = set()
    disk.keyboard.press("Tab")
    for _ in range(60):
        reached.add(disk.evaluate("document.activeElement.id || document.activeElement.ariaLabel"))
        ring = disk.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none" or disk.evaluate("document.activeElement === document.body")
        disk.keyboard.press("Tab")
    assert {"skip", "compare", "copy-link", "system", "setting-users", "users, slider", "setting-op"} <= reached
    assert {"parameter-summary", "defaults", "answer", "over"} <= reached
    unnamed = disk.evaluate("""() => [...document.querySelectorAll('input, select, button')]
        .filter(each => !each.labels?.length && !each.ariaLabel && !each.textContent.trim())
        .map(each => each.outerHTML)""")
    assert unnamed == []
    disk.focus("#skip")
    disk.keyboard.press("Enter")
    assert disk.evaluate("document.activeElement.id") == "results"


def test_answer_is_announced_to_screen_readers(disk):
    moved(disk, lambda: disk.fill("#setting-users", "2"))
    said = disk.inner_text("#status")
    assert said.startswith("throughput")
    assert "saturated: arm" in said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_at_400_pixels_nothing_is_wider_than_the_page(explorer, open_page, scheme):
    page = open_page(viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page.goto(explorer() + "#a=dbfs&b=nvme-xfs")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (min(lightness) > 200) == (scheme == "light")


def test_a_stack_file_is_read_again_when_it_changes(disk, tmp_path):
    before = value(disk)
    path = tmp_path / "disk.toml"
    moved(disk, lambda: path.write_text(DISK.replace('"4ms"', '"3ms"'), encoding="utf-8"))
    assert value(disk) > 1.2 * before
    path.write_text("title = ", encoding="utf-8")
    disk.locator("#system-error", has_text="is no TOML").wait_for()
    moved(disk, lambda: path.write_text(DISK, encoding="utf-8"))
    assert value(disk) == before
    away = path.rename(tmp_path / "away.toml")
    disk.locator("#system-error", has_text="cannot read").wait_for()
    moved(disk, lambda: away.rename(path))
    assert not disk.inner_text("#system-error")


def test_computed_answer_stays_if_the_simulation_takes_too_long(disk, monkeypatch):
    before = value(disk)
    monkeypatch.setattr(runs, "LONGEST_S", -1.0)
    moved(disk, lambda: disk.fill("#setting-users", "32"))
    assert "no answer within" in disk.inner_text(".hero .fault")
    assert "computed" in disk.inner_text(".hero .how")
    assert "before this change" not in disk.inner_text(".hero")
    assert value(disk) != before


def test_page_sends_requests_to_the_explorer_alone(page, explorer):
    asked = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).netloc))
    url = explorer()
    page.goto(url)
    settle(page)
    assert set(asked) == {urlsplit(url).netloc}


def test_without_the_explorer_the_page_says_so(browser, explorer):
    page = browser.new_page()  # the browser itself complains of the connection
    page.goto(explorer())
    settle(page)
    page.route("**/api/*", lambda route: route.abort())
    page.fill("#setting-users", "7")
    page.locator(".hero .fault", has_text="start it again").first.wait_for()
    page.close()
