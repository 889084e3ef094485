"""Every key of the JSON of an answer stands in docs/command.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.engine.simulation.options import RunOptions
from sim.prediction.explanation import explain
from sim.prediction.prediction import predict
from sim.prediction.sweep import cases_of, checked
from sim.prediction.table import Point
from sim.prediction.work import outcomes_of
from sim.system.installed import resolved

PAGE = (Path(__file__).parents[2] / "docs" / "command.md").read_text()
NAMED = set(re.findall(r"`([a-z0-9_]+)`", PAGE.partition("## For programs")[2]))
OF_DATA = {
    "settings",
    "parameters",
    "measures",
    "bands",
    "utilisation",
    "narrowed",
    "elasticities",
    "ledgers",
    "answers",
}
"""Keys of these are names of settings, places and answers."""

QUICK = RunOptions(precision=0.2, answers=("throughput",))


def predicted():
    prediction = predict("san", {}, QUICK)
    return prediction.record() | {"explanation": explain(prediction).record()}


def swept():
    san = resolved("san")
    cases = cases_of(san, checked(san, {"paths": [1]}, {}))
    return [
        Point(case, outcome).record() for case, (_, outcome) in zip(cases, outcomes_of(cases, QUICK), strict=True)
    ]


def keys(value, *, of_data=False):
    if isinstance(value, list):
        for each in value:
            yield from keys(each)
    if isinstance(value, dict):
        if not of_data:
            yield from value
        for name, each in value.items():
            yield from keys(each, of_data=not of_data and name in OF_DATA)


@pytest.mark.parametrize("record", [predicted, swept])
def test_every_key_is_named(record):
    assert set(keys(record())) - NAMED == set()
