"""Least times of paths."""

from sim import Delay
from sim.engine.model.demands import min_times_of


def test_times_are_summed_alike_in_all_versions_of_python():
    """From left to right: ``sum`` compensates rounding since 3.12, and makes 1.0 of ten tenths."""
    assert min_times_of([[Delay(0.1)] * 10]) == [0.9999999999999999]
