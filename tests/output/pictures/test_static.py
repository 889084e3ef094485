"""Charts drawn by Matplotlib: what is drawn is what the chart says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

import sim.output.pictures
from sim.output.pictures import style
from sim.output.pictures.chart import Axis, Chart, Curve, Points
from sim.output.pictures.static import figure

NAN = float("nan")
ROOM = Path(sim.output.pictures.__file__).parent

ONE = Curve("one", [1, 2, 4], [10.0, 20.0, 30.0], [9.0, NAN, 28.0], [11.0, NAN, 33.0], knee=1)
BOUND = Curve("limit", [1, 4], [35.0, 35.0], dashed=True)
CHART = Chart(
    "made up",
    Axis("users", logarithmic=True, named={1: "1", 2: "2", 4: "4"}),
    Axis("throughput", "MB/s"),
    [ONE, BOUND],
    [Points(0, [2], [21.0], [0.5])],
    "interval, at 95%",
)


def panel_of(*charts):
    drawn = figure(*charts)
    FigureCanvasAgg(drawn).draw()
    return drawn.axes[0]


def test_curves_are_lines_and_intervals_bands_closed_where_an_end_is_not_known():
    panel = panel_of(CHART)
    one, limit = panel.lines
    assert list(one.get_ydata()) == ONE.y
    assert (limit.get_linestyle(), limit.get_marker()) == ("--", "None")
    band = next(each for each in panel.collections if each.get_alpha() == style.BAND)
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert corners == {(1, 9), (1, 11), (2, 20), (4, 28), (4, 33)}


def test_published_figures_and_the_knee_have_their_marks():
    panel = panel_of(CHART)
    (diamonds, _) = [each for each in panel.collections if each.get_zorder() == 4]
    assert diamonds.get_offsets().tolist() == [[2, 21]]
    assert to_hex(diamonds.get_edgecolors()[0]) == to_hex(panel.lines[0].get_color())
    (left_open,) = [each.get_segments() for each in panel.collections if hasattr(each, "get_segments")]
    assert [each.tolist() for each in left_open] == [[[2, 20.5], [2, 21.5]]]
    ring = next(each for each in panel.collections if each.get_zorder() == 5)
    assert ring.get_offsets().tolist() == [[2, 20]]


def test_the_legend_says_what_all_of_it_is_curves_first():
    for chart in (CHART, replace(CHART, x=Axis("kind", named={0: "a", 1: "b", 2: "c"}, kinds=True))):
        legend = panel_of(chart).get_legend()
        assert [each.get_text() for each in legend.get_texts()] == [
            "one",
            "limit",
            "interval, at 95%",
            "published",
            "knee",
        ]


def test_axes_have_units_and_the_texts_of_their_places():
    panel = panel_of(CHART)
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("users", "throughput (MB/s)")
    assert [each.get_text() for each in panel.get_xticklabels()] == ["1", "2", "4"]
    assert panel.get_xscale() == "log"
    assert panel.get_ylim()[0] == 0.0


def test_kinds_have_bars_beside_one_another_and_figures_stand_on_their_own_bar():
    kinds = Axis("link", named={0: "sdr", 1: "qdr"}, kinds=True)
    curves = [Curve("read", [0, 1], [1.0, 2.0]), Curve("write", [0, 1], [3.0, 4.0])]
    panel = panel_of(replace(CHART, x=kinds, curves=curves, published=[Points(1, [1], [4.5])]))
    centres = [bar.get_x() + bar.get_width() / 2 for bar in panel.patches]
    assert centres == pytest.approx([-0.2, 0.8, 0.2, 1.2])
    assert panel.collections[-2].get_offsets().tolist() == [pytest.approx([1.2, 4.5])]


def test_each_chart_has_a_panel_below_the_other_and_one_title():
    drawn = figure(CHART, replace(CHART, title="unseen"))
    assert [axes.get_position().y0 for axes in drawn.axes] == sorted(
        (axes.get_position().y0 for axes in drawn.axes), reverse=True
    )
    assert [text.get_text() for text in drawn.texts] == ["made up"]


def test_no_text_is_a_formula():
    panel = panel_of(replace(CHART, title="a$_$", y=Axis("b$_$"), curves=[replace(ONE, label="c$_$"), BOUND]))
    assert panel.get_ylabel() == r"b\$_\$"


def test_what_a_page_draws_is_the_same_chart():
    record = json.loads(json.dumps(CHART.record(), allow_nan=False))
    assert record["curves"][0]["low"] == [9.0, None, 28.0]
    assert record["x"]["named"] == {"1": "1", "2": "2", "4": "4"}
    assert (record["band"], record["curves"][0]["knee"], record["x"]["kinds"]) == ("interval, at 95%", 1, False)


def test_no_picture_has_colours_of_its_own():
    own = re.compile(r"""#[0-9a-fA-F]{6}|"C\d"|color="(?!white|none)""")
    found = {
        path.name: own.findall(path.read_text("utf-8")) for path in ROOM.glob("*.py") if path.name != "style.py"
    }
    assert not {name: colours for name, colours in found.items() if colours}


def test_a_page_has_the_same_colours():
    css = (ROOM / "chart.css").read_text("utf-8").partition("@media")[0]
    colours = re.findall(r"--curve-\d: (#\w{6})", css)
    assert colours[:-1] == [each.lower() for each in style.PALETTE[:-1]]  # yellow is too faint on white
