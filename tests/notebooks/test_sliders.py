"""Sliders: what they can be set to, which curves follow them, and what those see who have no widgets."""

from __future__ import annotations

import asyncio
import importlib.util
from types import SimpleNamespace

import pytest

from sim.engine.errors import InputError
from sim.system.installed import find
from stacksim.notebook import sliders
from stacksim.notebook.knobs import knobs_of, ladder, setting_of
from toy import TOY, throughput

VALUES = {each.name: each.value for each in TOY.parameters.entries}


def curve(charts, label, number=0):
    return next(each for each in charts[number].curves if each.label == label)


def test_slider_is_made_from_its_setting():
    dbfs = find("dbfs")
    assert ladder(setting_of(dbfs, "block"), 8192)[0] == 512
    assert ladder(setting_of(dbfs, "op"), "read") == ["write", "read"]
    block, op = knobs_of(dbfs, {"block": ["8KiB", "1KiB"], "op": "read"}, ())
    assert (block.texts, block.start, block.ordered) == (("1KiB", "8KiB"), 1, True)
    assert (op.values[op.start], op.ordered) == ("read", False)


def test_a_parameter_is_moved_over_its_range():
    (drive,) = knobs_of(find("nvme-xfs"), {}, ("units",))
    assert (drive.values[0], drive.values[drive.start], drive.values[-1]) == pytest.approx((32, 44, 64))
    assert drive.texts[drive.start] == "44"
    (fixed,) = knobs_of(TOY, {}, ("fixed_s",))
    assert (fixed.texts[0], fixed.texts[-1]) == ("250 µs", "4 ms")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"over": "users"}, "no setting 'users'"),
        ({"over": "clients", "itms": 2}, "no setting 'itms'"),
        ({"over": "clients", "items": 99}, "items is '99'"),
        ({"over": "clients", "parameters": ("fixed",)}, "no parameter 'fixed'"),
        ({"over": "clients", "measures": ("speed",)}, "no answer 'speed'"),
        ({"over": "clients", "measures": ()}, "no answers to draw"),
        ({"over": "clients", "items": []}, "no values of 'items'"),
    ],
)
def test_unknown_settings_and_values_are_refused(asked, message):
    with pytest.raises(InputError, match=message):
        sliders(TOY, **asked)


def test_a_value_that_is_listed_twice_is_one():
    (knob,) = sliders(TOY, over="clients", clients=[1, 2], items=[4, 1, 4]).moving.question.knobs
    assert knob.values == (1, 4)


def test_words_are_no_axis():
    with pytest.raises(InputError, match="'op' is no number"):
        sliders("dbfs", over="op")


def test_curves_follow_the_moved_slider():
    shown = sliders(TOY, over="clients", clients=[1, 2, 8], items=[1, 4])
    for items in (1, 4):
        shown.move(items=items)
        expected = [throughput(VALUES, clients, items) for clients in (1, 2, 8)]
        assert curve(shown.charts, "simulated").y == pytest.approx(expected, rel=0.05)
        assert curve(shown.charts, "computed").x == [1, 2, 8]
    assert [chart.y.title for chart in shown.charts] == ["throughput (1/s)", "mean latency (ms)"]
    assert shown.chart.record()["title"] == "toy: items 4"


def test_stops_are_named_as_people_write_them():
    moved = sliders(TOY, over="clients", clients=[1, 2], items=[1, 2])
    moved.drag(items="2")
    assert moved.moving.position["items"] == 2
    for values, message in [({"items": 3}, "'3' is no stop of items"), ({"itms": 1}, "nothing moves 'itms'")]:
        with pytest.raises(InputError, match=message):
            moved.drag(**values)


def test_curves_follow_a_parameter():
    shown = sliders(TOY, over="clients", clients=[1, 2], items=[1], parameters=("fixed_s",))
    shown.move(fixed_s=4e-3)
    expected = [throughput({**VALUES, "fixed_s": 4e-3}, clients, 1) for clients in (1, 2)]
    assert curve(shown.charts, "simulated").y == pytest.approx(expected, rel=0.05)


def test_only_the_computed_curve_follows_while_a_slider_is_dragged():
    shown = sliders(TOY, over="clients", clients=[1, 2], items=[1, 4])
    shown.drag(items=4)
    assert [each.label for each in shown.chart.curves] == ["computed"]
    assert "let go" in shown.note


def test_published_points_are_drawn_on_top():
    shown = sliders("dbfs", block=["8KiB"], users=[1, 4], op=["read"])
    (points,) = shown.chart.published
    assert (points.x, len(points.y)) == ([1.0, 4.0], 2)


