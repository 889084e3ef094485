"""The HTML edition of a lesson: its sliders hold what a notebook would show, and nothing is fetched."""

from __future__ import annotations

import json
import re
import time
from html import unescape
from itertools import product

import pytest

from lessons import NOTEBOOKS
from sim.engine.errors import InputError
from sim.system.installed import find
from small_lesson import CELLS, small_lesson
from stacksim.notebook import predict, sliders
from stacksim.notebook.edition.executing import executed
from stacksim.notebook.edition.lesson import Lesson, read
from stacksim.notebook.edition.pages import KINDS, pages
from stacksim.notebook.edition.prose import prose
from stacksim.notebook.edition.worked_out import MAX_POINTS, moved, thinned
from stacksim.notebook.knobs import knobs_of
from toy import TOY

LONGEST_S = 60
LARGEST_BYTES = 3e6

FETCHES = re.compile(r"""(?:\bsrc=["'](?!data:)|\burl\((?!["']?data:)|@import|<link\b|\bfetch\()""")
DATA = re.compile(r'<figure class="charts"><script type="application/json">(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def edition():
    """The pages of a small lesson, by template."""
    lesson = Lesson.of("07-toy", executed(small_lesson()))
    return {template: page.decode() for template, page in pages(lesson).items()}


def answers(record, number):
    """Answers of the last curve of a chart at each point."""
    return [point["charts"][number]["curves"][-1]["y"] for point in record["points"]]


def test_sliders_hold_what_would_be_predicted_at_each_point():
    shown = sliders(TOY, over="clients", clients=[1, 8], items=[4, 1], second=[0, 1])
    record = moved(shown)
    assert [knob["texts"] for knob in record["knobs"]] == [("1", "4"), ("0", "1")]
    assert [knob["start"] for knob in record["knobs"]] == [1, 0]
    expected = [
        [predict(TOY, clients=clients, items=items, second=second).value() for clients in (1, 8)]
        for items, second in product((1, 4), (0, 1))
    ]
    assert answers(record, 0) == expected
    assert record["notes"] == []
    assert shown.moving.position == {"items": 4, "second": 0}


def test_many_points_are_computed_and_where_the_sliders_start_simulated():
    record = moved(sliders(TOY, over="clients", clients=[1, 8], items=[1], parameters=("fixed_s", "each_s")))
    assert [len(knob["texts"]) for knob in record["knobs"]] == [1, 9, 17]
    assert [line[:10] for line in record["notes"]] == ["Of fixed_s", "Curves are"]
    labels = {curve["label"] for point in record["points"] for curve in point["charts"][0]["curves"]}
    assert labels == {"computed", "simulated"}


def test_a_point_that_the_system_refuses_says_why():
    shown = sliders(
        "shared-file", over="writers", writers=[1, 2], filesystem=["xfs", "ufs"], mount=["direct", "odm"]
    )
    refused = moved(shown)["points"][1]
    assert refused["charts"] == []
    assert "mount is 'odm'; allowed for xfs" in refused["words"]


def test_a_thinned_slider_keeps_its_ends_and_where_it_starts():
    every = knobs_of(find("nvme-xfs"), {"jobs": [1, 2, 4]}, ("submit", "units"))
    for knob, thin in zip(every, thinned(every), strict=True):
        assert (thin.values[0], thin.values[-1]) == (knob.values[0], knob.values[-1])
        assert thin.values[thin.start] == knob.values[knob.start]
        assert thin.texts == tuple(map(knob.text, thin.values))


def test_too_many_sliders_are_refused():
    system = find("nvme-xfs")
    words = knobs_of(system, {}, [each.name for each in system.parameters.entries if each.value])
    with pytest.raises(InputError, match=f"allowed in a page: {MAX_POINTS}; list fewer"):
        thinned(words)


@pytest.mark.parametrize("template", KINDS)
def test_nothing_is_fetched(template, edition):
    assert "default-src 'none'" in unescape(edition[template])
    assert not FETCHES.search(edition[template])


def test_a_page_has_the_guess_and_hides_solutions(edition):
    page = edition["lesson.html"]
    assert '<form class="guess" data-question="Served:">' in page
    assert "<p>How many?</p>" in page
    assert "&lt;a second&gt;" in page
    assert re.search(r'<span class="beside" data-question="Served:" data-answer="\d+\.\d+">Served: ', page)
    solution = page.partition("<summary>Solution 1</summary>")[2]
    assert "Therefore." in solution.partition("</details>")[0]
    assert "Next:" in solution.rpartition("</details>")[2]


def test_sliders_and_curves_are_data_of_the_page(edition):
    moving, drawn, thin = map(json.loads, DATA.findall(edition["lesson.html"]))
    assert [len(each["points"]) for each in (moving, drawn, thin)] == [4, 1, 153]
    assert drawn["points"][0]["charts"][0]["curves"][0]["x"] == [1, 2]


def test_a_record_is_shown_once_in_a_kernel(edition):
    assert edition["lesson.html"].count('<div class="stacksim">') == 1
    assert "<pre style" not in edition["lesson.html"]


def test_a_handout_has_neither_solutions_nor_sliders(edition):
    page = edition["handout.html"]
    assert "Therefore." not in page
    assert "Reveal</h2>" not in page
    assert "Why?" in page
    still = json.loads(DATA.findall(page)[0])
    assert (still["knobs"], len(still["points"])) == ([], 1)
    assert "items 4" in still["points"][0]["words"]


def test_there_is_a_slide_for_each_cell_of_prose(edition):
    prose_cells = sum(kind == "markdown" for kind, *_ in CELLS)
    assert edition["slides.html"].count('<section class="slide"') == prose_cells


def test_formulas_and_links_need_nothing_but_the_edition():
    assert "<math" in prose("$x^2$")
    assert 'display="block"' in prose("$$\nx\n$$")
    links = prose(CELLS[0][1] + CELLS[-1][1])
    assert re.findall(r'href="(.*?)"', links) == ["01-one.html#why", "02-two.html", "index.html"]
    assert 'data-page="../glossary.html#knee"' in links
    assert prose("[how](../CONTRIBUTING.md)") == "<p>how</p>\n"


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_each_lesson_becomes_pages_of_a_size_to_mail_in_less_than_a_minute(path):
    begin = time.perf_counter()
    made = pages(Lesson.of(path.stem, executed(read(path))))
    assert time.perf_counter() - begin < LONGEST_S
    assert max(map(len, made.values())) < LARGEST_BYTES
