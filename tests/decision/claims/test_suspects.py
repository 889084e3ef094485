"""Each of the usual suspects by value: a claim that was made with that cause is explained by it."""

from __future__ import annotations

import math
from typing import get_args

import pytest

from claims import BUCKET, claim_of
from shelf import SECONDS, SHELF, shelf
from sim.engine.simulation.options import RunOptions
from stacksim.claims import suspects
from stacksim.claims.expected import expected
from stacksim.claims.suspects import LEAST, SUSPECTS, explanations
from stacksim.claims.suspects.cached_on_host import share_of_faster
from stacksim.claims.suspects.ladder import nearest
from stacksim.claims.suspects.suspected import suspicions
from stacksim.claims.suspects.suspicion import Lead, Suspicion
from stacksim.claims.verdict import Cause

OPTIONS = RunOptions()
FC = {"hardware": ["2 x fc-2"], "op": "read"}


@pytest.fixture
def shelf_file(tmp_path):
    return shelf(tmp_path)


def explained(**entries):
    """Explanations of a claim, by cause, the best one first."""
    claim = claim_of(**entries)
    return {each.cause: each for each in explanations(claim, expected(claim, OPTIONS), OPTIONS)}


OF_SHELF = [
    ("queue-depth", {"iops": f"{4 / SECONDS:.4g}"}, "depth=4 instead of 1"),
    ("queue-depth", {"iops": f"{1 / SECONDS:.4g}", "requests_in_flight": 8}, "depth=1 instead of 8"),
    ("block-size", {"iops": "395.1", "pattern": "random"}, "block=2MiB instead of 64KiB"),
    ("merged-requests", {"throughput": "547 MB/s", "pattern": "sequential", "op": "read"}, "512KiB"),
    ("units", {"throughput": f"{8 * 65536 / SECONDS / 1e6:.4g} MB/s"}, "bits a second"),
    ("both-directions", {"throughput": "1.960 GB/s", "requests_in_flight": 64, "op": "read"}, "reads and writes"),
    ("sum-as-mean", {"throughput_each": "262.4 MB/s", "clients": 2, "links": 2}, "sum over 2 links"),
    pytest.param(
        *(
            "more-parts",
            {"throughput": "3.99 GB/s", "clients": 16, "requests_in_flight": 256},
            "links=4 instead of 1",
        ),
        marks=pytest.mark.slow,
    ),
    pytest.param(
        *(
            "fewer-parts",
            {"throughput": "2.00 GB/s", "clients": 16, "requests_in_flight": 256, "links": 4},
            "links=2",
        ),
        marks=pytest.mark.slow,
    ),
    ("setting", {"iops": f"{1 / (SECONDS + 400e-6):.4g}"}, "slow=2 instead of 1"),
    pytest.param(
        *("setting", {"latency": "199.5 us", "op": "read"}, "op=write instead of read"), marks=pytest.mark.slow
    ),
    ("second-cap", {"throughput": "20.0 GB/s", "requests_in_flight": 64}, "'ssd transfer'"),
    ("cached-on-host", {"iops": "5011", "memory": "16 GB", "bytes": "8 GB"}, "16 GB"),
    ("short-run", {"elapsed": "20 s", "bytes": "10 GB", "op": "write", "memory": "64 GB"}, "fits the memory"),
    ("compressible", {"throughput": "600 MB/s", "data": "zeros"}, "the data were zeros"),
]


@pytest.mark.parametrize(("cause", "entries", "words"), OF_SHELF)
def test_a_cause_is_found_in_the_model(shelf_file, cause, entries, words):
    found = explained(stack=shelf_file, **entries)
    assert cause in list(found)[:3]
    if cause != "cached-on-host":
        assert words in found[cause].what
    assert abs(found[cause].error) < 0.1


RENAMED = {
    "clients = {": 'pupils = { role = "clients",',
    'clients = "clients"': 'clients = "pupils"',
    "depth = {": "window = {",
    'depth = "depth"': 'depth = "window"',
    "links = {": 'strands = { role = "links",',
    'count = "links"': 'count = "strands"',
    "op = {": "doing = {",
    'op = "op"': 'op = "doing"',
}
"""Settings of the shelf under names of somebody else: some state their role, the load gives others theirs."""


@pytest.mark.parametrize(
    ("cause", "entries", "words"),
    [
        ("queue-depth", {"iops": f"{4 / SECONDS:.4g}"}, "window=4 instead of 1"),
        ("sum-as-mean", {"throughput_each": "262.4 MB/s", "clients": 2, "links": 2}, "sum over 2 links"),
        (
            "both-directions",
            {"throughput": "1.960 GB/s", "requests_in_flight": 64, "op": "read"},
            "reads and writes",
        ),
    ],
)
def test_suspects_go_by_roles_and_not_by_names(tmp_path, cause, entries, words):
    text = SHELF
    for ours, theirs in RENAMED.items():
        assert ours in text
        text = text.replace(ours, theirs)
    found = explained(stack=shelf(tmp_path, text), **entries)
    assert cause in list(found)[:3]
    assert words in found[cause].what


