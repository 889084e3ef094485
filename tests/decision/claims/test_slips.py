"""Usual slips: the cause of a difference is among the first that are told, and reproduces the number."""

from __future__ import annotations

import pytest

from claims import claim_of
from stacksim.claims.arithmetic import contradiction
from stacksim.claims.slips import slips

RUN = {"iops": "4.000k", "block": "128KiB", "requests_in_flight": 16, "latency": "4.000 ms"}
"""524.3 MB/s."""


def told(**entries):
    claim = claim_of(**entries)
    broken = contradiction(claim)
    assert broken
    return slips(broken)


@pytest.mark.parametrize(
    ("throughput", "cause", "words"),
    [
        ("500.0 MB/s", "units", "MiB were written as MB"),
        ("4194 MB/s", "units", "bits were taken for bytes"),
        ("65.54 MB/s", "units", "bytes were taken for bits"),
        ("1049 MB/s", "both-directions", "reads and writes were added up in one number, and not in the other"),
        ("262.1 MB/s", "both-directions", "reads and writes were added up in one number, and not in the other"),
        ("32.77 MB/s", "block-size", "requests were of 8 KiB"),
        ("2097 MB/s", "merged-requests", "requests were merged to 512 KiB before they were counted"),
        ("6291 MB/s", "sum-as-mean", "one number is of all 12 devices, the other of each"),
        ("43.69 MB/s", "sum-as-mean", "one number is of each of 12 devices, the other of all"),
    ],
)
def test_a_slip_of_iops_and_bytes(throughput, cause, words):
    found = told(throughput=throughput, devices=12, iops="4.000k", block="128KiB")
    assert (cause, words) in [(each.cause, each.what) for each in found]
    (slip,) = (each for each in found if each.cause == cause)
    assert slip.error == pytest.approx(0.0, abs=1e-3)
    assert slip.unit == "bytes/s"


@pytest.mark.parametrize(
    ("change", "cause", "words"),
    [
        ({"latency": "4.000 us"}, "units", "the unit of latency is off by a factor of 1000"),
        (
            {"latency": "12.00 ms"},
            "percentile",
            "if 12.00 ms is a percentile, a mean of 4 ms",
        ),
        ({"requests_in_flight": 4}, "queue-depth", "16 requests were in flight on average"),
        ({"iops": "48.00k", "devices": 12}, "sum-as-mean", "one number is of each of 12 devices"),
    ],
)
def test_a_slip_of_requests_in_flight(change, cause, words):
    run = {name: said for name, said in {**RUN, **change}.items() if name != "block"}
    assert any(each.cause == cause and each.what.startswith(words) for each in told(**run))


def test_causes_that_explain_any_number_come_last():
    causes = [each.cause for each in told(iops="4.000k", latency="4.000 us", requests_in_flight=16)]
    assert causes[0] == "units"
    assert "queue-depth" not in causes  # 0.016 requests


def test_a_latency_that_says_it_is_the_mean_is_no_percentile():
    causes = [
        each.cause
        for each in told(iops="4.000k", latency={"value": "12.00 ms", "of": "mean"}, requests_in_flight=16)
    ]
    assert causes == ["queue-depth"]


@pytest.mark.parametrize(
    ("total", "cause", "count"), [("1.000 GB/s", "fewer-parts", 10), ("1.600 GB/s", "more-parts", 16)]
)
def test_another_number_of_parts(total, cause, count):
    found = told(throughput=total, throughput_each="100.0 MB/s", devices=12)
    assert (cause, f"there were {count} of them, not 12") in [(each.cause, each.what) for each in found]


@pytest.mark.parametrize(
    ("said", "latency", "words", "predicted"),
    [
        ({"change": "-60 %"}, "3.00 ms", "it fell to 60 %, not by 60 %", 0.4),
        ({"ratio": "0.40"}, "3.00 ms", "it fell by 40 %, not to 40 %", 0.4),
        ({"change": "+250 %"}, "12.5 ms", "'2.5 times as much' was told as '2.5 times more'", 3.5),
        ({"ratio": "3.0"}, "20.0 ms", "'3 times more' was told as '3 times as much'", 3.0),
    ],
)
def test_remainder_may_be_reported_as_reduction_and_ratio_as_increase(said, latency, words, predicted):
    (found,) = told(latency=latency, of="latency", than={"latency": "5.00 ms"}, **said)
    assert (found.cause, found.what) == ("by-or-to", words)
    assert found.predicted == pytest.approx(predicted)


def test_threefold_may_be_reported_as_an_increase():
    (found,) = told(iops="700", ratio="3", of="iops", than={"iops": "400"})
    assert (found.cause, found.predicted) == ("by-or-to", pytest.approx(2.75))


def test_minutes_may_be_seconds():
    found = told(bytes="8.000 GB", throughput="1.000 GB/s", elapsed="8.000 min")
    assert [each.what for each in found] == ["the unit of elapsed is off by a factor of 60"]


def test_number_without_a_matching_slip_stays_unexplained():
    assert told(iops="4.000k", block="128KiB", throughput="680.0 MB/s") == ()


def test_each_cause_is_reported_once_and_the_nearest_first():
    found = told(iops="4.000k", block="128KiB", throughput="4194 MB/s", devices=8)
    assert len({each.cause for each in found}) == len(found) <= 3
    assert [abs(each.error) for each in found] == sorted(abs(each.error) for each in found)


def test_a_slip_without_effect_is_not_reported():
    found = told(devices=5, throughput_each="460. MiB/s", throughput="2.52 GB/s")
    assert [each.what for each in found if "5 of them" in each.what] == []


def test_unwritten_prefix_is_no_slip():
    found = told(devices=5, throughput_each="500. MB/s", throughput="2.74 GB/s")
    assert [each.what for each in found if "TiB" in each.what] == []
    assert "GiB" in told(devices=5, throughput_each="500. MB/s", throughput="2.33 GB/s")[0].what


def test_number_that_agrees_with_all_others_is_not_suspected():
    run = {"iops": "700.k", "block": "4KiB", "devices": 5, "throughput_each": "573.4 MB/s"}
    assert "block-size" in [each.cause for each in told(iops="700.k", block="4KiB", throughput="5.73 GB/s")]
    assert "block-size" not in [each.cause for each in told(**run, throughput="5.73 GB/s")]
    assert "more-parts" not in [each.cause for each in told(**run, throughput="5.73 GB/s")]
