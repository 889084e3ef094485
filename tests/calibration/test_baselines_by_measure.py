"""A curve without mechanism is fitted to one measure at a time."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from sim.calibration.cross_validation import _of_baseline
from sim.calibration.splits import Split


@dataclass(frozen=True)
class Mean:
    """The mean of what it was given."""

    name: str = "mean"

    def fit(self, _settings, values):
        return lambda _conditions: float(np.mean(values))


PROBLEM = SimpleNamespace(
    figures=[SimpleNamespace(measure=measure) for measure in ("rate", "rate", "delay", "delay", "rate", "delay")],
    published=np.array([100.0, 300.0, 1.0, 3.0, 250.0, 2.5]),
    settings=[{}] * 6,
)


def test_rates_and_delays_have_curves_of_their_own():
    found = dict(_of_baseline(PROBLEM, Mean(), Split("last two", (0, 1, 2, 3), (4, 5))))
    assert found == {4: pytest.approx(200.0), 5: pytest.approx(2.0)}


def test_a_measure_that_was_never_seen_gets_the_curve_of_all():
    found = dict(_of_baseline(PROBLEM, Mean(), Split("delays", (0, 1, 4), (5,))))
    assert found == {5: pytest.approx(650 / 3)}
