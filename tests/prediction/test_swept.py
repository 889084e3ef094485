"""Answers read off by name, from one prediction or from a sweep."""

from __future__ import annotations

import pytest

from sim.engine.errors import InputError
from stacksim import predict, sweep
from toy import TOY, throughput

VALUES = {entry.name: entry.value for entry in TOY.parameters.entries}


def test_an_answer_is_read_by_its_name():
    prediction = predict(TOY, clients=1, items=2)
    assert prediction.value() == pytest.approx(throughput(VALUES, 1, 2), rel=0.01)
    assert prediction.value("mean") == prediction.answers["mean"].estimate.value


def test_a_sweep_has_its_answers_in_order():
    done = sweep(TOY, clients=[1, 2], items=4)
    assert done.values() == [each.value() for each in done]
    assert done.values() == pytest.approx([throughput(VALUES, clients, 4) for clients in (1, 2)], rel=0.01)


@pytest.mark.parametrize(
    "asked", [lambda: predict(TOY).value("meen"), lambda: sweep(TOY, clients=1).values("meen")]
)
def test_another_answer_is_refused_with_the_nearest(asked):
    with pytest.raises(InputError, match=r"toy has no answer 'meen'; did you mean 'mean'\?"):
        asked()
