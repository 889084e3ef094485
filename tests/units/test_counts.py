"""Things counted a second, told from bytes a second; a count of who knows what is one of whatever is counted."""

from __future__ import annotations

import pytest

from sim.data.importers.figures import scale_of
from sim.engine.units import ios_per_second, per_second


@pytest.mark.parametrize("unit", ["1/s", "commits/s", "I/O/s", "names/s"])
def test_count_is_read(unit):
    assert per_second(unit)


@pytest.mark.parametrize("unit", ["MB/s", "bytes/s", "Gb/s", "s", "%", "byte/s"])
def test_invalid_count_is_refused(unit):
    assert not per_second(unit)


@pytest.mark.parametrize(
    ("unit", "per_second_", "ios"),
    [
        ("kIO/s", 1e3, 1e3),
        ("M IOPS", 1e6, 1e6),
        ("kreads/s", 1e3, 1e3),
        ("ktps", 1e3, None),
        ("messages/s", 1.0, None),
        ("gets/s", 1.0, None),
        ("phases/h", 1 / 3600, None),
    ],
)
def test_letter_is_a_prefix_only_before_a_counted_noun(unit, per_second_, ios):
    assert (per_second(unit), ios_per_second(unit)) == (per_second_, ios)


def test_counted_noun_may_be_left_out_of_a_unit():
    assert scale_of("1/s", "commits/s") == 1.0
    assert scale_of("names/s", "commits/s") is None
    assert scale_of("1/s", "MB/s") is None
