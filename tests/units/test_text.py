"""Numbers as people write them: by hand, and by what any reader relies on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engine.units.text import ends_text, figure_text, interval_texts, number_text, range_text

WRITTEN_OUT = st.floats(1e-6, 9e8)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (44612.0, "44,610"),
        (8137.4, "8137"),
        (9999.9, "10,000"),
        (0.00003214, "0.00003214"),
        (-131072.0, "-131,100"),
        (2e12, "2e+12"),
        (0.0, "0"),
        (math.nan, "–"),
    ],
)
def test_a_number_by_hand(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (703.71, 892.8, "704 … 893"),
        (14690.0, 84660.0, "14,700 … 84,700"),
        (982.6, 984.04, "982.6 … 984.0"),
        (8.0, 32.0, "8 … 32"),
        (0.0512, 121.3, "0.051 … 121"),
        (10.67, 10.67, "10.67 … 10.67"),
        (0.0, 0.1, "0 … 0.1"),
        (-1.5, 2.25, "-1.50 … 2.25"),
    ],
)
def test_an_interval_by_hand(low, high, text):
    assert ends_text(low, high) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (450e-6, "s", "450 µs"),
        (36000.0, "s", "36,000 s"),
        (131072, "bytes", "128 KiB"),
        (8e9, "bytes", "8 GB"),
        (125 * 2.0**20, "bytes/s", "131.1 MB/s"),
        (9.695e-10, "s/byte", "0.9695 ns/byte"),
        (44612.0, "commits/s", "44,610 commits/s"),
        (12.0, "", "12"),
    ],
)
def test_a_quantity_by_hand(value, unit, text):
    assert figure_text(value, unit) == text


@given(WRITTEN_OUT)
def test_number_text_keeps_four_digits(value):
    text = number_text(value)
    assert "e" not in text
    assert float(text.replace(",", "")) == pytest.approx(value, rel=5.01e-4)


@given(WRITTEN_OUT, WRITTEN_OUT, st.floats(0.0, 1.0))
def test_an_end_is_off_by_less_than_a_hundredth_of_its_interval_or_its_fourth_digit(one, other, share):
    low, high = sorted((one, other))
    within = low + share * (high - low)
    for value, text in zip((low, high, within), interval_texts(low, high, within), strict=True):
        off = abs(float(text.replace(",", "")) - value)
        assert off <= 1.01 * max(0.005 * (high - low), 5e-4 * high)
        assert off <= 0.0501 * value, "two digits of each are left"


def test_both_ends_have_one_unit():
    assert range_text(0.0008, 0.0012, "s") == "0.8 … 1.2 ms"
    assert range_text(2.0**17, 2.0**19, "bytes") == "128 … 512 KiB"
