"""Lessons as pages, opened from a folder without a kernel: guesses, sliders, slides and handouts."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

from lessons import NOTEBOOKS
from stacksim.notebook.edition.pages import make

LESSON, THINNED = "05-group-commit", "09-nvme-depth-and-cores"
SIZES = [
    pytest.param({"viewport": {"width": width, "height": 900}, "color_scheme": scheme}, id=f"{width}-{scheme}")
    for width, scheme in product((400, 1280), ("light", "dark"))
]

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMELESS = """() => [...document.querySelectorAll('main input, main select, main button, nav button')]
    .filter(each => !(each.labels?.length || each.ariaLabel || each.textContent.trim())).map(each => each.outerHTML)"""
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The edition of two lessons, and nothing else of the notebooks."""
    home = tmp_path_factory.mktemp("edition")
    notebooks = home / "notebooks"
    notebooks.mkdir()
    for name in (LESSON, THINNED):
        shutil.copy(NOTEBOOKS / f"{name}.ipynb", notebooks)
    make(notebooks, home / "lessons")
    return home / "lessons"


def address(folder: Path, name: str) -> str:
    return (folder / name).as_uri()


def guess(page, text):
    form = page.locator("form.guess")
    form.get_by_label("Commits that share a write:").fill(text)
    form.get_by_role("button", name="Reveal").click()


@pytest.mark.parametrize("options", SIZES)
def test_a_slider_moves_the_picture_and_the_numbers(options, folder, open_page):
    page = open_page(**options)
    page.goto(address(folder, f"{LESSON}.html"))
    page.get_by_role("button", name="I do not know").click()
    figure = page.locator("figure.charts").filter(has=page.locator("input[type=range]"))
    slider, words, line = (
        figure.get_by_role("slider", name="writers"),
        figure.locator(".words"),
        figure.locator("polyline").first,
    )
    assert words.inner_text().startswith("redo: writers 2. From sessions 1 to 48: throughput 1444 to")
    before = words.inner_text(), line.get_attribute("points")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "1"
    assert "writers 1" in words.inner_text()
    assert line.get_attribute("points") != before[1]
    page.keyboard.press("ArrowRight")
    assert (words.inner_text(), line.get_attribute("points")) == before
    assert page.evaluate(WIDER) <= 0
    assert page.evaluate(NAMELESS) == []
    dark = options["color_scheme"] == "dark"
    assert page.evaluate(BACKGROUND) == ("rgb(23, 27, 32)" if dark else "rgb(255, 255, 255)")


def test_a_guess_comes_before_the_answer_and_stands_beside_it(page, folder):
    page.goto(address(folder, f"{LESSON}.html"))
    assert page.get_by_role("heading", name="Predict before you run").is_visible()
    assert not page.get_by_role("heading", name="Reveal").is_visible()
    guess(page, "many")
    assert page.locator("form.guess output").inner_text() == "Write a number, such as 5."
    assert not page.get_by_role("heading", name="Reveal").is_visible()
    guess(page, "3")
    assert page.get_by_role("heading", name="Reveal").is_visible()
    beside = page.locator(".beside")
    assert beside.get_attribute("data-guess") == "; you said 3: it is 0.72 times your guess"


def test_a_solution_and_the_code_unfold_by_keyboard(page, folder):
    page.goto(address(folder, f"{LESSON}.html"))
    guess(page, "3")
    solution = page.locator("details.solution").first
    assert not solution.locator(".prose").is_visible()
    solution.locator("> summary").focus()
    page.keyboard.press("Enter")
    assert solution.locator(".prose").is_visible()


@pytest.mark.parametrize("options", SIZES)
def test_where_a_slider_was_thinned_the_page_says_so(options, folder, open_page):
    page = open_page(**options)
    page.goto(address(folder, f"{THINNED}.html"))
    page.get_by_role("button", name="I do not know").click()
    figure = page.locator("figure.charts").filter(has=page.locator("input[type=range]"))
    assert figure.locator(".note").all_inner_texts() == [
        "Of submit this page has 5 of 17 values; a notebook has all.",
        "Of units this page has 9 of 17 values; a notebook has all.",
        "Curves are computed; where the sliders start they are simulated, too.",
    ]
    before = figure.locator("polyline").last.get_attribute("points")
    figure.get_by_role("slider", name="units").focus()
    page.keyboard.press("Home")
    assert figure.locator("polyline").last.get_attribute("points") != before


@pytest.mark.parametrize("options", SIZES)
def test_arrows_turn_slides_and_no_slide_gives_the_answer_before_the_guess(options, folder, open_page):
    page = open_page(**options)
    page.goto(address(folder, f"{LESSON}.slides.html"))
    count = page.locator("#turn output")
    assert count.inner_text() == "1 of 3"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert count.inner_text() == "3 of 3"
    guess(page, "3")
    page.get_by_role("button", name="next slide").click()
    assert count.inner_text().startswith("4 of ")
    page.keyboard.press("ArrowLeft")
    assert count.inner_text().startswith("3 of ")
    assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("options", SIZES)
def test_a_handout_has_figures_and_room_and_nothing_to_press(options, folder, open_page):
    page = open_page(**options)
    page.goto(address(folder, f"{LESSON}.handout.html"))
    assert page.locator("figure.charts svg[role=group]").first.is_visible()
    assert page.locator("button:visible, input[type=range]").count() == 0
    assert page.locator("#exercises li").count() == 3
    assert (
        page.evaluate("parseFloat(getComputedStyle(document.querySelector('#exercises li'), '::after').height)")
        > 60
    )
    assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("options", SIZES)
def test_the_contents_lead_to_every_page(options, folder, open_page):
    page = open_page(**options)
    page.goto(address(folder, "index.html"))
    links = page.locator("main a").evaluate_all("each => each.map(link => link.href)")
    assert sorted(links) == sorted(each.as_uri() for each in folder.glob("0*.html"))
    assert page.evaluate(WIDER) <= 0
