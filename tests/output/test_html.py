"""A report as a page: whole, self-contained, readable by a program, and safe for any text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from sim.data.dataset import Dataset, Measurement
from sim.output.html import _bar, write
from sim.prediction import RunOptions
from sim.prediction.cells import Cell, summarise
from sim.prediction.ledger import First
from sim.prediction.reach import Reach
from sim.prediction.repeats import Repeats
from sim.prediction.report import Report, Unpredicted

VOID = {"meta", "img", "br", "link"}


def cell(row, error, role="predicted", held_out=None):
    return Cell("dbfs-dd", row, "write", "throughput", 1.0, "MB/s", 1.0 + error, None, None, error, role, held_out)


@pytest.fixture
def dataset():
    figure = Measurement(
        dataset="dbfs-dd", line=2, source="S0", table="4", row="1u", column="write", measure="throughput",
        value=100.0, unit="MB/s", half_width=2.5, conditions="users=1", quality="printed",
    )  # fmt: skip
    return Dataset(name="dbfs-dd", title="dd & <friends>", system="dbfs", measurements=(figure,))


class Balanced(HTMLParser):
    """Reads a page; its tags must close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.sources = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text.append(text)


def page_of(found, dataset, path):
    write(found, [dataset], RunOptions(), path)
    read = Balanced()
    read.feed(path.read_text("utf-8"))
    assert not read.open
    return read


def test_the_page_has_every_figure_and_needs_nothing_else(dataset, tmp_path):
    cells = (cell("1u", 0.031), cell("8u", -0.4, "fitted", -0.5))
    missing = Unpredicted("dbfs-dd", "9u", "write", 3.0, "MB/s", "no model <of> this")
    read = page_of(Report(cells, (summarise("dbfs-dd", cells),), (missing,)), dataset, tmp_path / "page.html")
    text = re.sub(r"\s+", " ", " ".join(read.text))
    for wanted in (
        "1u",
        "+3.1 %",
        "8u",
        "-40.0 %",
        "-50.0 %",
        "no model <of> this",
        "dd & <friends>",
        "3 published",
    ):
        assert wanted in text
    assert all(each.startswith(("data:image/svg+xml;base64,", "#")) for each in read.sources)


def test_page_states_the_reach_and_limits_of_the_score(dataset, tmp_path):
    cells = (replace(cell("1u", 0.031), first=First(0.5, "2026-11-23", "f1ebf159")),)
    whole = replace(summarise("dbfs-dd", cells), repeats=Repeats(7, 0.012, 0.16))
    reached = Reach("elsewhere", 84, 0, 0.045, 0.37, 0.67, None, 0.28, 3.48, 6, 7)
    found = Report(cells, (whole,), reach=(reached,))
    text = re.sub(r"\s+", " ", " ".join(page_of(found, dataset, tmp_path / "page.html").text))
    assert "to another machine (left out) 84 4.5 % 37.0 % 67.0 % 28.0 % 348.0 % 6 of 7" in text
    assert "repeats of the same run differ by 1.2 % in the median, 95 % of the 7 pairs by up to 16.0 %" in text
    assert "As first predicted: 1 figure, median error 50.0 %" in text


def test_failing_figures_come_first(dataset, tmp_path):
    cells = (cell("1u", 0.031), cell("8u", -0.4, "fitted"), cell("9u", 0.25))
    read = page_of(Report(cells, (summarise("dbfs-dd", cells),)), dataset, tmp_path / "page.html")
    text = re.sub(r"\s+", " ", " ".join(read.text))
    said = text.partition("What fails")[2].partition("All datasets")[0]
    assert "2 of 3 figures are missed by more than 20 %" in said
    assert said.index("-40.0 %") < said.index("+25.0 %")
    assert "+3.1 %" not in said


def test_wide_elements_scroll_separately_on_a_narrow_screen(dataset, tmp_path):
    cells = (cell("1u", 0.031),)
    missing = Unpredicted("dbfs-dd", "9u", "write", 3.0, "MB/s", "no model")
    write(
        Report(cells, (summarise("dbfs-dd", cells),), (missing,)), [dataset], RunOptions(), tmp_path / "page.html"
    )
    page = (tmp_path / "page.html").read_text("utf-8")
    wide = [each.start() for each in re.finditer(r"<(?:table|img)\b", page)]
    assert len(wide) == 6
    assert all(page.endswith('<div class="scroll" tabindex="0">', 0, at) for at in wide)
    assert re.search(r"\.scroll \{ overflow-x: auto; max-width: 100%;", page)


def test_a_dataset_without_any_prediction_has_a_section_all_the_same(dataset, tmp_path):
    cells = (cell("1u", 0.0),)
    other = dataset.model_copy(update={"name": "nothing"})
    found = Report(cells, (summarise("dbfs-dd", cells),), ())
    write(found, [dataset, other], RunOptions(), tmp_path / "page.html")
    assert 'id="nothing"' in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "style"),
    [(0.125, "left:50.0%;width:25.0%"), (-0.125, "left:25.0%;width:25.0%"), (3.0, "left:50.0%;width:50.0%")],
)
def test_the_bar_of_an_error_leaves_the_middle_and_stays_in_its_cell(error, style):
    assert _bar(error) == style
