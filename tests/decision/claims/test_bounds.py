"""Bounds by hardware: in parallel, in series, by direction and date, for a time, and at least."""

from __future__ import annotations

import pytest

from claims import claim_of
from sim.data.hardware import Hardware, Limit, catalogue
from stacksim.claims import parts
from stacksim.claims.bounds import bounds

FC = {"hardware": ["2 x fc-2"]}
FRAMES = 2112 / 2172
"""Of what Fibre Channel sends, so much is data: 2112 bytes in a frame have 36 around them and six words behind."""


def tightest(**entries):
    return bounds(claim_of(**entries))[0]


def made_up(*limits, kind="volume"):
    entries = (Limit(what, value, unit, op, "derived", "made up") for what, value, unit, op in limits)
    return Hardware("made-up", "made up", kind, "2000", "made up", tuple(entries))


@pytest.fixture
def only(monkeypatch):
    """Make an entry the only one of the catalogue."""

    def install(*limits, kind="volume"):
        monkeypatch.setattr(parts, "read", lambda _: (1, made_up(*limits, kind=kind)))

    return install


def test_links_side_by_side_add_up():
    found = tightest(throughput="450 MB/s", op="read", **FC)
    assert found.passed
    assert (found.bound.place, found.bound.value) == ("2 x fc-2", pytest.approx(425e6 * FRAMES))
    assert found.why == "2 x fc-2: 2 × 212.5 MB/s × 2112/2172 in frames = 413.3 MB/s < 450 MB/s (1.09 times)"
    assert not tightest(throughput="400 MB/s", op="read", **FC).passed


def test_limit_within_rounding_is_not_exceeded():
    assert not tightest(throughput="413 MB/s", op="read", **FC).passed
    assert tightest(throughput="414. MB/s", op="read", **FC).passed
    assert not tightest(throughput="1..2 GB/s", op="read", hardware=["8 x fc-2"]).passed


@pytest.mark.parametrize(
    ("iops", "passed", "why"),
    [
        ("20,000", True, "gp3: 16,000/s < 20,000/s, 19,000/s at least (1.25 times)"),
        ("20.0k", True, "gp3: 16,000/s < 20.0k/s (1.25 times)"),
        ("16.2k..20k", True, "gp3: 16,000/s < 16.2k..20k/s, 16,200/s at least (1.13 times)"),
        ("~17k", False, "gp3: 16,000/s ≥ 15,300/s, the least that ~17k/s may mean"),
        ("8k", False, "gp3: 16,000/s ≥ 8000/s (50% of it)"),
    ],
)
def test_rounding_in_the_sentence_agrees_with_the_verdict(iops, passed, why):
    found = tightest(iops=iops, date="2024", hardware=["gp3"])
    assert (found.passed, found.why) == (passed, why)


def test_latency_above_the_bound_by_rounding_is_explained(only):
    only(("latency", 30e-6, "s", "read"))
    found = tightest(latency="~29 us", op="read", hardware=["made-up"])
    assert not found.passed
    assert found.why == "made-up: 30 µs ≤ 31.9 µs, the most that ~29 us may mean"


def test_duration_of_a_burst_is_the_claimed_one():
    found = tightest(throughput="500 MB/s", duration="2 h", op="read", hardware=["m5.xlarge"])
    assert found.passed
    assert found.why.startswith("m5.xlarge: 143.8 MB/s + 810 GB of credits in 7200 s = 256.2 MB/s < 500 MB/s")


@pytest.mark.parametrize(("date", "most"), [("2023", 256e3), ("2023-10", 64e3), ("2025", 256e3), (None, 256e3)])
def test_io2_is_block_express_from_the_end_of_2023_on(date, most):
    """Of the year in which it changed, the looser limit counts."""
    entries = {"date": date} if date else {}
    assert tightest(iops="200k", hardware=["io2"], **entries).bound.value == most
    most_bytes = tightest(throughput="2 GB/s", op="read", hardware=["io2"], **entries).bound.value
    assert most_bytes == most / 64e3 * 1000 * 2**20


def test_slowest_part_in_series_comes_first():
    found = bounds(claim_of(throughput="300 MB/s", op="read", hardware=["pcie-1-x8", "2 x fc-2", "fc-2"]))
    assert [limited.bound.place for limited in found] == ["fc-2", "2 x fc-2", "pcie-1-x8"]
    assert [limited.passed for limited in found] == [True, False, False]


@pytest.mark.parametrize(("op", "value"), [("read", 425e6), ("write", 425e6), ("both", 850e6), (None, 850e6)])
def test_mixed_traffic_uses_both_directions_of_a_link(op, value):
    entries = {"op": op} if op else {}
    assert tightest(throughput="450 MB/s", **FC, **entries).bound.value == pytest.approx(value * FRAMES)


