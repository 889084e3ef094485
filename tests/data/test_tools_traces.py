"""Recorded I/Os: what they say together, and the load that is replayed."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from models.workloads import block_trace
from sim import InputError
from sim.data.importers import tools, traces
from sim.data.importers.traces import Recorded
from tool_files import FOLDER, changed, refusal, told, values

BEGINNING, END = (
    next(line for line in (FOLDER / "blkparse.txt").read_text("utf-8").splitlines(keepends=True) if each in line)
    for each in (" D   R 2064 + 16", " C   R 2064 + 16")
)


def devices(path):
    return {each.device: each for each in tools.tool_of(path).recorded(path)}


def test_ios_arrive_when_they_are_issued_and_end_when_they_are_complete():
    found = values("blkparse.txt")
    assert found["259,0", "iops", "IO/s"] == pytest.approx(1000.0)
    assert found["259,0", "throughput", "MB/s"] == pytest.approx(8.192)
    assert found["259,0", "mean", "s"] == pytest.approx(135e-6)
    assert (found["259,0", "p50", "s"], found["259,0", "p99", "s"]) == (130e-6, 170e-6)
    assert found["259,0", "queue", "I/Os"] == pytest.approx(0.135)
    assert found["259,0", "read_share", "%"] == 75.0
    assert found["259,0", "sequential_share", "%"] == 50.0


def test_device_without_issue_events_is_read_by_its_queue_events(tmp_path):
    text = (FOLDER / "blkparse.txt").read_text("utf-8")
    path = tmp_path / "dm.txt"
    path.write_text("".join(f"{line}\n" for line in text.splitlines() if "  D  " not in line), "utf-8")
    assert values(path)["259,0", "mean", "s"] == pytest.approx(140e-6)


def test_requeued_io_keeps_its_arrival(tmp_path):
    line = " 259,0    1       12     0.001005000  4242  D   R 2064 + 16 [fio]\n"
    back = line.replace("0.001005000", "0.001040000").replace("  D  ", "  R  ")
    again = line.replace("0.001005000", "0.001050000")
    path = changed(tmp_path, "blkparse.txt", line, line + back + again)
    assert values(path) == values("blkparse.txt")


def test_split_completion_ends_with_its_last_part(tmp_path):
    parts = END.replace("+ 16", "+ 8"), END.replace("2064 + 16", "2072 + 8").replace("0.0011", "0.0021")
    found = values(changed(tmp_path, "blkparse.txt", END, "".join(parts)))
    assert found["259,0", "mean", "s"] == pytest.approx((135 * 8 + 1000) / 8 * 1e-6)


def test_two_ios_at_one_address_have_a_latency_each(tmp_path):
    path = changed(tmp_path, "blkparse.txt", END, END + END)
    text = path.read_text("utf-8")
    path.write_text(text.replace(BEGINNING, BEGINNING + BEGINNING, 1), "utf-8")
    assert told(path)["259,0", "mean", "s"].value == pytest.approx((135 * 8 + 130) / 9 * 1e-6, rel=0.1)


@pytest.mark.parametrize("ends", ["", "CPU0 (259,0):\n Reads Queued: 3\n"])
def test_two_recordings_in_one_file_are_refused(tmp_path, ends):
    text = (FOLDER / "blkparse.txt").read_text("utf-8")
    events = "".join(f"{line}\n" for line in text.splitlines() if line.startswith(" 259"))
    path = tmp_path / "two.txt"
    path.write_text(events + ends + events, "utf-8")
    with pytest.raises(InputError, match="another recording begins; give each a file"):
        values(path)


def test_a_trace_that_begins_anew_is_refused(tmp_path):
    lines = [f"{128166372003000000 + 1000 * number},web,2,Read,0,4096,413\n" for number in range(200)]
    path = tmp_path / "twice.csv"
    path.write_text("".join(lines + lines), "utf-8")
    with pytest.raises(InputError, match="line 201: 'web_2' begins anew, after 200 I/Os"):
        values(path)


@pytest.mark.parametrize("latency", ["0.000900000", "9999.001000000"])
def test_a_time_that_no_io_takes_is_refused(tmp_path, latency):
    wrong = END.replace(END.split()[3], latency)
    with pytest.raises(InputError, match="the I/O took"):
        values(changed(tmp_path, "blkparse.txt", END, wrong))


def test_io_after_a_lost_completion_is_a_new_one(tmp_path):
    line = " 259,0    1       12     0.001005000  4242  D   R 2064 + 16 [fio]\n"
    later = line.replace("0.001005000", "0.001015000")
    found = values(changed(tmp_path, "blkparse.txt", line, line + later))
    assert found["259,0", "iops", "IO/s"] == pytest.approx(8 / 7e-3)
    assert found["259,0", "mean", "s"] == pytest.approx((135 * 8 - 10) / 8 * 1e-6)


def test_io_without_a_recorded_end_has_no_latency(tmp_path):
    path = changed(tmp_path, "blkparse.txt", "0.007175000     0  C   R 2160", "0.007175000     0  C   R 9999")
    assert told(path)["259,0", "mean", "s"].value == pytest.approx((135 * 8 - 170) / 7 * 1e-6)
    assert told(path)["259,0", "iops", "IO/s"].value == pytest.approx(1000.0)


def test_file_messages_of_blkparse_are_ignored(tmp_path):
    first = (FOLDER / "blkparse.txt").read_text("utf-8").partition("\n")[0]
    path = changed(tmp_path, "blkparse.txt", first, f"Input file nvme0n1.blktrace.0 added\n\n{first}")
    assert values(path) == values("blkparse.txt")


def test_times_of_msr_are_in_tenths_of_microseconds():
    found = values("msr.csv")
    assert found["web_2", "iops", "IO/s"] == pytest.approx(1000.0)
    assert found["web_2", "throughput", "MB/s"] == pytest.approx((4096 + 8192 + 2 * 32768) / 4e-3 / 1e6)
    assert found["web_2", "mean", "s"] == pytest.approx(592e-6)
    assert found["web_2", "read_share", "%"] == 60.0


def test_times_of_systor_are_in_seconds_and_may_be_missing():
    found = values("systor.csv")
    assert found["0", "iops", "IO/s"] == pytest.approx(2 / 3e-3)
    assert found["0", "mean", "s"] == pytest.approx(506e-6)


def test_the_load_that_is_replayed_is_one_that_a_model_reads(tmp_path):
    (recorded,) = devices(FOLDER / "msr.csv").values()
    path = tmp_path / "replay.csv"
    path.write_text("".join(traces.replay(recorded)), "utf-8")
    read = [(each.due_ns, each.op, each.start, each.end) for each in block_trace.records(path)]
    assert read == [
        (0, "read", 8192, 12288),
        (1_000_000, "read", 12288, 16384),
        (2_000_000, "read", 409600, 417792),
        (2_500_000, "write", 1048576, 1081344),
        (4_000_000, "write", 1081344, 1114112),
    ]


IOS = st.lists(
    st.tuples(
        st.integers(0, 10**10),
        st.integers(0, 1),
        st.integers(0, 10**15),
        st.integers(1, 10**6),
        st.integers(0, 10**9),
    ),
    min_size=2,
    max_size=30,
)


@settings(max_examples=examples(50), deadline=None)
@given(IOS)
def test_recorded_ios_are_replayed_in_order(ios):
    with tempfile.TemporaryDirectory() as made:
        path, again = Path(made) / "msr.csv", Path(made) / "replay.csv"
        ops = ("Read", "Write")
        lines = (f"{10**17 + at},h,0,{ops[op]},{offset},{size},{took}\n" for at, op, offset, size, took in ios)
        path.write_text("".join(lines), "utf-8")
        (recorded,) = devices(path).values()
        again.write_text("".join(traces.replay(recorded)), "utf-8")
        read = [(each.due_ns, each.op, each.start, each.end) for each in block_trace.records(again)]
    first = min(at for at, *_ in ios)
    wanted = [((at - first) * 100, traces.OPS[op], start, start + size) for at, op, start, size, _ in ios]
    assert read == sorted(wanted, key=lambda each: each[0])


def test_little_s_law_holds_for_the_figures():
    recorded = Recorded("d", 1)
    for number in range(101):
        recorded.add(number * 1000, 0, 0, 512, 3000)
    found = {each.measure: each.value for each in traces.figures(recorded, "here")}
    assert found["queue"] == pytest.approx(3.0)
    assert {each.measure for each in traces.figures(recorded, "here") if each.half_width == 0.0} == {
        *("read_share", "sequential_share", "size", "interarrival_cv")
    }
    assert found["interarrival_cv"] == pytest.approx(0.0)


REFUSED = {
    "blkparse cut short": ("blkparse.txt", "4242  D   R 2064 + 16 [fio]", "42", "line 12 is '259,0    1       12"),
    "blkparse in another format": ("blkparse.txt", "0.001005000", "0,001005000", "line 12 is '259,0"),
    "msr cut short": ("msr.csv", ",12288,4096,2070", ",122", "line 2 is '128166372003071629,web,2,Read,122'"),
    "msr with another op": ("msr.csv", "Read,12288", "Trim,12288", "line 2 is '128166372003071629,web,2,Trim"),
    "msr of no bytes": ("msr.csv", "12288,4096", "12288,0", "line 2 is '128166372003071629,web,2,Read,12288,0"),
    "msr of another century": (
        "msr.csv",
        "128166372003071629",
        "998166372003071629",
        "line 2: the time is more than",
    ),
    "systor with a decimal comma": (
        "systor.csv",
        "1456135145.134076000",
        "1456135145,134076000",
        "line 3 is '1456",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_truncated_or_malformed_trace_is_refused(tmp_path, case):
    name, old, new, said = REFUSED[case]
    assert said in refusal(changed(tmp_path, name, old, new))


@pytest.mark.parametrize(
    ("lines", "said"), [(1, "1 I/O of 'web_2'; allowed: at least 2"), (0, "all I/Os are of 0 s")]
)
def test_a_trace_without_a_rate_is_refused(tmp_path, lines, said):
    first = (FOLDER / "msr.csv").read_text("utf-8").splitlines(keepends=True)[0]
    path = tmp_path / "msr.csv"
    path.write_text(first * (lines or 3), "utf-8")
    assert said in refusal(path)


def test_a_trace_cut_within_its_last_line_is_refused(tmp_path):
    path = tmp_path / "msr.csv"
    path.write_text((FOLDER / "msr.csv").read_text("utf-8")[:-2], "utf-8")
    with pytest.raises(InputError, match=r"line 5 is .* is the file cut short"):
        told(path)


READ, WRITE, SYNC, QUEUED, ISSUED, COMPLETE, FILE_SYSTEM = 1, 2, 8, 16, 64, 128, 256
"""Categories of events, as the header `linux/blktrace_api.h` numbers them."""

EVENTS = ((1, QUEUED, 0), (7, ISSUED, 5_000), (8, COMPLETE, 105_000))
"""An I/O is queued, issued and complete: the number of the event, its category, and after how many nanoseconds."""


def recording(ios):
    """Recording by blktrace of ``ios``: (nanoseconds, read or write, sector, bytes)."""
    events = sorted(
        (at + after, number, (kind | category | FILE_SYSTEM) << 16, sector, size)
        for at, kind, sector, size in ios
        for number, category, after in EVENTS
    )
    return b"".join(
        struct.pack("<IIQQIIIIIHH", 0x65617407, count, at, sector, size, number | category, 7, 259 << 20, 0, 0, 0)
        for count, (at, number, category, sector, size) in enumerate(events, 1)
    )


BLKPARSE = shutil.which("blkparse")


@pytest.mark.skipif(BLKPARSE is None, reason="blkparse of blktrace is not installed here")
def test_output_of_the_installed_blkparse_is_read(tmp_path):
    ios = [(n * 10**6, WRITE | SYNC if n % 4 == 0 else READ, 2048 + 16 * n, 8192) for n in range(8)]
    (tmp_path / "disk.blktrace.0").write_bytes(recording(ios))
    ran = subprocess.run(
        [str(BLKPARSE), "-i", "disk", "-D", str(tmp_path)], check=True, stdout=subprocess.PIPE, text=True
    )
    path = tmp_path / "blkparse.txt"
    path.write_text(ran.stdout, "utf-8")
    found = values(path)
    assert found["259,0", "iops", "IO/s"] == pytest.approx(1000.0)
    assert found["259,0", "mean", "s"] == pytest.approx(100e-6)
    assert found["259,0", "read_share", "%"] == 75.0
