"""Quantities as people write them: sign, range, unit, and what the rounding of their digits leaves open."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engine.errors import InputError
from stacksim.claims.number import CHANGE, KINDS, RATIO, number_of

INF = math.inf


@pytest.mark.parametrize(
    ("name", "said", "low", "high"),
    [
        ("throughput", "450 MB/s", 445e6, 455e6),
        ("throughput", "1730 MB/s", 1725e6, 1735e6),
        ("throughput", "1,730MB/s", 1725e6, 1735e6),
        ("throughput", "2.10 GB/s", 2.095e9, 2.105e9),
        ("throughput", "3000 MB/s", 2.85e9, 3.15e9),
        ("throughput", "3000. MB/s", 2999.5e6, 3000.5e6),
        ("throughput", "4.50e2 MB/s", 449.5e6, 450.5e6),
        ("throughput", "45e1 MB/s", 445e6, 455e6),
        ("throughput", "1..2 GB/s", 1e9, 2e9),
        ("throughput", "500 MB/s to 1 GB/s", 0.5e9, 1e9),
        ("throughput", ">= 2 GB/s", 2e9, INF),
        ("throughput", "at least 2GB/s", 2e9, INF),
        ("throughput", "≤ 2 GB/s", 0.0, 2e9),
        ("throughput", "~450 MB/s", 405e6, 495e6),
        ("throughput", "about 1 GB/s", 0.9e9, 1.1e9),
        ("throughput", "2.125 Gb/s", 2.1245e9 / 8, 2.1255e9 / 8),
        ("throughput", "2.125 Gbps", 2.1245e9 / 8, 2.1255e9 / 8),
        ("throughput", "4.5 GiB/s", 4.45 * 2**30, 4.55 * 2**30),
        ("throughput", "450 kB/s", 445_000, 455 * 1024),
        ("iops", "780k", 775e3, 785e3),
        ("iops", "1.25M IOPS", 1.245e6, 1.255e6),
        ("iops", "1215 commits/s", 1214.5, 1215.5),
        ("iops", "1215 messages/s", 1214.5, 1215.5),
        ("iops", "1215 gets/s", 1214.5, 1215.5),
        ("iops", "18.8 kIO/s", 18_750, 18_850),
        ("iops", "1.25 M reads/s", 1.245e6, 1.255e6),
        ("iops", "1215 I/O/s", 1214.5, 1215.5),
        ("iops", "36.0 phases/h", 35.95 / 3600, 36.05 / 3600),
        ("mtu", 1500, 1500, 1500),
        ("iops", 3000, 2850, 3150),
        ("iops", "20,000", 19e3, 21e3),
        ("iops", "20.0k", 19_950, 20_050),
        ("throughput", "3 GB/s", 2.85e9, 3.15e9),
        ("bytes", "1 TB", 0.95e12, 1.05e12),
        ("duration", "2 h", 7200, 7200),
        ("iops", 31.7, 31.65, 31.75),
        ("latency", "<= 3 ms", 0.0, 3e-3),
        ("latency", "68us", 67.5e-6, 68.5e-6),
        ("elapsed", "12 min", 690, 750),
        ("elapsed", "8 min", 456, 504),
        ("bytes", "8.0 GB", 7.95e9, 8.05e9),
        ("block", "128 KiB", 131072, 131072),
        ("block", "128k", 131072, 131072),
        ("block", "8 KB", 8000, 8192),
        ("block", "2.5 KiB", 2.45 * 1024, 2.55 * 1024),
        ("devices", 12, 12, 12),
        ("devices", "30", 30, 30),
        ("requests_in_flight", "~30", 27, 33),
        ("requests_in_flight", 31.7, 31.65, 31.75),
    ],
)
def test_value_lies_within_the_bounds_of_its_rounding(name, said, low, high):
    number = number_of(said, KINDS[name])
    assert (number.low, number.high) == pytest.approx((low, high))
    assert number.unit == KINDS[name].unit


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ("-28 %", 0.715, 0.725),
        ("+95%", 1.945, 1.955),
        ("-30..-20 %", 0.7, 0.8),
        ("0 %", 0.995, 1.005),
        ("-50 %", 0.45, 0.55),
        ("+300 %", 3.8, 4.2),
    ],
)
def test_a_change_is_a_ratio(said, low, high):
    number = number_of(said, CHANGE)
    assert (number.low, number.high) == pytest.approx((low, high))
    assert number.unit == ""


def test_a_ratio_may_have_its_sign():
    for said in ("3.9", "3.9x", "3.9 times", 3.9):
        number = number_of(said, RATIO)
        assert (number.low, number.high) == pytest.approx((3.85, 3.95))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(("throughput", said) for said in ("450", "450 MB", "450 furlongs", "MB/s", "", "-450 MB/s", "0 MB/s")),
        *(("throughput", said) for said in ("nan MB/s", "inf MB/s", "1e99 MB/s", "2..1 GB/s", ">= 1..2 GB/s")),
        *(("throughput", said) for said in ("1..2..3 GB/s", "4,50 MB/s", "450 MB/s?", True, None, ["1 MB/s"])),
        *(("throughput", said) for said in (450, 450.0, "٤٥٠ MB/s", "9" * 100 + " MB/s", "450 mb/s", "<= 0 MB/s")),
        *(("latency", said) for said in ("200", "200 IOPS", 0.2, "3 m/s")),
        *(("iops", said) for said in ("3000 MB/s", "fast", -3000, float("nan"))),
        *(("devices", said) for said in ("12 disks", 0, -1, "twelve")),
        *(("block", said) for said in ("8 KB/s", "8 Q")),
    ],
)
def test_invalid_number_is_refused_with_the_allowed_form(name, said):
    with pytest.raises(InputError, match=r"^allowed: a number.* such as"):
        number_of(said, KINDS[name])


@pytest.mark.parametrize("said", ["-28", "-100 %", "-150 %", "28 MB/s", "a quarter"])
def test_a_change_needs_its_sign_and_leaves_something(said):
    with pytest.raises(InputError, match="per cent above -100"):
        number_of(said, CHANGE)


@given(
    st.sampled_from(sorted(KINDS)),
    st.text(max_size=30) | st.from_regex(r"[~<>=]{0,2}[0-9.]{1,9} ?[kMG]?[a-zA-Z/]{0,6}"),
)
def test_any_text_is_a_number_or_refused(name, said):
    try:
        number = number_of(said, KINDS[name])
    except InputError:
        return
    assert 0.0 <= number.low <= number.high
    assert number.value > 0.0


@pytest.mark.parametrize(
    ("said", "most"), [("450 MB/s", 460e6), ("1.2 GB/s", 1.26e9), ("3 GB/s", 3.15e9), ("~450 MB/s", 495e6),
                       (">= 2 GB/s", INF), ("1..2 GB/s", 2e9)],
)  # fmt: skip
def test_digits_may_be_cut_off_but_leave_no_more_open_than_a_twentieth(said, most):
    assert number_of(said, KINDS["throughput"]).most == pytest.approx(most)
