"""Numbers as tools write them, and figures that contradict one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import InputError
from sim.data.importers.told import CLOSE, Number, agree, number


@given(st.decimals(min_value=0, max_value=10**9, places=3))
def test_number_has_a_half_width_of_half_its_last_digit(value):
    read = number("here", "rate", f"{value:f}")
    assert read.value == pytest.approx(float(value))
    assert read.half_width == 0.0005
    assert number("here", "rate", f"{value:,f}", grouped=True) == read


@pytest.mark.parametrize("text", ["", "1,5", "1.234,5", "-1", "1e5", "nan", "٤", "1,234.5", "12,34", "9" * 40])
def test_invalid_number_is_refused_with_its_line(text):
    with pytest.raises(InputError) as caught:
        number("a.txt, line 3", "rate", text)
    assert str(caught.value).startswith("a.txt, line 3: rate is '")


@pytest.mark.parametrize("text", ["1.234,5", "12,34", "1,23", "1,2345"])
def test_commas_stand_between_thousands(text):
    with pytest.raises(InputError, match=r"such as 1,234\.5"):
        number("here", "rate", text, grouped=True)


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [("12.5K", 12_500.0, 50.0), ("3M", 3e6, 5e5), ("2.4E+07", 2.4e7, 5e5), ("1.5", 1.5, 0.05)],
)
def test_large_numbers_may_be_short(text, value, half):
    read = number("here", "waits", text, grouped=True)
    assert (read.value, read.half_width) == pytest.approx((value, half))


def test_figures_may_differ_by_their_rounding_and_no_more():
    agree("here", Number(100.0, 0.5), Number(100.0 * (1 + CLOSE), 0.0), "said")
    agree("here", Number(1.0, 0.5), Number(1.5, 0.0), "said")
    with pytest.raises(
        InputError, match="here: said, which make 110, and it says 100; is a figure or its unit wrong"
    ):
        agree("here", Number(100.0, 0.5), Number(110.0, 0.0), "said")


def test_a_product_is_as_open_as_both_of_its_parts():
    product = Number(10.0, 0.5).by(Number(4.0, 0.1))
    assert product.value == 40.0
    assert product.value + product.half_width == pytest.approx(10.5 * 4.1)
