"""Settings with units, and tables of times, are read as people write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import InputError
from sim.system.quantities import BySize, Quantity, Table

TIME, SPEED, RATE = (Quantity("x", 1.0, "", unit) for unit in ("second", "byte / second", "1 / second"))


@pytest.mark.parametrize(
    ("setting", "text", "value", "shown"),
    [
        (TIME, "25us", 25e-6, "25us"),
        (TIME, "1.5ms", 1.5e-3, "1.5ms"),
        (TIME, 2, 2.0, "2s"),
        (TIME, 0, 0.0, "0s"),
        (SPEED, "2GB/s", 2e9, "2GB/s"),
        (SPEED, "2.1GB/s", 2.1e9, "2.1GB/s"),
        (SPEED, "1250MB/s", 1.25e9, "1250MB/s"),
        (SPEED, "0.5MB/s", 5e5, "0.5MB/s"),
        (SPEED, "64KiB/s", 65536, "64KiB/s"),
        (SPEED, "7", 7, "7B/s"),
        (SPEED, "125MiB/s", 125 * 2**20, "125MiB/s"),
        (SPEED, "unlimited", math.inf, "unlimited"),
        (RATE, "780k", 780e3, "780000"),
        (RATE, "1.5M", 1.5e6, "1500000"),
    ],
)
def test_quantities_are_parsed_and_shown(setting, text, value, shown):
    assert setting.parse(text) == pytest.approx(value, rel=1e-15)
    assert setting.show(setting.parse(text)) == shown


@given(st.sampled_from([TIME, SPEED, RATE]), st.floats(0.0, 1e15))
def test_shown_quantity_is_parsed_back(setting, value):
    assert setting.parse(setting.show(value)) == value


@pytest.mark.parametrize(
    ("setting", "raw"),
    [
        (TIME, "1MB"),
        (TIME, "-1us"),
        (TIME, "unlimited"),
        (TIME, math.inf),
        (TIME, math.nan),
        (TIME, True),
        (SPEED, "2ms"),
        (SPEED, None),
        (RATE, "k"),
        (RATE, "1_000"),
        (RATE, "3 apples"),
    ],
)
def test_anything_else_is_refused(setting, raw):
    with pytest.raises(InputError, match=r"^x is '.*'; allowed: "):
        setting.parse(raw)


def test_between_two_sizes_a_time_grows_in_proportion():
    times = BySize(((4096, 10e-6), (8192, 20e-6)))
    assert [times.at(size) for size in (512, 4096, 6144, 8192, 16384)] == pytest.approx(
        [10e-6, 10e-6, 15e-6, 20e-6, 40e-6]
    )
    assert BySize(((1, 5e-6),)).at(1 << 20) == 5e-6


def test_a_table_has_one_time_or_one_by_size_or_by_operation():
    table = Table("x", None, "")
    assert table.parse("3us").at("write", 4096) == 3e-6
    assert table.parse({"4KiB": "1us", "8KiB": "2us"}).at("read", 6144) == pytest.approx(1.5e-6)
    both = table.parse({"read": "1us", "write": {"4KiB": "5us"}})
    assert (both.at("read", 4096), both.at("write", 4096), both.at("flush", 0)) == (1e-6, 5e-6, 5e-6)
    assert table.parse({"read": "1us"}).at("write", 1) == 1e-6
    assert table.parse(both) is both


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, "x is '{}'; allowed: a time"),
        ({"4KiB": "fast"}, "x of 4KiB is 'fast'"),
        ({"reed": "1us"}, "did you mean 'read'"),
        ({"4KiB": "1us", "4096": "2us"}, "x has one size twice"),
        ({"read": {}}, "x is"),
        (None, "x is 'None'"),
    ],
)
def test_other_tables_are_refused(raw, message):
    with pytest.raises(InputError, match=message):
        Table("x", None, "").parse(raw)