@pytest.mark.parametrize(
    ("name", "mtu", "share"),
    [
        ("25gbe", 1500, 1460 / 1538),
        ("25gbe", 9000, 8960 / 9038),
        ("25gbe", None, 8960 / 9038),
        ("10gbe", 1500, 1460 / 1538),
        ("ib-edr", None, 4096 / 4122),
        ("fc-16", None, 2112 / 2172),
        ("pcie-3-x8", None, 1.0),
    ],
)
def test_frames_and_headers_are_taken_off_the_rate_of_a_line(name, mtu, share):
    line = catalogue()[name].limit("bandwidth").value
    said = {} if mtu is None else {"mtu": mtu}
    for part, passed in ((0.99, False), (1.01, True)):
        claimed = f"{line * share * part / 1e6:.3f} MB/s"
        found = tightest(throughput=claimed, op="read", hardware=[name], **said)
        assert found.bound.value == pytest.approx(line * share)
        assert found.passed is passed


def test_a_request_takes_the_time_of_its_frames():
    claim = {"latency": "345 us", "block": "1MiB", "op": "read", "hardware": ["25gbe"]}
    (floor,) = bounds(claim_of(**claim))
    assert floor.bound.value == pytest.approx(2**20 / (3.125e9 * 8960 / 9038))
    assert not floor.passed
    (floor,) = bounds(claim_of(**claim, mtu=1500))
    assert floor.bound.value == pytest.approx(2**20 / (3.125e9 * 1460 / 1538))
    assert floor.passed


def test_25_gigabit_at_an_mtu_of_1500_do_not_carry_3_05_gigabytes():
    claim = {"throughput": "3.05 GB/s", "op": "read", "hardware": ["25gbe"]}
    assert not tightest(**claim).passed
    found = tightest(mtu=1500, **claim)
    assert (
        found.why
        == "25gbe: 3.125 GB/s × 1460/1538 in frames = 2.967 GB/s < 3.05 GB/s, 3.045 GB/s at least (1.03 times)"
    )


def test_rate_in_powers_of_1024_is_also_shown_in_units_of_the_catalogue():
    found = tightest(throughput="2.95 GiB/s", op="read", hardware=["25gbe"])
    assert found.why.endswith("< 2.95 GiB/s (3.168 GB/s), 3.162 GB/s at least (1.02 times)")


@pytest.mark.parametrize(("op", "value"), [("read", 7e9), ("write", 5e9), ("both", 12e9), (None, 12e9)])
def test_separate_limits_of_reads_and_writes_are_used(only, op, value):
    only(("bandwidth", 7e9, "bytes/s", "read"), ("bandwidth", 5e9, "bytes/s", "write"))
    assert tightest(throughput="1 GB/s", hardware=["made-up"], **({"op": op} if op else {})).bound.value == value


@pytest.mark.parametrize(("date", "passed"), [("2024-03", True), ("2025-12", False)])
def test_limits_are_those_of_the_date(date, passed):
    assert tightest(iops="40k", date=date, hardware=["gp3"]).passed == passed


@pytest.mark.parametrize(
    "entries",
    [
        {"iops": "3.60k", "block": "128KiB"},
        {"bytes": "900. MB", "elapsed": "1.9 s"},
        {"bytes": "900. MB", "duration": "1.9 s"},
        {"requests_in_flight": 8, "block": "1MiB", "latency": "17 ms"},
        {"devices": 4, "throughput_each": "120. MB/s"},
    ],
)
def test_a_throughput_that_follows_from_other_numbers_is_held_against_the_bound(entries):
    found = tightest(op="read", **FC, **entries)
    assert found.passed
    assert found.claimed.unit == "bytes/s"
    assert found.claimed.value == pytest.approx(480e6, rel=0.05)


def test_ratio_multiplies_the_number_of_the_other_side():
    entries = {"ratio": "3.0", "of": "throughput", "than": {"throughput": "200. MB/s"}}
    found = tightest(op="read", **FC, **entries)
    assert found.passed
    assert found.why == "2 x fc-2: 2 × 212.5 MB/s × 2112/2172 in frames = 413.3 MB/s < 3 × 200. MB/s (1.45 times)"


def test_the_other_side_has_bounds_of_its_own():
    than = {"throughput": "300. MB/s", "hardware": ["fc-2"]}
    entries = {"ratio": "3.0", "of": "throughput", "op": "read", "throughput": "900. MB/s"}
    assert tightest(**entries, than=than).bound.place == "fc-2"