OF_HARDWARE = [
    ("more-parts", {"throughput": "850. MB/s", **FC}, "4 x fc-2, not 2"),
    ("both-directions", {"throughput": "850. MB/s", **FC}, "reads and writes"),
    ("both-directions", {"throughput": "660 MB/s", **FC}, "80% of what is allowed each"),
    ("sum-as-mean", {"throughput": "850. MB/s", **FC}, "sum over 2 fc-2"),
    ("units", {"throughput": "425. MiB/s", **FC}, "MB/s were written as MiB/s"),
    ("units", {"throughput": "3.40 GB/s", **FC}, "bits a second"),
    ("cached-on-host", {"throughput": "900 MB/s", "memory": "8 GB", "bytes": "4 GB", **FC}, "host's memory"),
    ("compressible", {"throughput": "900 MB/s", "data": "zeros", **FC}, "the data were zeros"),
    ("other-date", {"iops": "30000", "hardware": ["gp3"], "date": "2024-06"}, "2025-09"),
    ("burst", {"iops": "3000.", "hardware": ["azure-p10"], "duration": "24 h"}, "while credits lasted"),
    ("setting", {"iops": "12500", "hardware": ["gp3-base"], "date": "2024-06"}, "it was gp3, or so much"),
    ("second-cap", {"throughput": "500 MB/s", "hardware": ["gp3", "gbe"], "op": "read"}, "only gp3"),
    ("merged-requests", {"iops": "123k", "block": "4KiB", "hardware": ["gp3"]}, "2 requests each"),
    ("short-run", {"throughput": "900 MB/s", "duration": "10 s", "memory": "16 GB", "hardware": ["2 x fc-2"],
                   "op": "write"}, "memory took writes in"),
]  # fmt: skip


@pytest.mark.parametrize(("cause", "entries", "words"), OF_HARDWARE)
def test_a_cause_is_found_by_the_catalogue(cause, entries, words):
    found = explained(**entries)
    assert cause in list(found)[:4]
    assert words in found[cause].what


def test_data_cached_in_an_array_bypasses_the_disks():
    claim = {"hardware": ["fc-4", "4 x cheetah-15k5"], "op": "read", "pattern": "sequential"}
    slow = explained(throughput="410. MB/s", array_memory="4 GB", bytes="2 GB", **claim)
    assert "cached-in-array" not in slow, "the disks do that much by themselves"
    few = {**claim, "hardware": ["fc-4", "cheetah-15k5"]}
    found = explained(throughput="410. MB/s", array_memory="4 GB", bytes="2 GB", **few)
    assert next(iter(found)) in ("cached-in-array", "second-cap")
    assert found["cached-in-array"].predicted == 410e6
    beyond = explained(throughput="800. MB/s", array_memory="4 GB", bytes="2 GB", **few)
    assert "cached-in-array" not in beyond, "the link does not do that"


def test_a_burst_is_told_with_its_time_and_its_amount(tmp_path):
    """Of 40 million I/Os at 1,000 a second, spent at 3,000: five and a half hours, in which 246 GB pass."""
    path = tmp_path / "bucket.toml"
    path.write_text(BUCKET.replace("20000", "40000000"), encoding="utf-8")
    for cause in ("short-run", "burst"):
        what = explained(stack=str(path), iops="3000", duration="48 h")[cause].what
        assert what.startswith("the first 5.56 h were seen, in which 245.8 GB pass; that")
        assert what.endswith("ends when credits of limits IOPS are spent")


def test_a_percentile_that_was_taken_for_the_mean(tmp_path):
    """Of one client whose requests take an exponential time, p99 is 4.6 times the mean, and p50 0.69 times."""
    path = tmp_path / "chance.toml"
    path.write_text(CHANCE, encoding="utf-8")
    found = explained(stack=str(path), latency={"value": "4.60 ms", "of": "mean"})
    assert "p99 latency" in found["percentile"].what
    assert found["percentile"].predicted == pytest.approx(1e-3 * math.log(100.0), rel=0.2)
    assert list(found)[:3].count("percentile") == 1


def test_a_ratio_is_explained_by_a_setting_of_this_side(shelf_file):
    claim = {"stack": shelf_file, "ratio": "4.00", "of": "throughput", "settings": {"depth": 2}}
    found = explained(**claim, than={"settings": {"depth": 1}})
    assert "depth=4 instead of 2" in found["queue-depth"].what
    assert found["queue-depth"].unit == ""
    assert found["queue-depth"].predicted == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize(
    ("cause", "entries"),
    [
        ("both-directions", {"throughput": "1.9 GB/s", "hardware": ["gp3"], "date": "2024-06"}),
        ("burst", {"iops": "32000", "hardware": ["gp3"], "date": "2024-06"}),
        ("units", {"throughput": "4.2 GB/s", "hardware": ["pcie-3-x4"], "op": "read"}),
        ("compressible", {"throughput": "600 MB/s", "stack": "shelf"}),
        ("cached-in-array", {"throughput": "900 MB/s", "hardware": ["cheetah-15k5"], "op": "read"}),
        ("merged-requests", {"iops": "123k", "hardware": ["gp3"]}),
        ("more-parts", {"latency": "2 us", "block": "1MiB", "hardware": ["10gbe"], "op": "read"}),
    ],
)
def test_impossible_causes_are_not_offered(shelf_file, cause, entries):
    entries = {**entries, "stack": shelf_file} if "stack" in entries else entries
    claim = claim_of(**entries)
    found = list(suspicions(claim, expected(claim, OPTIONS), OPTIONS))
    assert found, "the number is not what was expected"
    assert cause not in explained(**entries)


