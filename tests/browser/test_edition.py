"""Lessons as pages, opened from a folder without a kernel: guesses, sliders, slides and handouts."""

from __future__ import annotations

import shutil
from itertools import product

import nbformat
import pytest

from lessons import NOTEBOOKS
from small_lesson import THINNED, small_lesson
from stacksim.notebook.edition.pages import make

SMALL, LESSON = "01-toy", "02-queues"
SIZES = [
    pytest.param({"viewport": {"width": width, "height": 900}, "color_scheme": scheme}, id=f"{width}-{scheme}")
    for width, scheme in product((400, 1280), ("light", "dark"))
]

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMELESS = """() => [...document.querySelectorAll('main input, main select, main button')]
    .filter(each => !(each.labels?.length || each.ariaLabel || each.textContent.trim()))
    .map(each => each.outerHTML)"""
ROOM = "parseFloat(getComputedStyle(document.querySelector('#exercises li'), '::after').height)"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
COLOURS = {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 27, 32)"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The edition of a small lesson and of a shipped one; no notebook lies beside it."""
    home = tmp_path_factory.mktemp("edition")
    notebooks = home / "notebooks"
    notebooks.mkdir()
    nbformat.write(small_lesson(), notebooks / f"{SMALL}.ipynb")
    shutil.copy(NOTEBOOKS / f"{LESSON}.ipynb", notebooks)
    make(notebooks, home / "lessons")
    return home / "lessons"


@pytest.fixture
def opened(folder, open_page):
    """Opens a page of the edition at a size; it must fit, and each control has a name."""
    pages = []

    def of(name, **options):
        page = open_page(**options)
        page.goto((folder / name).as_uri())
        pages.append(page)
        return page

    yield of
    for page in pages:
        assert page.evaluate(WIDER) <= 0
        assert page.evaluate(NAMELESS) == []


def guess(page, text):
    form = page.locator("form.guess")
    form.get_by_label("Served:").fill(text)
    form.get_by_role("button", name="Reveal").click()


def seen(figure):
    """Words below the charts of a figure, and its curves."""
    lines = figure.locator("polyline")
    return figure.locator(".words").inner_text(), lines.evaluate_all(
        "all => all.map(e => e.getAttribute('points'))"
    )


@pytest.mark.parametrize("options", SIZES)
def test_a_slider_moves_the_picture_and_the_numbers(options, opened):
    page = opened(f"{SMALL}.html", **options)
    page.get_by_role("button", name="I do not know").click()
    figure = page.locator("figure.charts").first
    slider = figure.get_by_role("slider", name="items")
    before = seen(figure)
    assert before[0].startswith("toy: items 4, second 0. From clients 1 to 2: throughput")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "1"
    words, curves = seen(figure)
    assert "items 1, second 0" in words
    assert curves != before[1]
    page.keyboard.press("ArrowRight")
    assert seen(figure)[0] == before[0]
    assert page.evaluate(BACKGROUND) == COLOURS[options["color_scheme"]]


@pytest.mark.parametrize("options", SIZES)
def test_every_slider_of_a_shipped_lesson_moves_something(options, opened):
    page = opened(f"{LESSON}.html", **options)
    page.get_by_role("button", name="I do not know").first.click()
    moved = 0
    for figure in page.locator("figure.charts").filter(has=page.locator("input[type=range]")).all():
        for slider in figure.locator("input[type=range]").all():
            before = seen(figure)
            slider.focus()
            page.keyboard.press("Home" if slider.input_value() != "0" else "End")
            words, curves = seen(figure)
            assert words != before[0]
            assert curves != before[1]
            moved += 1
    assert moved


def test_a_guess_comes_before_the_answer_and_stands_beside_it(opened):
    page = opened(f"{SMALL}.html")
    revealed = page.get_by_role("heading", name="Reveal")
    assert page.get_by_role("heading", name="Predict before you run").is_visible()
    assert not revealed.is_visible()
    guess(page, "many")
    assert page.locator("form.guess output").inner_text() == "Write a number, such as 5."
    assert not revealed.is_visible()
    guess(page, "1,000")
    assert revealed.is_visible()
    beside = page.locator(".beside")
    expected = f"; you said 1000: it is {float(beside.get_attribute('data-answer')) / 1000:.2g} times your guess"
    assert beside.get_attribute("data-guess") == expected


def test_a_solution_unfolds_by_keyboard(opened):
    page = opened(f"{SMALL}.html")
    guess(page, "3")
    solution = page.locator("details.solution").first
    assert not solution.locator(".prose").is_visible()
    solution.locator("> summary").focus()
    page.keyboard.press("Enter")
    assert solution.locator(".prose").is_visible()


def test_where_a_slider_was_thinned_the_page_says_so(opened):
    page = opened(f"{SMALL}.html")
    page.get_by_role("button", name="I do not know").click()
    figure = page.locator("figure.charts").last
    assert tuple(figure.locator(".note").all_inner_texts()) == THINNED
    before = seen(figure)
    figure.get_by_role("slider", name="fixed_s").focus()
    page.keyboard.press("End")
    assert seen(figure)[1] != before[1]


@pytest.mark.parametrize("options", SIZES)
def test_arrows_turn_slides_and_no_slide_gives_the_answer_before_the_guess(options, opened):
    page = opened(f"{SMALL}.slides.html", **options)
    count = page.locator("#turn output")
    assert count.inner_text() == "1 of 2"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert count.inner_text() == "2 of 2"
    guess(page, "3")
    page.get_by_role("button", name="next slide").click()
    assert count.inner_text() == "3 of 7"
    page.keyboard.press("ArrowLeft")
    assert count.inner_text() == "2 of 7"


@pytest.mark.parametrize("options", SIZES)
def test_a_handout_has_figures_and_room_and_nothing_to_press(options, opened):
    page = opened(f"{LESSON}.handout.html", **options)
    assert page.locator("figure.charts svg[role=group]").first.is_visible()
    assert page.locator("button:visible, input[type=range]").count() == 0
    assert page.locator("#exercises li").count() == 3
    assert page.evaluate(ROOM) > 60
    page.emulate_media(media="print", color_scheme=options["color_scheme"])
    assert page.evaluate(BACKGROUND) == COLOURS["light"]


@pytest.mark.parametrize("options", SIZES)
def test_the_contents_lead_to_every_page(options, opened, folder):
    page = opened("index.html", **options)
    links = page.locator("main a").evaluate_all("each => each.map(link => link.href)")
    assert sorted(links) == sorted(each.as_uri() for each in folder.glob("0*.html"))
