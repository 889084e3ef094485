"""Bursts in a few lines, however many buffers there are."""

from __future__ import annotations

from dataclasses import replace

from sim.engine.result import Burst
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import point
from sim.output.views.prediction import parts
from sim.prediction.bursts import burst_words
from sim.prediction.prediction import predict
from toy import TOY


def bursts(*places):
    """Each throughput and each time is that of its number in the list, from 1 on."""
    return tuple(
        Burst(place, point(float(at)), point(float(at)), full=at % 2 == 1)
        for at, place in enumerate(places, start=1)
    )


def told(*places):
    return list(burst_words(bursts(*places), 2.0, "MB/s"))


def test_identical_buffers_share_the_line_of_the_last():
    shown = told("buffer 'node 1 file 2'", "bucket", "buffer 'node 2 file 1'", "buffer 'node 2 file 2'")
    assert shown == [
        "4 MB/s for 2 s, until bucket is empty",
        "8 MB/s for 4 s, until the last of 3 alike, 'node * file *', is empty",
    ]


def test_one_buffer_keeps_its_name():
    assert told("buffer 'node 1 file 2'") == ["2 MB/s for 1 s, until 'node 1 file 2' is full"]


def test_at_most_three_bursts_are_listed_and_the_rest_counted():
    shown = told("a", "b", "c", "d", "e")
    assert [line.split("until ")[1] for line in shown] == [
        "c is full",
        "d is empty",
        "e is full; 2 more kinds of buffer were sooner",
    ]


def test_prediction_prints_few_bursts_and_records_all():
    prediction = predict(TOY, {"clients": 8}, RunOptions(precision=0.1), intervals=False)
    several = bursts(*(f"buffer 'file {number}'" for number in range(64)))
    prediction = replace(prediction, result=replace(prediction.result, bursts=several))
    shown = [line for line in parts(prediction) if getattr(line, "before", "").startswith("burst")]
    assert len(shown) == 1
    assert len(prediction.record()["bursts"]) == 64


def test_bursts_of_milliseconds_count_as_warm_up():
    (burst,) = bursts("bucket")
    assert list(burst_words([replace(burst, seconds=point(0.009))], 1.0, "MB/s")) == []
    assert list(burst_words([replace(burst, seconds=point(0.1))], 1.0, "MB/s"))
