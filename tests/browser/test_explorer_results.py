"""Answers, differences and stacks that the explorer shows, and the file that it saves."""

from __future__ import annotations

import re

import pytest

from exploring import command_of, moved, settle
from stack_files import DISK


def test_the_place_that_limits_is_named_in_words_and_stands_between_its_layers(disk):
    moved(disk, lambda: disk.fill("#setting-users", "64"))
    assert disk.locator("summary .place.limits .verdict").inner_text() == "saturated"
    names = disk.locator(".stage .stage-name").all_inner_texts()
    assert [name.split()[0] for name in names] == ["load:", "controller", "disk"]
    share = disk.locator("summary .place[data-place=arm] .words").inner_text()
    assert float(re.match(r"[\d.]+", share)[0]) > 40


def ratio_of(page, answer):
    """Ratio of both designs by pairs of runs, once they have run."""
    page.locator("#verdict", has_text=re.compile("^(B against A, |A and B do not differ)")).wait_for()
    return page.locator(f"tr[data-answer={answer}] td").nth(2).inner_text()


def test_equal_designs_have_no_difference(disk):
    moved(disk, lambda: disk.click("#compare"))
    assert ratio_of(disk, "throughput") == "the same"
    disk.locator("#verdict", has_text="A and B do not differ in any answer").wait_for()


def test_answer_has_limit_remedy_and_certainty(disk):
    moved(disk, lambda: disk.fill("#setting-users", "64"))
    assert disk.locator(".hero dt").all_inner_texts()[:2] == ["limit", "would help"]
    assert disk.inner_text(".hero .saturated") == "saturated"
    assert disk.inner_text(".hero .sure summary").startswith("how sure")
    assert not disk.is_visible(".hero .sure dt")
    disk.click(".hero .sure summary")
    assert "assumed" in disk.locator(".hero .sure dt").all_inner_texts()
    moved(disk, lambda: disk.fill("#setting-users", "32"))
    assert disk.is_visible(".hero .sure dl")


def test_page_shows_work_until_the_answer_is_final(disk):
    assert "working" not in disk.inner_text(".hero .how")
    disk.fill("#setting-users", "33")
    disk.locator(".hero .how", has_text="working").wait_for()
    settle(disk)
    disk.locator(".hero .how", has_not_text="working").wait_for()


def test_a_column_stands_only_where_something_is_in_it(disk, explorer):
    headings = "#answers tr:first-child th"
    assert disk.locator(headings).all_inner_texts() == ["", "", "interval", "expected if measured, 90%"]
    disk.goto(explorer("dbfs"))
    settle(disk)
    assert disk.locator(headings).all_inner_texts()[-1] == "published"


def test_stack_omits_idle_places_and_shows_utilisation_by_colour(page, explorer):
    page.goto(explorer("postgresql"))
    settle(page)
    names = page.locator(".place").evaluate_all("each => each.map(place => place.dataset.place)")
    assert "ssd flush" in names
    assert not {"commits log leader asleep", "ssd queue"} & set(names)
    moved(page, lambda: page.fill("#setting-clients", "64"))
    colour = "name => getComputedStyle(document.querySelector(`[data-place='${name}'] .part`)).backgroundColor"
    assert page.evaluate(colour, "commits cpu") != page.evaluate(colour, "ssd write transfer")


def test_box_opens_by_keyboard_and_stays_open_while_the_design_changes(page, explorer):
    page.goto(explorer("dbfs"))
    settle(page)
    assert page.locator(".stage").count() <= 8
    inside = page.locator("details[data-box='A node'] > .place")
    assert not inside.first.is_visible()
    page.focus("details[data-box='A node'] summary")
    page.keyboard.press("Enter")
    assert inside.first.is_visible()
    moved(
        page,
        lambda: page.get_by_label("users, slider").evaluate(
            "slider => { slider.value = 3; slider.dispatchEvent(new Event('input')); }"
        ),
    )
    assert inside.first.is_visible()
    assert page.evaluate("document.activeElement.parentElement.dataset.box") == "A node"


def test_a_layer_without_places_says_so(page, explorer, tmp_path):
    path = tmp_path / "delay.toml"
    wire = '[[layer]]\nkind = "steps"\nname = "wire"\nsteps = [ { delay = "1ms" }, { below = true } ]\n\n'
    path.write_text(DISK.replace("[[layer]]", f"{wire}[[layer]]", 1), encoding="utf-8")
    page.goto(explorer(str(path)))
    settle(page)
    assert "nothing waits here" in page.locator(".stage", has_text="wire").inner_text()


def test_two_designs_stand_side_by_side(disk):
    disk.click("#compare")
    moved(disk, lambda: disk.fill("#setting-users", "32"))
    assert disk.locator(".hero").count() == disk.locator("ol.stack").count() == 2
    ratio, low, high = map(float, re.findall(r"[\d.]+", ratio_of(disk, "mean")))
    assert 1.5 < low < ratio < high < 2.0 * low
    assert disk.locator("tr[data-answer=mean] td").nth(3).inner_text() == "A >99.9%"
    assert "users=32" not in command_of(disk, 0)
    assert "users=32" in command_of(disk, 1)
    moved(disk, lambda: disk.click("[data-side=A]"))
    assert disk.input_value("#setting-users") == "4"
    moved(disk, lambda: disk.click("#compare"))
    assert disk.locator(".hero").count() == 1


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_saved_result_opens_without_a_server(disk, open_page, tmp_path, width, scheme):
    moved(disk, lambda: disk.fill("#setting-users", "8"))
    disk.locator("#curve-how", has_text=re.compile("^simulated$")).wait_for()
    with disk.expect_download() as saving:
        disk.click("#save")
    assert saving.value.suggested_filename == "disk.html"
    saving.value.save_as(tmp_path / "disk.html")
    page = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False)
    page.goto((tmp_path / "disk.html").as_uri())
    assert page.inner_text(".hero .figure") == disk.inner_text(".hero .figure")
    assert page.inner_text("#commands code") == disk.inner_text("#commands code")
    assert page.locator(".settings tr", has_text="users").locator("td").first.inner_text() == "8"
    assert page.locator("#curve svg .chart-mark").count() == disk.locator("#curve svg .chart-mark").count()
    assert re.search(r"stacksim \d+\.\d+", page.inner_text("footer"))
    assert not page.locator("script, button, input, [tabindex]").count()
    page.locator(".stage summary").first.click()
    assert page.locator(".stage details[open] > .place").first.is_visible()
    sides = page.evaluate(
        "[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]"
    )
    assert sides[0] == width
    assert (min(map(int, re.findall(r"\d+", sides[1]))) > 200) == (scheme == "light")


def test_first_hour_of_a_stack_with_credits_is_a_chart_of_its_own(disk, explorer):
    assert not disk.is_visible("#hour")
    disk.goto(explorer("gp3"))
    settle(disk)
    moved(disk, lambda: disk.fill("#setting-iops", "16000"))
    assert not disk.is_visible("#hour")
    moved(disk, lambda: disk.select_option("#setting-credits", "full"))
    assert disk.is_visible("#hour")
    assert disk.locator("#hours dt").all_inner_texts()[:2] == ["burst", "sustained"]
    assert disk.locator("#hours svg[role=group]").count() == 1
