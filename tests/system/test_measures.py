"""Measures read off a run: one without an interval of its own has one from the parts of the run."""

from __future__ import annotations

import math
from types import SimpleNamespace

from sim.engine.statistics.estimates import Estimate
from sim.system.scenario import Measure, _read

WAITS = Measure("waits", lambda result: Estimate(result.waits, math.nan, math.nan, 0.95))


def read(waits, parts):
    return _read(
        WAITS, SimpleNamespace(waits=waits, elapsed=None, parts=[SimpleNamespace(waits=w) for w in parts])
    )


def test_nonnegative_measure_has_no_interval_below_zero():
    rare = read(1.0, [0.0] * 19 + [20.0])
    assert (rare.low, rare.known) == (0.0, False)
    assert rare.high > 2.0


def test_signed_measure_keeps_its_interval():
    assert read(0.5, [-20.0] + [1.5] * 19).low < 0.0
