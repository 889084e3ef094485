"""Contradictions: never where rounding explains a difference, always where a number is off by half or more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stacksim.claims.arithmetic import checks, contradiction, follows
from stacksim.claims.claim import Claim, OtherSide, Subject
from stacksim.claims.number import CHANGE, KINDS, RATIO, number_of
from stacksim.claims.relations import RELATIONS

SIGNS = {"bytes/s": "B/s", "s": "s", "bytes": "B", "/s": "", "": ""}


def claim_of(comparison=None, **numbers):
    read = {name: number_of(said, KINDS[name], of) for name, (said, of) in numbers.items()}
    return Claim("said", "made up", None, read, {}, Subject(), comparison, "here")


def said(**numbers):
    return claim_of(**{name: (text, "") for name, text in numbers.items()})


@st.composite
def measured(draw):
    """Numbers that agree, unrounded, as one run would have them."""
    iops, elapsed = draw(st.floats(1.0, 1e7)), draw(st.floats(0.1, 1e5))
    block, depth, devices = 2 ** draw(st.integers(9, 24)), draw(st.integers(1, 1024)), draw(st.integers(1, 64))
    return {
        "iops": iops,
        "block": block,
        "throughput": iops * block,
        "requests_in_flight": depth,
        "latency": depth / iops,
        "elapsed": elapsed,
        "bytes": iops * block * elapsed,
        "devices": devices,
        "throughput_each": iops * block / devices,
        "iops_each": iops / devices,
    }


SIDE = {"change": False, "conditions": {}, "subject": Subject()}


def names_of(relation):
    return [{"parts": "devices"}.get(name, name) for name in (relation.total, *relation.powers)]


def written(draw, name, value):
    if KINDS[name].exact:
        return f"{value}{SIGNS[KINDS[name].unit]}", ""
    return f"{value:.{draw(st.integers(1, 3))}e}{SIGNS[KINDS[name].unit]}", ""


@given(measured(), st.sets(st.sampled_from(sorted(KINDS)), min_size=2), st.data())
def test_consistent_numbers_never_contradict_however_rounded(run, names, data):
    claim = claim_of(**{name: written(data.draw, name, run[name]) for name in names & run.keys()})
    assert contradiction(claim) is None


@given(measured(), st.sampled_from(RELATIONS), st.sets(st.sampled_from(sorted(KINDS))), st.data())
def test_number_that_is_off_always_contradicts(run, relation, others, data):
    names = names_of(relation)
    broken = data.draw(st.sampled_from(names))
    factor = data.draw(st.integers(2, 10) if KINDS[broken].exact else st.floats(1.5, 10.0))
    numbers = {**run, broken: run[broken] * factor}
    kept = (others & run.keys()) | set(names)
    found = contradiction(claim_of(**{name: written(data.draw, name, numbers[name]) for name in kept}))
    assert found is not None
    assert found.words.count("\n") == 0


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        (
            {"iops": "3.00k", "block": "128KiB", "throughput": "455 MB/s"},
            "3.00k/s × 128KiB = 393.2 MB/s, not 455 MB/s (16% more)",
        ),
        (
            {"iops": "1.25M IOPS", "latency": "123 us", "requests_in_flight": 32},
            "1.25M IOPS × 123 us = 153.8 requests in flight, not 32 (1/4.8 of it)",
        ),
        ({"throughput": "1.1 GB/s", "elapsed": "12 min", "bytes": "8 GB"}, "1.1 GB/s × 12 min = 792 GB, not 8 GB"),
        (
            {"devices": 8, "throughput_each": "1,730 MB/s", "throughput": "17 GB/s"},
            "8 × 1,730 MB/s = 13.84 GB/s, not",
        ),
        (
            {"throughput": "1.05 GB/s", "latency": "4.1 ms", "block": "128KiB", "requests_in_flight": 8},
            "1.05 GB/s × 4.1 ms / 128KiB = 32.84 requests in flight, not 8",
        ),
    ],
)
def test_the_arithmetic_can_be_checked_by_hand(numbers, why):
    found = contradiction(said(**numbers))
    assert found
    assert found.words.startswith(why)


def test_the_widest_gap_is_reported():
    run = {"iops": "1.00k", "block": "8KiB", "throughput": "10.0 MB/s", "elapsed": "10.0 s", "bytes": "9.00 GB"}
    found = contradiction(said(**run))
    assert found
    assert found.total == "bytes"


def test_trailing_zeros_are_no_digits_but_leave_no_more_open_than_a_twentieth():
    assert contradiction(said(devices=8, throughput_each="1,730 MB/s", throughput="14 GB/s")) is None
    assert contradiction(said(iops="3000", block="128KiB", throughput="410 MB/s")) is None
    assert contradiction(said(iops="3000", block="128KiB", throughput="450 MB/s"))
    assert contradiction(said(iops="3.00k", block="128KiB", throughput="450. MB/s"))


@pytest.mark.parametrize(
    ("of", "latency", "agrees"),
    [
        ("", "100. us", False),
        ("mean", "100. us", False),
        ("max", "100. us", True),
        ("max", "10.0 us", False),
        ("min", "10.0 us", True),
        ("min", "100. us", False),
        ("p50", "10.0 us", True),
        ("p50", "63.0 us", True),
        ("p50", "68.0 us", False),
        ("p99", "3.10 ms", True),
        ("p99", "3.50 ms", False),
    ],
)
def test_other_statistics_than_the_mean_bound_it(of, latency, agrees):
    """Of 32 in flight and a million a second the mean is 32 us."""
    numbers = {"iops": ("1.00M", ""), "latency": (latency, of), "requests_in_flight": (32, "")}
    assert (contradiction(claim_of(**numbers)) is None) == agrees


def test_a_peak_may_be_above_the_mean_and_not_below():
    job = {"elapsed": ("10.0 s", ""), "bytes": ("1.00 GB", "")}
    assert contradiction(claim_of(throughput=("300. MB/s", "peak"), **job)) is None
    assert contradiction(claim_of(throughput=("30.0 MB/s", "peak"), **job))
    assert contradiction(claim_of(throughput=("300. MB/s", ""), **job))


def test_figures_of_each_device_add_up():
    each = {"throughput": ("117. MB/s", "each"), "iops": ("1.00k", ""), "block": ("1MiB", ""), "devices": (9, "")}
    assert contradiction(claim_of(**each)) is None
    assert contradiction(claim_of(**{**each, "devices": (4, "")}))


@pytest.mark.parametrize(
    ("ratio", "kind", "agrees"),
    [
        ("-20 %", CHANGE, True), ("-28 %", CHANGE, False), ("+25 %", CHANGE, False), ("0.8", RATIO, True),
        ("0.72", RATIO, False), ("0.7..0.9", RATIO, True), (">= 0.9", RATIO, False), ("~0.8", RATIO, True),
        ("~1", RATIO, False),
    ],
)  # fmt: skip
def test_a_ratio_is_that_of_both_sides(ratio, kind, agrees):
    than = {"elapsed": number_of("5.184 s", KINDS["elapsed"])}
    comparison = OtherSide(number_of(ratio, kind), "elapsed", kind is CHANGE, than, {}, Subject())
    claim = claim_of(comparison, elapsed=("4.136 s", ""))
    assert [check.agrees for check in checks(claim)] == [agrees]


def test_ratio_uses_numbers_derived_from_others():
    than = {"bytes": number_of("8.00 GB", KINDS["bytes"]), "elapsed": number_of("20.0 s", KINDS["elapsed"])}
    comparison = OtherSide(number_of("3.9", RATIO), "throughput", **SIDE, numbers=than)
    found = contradiction(claim_of(comparison, throughput=("800. MB/s", "")))
    assert found
    assert found.words == "800. MB/s / 400 MB/s = 2, not 3.9"


@pytest.mark.parametrize(
    ("numbers", "agrees"),
    [
        ({"iops": "14468", "block": "4KiB", "throughput": "57875 KiB/s"}, True),  # cut off
        ({"throughput": "72.5 MB/s", "latency": "225.38 us", "block": "4KiB", "requests_in_flight": 4}, True),
        ({"throughput": "50527 KiB/s", "elapsed": "389.8 min", "bytes": "1182065112 KiB"}, True),
        ({"iops": "14468", "block": "4KiB", "throughput": "58999 KiB/s"}, False),
        ({"iops": "14468", "block": "4KiB", "throughput": "57875 kB/s"}, True),  # which may be KiB
        ({"iops": "14468", "block": "4KiB", "throughput": "56.52 MB/s"}, False),
    ],
)
def test_figures_of_one_fio_run_agree_and_two_per_cent_do_not(numbers, agrees):
    assert (contradiction(said(**numbers)) is None) == agrees


def test_a_ratio_of_three_contradicts_two_and_a_third():
    than = {"throughput": number_of("900 MB/s", KINDS["throughput"])}
    comparison = OtherSide(number_of("3", RATIO), "throughput", **SIDE, numbers=than)
    found = contradiction(claim_of(comparison, throughput=("2.1 GB/s", "")))
    assert found
    assert found.words == "2.1 GB/s / 900 MB/s = 2.333, not 3"


def test_a_change_is_reported_beside_the_right_one():
    than = {"latency": number_of("5 ms", KINDS["latency"])}
    comparison = OtherSide(number_of("-60 %", CHANGE), "latency", **{**SIDE, "change": True}, numbers=than)
    found = contradiction(claim_of(comparison, latency=("3 ms", "")))
    assert found
    assert found.words == "3 ms / 5 ms = 0.6, that is -40 %, not -60 %"
    found = contradiction(claim_of(comparison, latency=("6 ms", "")))
    assert found
    assert found.words == "6 ms / 5 ms = 1.2, that is +20 %, not -60 %"


def test_agreement_by_rounding_alone_is_reported_with_its_bounds():
    (check,) = checks(said(iops="3000", block="128KiB", throughput="410 MB/s"))
    assert check.words == (
        "3000/s × 128KiB = 393.2 MB/s; 410 MB/s is said, which agrees within rounding: "
        "405 MB/s to 420 MB/s, and 373.6 MB/s to 412.9 MB/s by the others"
    )


def test_without_two_numbers_of_a_relation_nothing_is_compared():
    assert checks(said(throughput="450 MB/s", latency="3 ms", memory="8 GB")) == ()


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({"devices": 5, "throughput_each": "460. MiB/s", "throughput": "2.52 GB/s"},
         ("5 × 460. MiB/s (482.3 MB/s) = 2.412 GB/s, not 2.52 GB/s (4.5% more): 2.515 GB/s to 2.53 GB/s, and "
         "2.409 GB/s to 2.417 GB/s by the others")),
        ({"devices": 5, "throughput_each": "480. MB/s", "throughput": "2.50 GiB/s"},
         ("5 × 480. MB/s (0.447 GiB/s) = 2.235 GiB/s, not 2.50 GiB/s (12% more): 2.495 GiB/s to 2.51 GiB/s, and "
         "2.233 GiB/s to 2.24 GiB/s by the others")),
        ({"iops": "100k", "block": "4KiB", "throughput": "9.0 Gb/s"},
         "100,000/s × 4KiB = 3.277 Gb/s, not 9.0 Gb/s (2.75 times)"),
    ],
)  # fmt: skip
def test_a_line_has_one_unit(numbers, why):
    found = contradiction(said(**numbers))
    assert found
    assert found.words == why


def test_digits_that_were_cut_off_are_no_contradiction_and_more_is():
    """24,900 requests of 4 KiB are 102 MB/s, 608,000 of them 2.49 GB/s: either is said without its last digit."""
    assert contradiction(said(iops="24k", block="4KiB", throughput="102 MB/s")) is None
    assert contradiction(said(iops="608k", block="4KiB", throughput="2.4 GB/s")) is None
    assert contradiction(said(throughput="42 MiB/s", elapsed="23.947 s", bytes="1024 MiB")) is None
    than = {"latency": number_of("321.3 us", KINDS["latency"])}  # 8 / 24,900
    comparison = OtherSide(number_of("1.000", RATIO), "latency", **SIDE, numbers=than)
    assert contradiction(claim_of(comparison, iops=("24k", ""), requests_in_flight=(8, ""))) is None
    assert contradiction(said(iops="24k", block="4KiB", throughput="104 MB/s"))
    assert contradiction(said(iops="24k", block="4KiB", throughput="95.0 MB/s"))
    assert contradiction(said(iops="628k", block="4KiB", throughput="2.4 GB/s"))
    assert contradiction(said(throughput="44 MiB/s", elapsed="23.947 s", bytes="1024 MiB"))


RUNS = {
    "iops": "700.k",
    "block": "4KiB",
    "throughput": "2.867 GB/s",
    "devices": 5,
    "throughput_each": "573.4 MB/s",
    "latency": "91.4 us",
    "requests_in_flight": 64,
}


@pytest.mark.parametrize(
    ("change", "odd"),
    [
        ({"throughput": "3.60 GB/s"}, {"throughput"}),
        ({"iops": "900.k"}, {"iops"}),
        ({"latency": "150 us"}, {"latency", "requests_in_flight"}),
        ({"requests_in_flight": 128}, {"latency", "requests_in_flight"}),
        ({"throughput_each": "700. MB/s"}, {"parts", "throughput_each"}),
        ({"devices": 12}, {"parts", "throughput_each"}),
        ({"block": "8KiB"}, {"block"}),
    ],
)
def test_the_outlier_is_named(change, odd):
    assert contradiction(said(**RUNS)) is None
    found = contradiction(said(**{**RUNS, **change}))
    assert found
    assert found.odd == odd
    names = " or ".join(sorted("devices" if name == "parts" else name.replace("_", " ") for name in odd))
    assert found.words.endswith(f"; the others agree, it is {names} that is off")


def test_no_outlier_is_named_among_three_candidates():
    run = {"throughput": "1.000 GB/s", "latency": "131.1 us", "block": "4KiB", "requests_in_flight": 64}
    found = contradiction(said(**run, bytes="10.00 GB", elapsed="10.00 s"))
    assert found
    assert found.total == "requests_in_flight"
    assert not found.odd


def test_single_relation_has_no_outlier():
    found = contradiction(said(iops="700k", block="4KiB", throughput="3.60 GB/s"))
    assert found
    assert not found.odd
    assert "the others" not in found.words


@pytest.mark.parametrize(
    ("own", "than", "of", "agrees", "not_"),
    [
        ({"iops": "50.0k", "block": "8KiB"}, {"iops": "10.0k"}, "throughput", "5.00", "4.00"),
        ({"elapsed": "10.0 s", "bytes": "8.00 GB"}, {"elapsed": "20.0 s"}, "throughput", "2.00", "4.00"),
        ({"iops": "80.0k", "requests_in_flight": 8}, {"iops": "40.0k"}, "latency", "0.500", "2.00"),
        ({"throughput": "400. MB/s", "devices": 4}, {"throughput": "100. MB/s", "devices": 1},
         "throughput_each", "1.00", "4.00"),
    ],
)  # fmt: skip
def test_missing_numbers_of_one_side_come_from_the_other(own, than, of, agrees, not_):
    other = {name: number_of(text, KINDS[name]) for name, text in than.items()}
    for ratio, right in ((agrees, True), (not_, False)):
        comparison = OtherSide(number_of(ratio, RATIO), of, **SIDE, numbers=other)
        claim = claim_of(comparison, **{name: (text, "") for name, text in own.items()})
        assert (contradiction(claim) is None) is right


def test_every_way_to_a_number_of_either_side_is_compared():
    """By its I/Os the other side does 80 MB/s, by its bytes and time 40: one of both is not a quarter."""
    than = {"iops": "10.0k", "block": "8000", "bytes": "400. MB", "elapsed": "10.0 s"}
    other = {name: number_of(text, KINDS[name]) for name, text in than.items() if name != "block"}
    other["block"] = number_of("8000 B", KINDS["block"])
    comparison = OtherSide(number_of("4.00", RATIO), "throughput", **SIDE, numbers=other)
    found = checks(claim_of(comparison, throughput=("320. MB/s", "")))
    assert [check.agrees for check in found if check.total == "ratio"] == [True, False]


def test_derived_number_is_reported_where_nothing_can_be_compared():
    assert follows(said(iops="1.2M", latency="80 us")) == "1.2M/s × 80 us = 96 requests in flight follow from it"
    assert follows(said(iops="3000", block="128KiB")) == "3000/s × 128KiB = 393.2 MB/s follows from it"
    assert follows(claim_of(iops=("1.2M", ""), latency=("80 us", "p99"))) is None
    assert follows(said(iops="3000")) is None