def test_expected_number_needs_no_explanation(shelf_file):
    assert explained(stack=shelf_file, iops="2.00k") == {}
    assert explained(throughput="400 MB/s", **FC) == {}


SUSPICIOUS = [entries for _, entries, _ in OF_SHELF[::3]]


@pytest.mark.slow
@pytest.mark.parametrize("cause", SUSPECTS)
def test_every_suspect_keeps_the_contract(shelf_file, cause):
    claims = [*({"stack": shelf_file, **each} for each in SUSPICIOUS), *(each for _, each, _ in OF_HARDWARE)]
    for entries in claims:
        claim = claim_of(**entries)
        for suspicion in suspicions(claim, expected(claim, OPTIONS), OPTIONS):
            for lead in SUSPECTS[cause](suspicion):
                assert 0.0 < lead.predicted < math.inf
                assert lead.what.isprintable()
                assert not lead.what.endswith(".")


def test_random_reads_that_no_disk_turns_fast_enough_for_may_be_of_memory():
    run = {
        "iops": "25,000",
        "block": "4 KiB",
        "op": "read",
        "pattern": "random",
        "bytes": "40 GB",
        "memory": "64 GB",
    }
    assert next(iter(explained(hardware=["exos-x20"], **run))) == "cached-on-host"
    assert "cached-on-host" not in explained(hardware=["exos-x20"], access="direct", **run)


def test_every_cause_has_a_suspect():
    assert set(SUSPECTS) == set(get_args(Cause)) - {"by-or-to"}  # a slip of words alone


@pytest.fixture
def ranked(monkeypatch):
    """The causes, in their order, of leads that stand in for all suspects; 1,000 MB/s are claimed of 425."""

    def causes(**leads):
        stand_ins = {cause.replace("_", "-"): (lambda _, lead=lead: iter([lead])) for cause, lead in leads.items()}
        monkeypatch.setattr(suspects, "SUSPECTS", stand_ins)
        monkeypatch.setattr(Suspicion, "possible", lambda *_: True)
        return list(explained(throughput="1000. MB/s", **FC))

    return causes


def test_nearer_explanation_comes_first(ranked):
    assert ranked(units=Lead("", 700e6), burst=Lead("", 1100e6)) == ["burst", "units"]


def test_at_a_tie_the_order_of_the_suspects_counts(ranked):
    assert ranked(burst=Lead("", 1040e6), units=Lead("", 1000e6)) == ["burst", "units"]


def test_causes_named_by_the_claim_come_first_and_free_ones_last(ranked):
    free, said = Lead("", 1000e6, free=True), Lead("", 1000e6, free=True, said=True)
    found = Lead("", 1000e6, found=True)
    assert ranked(burst=free, units=found, setting=Lead("", 1000e6), compressible=said) == [
        "compressible", "setting", "units", "burst"
    ]  # fmt: skip


def test_cause_that_leaves_more_than_half_of_the_miss_is_dropped(ranked):
    base, claimed = 425e6 * 2112 / 2172, 1000e6
    half = base * (claimed / base) ** (1.0 - LEAST)
    assert ranked(units=Lead("", half * 0.99), burst=Lead("", half * 1.01)) == ["burst"]


def test_ladder_search_finds_the_nearest_value():
    def misses(wanted):
        return lambda value: abs(math.log(value / wanted))

    assert nearest(4, 1, 1024, misses(128)) == 128
    assert nearest(64, 1, 1024, misses(2)) == 2
    assert nearest(4, 1, 1024, misses(6)) == 6
    assert nearest(4, 1, 1024, misses(6), between=False) == 8
    assert nearest(4, 1, 16, misses(500)) == 16
    assert nearest(4, 1, 1024, misses(4)) is None
    assert nearest(4, 1, 1024, lambda _value: 1.0) is None


def test_the_share_of_the_faster_part_adds_up_times():
    share = share_of_faster(160.0, 100.0, 400.0)
    assert share / 400.0 + (1.0 - share) / 100.0 == pytest.approx(1.0 / 160.0)
    assert share_of_faster(90.0, 100.0, 400.0) is None
    assert share_of_faster(401.0, 100.0, 400.0) is None


CHANCE = """\
title = "a server that takes an exponential time"
[load]
clients = 1
block = "4KiB"
[[place]]
kind = "station"
name = "server"
[[layer]]
kind = "steps"
name = "work"
steps = [ { use = "server", time = "1ms", distribution = "exponential" } ]
"""
