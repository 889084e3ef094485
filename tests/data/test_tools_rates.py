"""Results of vdbench, sysstat and pg_test_fsync: what they say, and what is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from sim import InputError
from sim.data.importers import tools
from tool_files import FOLDER, changed, refusal, told, values

KIB = 1024.0


def test_averages_of_vdbench_runs_are_read_with_their_loads():
    found = told("summary.html")
    small, large = "rd1 xfersize=4k threads=8", "rd1 xfersize=64k threads=8"
    assert {part for part, _, _ in found} == {small, large}
    assert found[small, "iops", "IO/s"].value == 26500.0
    assert found[small, "iops", "IO/s"].half_width == 0.05
    assert found[small, "throughput", "MB/s"].value == pytest.approx(26500 * 4096 / 1e6)
    assert found[large, "mean", "s"].value == pytest.approx(0.999e-3)
    assert found[small, "mean", "s"].load == {"rw": "randread", "bs": "4096", "numjobs": "8"}
    assert found[large, "mean", "s"].line == 29


def test_a_flatfile_says_order_mix_and_pace():
    loads = {part.split()[0]: each.load for (part, _, _), each in told("flatfile.html").items()}
    assert loads["rw50"] == {"rw": "randrw", "rwmixread": "50", "bs": "4096", "numjobs": "16"}
    assert loads["seq"] == {"rw": "write", "bs": "262144", "numjobs": "2"}
    assert loads["paced"] == {"rw": "randread", "bs": "4096", "rate_iops": "500"}


def test_deviations_after_the_average_are_ignored(tmp_path):
    lines = (FOLDER / "flatfile.html").read_text("utf-8").splitlines(keepends=True)
    average = next(line for line in lines if "avg_2-3" in line)
    beside = average.replace("avg_2-3", "std_2-3") + average.replace("avg_2-3", "max_2-3")
    assert values(changed(tmp_path, "flatfile.html", average, average + beside)) == values("flatfile.html")
    average = next(
        line for line in (FOLDER / "summary.html").read_text("utf-8").splitlines(keepends=True) if "avg" in line
    )
    beside = average.replace("avg_", "std_")
    assert values(changed(tmp_path, "summary.html", average, average + beside)) == values("summary.html")


def test_threads_are_stated_only_if_as_many_wait(tmp_path):
    path = changed(tmp_path, "summary.html", "For loops: xfersize=4k threads=8</b>", "For loops: threads=4</b>")
    load = told(path)["rd1 threads=4", "iops", "IO/s"].load
    assert "numjobs" not in load


def test_devices_of_iostat_are_means_without_the_report_since_the_start():
    found = values("iostat.json")
    assert {part for part, _, _ in found} == {"nvme0n1"}
    assert found["nvme0n1", "iops", "IO/s"] == pytest.approx((10000 + 10440) / 2)
    assert found["nvme0n1", "throughput", "MB/s"] == pytest.approx((88000 + 91840) / 2 * KIB / 1e6)
    waited = 9000 * 0.4 + 1000 * 1.2 + 9400 * 0.38 + 1040 * 1.15
    assert found["nvme0n1", "await", "s"] == pytest.approx(waited / 20440 * 1e-3)
    assert found["nvme0n1", "utilisation", "%"] == pytest.approx(88.5)


def test_rounding_is_that_of_the_digits_of_sysstat():
    iostat, sar = told("iostat.json"), told("sadf.json", "sda")
    assert iostat["nvme0n1", "iops", "IO/s"].half_width == pytest.approx(0.01)  # of reads and of writes
    assert sar["sda", "iops", "IO/s"].half_width == pytest.approx(0.005)
    assert sar["sda", "throughput", "MB/s"].half_width == pytest.approx(0.01 * KIB / 1e6)
    assert sar["sda", "await", "s"].half_width == pytest.approx(5e-6)


def test_intervals_of_sar_count_by_their_length():
    found = values("sadf.json")
    assert {part for part, _, _ in found} == {"sda", "dm-0"}
    assert found["sda", "iops", "IO/s"] == pytest.approx((400 * 10 + 480 * 30) / 40)
    assert found["sda", "throughput", "MB/s"] == pytest.approx((16000 * 10 + 19200 * 30) / 40 * KIB / 1e6)
    assert found["sda", "await", "s"] == pytest.approx((4000 * 2.5 + 14400 * 3.0) / 18400 * 1e-3)


def test_durable_writes_are_named_by_call_and_size():
    found = told("pg_test_fsync.txt")
    one = found["fdatasync", "throughput", "1/s"]
    assert (one.value, one.half_width, one.line) == (2136.752, 0.0005, 7)
    assert one.load == {"rw": "randwrite", "bs": "8k", "numjobs": "1", "fdatasync": "1"}
    assert found["fdatasync", "throughput", "MB/s"].value == pytest.approx(2136.752 * 8192 / 1e6)
    two = found["fsync 2 x 8kB", "throughput", "IO/s"]
    assert (two.value, two.load["fsync"]) == (pytest.approx(2 * 1068.376), "2")
    four = found["open_sync 16kB as 4 x 4kB", "throughput", "IO/s"]
    assert (four.value, four.load["bs"], four.load["sync"]) == (pytest.approx(4 * 276.778), "4k", "sync")
    assert not any(part.startswith("fsync_writethrough") for part, _, _ in found)
    assert found["write", "none", "1/s"].value == 387596.899


REFUSED = {
    "vdbench: a rate that its bytes contradict": (
        "summary.html",
        "avg_2-4    26500.0   103.52    4096",
        "avg_2-4    26500.0    10.35    4096",
        "line 19: 26500 I/Os a second of 4096 bytes, which make 103.5, and it says 10.35",
    ),
    "vdbench: an average that its intervals contradict": (
        "summary.html",
        "2    26400.0   103.13",
        "2    36400.0   142.19",
        "line 19: intervals 2 to 4 have rates, which make 29,830, and it says 26,500",
    ),
    "vdbench: without an average": (
        "summary.html",
        "10:00:14.053     avg_2-4     8000.0",
        "10:00:14.053 gone",
        "line 28: run 'rd1 xfersize=64k threads=8' ends without its average",
    ),
    "vdbench: an interval is missing": (
        "summary.html",
        "10:00:07.011           3",
        "10:00:07.011           9",
        "line 19 is the average of intervals 2 to 4; 2 of them are there",
    ),
    "vdbench: a decimal comma": (
        "summary.html",
        " 103.13 ",
        " 103,13 ",
        "line 16: mib_s is '103,13'; allowed: a num",
    ),
    "vdbench: a row cut short": (
        "summary.html",
        "   9.0\n10:00:08.009",
        "\n10:00:08.009",
        "line 17 has 13 columns",
    ),
    "vdbench: no intervals": (
        "summary.html",
        "Starting RD=rd1",
        "Starting RD=SD_format",
        "has no interval of any run",
        2,
    ),
    "vdbench: files": (
        "summary.html",
        "interval        i/o   MB/sec",
        "interval    ReqstdOps",
        "allowed: runs of work",
    ),
    "vdbench: a flatfile cut short": (
        "flatfile.html",
        "  50.00  100.00      16.0\n",
        "\n",
        "line 8 has 14 columns",
    ),
    "iostat: a bandwidth in another unit": (
        "iostat.json",
        '"rkB/s": 72000.0',
        '"rkB/s": 72000000.0',
        "line 69: 9000 I/Os a second of 8192 bytes, which make 73,730,000, and it says 7.373e+10",
    ),
    "iostat: a queue that the times contradict": (
        "iostat.json",
        '"r_await": 0.4,',
        '"r_await": 4.0,',
        "line 69: I/Os a second and the milliseconds of each leave a queue, which make 37.2, and it says 4.8",
    ),
    "iostat: without -x": (
        "iostat.json",
        '"r_await": 0.4,',
        "",
        "line 69: 'r_await' is missing; run iostat with -x",
    ),
    "iostat: a text": (
        "iostat.json",
        '"r/s": 9000.0',
        '"r/s": "9000,0"',
        "line 69: r/s is 9000,0; allowed: a number",
    ),
    "iostat: a decimal comma": ("iostat.json", '"r/s": 9000.0', '"r/s": 9000,00', "with LC_ALL=C"),
    "iostat: cut short": ("iostat.json", '"r/s": 9000.0', '"r/s', "its text is "),
    "sar: no device": ("sadf.json", '"disk"', '"net"', "tells of no device; run iostat", 2),
    "pg_test_fsync: a time that the rate contradicts": (
        "pg_test_fsync.txt",
        "468 usecs/op",
        "468000 usecs/op",
        "line 7: 2136.75 ops/sec of 468000 usecs, which make 1e+09, and it says 1,000,000",
    ),
    "pg_test_fsync: a decimal comma": (
        "pg_test_fsync.txt",
        "2136.752",
        "2136,752",
        "line 7: fdatasync is '2136,752'",
    ),
    "pg_test_fsync: a row cut short": (
        "pg_test_fsync.txt",
        " ops/sec     468 usecs/op",
        "",
        "line 7 is 'fdatasync  ",
    ),
    "pg_test_fsync: cut short": (
        "pg_test_fsync.txt",
        "Non-sync'ed 8kB writes:\n",
        "",
        "ends before the writes without a sync",
    ),
    "pg_test_fsync: cut behind a heading": (
        "pg_test_fsync.txt",
        "        write                            387596.899 ops/sec       3 usecs/op\n",
        "",
        "ends before the writes without a sync; is it cut short?",
    ),
    "pg_test_fsync: an error": (
        "pg_test_fsync.txt",
        "5 seconds per test",
        "could not open",
        "line 1 is 'could not",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_truncated_or_contradictory_report_is_refused(tmp_path, case):
    name, old, new, said, *count = REFUSED[case]
    assert said in refusal(changed(tmp_path, name, old, new, *count))


@pytest.mark.parametrize("name", ["summary.html", "flatfile.html", "pg_test_fsync.txt"])
def test_refuses_a_last_line_without_its_end(tmp_path, name):
    path = tmp_path / name
    path.write_text((FOLDER / name).read_text("utf-8")[:-3].rstrip("\n"), "utf-8")
    with pytest.raises(InputError, match="cut short"):
        told(path)


def test_refuses_the_one_report_since_the_start(tmp_path):
    text = (FOLDER / "iostat.json").read_text("utf-8")
    whole = json.loads(text)
    whole["sysstat"]["hosts"][0]["statistics"] = whole["sysstat"]["hosts"][0]["statistics"][:1]
    path = tmp_path / "iostat.json"
    path.write_text(json.dumps(whole), "utf-8")
    with pytest.raises(
        InputError, match="has one report, and the first one is that since the machine was started"
    ):
        told(path)


def test_a_part_is_named_or_refused():
    assert {part for part, _, _ in told("sadf.json", "sda")} == {"sda"}
    tool = tools.tool_of(FOLDER / "sadf.json")
    with pytest.raises(InputError, match="has no 'sdb'; did you mean 'sda'"):
        tools.told(tool, FOLDER / "sadf.json", "sdb")


RATES = st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**5)), min_size=2, max_size=8)


@settings(max_examples=examples(40), deadline=None)
@given(RATES, st.sampled_from([512, 4096, 131072]))
def test_printed_rates_of_vdbench_are_read(intervals, block):
    def row(name, rate, resp_us):
        return (
            f"10:00:01.000 {name} {rate:.1f} {rate * block / KIB**2:.2f} {block} 100.00 {resp_us / 1e3:.3f} 0.1\n"
        )

    counted = intervals[1:]
    ios = sum(rate for rate, _ in counted)
    rate, resp_us = ios / len(counted), sum(rate * each_us for rate, each_us in counted) / ios
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "summary.html"
        path.write_text(
            "10:00:00.000 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=9; For loops: None\n"
            "Nov 22, 2026 interval i/o MB/sec bytes read resp queue\n rate 1024**2 i/o pct time depth\n"
            + "".join(row(number, *each) for number, each in enumerate(intervals, 1))
            + row(f"avg_2-{len(intervals)}", rate, resp_us),
            "utf-8",
        )
        found = told(path)
    iops, mean = found["rd1", "iops", "IO/s"], found["rd1", "mean", "s"]
    assert abs(iops.value - rate) <= iops.half_width * 1.001
    assert abs(mean.value - resp_us * 1e-6) <= mean.half_width * 1.001


def test_an_average_of_response_times_that_is_none_is_refused(tmp_path):
    average = next(
        line for line in (FOLDER / "summary.html").read_text("utf-8").splitlines(keepends=True) if "avg" in line
    )
    resp = average.split()[7]
    with pytest.raises(InputError, match="response times"):
        values(changed(tmp_path, "summary.html", average, average.replace(resp, f"{float(resp) * 3:.3f}")))


def whole(name):
    return json.loads((FOLDER / name).read_text("utf-8"))


def test_a_device_that_an_interval_leaves_out_did_nothing_in_it(tmp_path):
    """As iostat -z and sadf -z write it."""
    content = whole("sadf.json")
    content["sysstat"]["hosts"][0]["statistics"][1]["disk"].pop(0)
    path = tmp_path / "idle.json"
    path.write_text(json.dumps(content, indent=1), "utf-8")
    assert values(path)["sda", "iops", "IO/s"] == pytest.approx(400 * 10 / 40)


def test_intervals_twice_or_of_no_time_are_refused(tmp_path):
    path = tmp_path / "wrong.json"
    for wrong, message in (({"time": "10:00:10"}, "twice"), ({"interval": 0}, "interval is 0 s")):
        content = whole("sadf.json")
        content["sysstat"]["hosts"][0]["statistics"][1]["timestamp"].update(wrong)
        path.write_text(json.dumps(content, indent=1), "utf-8")
        with pytest.raises(InputError, match=message):
            values(path)


def test_times_that_leave_most_of_the_queue_unexplained_are_refused(tmp_path):
    content = whole("iostat.json")
    for entry in content["sysstat"]["hosts"][0]["statistics"]:
        for disk in entry["disk"]:
            disk.update({"r_await": disk["r_await"] / 100, "w_await": disk["w_await"] / 100, "f/s": 0, "d/s": 0})
    path = tmp_path / "times.json"
    path.write_text(json.dumps(content, indent=1), "utf-8")
    with pytest.raises(InputError, match="leave queues"):
        values(path)