def test_where_the_analytic_engine_refuses_all_is_simulated_beforehand(monkeypatch):
    shown = sliders("redo", over="sessions", sessions=[1, 6], filesystem=["ext4", "xfs"])
    assert "beforehand" in shown.note
    before = shown.chart
    monkeypatch.setattr("stacksim.notebook.question.predict", None)  # nothing more is simulated
    shown.move(filesystem="xfs")
    assert curve(shown.charts, "simulated").y[1] < curve([before], "simulated").y[1]


def test_too_much_to_simulate_beforehand_is_refused():
    with pytest.raises(InputError, match="predictions; allowed: 200; list fewer values, such as sessions"):
        sliders("redo", over="sessions", filesystem="ext4", parameters=("write_s", "idle_s"))


def test_refusal_of_the_system_is_shown_below_the_curves():
    shown = sliders(
        "shared-file", over="writers", writers=[1, 2], filesystem=["xfs", "ufs"], mount=["direct", "odm"]
    )
    before = shown.charts
    shown.move(mount="odm")
    assert "mount is 'odm'; allowed for xfs: buffered, direct" in shown.note
    assert shown.charts == before


class Shown:
    """A stand-in for what Jupyter shows: outputs in their order, each of which may be replaced."""

    def __init__(self, monkeypatch):
        self.outputs = []
        monkeypatch.setattr("IPython.display.display", self)

    def __call__(self, output, **_):
        self.outputs.append(output)
        number = len(self.outputs) - 1
        return SimpleNamespace(update=lambda replaced, **_: self.outputs.__setitem__(number, replaced))


def test_without_widgets_a_picture_and_a_hint_are_shown(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("stacksim.notebook.with_sliders.import_module", absent)
    shown = Shown(monkeypatch)
    sliders(TOY, over="clients", clients=[1, 2], items=[1])._ipython_display_()
    (picture,) = shown.outputs
    assert set(picture) == {"text/plain", "text/html", "image/png"}
    assert "toy: items 1." in picture["text/html"]
    assert "pip install" in picture["text/html"]


def test_below_the_widgets_the_picture_is_an_output_of_its_own(monkeypatch):
    """Pages without a kernel show no widget, but they do show the picture."""
    monkeypatch.setattr("stacksim.notebook.with_sliders.import_module", lambda _: SimpleNamespace(**KINDS))
    shown = Shown(monkeypatch)
    moved = sliders(TOY, over="clients", clients=[1, 2], items=[1, 4])
    moved._ipython_display_()
    assert shown.outputs[0] is moved.box
    before = shown.outputs[1]
    moved.drag(items=4)
    after = shown.outputs[1]
    assert before["image/png"] != after["image/png"]
    assert "toy: items 4. Computed; simulated once you let go." in after["text/html"]
    assert "pip install" not in after["text/html"]


class Widget(SimpleNamespace):
    """A stand-in for any widget: its arguments are attributes, and who observes it is told."""

    def __init__(self, children=(), **given):
        super().__init__(children=children, told=[], **given)

    def observe(self, told, names):  # noqa: ARG002  (there is only one)
        self.told.append(told)

    def by_hand(self, value):
        self.value = value
        for each in self.told:
            each({"new": value})


KINDS = dict.fromkeys(("SelectionSlider", "Dropdown", "VBox"), Widget)


def test_resting_sliders_are_simulated_and_moving_ones_are_not(monkeypatch):
    monkeypatch.setattr("stacksim.notebook.with_sliders.import_module", lambda _: SimpleNamespace(**KINDS))
    monkeypatch.setattr("stacksim.notebook.with_sliders._REST_S", 0.01)
    shown = Shown(monkeypatch)
    moved = sliders(TOY, over="clients", clients=[1, 2], items=[1, 2, 4])
    moved._ipython_display_()

    async def play():
        moved.controls["items"].by_hand(2)
        moved.controls["items"].by_hand(4)
        dragged = shown.outputs[1]
        await moved.resting
        return dragged

    dragged = asyncio.run(play())
    assert dragged != shown.outputs[1]
    assert [each.label for each in moved.chart.curves] == ["computed", "simulated"]
    moved.moving.move(items=2)
    assert [each.label for each in moved.chart.curves] == ["computed"]  # it was only passed


@pytest.mark.skipif(not importlib.util.find_spec("ipywidgets"), reason="pip install ipywidgets")
def test_real_widgets_move_the_curves(monkeypatch):
    outputs = Shown(monkeypatch).outputs
    shown = sliders(TOY, over="clients", clients=[1, 2], items=[1, 4], second=0)
    shown.controls["items"].value = 4
    assert shown.chart.record()["title"] == "toy: items 4, second 0"
    shown._ipython_display_()
    assert "application/vnd.jupyter.widget-view+json" in outputs[0]._repr_mimebundle_()
