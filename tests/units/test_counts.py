"""Things counted a second, told from bytes a second; a count of who knows what is one of whatever is counted."""

from __future__ import annotations

import pytest

from sim.data.importers.figures import scale_of
from sim.units import counts


@pytest.mark.parametrize("unit", ["1/s", "commits/s", "I/O/s", "names/s"])
def test_a_count(unit):
    assert counts(unit)


@pytest.mark.parametrize("unit", ["MB/s", "bytes/s", "Gb/s", "s", "%", "byte/s"])
def test_no_count(unit):
    assert not counts(unit)


def test_what_is_counted_may_be_left_out_in_a_file_of_figures():
    assert scale_of("1/s", "commits/s") == 1.0
    assert scale_of("names/s", "commits/s") is None
    assert scale_of("1/s", "MB/s") is None
