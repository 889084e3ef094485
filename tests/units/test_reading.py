"""The reader of numbers: it reads every float and every count as they are written, and refuses all else."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.engine.units.reading import (
    FIO_SIZES,
    ORACLE_COUNTS,
    SHARES,
    THOUSANDS,
    Amount,
    amount,
    count,
    number,
    whole,
)

FLOATS = st.floats(min_value=0.0, max_value=sys.float_info.max)
NO_NUMBERS = ("", " ", ".", "-", "e5", ".e5", "nan", "inf", "-inf", "infinity", "0x10", "1_000", "٤", "²", "1e999")
NO_NUMBERS += ("9" * 20, "9" * 5000, "1." + "0" * 5000, "1e" + "1" * 5000, "1.2.3", "1,2", "1 2", "--4", "4\n")


@given(FLOATS)
@example(5e-324)
def test_every_float_is_read_as_it_is_written(value):
    assert number(repr(value)) == value


@given(st.integers(0, 10**18 - 1), st.sampled_from(sorted(FIO_SIZES)))
def test_every_count_of_fio_is_exact(value, unit):
    assert count(f"{value}{unit}", FIO_SIZES) == value * FIO_SIZES[unit]


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_whole_numbers(value):
    assert whole(f" {value} ") == value


@given(st.integers(0, 10**18), st.integers(0, 9))
def test_commas_between_thousands_change_nothing(value, digit):
    assert amount(f"{value:,}.{digit} ms", grouped=True) == Amount(f"{value}.{digit}", " ms")
    assert value < 1000 or amount(f"{value:,}.{digit}") is None


@given(st.integers(0, 10**9), st.sampled_from(sorted(THOUSANDS)))
def test_thousands(value, unit):
    assert number(f"{value}{unit}", THOUSANDS) == value * THOUSANDS[unit]


@given(st.integers(0, 10**6))
def test_a_share_is_in_per_cent_or_not(thousandths):
    assert number(f"{thousandths / 10}%", SHARES) == number(f"{thousandths / 1000}", SHARES) == thousandths / 1000


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_invalid_numbers_are_refused(text):
    assert (number(text), count(text), number(text, SHARES)) == (None, None, None)


@pytest.mark.parametrize("text", [*NO_NUMBERS, "+4", "4.0", "1e3", "9" * 19])
def test_invalid_whole_numbers_are_refused(text):
    assert whole(text) is None or text == "4\n"  # blanks around it


@pytest.mark.parametrize("text", ["-1", "+1", "1,000"])
def test_signs_and_commas_are_read_where_they_are_allowed(text):
    assert amount(text) is None
    assert amount(text, signed=True, grouped=True) == Amount(text.replace(",", ""), "")


@pytest.mark.parametrize("text", ["1e3", "1E-3", ".5e+2"])
def test_an_exponent_is_read_where_it_is_allowed(text):
    assert number(text) == float(text)
    assert number(text, exponent=False) is None


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("5 %", SHARES),
        ("5%%", SHARES),
        ("4K", THOUSANDS),
        ("4k", ORACLE_COUNTS),
        ("4\N{KELVIN SIGN}", FIO_SIZES),
        ("1e308M", THOUSANDS),
    ],
)
def test_a_unit_of_another_dialect_is_refused(text, dialect):
    assert number(text, dialect) is None


@given(st.text(max_size=12))
@example("1e5k")
def test_all_that_is_read_is_a_finite_number_of_ascii_digits(text):
    read = amount(text, signed=True, grouped=True)
    assert read is None or (read.digits.isascii() and math.isfinite(read.value))
    assert read is None or text.replace(",", "").startswith(read.digits)
    assert number(text) is None or number(text) == float(text)


@pytest.mark.parametrize(
    ("text", "half"),
    [("35", 0.5), ("0.91", 0.005), ("880", 0.5), ("1.0", 0.05), ("1.2e3", 50.0), ("5.e-2", 0.005), ("1,200", 0.5)],
)
def test_half_of_the_last_digit(text, half):
    assert amount(text, grouped=True).half_a_digit == half
