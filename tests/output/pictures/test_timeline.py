"""The picture of a failure: a step for each window, a line for each phase, and a name above it."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from sim.engine.simulation.options import RunOptions
from sim.output.pictures.timeline import timeline_figure
from sim.prediction.timeline import failure_of, intact, timeline, without
from sim.system.case import Case
from toy import TOY

QUICK = RunOptions(precision=0.1, answers=("throughput",))


@pytest.fixture(scope="module")
def drawn():
    case = Case.of(TOY, {"clients": 8})
    phases = [intact(case, QUICK), without(case, failure_of(case, "items=4"), QUICK)]
    windows = timeline(phases, QUICK)
    return timeline_figure(phases, windows), phases, windows


def test_windows_are_drawn_as_steps(drawn):
    figure, _, windows = drawn
    above, below = figure.axes
    assert above.patches[0].get_data().values.tolist() == [window.throughput for window in windows]
    ratios = below.patches[0].get_data().values / [window.mean_s for window in windows]
    assert ratios.tolist() == pytest.approx([ratios[0]] * len(windows))
    assert len(below.patches) == 2  # mean and p99


def test_each_phase_has_its_name_and_its_long_run(drawn):
    figure, phases, _ = drawn
    above = figure.axes[0]
    assert [text.get_text() for text in above.texts] == ["after", "items=4", "before"]
    dashed = [line.get_ydata()[0] for line in above.lines if line.get_linestyle() == "--"]
    before, lost = (phase.prediction.throughput.value for phase in phases)
    assert dashed == [before, lost, before]


def test_the_band_is_in_the_legend_once(drawn):
    figure, _, _ = drawn
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["in a window", "in the long run", "its interval, at 95%"]


def test_shortened_phases_are_marked(drawn):
    figure, phases, windows = drawn
    assert "phases are shortened" in figure.axes[1].get_xlabel()
    assert "shortened" not in timeline_figure(phases, windows, cut_short=False).axes[1].get_xlabel()


def test_all_text_is_inside_the_picture(drawn):
    figure, _, _ = drawn
    FigureCanvasAgg(figure).draw()
    whole = figure.bbox
    for axes in figure.axes:
        for artist in (*axes.texts, axes.xaxis.label, axes.yaxis.label):
            box = artist.get_window_extent()
            assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
            assert whole.y0 <= box.y0 <= box.y1 <= whole.y1
