"""The catalogue of hardware: its reader refuses what cannot be, and the file that comes along is in order."""

from __future__ import annotations

import ast
import math
import tomllib
from pathlib import Path

import pytest

from sim.data.hardware import Hardware, Limit, catalogue, hardware, kinds, parts
from sim.data.hardware.dates import days_of
from sim.data.hardware.file import UNITS, read
from sim.data.hardware.words import period_text, short_text, value_text
from sim.engine.errors import InputError

ROOT = Path(__file__).parents[2]
FILE = ROOT / "calibration-data" / "hardware.toml"

ENTRY = """\
[[hardware]]
name = "oven"
title = "An oven"
kind = "kitchen"
since = "2001"
source = "its maker"
limits = [ { what = "bandwidth", value = "2 MB/s" } ]
"""

ENTRIES = [pytest.param(each, id=each.name) for each in catalogue().values()]
LIMITS = [(entry, limit) for entry in catalogue().values() for limit in entry.limits]

SANE = {
    "bandwidth": (1e6, 500e9),
    "duplex_bandwidth": (1e6, 400e9),
    "burst_bandwidth": (1e6, 200e9),
    "iops": (50, 10e6),
    "burst_iops": (1000, 10e6),
    "burst_credits": (1e5, 1e9),
    "burst_bytes": (1e10, 1e14),
    "latency": (1e-6, 0.01),
    "typical_latency": (1e-6, 0.02),
    "memory": (1e6, 1e13),
    "capacity": (1e10, 1e15),
}
"""Outside of these, a unit is wrong."""


# The file that comes along.


def test_catalogue_has_many_entries_of_every_kind():
    assert len(catalogue()) >= 200
    assert {"link", "bus", "card", "array", "memory", "disk", "ssd", "volume", "instance"} == set(kinds())


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_has_a_title_date_and_source(entry):
    assert entry.title
    assert len(entry.title) <= 44
    assert len(entry.source) > 12
    first, last = days_of(entry.since)
    assert 1990 <= first.year <= last.year <= 2026


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_limit_is_plausible(entry):
    for limit in entry.limits:
        low, high = SANE[limit.what]
        assert low <= limit.value <= high, limit
        assert limit.unit == UNITS[limit.what]
        assert len(limit.source) > 12
        if limit.since and limit.until:
            assert days_of(limit.since)[0] < days_of(limit.until)[0]
        if limit.basis == "recalled":
            assert "not found" in limit.note or "says only" in limit.note


def test_few_limits_are_from_memory():
    assert sum(limit.basis == "recalled" for _, limit in LIMITS) <= 4


@pytest.mark.parametrize("entry", [each for each in catalogue().values() if each.line], ids=lambda each: each.name)
def test_the_payload_of_a_line_follows_from_its_rate_and_code(entry):
    """As the file writes both, each is checked against the other: a slip in either shows."""
    data, sent = entry.line.code
    payload = entry.line.bits_per_s * entry.line.lanes * data / sent / 8
    assert entry.limit("bandwidth").value == pytest.approx(payload, rel=5e-6)
    if duplex := entry.limit("duplex_bandwidth"):
        assert min(abs(duplex.value / payload - times) for times in (1, 2)) < 1e-5


@pytest.mark.parametrize(
    ("name", "mb_per_s"),
    [
        ("fc-2", 212.5), ("fc-4", 425.0), ("fc-64", 6800.0), ("sas-4", 2400.0), ("sata-3", 600.0),
        ("gbe", 125.0), ("100gbe", 12_500.0), ("ib-sdr", 1000.0), ("ib-ddr", 2000.0), ("ib-ndr", 50_000.0),
        ("pci-x-133", 1066.67), ("pcie-1-x8", 2000.0), ("pcie-3-x4", 3938.46), ("ddr2-667", 5333.33),
        ("ddr5-4800", 38_400.0),
    ],
)  # fmt: skip
def test_well_known_bandwidths_are_correct(name, mb_per_s):
    assert hardware(name).limit("bandwidth").value == pytest.approx(mb_per_s * 1e6, rel=1e-5)


def test_half_a_turn_of_each_disk_follows_from_its_speed():
    for entry in catalogue().values():
        if entry.kind == "disk":
            (half,) = (limit for limit in entry.limits if limit.what == "latency")
            turns = int(half.note.split(" at ")[1].split(" a minute")[0].replace(",", ""))
            assert half.value == pytest.approx(60 / turns / 2, rel=1e-3)
            assert half.op == "read"