@pytest.mark.parametrize(
    ("duration", "value"), [("10.0 s", 3000.0), ("1000 s", 100.0 + 54_000.0 / 1000.0), (None, 3000.0)]
)
def test_credits_last_for_a_time(only, duration, value):
    """A duration is set, and not rounded."""
    only(("iops", 100.0, "/s", None), ("burst_iops", 3000.0, "/s", None), ("burst_credits", 54_000.0, "1", None))
    entries = {"duration": duration} if duration else {}
    assert tightest(iops="5000", hardware=["made-up"], **entries).bound.value == pytest.approx(value)


def test_credits_of_bytes_allow_bursts(only):
    only(
        ("bandwidth", 1e8, "bytes/s", None),
        ("burst_bandwidth", 1e9, "bytes/s", None),
        ("burst_bytes", 9e9, "bytes", None),
    )
    found = tightest(bytes="64.0 GB", elapsed="100. s", hardware=["made-up"])
    assert found.passed
    assert found.why.startswith(
        "made-up: 100 MB/s + 9 GB of credits in 99.5 s at least = 190.5 MB/s < 64.0 GB / 100. s"
    )


def test_latency_is_bounded_by_the_sum_over_its_path(only):
    only(("latency", 30e-6, "s", "read"))
    entries = {"op": "read", "hardware": ["made-up", "made-up"]}
    found = tightest(latency="55 us", **entries)
    assert (found.passed, found.least) == (True, True)
    assert found.why == "made-up + made-up: 30 µs + 30 µs = 60 µs > 55 us (0.917 times)"
    assert not tightest(latency="60 us", **entries).passed
    assert tightest(latency={"value": "55 us", "of": "p99"}, **entries).passed
    why = tightest(iops="1.4M", requests_in_flight=32, **entries).why
    assert why.endswith("> 32 / 1.4M/s = 22.86 µs, 23.7 µs at most (0.381 times)")


@pytest.mark.parametrize(
    ("kind", "entries", "floors"),
    [
        ("ssd", {"op": "read"}, 1),
        ("ssd", {"op": "write"}, 0),
        ("ssd", {}, 0),
        ("ssd", {"op": "read", "pattern": "random"}, 1),
        ("ssd", {"op": "read", "pattern": "sequential"}, 0),
        ("ssd", {"op": "read", "latency_of": "min"}, 0),
        ("disk", {"op": "read"}, 0),
        ("disk", {"op": "read", "pattern": "random"}, 1),
    ],
)
def test_the_least_latency_is_that_of_requests_that_nothing_has_read_ahead(only, kind, entries, floors):
    only(("latency", 30e-6, "s", "read"), kind=kind)
    assert len(bounds(claim_of(latency="20 us", hardware=["made-up"], **entries))) == floors


@pytest.mark.parametrize(("pattern", "passed"), [("random", True), ("sequential", False)])
def test_requests_side_by_side_may_be_merged_before_they_are_counted(only, pattern, passed):
    only(("iops", 16_000.0, "/s", None), ("bandwidth", 1e9, "bytes/s", None))
    entries = {"iops": "110k", "block": "4KiB", "pattern": pattern, "hardware": ["made-up"]}
    assert tightest(**entries).passed == passed


def test_a_request_takes_the_time_of_its_bytes():
    found = tightest(latency="1.0 ms", block="1MiB", op="read", hardware=["fc-2"])
    assert found.passed
    assert found.why == "fc-2: 1MiB / 206.6 MB/s = 5.075 ms > 1.0 ms, 1.05 ms at most (0.197 times)"


def test_a_count_of_the_claim_is_that_of_its_parts():
    one = 212.5e6 * FRAMES
    claim = {"throughput": "400 MB/s", "op": "read"}
    assert tightest(**claim, links=2, hardware=["fc-2"]).bound.value == pytest.approx(2 * one)
    assert tightest(**claim, links=2, hardware=["1 x fc-2"]).bound.value == pytest.approx(one)
    assert tightest(**claim, devices=2, hardware=["fc-2"]).bound.value == pytest.approx(one)


def test_memory_is_bounded_by_the_hardware(only):
    only(("memory", 16 * 2.0**30, "bytes", None), kind="instance")
    assert tightest(memory="32 GiB", hardware=["made-up"]).passed
    assert not tightest(memory="16 GiB", hardware=["made-up"]).passed


def test_claim_without_hardware_or_bounded_number_has_no_bounds():
    assert bounds(claim_of(throughput="1 GB/s")) == ()
    assert bounds(claim_of(elapsed="3 s", hardware=["fc-2"])) == ()
