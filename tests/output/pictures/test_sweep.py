"""Pictures of sweeps: every answer, over numbers and words, and nothing cut off or drawn over."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb

from sim import InputError
from sim.engine.statistics.estimates import point
from sim.output.pictures.drawable import check_measures, horizontal, parsed_measures
from sim.output.pictures.style import PALETTE, content
from sim.output.pictures.sweep import charts, knee, sweep_figure
from sim.prediction import RunOptions
from sim.prediction.sweep import axes, cases_of, predict_all
from sim.prediction.uncertainty import PredictionInterval
from sim.system.installed import find


def drawn(system, *words, answers="throughput", engine="analytic"):
    """The picture of a sweep, laid out, and what it shows."""
    varied = axes(find(system), words)
    cases = cases_of(find(system), varied)
    predictions = predict_all(cases, RunOptions(engine, precision=0.2))
    figure = sweep_figure(predictions, varied, parsed_measures(answers))
    FigureCanvasAgg(figure).draw()
    return figure, predictions


def inside(figure, *artists):
    """True if everything drawn lies inside the picture."""
    whole = figure.bbox
    boxes = [each.get_window_extent() for each in artists]
    return all(
        whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1 for box in boxes
    )


def test_many_lines_are_distinct_and_not_covered_by_the_legend():
    words = ("users=1,4", "block=1KiB,8KiB", "op=read,write", "direct_io=yes,no", "link=sdr,qdr", "cell=v1,x2-2")
    figure, predictions = drawn("dbfs", *words)
    (panel,) = figure.axes
    assert len(panel.lines) == len(predictions) / 2 == 32
    assert len({(to_hex(line.get_color()), line.get_linestyle()) for line in panel.lines}) == 32
    legend = panel.get_legend()
    assert inside(figure, legend, *figure.texts)
    assert not legend.get_window_extent().overlaps(panel.get_window_extent())
    assert panel.get_window_extent().width > 0.5 * figure.bbox.width


def test_few_lines_have_a_legend_beside_them():
    figure, _ = drawn("dbfs", "users=1,4", "op=read,write")
    (panel,) = figure.axes
    legend = ["op read", "op write", "interval, at 90%", "published"]
    assert [each.get_text() for each in panel.get_legend().get_texts()] == legend
    assert inside(figure, panel.get_legend())
    assert not panel.get_legend().get_window_extent().overlaps(panel.get_window_extent())


@pytest.mark.parametrize(("system", "word"), [("dbfs", "users=1,4"), ("exadata-ctas", "hosts=1,2")])
def test_a_title_fits_into_the_picture(system, word):
    figure, _ = drawn(system, word)
    (title,) = figure.texts
    assert title.get_text().startswith(f"{system}: ")
    assert inside(figure, title)


def test_over_words_there_are_bars_as_high_as_the_answers():
    figure, predictions = drawn("dbfs", "link=sdr,ddr,qdr", "op=read,write")
    (panel,) = figure.axes
    assert [each.get_text() for each in panel.get_xticklabels()] == ["sdr", "ddr", "qdr"]
    heights = [bar.get_height() for bar in panel.patches]
    assert heights == [
        each.throughput.value for op in ("read", "write") for each in predictions if each.shown["op"] == op
    ]
    centres = sorted(bar.get_x() + bar.get_width() / 2 for bar in panel.patches)
    assert centres == pytest.approx([-0.2, 0.2, 0.8, 1.2, 1.8, 2.2])


def test_throughput_and_latency_have_a_panel_each_and_every_line_its_knee():
    figure, predictions = drawn("dbfs", "users=1,2,4,8,16", "block=8KiB", answers="throughput,mean")
    throughput, latency = figure.axes
    assert throughput.get_ylabel() == "throughput (MB/s)"
    assert latency.get_ylabel() == "mean latency (µs)"
    powers = [each.throughput.value / each.answers["mean"].estimate.value for each in predictions]
    best = predictions[powers.index(max(powers))]
    rings = [each.get_offsets().tolist() for each in throughput.collections if each.get_zorder() == 5]
    assert rings == [[[best.settings["users"], best.throughput.value]], []]
    assert throughput.get_legend().get_texts()[-1].get_text() == "knee"


def test_unmeasured_points_are_hollow_or_pale():
    """The source has one to eight users, and writes and reads."""
    (panel,) = drawn("dbfs", "users=4,16", "block=8KiB")[0].axes
    (hollow,) = (each for each in panel.collections if each.get_zorder() == 3)
    assert hollow.get_offsets()[:, 0].tolist() == [16]
    assert hollow.get_facecolor().tolist() == [[1.0, 1.0, 1.0, 1.0]]
    assert panel.get_legend().get_texts()[-1].get_text() == "extrapolated"
    (panel,) = drawn("nvme-xfs", "op=read,write")[0].axes
    assert [bar.get_alpha() for bar in panel.patches[:2]] == [None, 0.45]


@pytest.mark.parametrize(
    ("populations", "throughputs", "latencies", "found"),
    [
        ((1, 2, 4, 8), (10, 20, 30, 31), (0.1, 0.1, 0.13, 0.3), 2),
        ((1, 2, 4, 8), (10, 20, 40, 80), (0.1, 0.1, 0.1, 0.1), None),
        ((1, 2, 4, 8), (10, 10, 10, 10), (0.1, 0.2, 0.4, 0.8), None),
        ((4, 4, 4, 4), (10, 20, 30, 31), (0.1, 0.1, 0.13, 0.3), None),
    ],
)
def test_the_knee_is_where_latency_begins_to_rise_faster_than_throughput(
    populations, throughputs, latencies, found
):
    def prediction(population, throughput, mean):
        result = SimpleNamespace(watched="c", groups={"c": SimpleNamespace(population=population)})
        answers = {"mean": SimpleNamespace(estimate=point(mean))}
        return SimpleNamespace(result=result, throughput=point(throughput), answers=answers)

    assert knee([*map(prediction, populations, throughputs, latencies)]) == found


def test_published_figures_are_drawn_over_their_curves():
    figure, _ = drawn("dbfs", "users=1,2,4", "block=8KiB", "op=write")
    (panel,) = figure.axes
    diamonds = [each.get_offsets().tolist() for each in panel.collections if each.get_zorder() == 4]
    assert diamonds == [[[1.0, 205.0], [4.0, 650.0]], []]
    figure, _ = drawn("dbfs", "users=1,2,4", "block=8KiB", "cells=5")
    assert not [each for each in figure.axes[0].collections if each.get_zorder() == 4]


def test_a_band_is_the_prediction_interval_where_every_point_has_one():
    _, predictions = drawn("dbfs", "users=1,4")
    (before,) = charts(predictions, {"users": [1, 4]})
    assert before.band == "interval, at 90%"  # of the formulas
    likely = PredictionInterval(1.0, 2.0, 0.9, 0.1, 0.1)
    wider = [replace(each, intervals={"throughput": likely}) for each in predictions]
    (chart,) = charts(wider, {"users": [1, 4]})
    assert (chart.band, chart.curves[0].low, chart.curves[0].high) == (
        "prediction interval, at 90%",
        [1.0, 1.0],
        [2.0, 2.0],
    )
    assert charts([*wider[:1], *predictions[1:]], {"users": [1, 4]})[0].band == "interval, at 90%"


def test_points_that_are_missing_leave_a_gap():
    varied = axes(find("dbfs"), ("link=sdr,ddr,qdr",))
    predictions = predict_all(cases_of(find("dbfs"), varied), RunOptions("analytic"))
    (panel,) = sweep_figure([predictions[0], predictions[2]], varied).axes
    assert [bar.get_x() + bar.get_width() / 2 for bar in panel.patches] == pytest.approx([0.0, 2.0])


def test_paired_settings_are_one_line():
    varied = axes(find("dbfs"), ("nodes=1,2", "cells=3,6", "op=read,write"))
    paired = ["nodes,cells"]
    predictions = predict_all(cases_of(find("dbfs"), varied, paired), RunOptions("analytic"))
    (panel,) = sweep_figure(predictions, varied, paired=paired).axes
    assert [list(line.get_xdata()) for line in panel.lines] == [[1, 2], [1, 2]]


# What somebody without one kind of cones sees: linear RGB times a matrix of Machado, Oliveira and Fernandes,
# "A physiologically-based model for simulation of color vision deficiency", 2009, severity 1.
BLINDNESS = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("kind", BLINDNESS)
def test_colours_are_distinct_to_the_colour_blind(kind):
    def seen(colour):
        linear = np.array([((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in to_rgb(colour)])
        return np.clip(BLINDNESS[kind] @ linear, 0.0, 1.0) ** (1 / 2.4)

    distances = [np.linalg.norm(seen(one) - seen(other)) for one, other in combinations(PALETTE, 2)]
    assert min(distances) > 0.1


def test_latencies_are_drawn_in_a_unit_that_people_read():
    figure, predictions = drawn("dbfs", "users=8,9", "block=8KiB", answers="mean,p99", engine="auto")
    (panel,) = figure.axes
    latencies = [each.result.groups[each.result.watched].latency for each in predictions]
    mean, p99 = (list(line.get_ydata()) for line in panel.lines)
    assert mean == pytest.approx([each.mean.value * 1e6 for each in latencies])
    assert p99 == pytest.approx([each.p99.value * 1e6 for each in latencies])
    assert panel.get_ylabel() == "answers (µs)"
    assert [each.get_text() for each in panel.get_legend().get_texts()] == [
        "mean latency",
        "p99 latency",
        "interval, at 95%",
        "extrapolated",
    ]


def test_an_answer_may_be_named_as_the_tables_have_it():
    assert parsed_measures("hit ratio before, hit_ratio_during") == ["hit_ratio_before", "hit_ratio_during"]
    with pytest.raises(InputError, match="given twice in 'hit ratio,hit_ratio'"):
        parsed_measures("hit ratio,hit_ratio")


@pytest.mark.parametrize(
    ("varied", "across"),
    [
        ({"op": ["read", "write"], "users": [1, 2]}, "users"),
        ({"op": ["read", "write"], "link": ["sdr", "ddr", "qdr"]}, "link"),
        ({"op": ["read", "write", "mixed"], "skew": [0.5, 0.9], "users": [1]}, "skew"),
        ({"direct": [True, False]}, "direct"),
    ],
)
def test_along_the_x_axis_is_a_number_if_one_is_varied(varied, across):
    assert horizontal(varied) == across


def test_axes_from_zero_are_drawn():
    figure, predictions = drawn("array", "sequential=0,50", engine="auto")
    (line,) = figure.axes[0].lines
    assert list(line.get_xdata()) == [0, 50]
    assert figure.axes[0].get_xscale() == "linear"
    assert content(figure, "png").startswith(b"\x89PNG")
    assert len(predictions) == 2


def test_a_file_name_is_no_formula(tmp_path):
    names = [tmp_path / "a$_$.csv", tmp_path / "b\x07.csv"]
    for name in names:
        name.write_text("0,read,0,8192\n1,read,8192,8192\n", encoding="utf-8")
    figure, _ = drawn("array", f"trace={','.join(map(str, names))}", engine="auto")
    labels = [each.get_text() for each in figure.axes[0].get_xticklabels()]
    assert [label.rpartition("/")[2] for label in labels] == [r"a\$_\$.csv", r"b\x07.csv"]


def test_too_many_lines_are_refused():
    varied = axes(find("dbfs"), ("users=1,2,3,4,5,6,7,8", "nodes=1,2,3,4,5,6", "cells=1,2,3,4,5,6"))
    with pytest.raises(InputError, match="a picture of 36 lines cannot be read; allowed: 32; vary less"):
        check_measures([], varied, ["throughput"])