def test_credits_are_half_an_hour_beyond_the_baseline():
    counted = 0
    for entry in catalogue().values():
        for credit, rate in (("burst_credits", "iops"), ("burst_bytes", "bandwidth")):
            limit = entry.limit(credit)
            if limit and limit.basis == "derived":
                beyond = entry.limit(f"burst_{rate}").value - entry.limit(rate).value
                assert limit.value == pytest.approx(1800 * beyond), entry.name
                counted += 1
    assert counted > 40


def test_bursts_exceed_the_sustained_rate():
    for entry in catalogue().values():
        for burst, base in (("burst_iops", "iops"), ("burst_bandwidth", "bandwidth")):
            if entry.limit(burst):
                assert entry.limit(burst).value > entry.limit(base).value, entry.name


def test_names_are_unique_and_aliases_mean_the_same():
    names = [name for each in catalogue().values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert hardware(" 2GFC ") is hardware("fc-2")


def test_names_of_hardware_are_not_in_the_code():
    """`sim` reads a catalogue of anything: no name or kind of hardware stands in its code."""
    sources = [*(ROOT / "sim" / "data" / "hardware").glob("*.py"), ROOT / "sim" / "cli" / "hardware.py"]
    taken = ({*catalogue()} | {*kinds()}) - {*UNITS}
    for path in sources:
        constants = (
            node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
        )
        assert not taken & {each for each in constants if isinstance(each, str)}, path


# What is asked of it.


def test_limits_change_with_the_date():
    gp3 = hardware("gp3")
    assert gp3.limit("iops", when="2025-08").value == 16_000
    assert gp3.limit("iops", when="2025-09-26").value == 80_000
    assert gp3.limit("iops").value == 80_000
    assert gp3.limit("iops", when="2025").value == 80_000, "a year with both: what may have been allowed"
    assert len([each for each in gp3.limits_at("2025") if each.what == "iops"]) == 2
    assert {each.what for each in gp3.limits_at("2019")} == {each.what for each in gp3.limits_at()}


@pytest.mark.parametrize("when", ["2025-13", "2025-02-30", "25", "", "soon", "2025/09"])
def test_invalid_date_is_refused(when):
    with pytest.raises(InputError, match="allowed: a year, a month or a day"):
        hardware("gp3").limits_at(when)


def limit(what, value, op=None):
    return Limit(what, value, UNITS[what], op, "published", "x")


def test_the_tightest_bound_of_an_operation_counts():
    limits = (limit("iops", 9.0, "read"), limit("iops", 4.0, "write"), limit("iops", 7.0))
    entry = Hardware("a", "A", "b", "2001", "x", limits)
    assert [entry.limit("iops", op).value for op in ("read", "write", "both", None)] == [7, 4, 7, 7]
    apart = Hardware("a", "A", "b", "2001", "x", limits[:2])
    assert [apart.limit("iops", op) and apart.limit("iops", op).value for op in ("read", "both", None)] == [
        9,
        None,
        9,
    ]
    assert entry.limit("memory") is None
    least = Hardware("a", "A", "b", "2001", "x", (limit("latency", 2.0, "read"), limit("latency", 3.0, "write")))
    assert least.limit("latency").value == 2.0, "a latency is a lower bound: the looser one is the smaller"


def test_parts_are_a_count_and_a_name():
    assert parts("2 x fc-2") == (2, hardware("fc-2"))
    assert parts("12×FC-2") == (12, hardware("fc-2"))
    assert parts("fc-2") == (1, hardware("fc-2"))
    assert parts("3x10gbe") == (3, hardware("10gbe"))
    with pytest.raises(InputError, match=r"^hardware is '2 gbe'; write '2 x gbe'$"):
        parts("2 gbe")


@pytest.mark.parametrize("text", ["5 GB/s", "450 MB/s", "200 us", "780 k"])
def test_a_quantity_is_not_taken_for_a_number_of_parts(text):
    with pytest.raises(
        InputError, match=r"^hardware is '.*'; allowed: a name .*; a number with a unit goes elsewhere"
    ):
        parts(text)


@pytest.mark.parametrize("text", ["", "2 x", "0 x fc-2", "two x fc-2", "2 fc-2", "-1 x fc-2", 2, None])
def test_invalid_number_of_parts_is_refused(text):
    with pytest.raises(InputError) as caught:
        parts(text)
    assert len(str(caught.value).splitlines()) == 1


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(
        InputError, match=r"^no hardware 'fc-22'; did you mean 'fc-\d+'\? allowed: a name of `stacksim"
    ):
        hardware("fc-22")
    with pytest.raises(InputError, match=r"^no hardware '7'; allowed"):
        hardware(7)
    with pytest.raises(InputError, match=r"^hardware is 'pcie-5 x4'; did you mean 'pcie-5-x4'\? allowed"):
        parts("pcie-5 x4")


def test_a_word_that_is_no_name_lists_the_first_entries_with_it():
    with pytest.raises(InputError, match=r"^no hardware 'nvme'; nvme: ([^ ]+, ){3}[^ ]+ and \d+ more; allowed"):
        hardware("nvme")


def test_values_are_written_as_people_write_them():
    texts = {
        ("bandwidth", 212.5e6): "212.5 MB/s",
        ("bandwidth", 125.0 * (1 << 20)): "125 MiB/s",
        ("bandwidth", 14e9): "14,000 MB/s",
        ("iops", 80_000.0): "80,000 /s",
        ("latency", 0.002): "2 ms",
        ("capacity", float(64 << 40)): "64 TiB",
        ("capacity", 32767.0 * (1 << 30)): "32,767 GiB",
        ("capacity", 18e12): "18 TB",
        ("burst_bytes", 922.5e9): "922.5 GB",
        ("burst_credits", 5.4e6): "5,400,000",
    }
    assert {key: value_text(limit(*key)) for key in texts} == texts
    assert [short_text(limit("iops", each)) for each in (3600.0, 1_550_000.0)] == ["3600", "1550k"]
    assert (
        period_text(Limit("iops", 1, "1/s", None, "published", "x", "2019", "2025-09"))
        == "since 2019, before 2025-09"
    )


# The reader.


def test_entry_is_read(tmp_path):
    path = tmp_path / "h.toml"
    path.write_text(ENTRY.replace("limits", 'line = { gigabits = 0.02, code = "8/10" }\nlimits'))
    (oven,) = read(path).values()
    assert (oven.limits[0].value, oven.limits[0].basis, oven.limits[0].source) == (2e6, "published", "its maker")
    assert oven.line.bytes_per_s == pytest.approx(2e6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[hardware]]", "[[hardware]", "is no TOML"),
        ("[[hardware]]", "[[ovens]]", "allowed: hardware"),
        ('name = "oven"', 'name = "Oven"', "hardware.0.name"),
        ('kind = "kitchen"\n', "", "hardware.0.kind is missing"),
        ('since = "2001"', 'since = "soon"', "hardware.0.since"),
        ('since = "2001"', "since = 2001", "hardware.0.since"),
        ("limits = [", "limits = [] # [", "hardware.0.limits"),
        ("source", "sources", "did you mean 'source'?"),
        ('"bandwidth"', '"bandwith"', "did you mean 'bandwidth'"),
        ('"2 MB/s"', "2", "allowed: a text with its unit"),
        ('"2 MB/s"', '"2 MB"', "allowed: a text with its unit"),
        ('"2 MB/s"', '"2 parsec"', "oven, bandwidth is '2 parsec'"),
        ('"2 MB/s"', '"0 MB/s"', "allowed: more than 0"),
        ('"2 MB/s"', '"-2 MB/s"', "allowed: more than 0"),
        ('"bandwidth", value = "2 MB/s"', '"iops", value = "2"', "allowed: a number"),
        ('"bandwidth", value = "2 MB/s"', '"iops", value = nan', "hardware.0.limits.0.value"),
        ('"2 MB/s"', '"2 MB/s", op = "reads"', "did you mean 'read'"),
        ('"2 MB/s"', '"2 MB/s", basis = "guessed"', "allowed: "),
        ('"2 MB/s"', '"2 MB/s", until = "2025-99"', "hardware.0.limits.0.until"),
        ("limits", 'line = { gigabits = 1, code = "8b/10b" }\nlimits', "hardware.0.line.code"),
        ("limits", 'aliases = ["oven"]\nlimits', "has the name 'oven' twice"),
    ],
)
def test_anything_else_is_refused_in_one_line(tmp_path, old, new, message):
    path = tmp_path / "h.toml"
    assert old in ENTRY
    path.write_text(ENTRY.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    assert message in text
    assert path.name in text
    assert len(text.splitlines()) == 1


def test_the_file_is_plain_toml_in_lines_that_can_be_read():
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert len(written["hardware"]) == len(catalogue())
    assert all(math.isfinite(each.value) for _, each in LIMITS)
