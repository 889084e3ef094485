"""Answers that show themselves: the same words in a page and in a terminal, well formed and safe."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import tomllib
from dataclasses import FrozenInstanceError, replace
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest
from IPython.lib.pretty import pretty
from rich.console import Console

from sim.decision.compare import compare
from sim.engine import display
from sim.engine.display import GROUP, Shown, view_of
from sim.engine.simulation.options import RunOptions
from sim.output.views.parts import Line, Rows, Wide, about
from sim.output.views.view import PartsAndPicture
from sim.prediction.explanation import explain
from sim.prediction.over_time import Span, predict_over_time
from sim.prediction.prediction import predict
from sim.prediction.swept import sweep
from sim.system.case import Case
from toy import TOY

ROOT = Path(__file__).parents[3]
VOID = {"img"}
QUICK = RunOptions(precision=0.1, answers=("throughput",))
NAMED = replace(TOY, name="<b>toy & co</b>")


def made(kind):
    prediction = predict(NAMED, {"clients": 8}, QUICK, intervals=False)
    match kind:
        case "Prediction":
            return prediction
        case "PredictionOverTime":
            return predict_over_time(Case.of(NAMED, {"clients": 8}), Span(10.0), RunOptions(), intervals=False)
        case "Sweep":
            return sweep(NAMED, {"clients": [1, 8], "items": [1, 2]}, QUICK)
        case "Explanation":
            return explain(prediction)
        case "Breakdown":
            return next(iter(explain(prediction).breakdowns.values()))
        case "Comparison":
            return compare(Case.of(NAMED, {"clients": 8}), Case.of(NAMED, {"items": 2}), QUICK)


KINDS = ("Breakdown", "Comparison", "Explanation", "Prediction", "PredictionOverTime", "Sweep")
OF_DECISIONS = ("Degraded", "Finding", "Growth", "Verdict")
"""Classes whose views have tests of their own."""


@pytest.fixture(scope="module", params=KINDS)
def shown(request):
    return made(request.param)


class Page(HTMLParser):
    """Reads a page; its tags must close in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.words, self.rows, self.images = [], [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.images.append(dict(attributes))
        if tag == "tr":
            self.rows.append([])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.words += text.split()


def test_page_is_well_formed_and_escapes_its_content(shown):
    page = shown._repr_html_()
    read = Page(page)
    assert "<b>toy & co</b>" not in page
    (image,) = read.images
    assert image["src"].startswith("data:image/svg+xml;base64,")
    assert image["alt"]


def test_a_page_has_the_words_of_the_terminal(shown):
    page = "".join(Page(shown._repr_html_()).words)
    words = view_of(type(shown).__name__).text(shown).split()
    assert len(words) > 10
    assert not [word for word in words if word not in page]


def test_rich_prints_it(shown):
    console = Console(width=115)
    with console.capture() as captured:
        console.print(shown)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    assert "\n".join(lines) == view_of(type(shown).__name__).text(shown)


def test_ipython_shows_the_same_as_plain_text(shown):
    assert pretty(shown) == view_of(type(shown).__name__).text(shown)


def test_shown_results_are_frozen_and_picklable():
    shown = made("Breakdown")
    assert pickle.loads(pickle.dumps(shown)) == shown  # noqa: S301
    with pytest.raises(FrozenInstanceError):
        shown.requests = 1


def test_every_class_that_is_shown_has_its_view():
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"][GROUP]
    assert tuple(points) == tuple(sorted(KINDS + OF_DECISIONS))
    for place in points.values():
        module, _, name = place.partition(":")
        assert isinstance(getattr(import_module(module), name), PartsAndPicture)
    assert {each.__name__ for each in Shown.__subclasses__()} >= set(KINDS)


def test_result_without_a_view_is_shown_by_its_repr():
    class Bare(Shown):
        def __repr__(self):
            return "Bare()"

    console = Console(width=80)
    with console.capture() as captured:
        console.print(Bare())
    assert Bare()._repr_html_() is None
    assert captured.get() == "Bare()\n"


def test_showing_a_record_loads_no_modules():
    imports = "import sys, sim.prediction, sim.decision.compare"
    line = f"{imports}; print({{'matplotlib', 'pandas', 'rich'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "set()\n"


def test_a_sweep_of_one_point_has_no_picture():
    assert not Page(sweep(TOY, {"clients": [1]}, QUICK)._repr_html_()).images


def test_a_line_has_its_heading_in_a_cell_of_its_own():
    assert Page(about("limited by", "<disk>", bold="!").html()).words == ["limited", "by", "<disk>", "!"]
    assert "<th" in about("limited by", "disk").html()
    assert "<th" not in Line("one ", "two", " three").html()
    assert "<b>two</b>" in Line("one ", "two", " three").html()


def test_a_table_is_aligned_as_in_a_terminal():
    page = Rows(("name", "value", "what"), [("a", "1", "<x>")], right=1, left=2).html()
    assert re.findall(r"<td style=\"text-align: (\w+)", page) == ["left", "right", "left"]
    assert "&lt;x&gt;" in page


def test_a_wide_table_is_printed_in_blocks_and_shown_in_one():
    wide = Wide(("key", "first column", "second column"), [("k", "1", "2")], keys=1)
    console = Console(width=20)
    with console.capture() as captured:
        console.print(wide)
    assert captured.get().count("key") == 2
    assert wide.html().count("<table>") == 1


def test_a_column_wider_than_the_terminal_wraps_beside_the_whole_key():
    console = Console(width=30)
    with console.capture() as captured:
        console.print(
            Wide(("parameter", "known from"), [("read_command", "users=1 depth=1 block=4KiB op=read")], 1)
        )
    _, first, *others = captured.get().splitlines()
    assert first.startswith("read_command  ")
    assert others
    assert all(line.startswith(" " * len("read_command")) for line in others)


def test_an_installation_without_views_says_so(monkeypatch):
    monkeypatch.setattr(display, "registered", lambda group: {} if group == display.GROUP else None)
    with pytest.warns(UserWarning, match="no views; install stacksim again"):
        assert display.view_of.__wrapped__("Prediction") is None


def test_narrowing_by_control_variates_is_reported():
    prediction = predict(TOY, {"clients": 8}, QUICK, intervals=False)
    assert prediction.record()["narrowed"] == {}
    assert "control variates" not in prediction._repr_html_()
    result = prediction.result
    group = replace(result.groups[result.watched], narrowed={"throughput": 0.25, "p50": 0.5})
    narrowed = replace(prediction, result=replace(result, groups={**result.groups, result.watched: group}))
    assert narrowed.record()["narrowed"] == {"throughput": 0.25, "p50": 0.5}
    assert "control variates" not in narrowed._repr_html_()
    explained = replace(explain(prediction), prediction=narrowed)
    words = "control variates made intervals narrower: throughput 4.0 times, p50 2.0 times"
    assert words in explained._repr_html_()
