"""An explanation shows what the requests that were asked about do, whatever the steps of these are."""

from __future__ import annotations

from dataclasses import replace

from sim import Buffer, Closed, Model, Put, Station, Take, Use
from sim.output.views.explanation import parts
from sim.prediction import RunOptions, predict
from sim.prediction.explanation import explain
from sim.system import Scenario
from toy import TOY


def build(_settings, parameters):
    """Writers of whom each request is as short as the refill of a token bucket, which is there, too."""
    ring, level, disk = Buffer("ring", 10), Buffer("level", 10, initial=5), Station("disk")
    paths = {
        "load": [Use(Station("server"), parameters.fixed_s), Put(ring, 1)],
        "drain": [Take(ring, 1), Put(level, 1), Use(disk, parameters.each_s)],
        "refill": [Use(Station("refill"), parameters.each_s), Take(level, 1)],
    }
    loads = [Closed(name, clients=1, path=path) for name, path in paths.items()]
    return Scenario(Model(loads), watch="load", amount=1.0, unit="1/s")


def test_short_requests_are_shown_and_a_refill_is_not():
    prediction = predict(replace(TOY, build=build), {}, RunOptions(precision=0.1), intervals=False)
    text = "\n".join(map(str, parts(explain(prediction))))
    assert "one request of load" in text
    assert "one request of drain" in text
    assert "one request of refill" not in text
    assert "refill" not in prediction.internals
