"""Functions of lessons to tell and to draw with."""

from __future__ import annotations

import pytest

from sim.engine.errors import InputError
from stacksim.notebook import breakdown, curves, fails, predict, say, sweep, timeline, times
from toy import TOY


@pytest.mark.parametrize(
    ("more", "fewer", "text"),
    [(12633, 7410, "1.7 times"), (1, 3, "0.33 times"), (30, 1, "30 times"), (123456, 1, "123,456 times")],
)
def test_ratio_is_put_into_words(more, fewer, text):
    assert times(more, fewer) == text


def test_a_sentence_is_shown(capsys):
    say("One.", "Two.")
    assert "Markdown" in capsys.readouterr().out  # which IPython prints where there is no notebook


def test_counter_example_shows_the_message_of_the_failed_assertion():
    spoken = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stacksim.notebook.failing.say", spoken.append)
        with fails("A drive without time"):
            raise AssertionError("one is less")
    assert spoken == ["**A drive without time.** The statement fails: `AssertionError: one is less`"]


def test_counter_example_must_fail():
    with pytest.raises(AssertionError, match="holds with another drive, too"), fails("Another drive"):
        pass


def test_sweep_is_drawn_over_the_varied_or_named_setting():
    swept = sweep(TOY, clients=[1, 2, 3], items=[1, 2])
    panels = curves(swept, "throughput", "mean", over="items").figure.axes
    assert [axes.get_xlabel() for axes in panels] == ["items", "items"]
    assert [axes.get_ylabel() for axes in panels] == ["throughput (1/s)", "mean latency (ms)"]
    assert curves(swept)._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="does not vary"):
        curves(swept, over="second")


def test_the_time_of_a_request_is_broken_down_and_drawn():
    prediction = predict(TOY, clients=8, items=1)
    parts = breakdown(prediction)
    assert parts.part("wait", "server") + parts.part("serve") + parts.part("delay") == pytest.approx(1.0)
    assert parts.part("wait", "second") == 0.0
    assert parts.part("wait") > 0.1
    (axes,) = timeline(prediction).figure.axes
    assert "server" in [label.get_text() for label in axes.get_yticklabels()]
