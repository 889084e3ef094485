"""`stacksim data read` prints what another tool wrote, and writes it as a table or as a load."""

from __future__ import annotations

import csv
import io
import json

import pytest

from refusals import refused
from tool_files import FOLDER


def test_figures_are_printed_by_part(run):
    status, out, err = run("data", "read", FOLDER / "sadf.json")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith("sadf.json: iostat or sar, 18 figures")
    assert lines[1].split() == ["part", "load", "measure", "value", "rounding", "±"]
    assert [line.split()[0] for line in lines[2:] if not line.startswith(" ")] == ["sda", "dm-0"]
    assert "2.891 ms" in out


def test_single_part_can_be_selected(run):
    status, out, _ = run("data", "read", f"{FOLDER / 'sadf.json'}:dm-0")
    assert (status, "sda" in out.partition("\n")[2]) == (0, False)
    assert "9 figures" in out


def test_a_table_has_all_digits(run, tmp_path):
    table = tmp_path / "table.csv"
    status, _, err = run("data", "read", FOLDER / "pg_test_fsync.txt", "--csv", table)
    assert (status, err) == (0, "")
    rows = [*csv.DictReader(io.StringIO(table.read_text("utf-8")))]
    assert rows[2] == {
        "part": "fdatasync",
        "load": "rw=randwrite bs=8k numjobs=1 fdatasync=1",
        "measure": "throughput",
        "value": "2136.752",
        "half_width": "0.0005",
        "unit": "1/s",
        "line": "7",
    }
    status, out, _ = run("data", "read", FOLDER / "pg_test_fsync.txt", "--csv", "-")
    assert (status, out) == (0, table.read_text("utf-8"))


def test_a_trace_becomes_a_load_that_array_replays(run, tmp_path):
    load = tmp_path / "load.csv"
    assert run("data", "read", FOLDER / "blkparse.txt", "--replay", load)[0] == 0
    status, out, err = run("predict", "array", f"trace={load}", "page=8KiB", "--json", "--precision", "50%")
    assert (status, err) == (0, "")
    assert json.loads(out)["elapsed"]["value"] >= 7e-3


def test_a_report_takes_the_file_itself(run):
    status, out, err = run(
        *("report", FOLDER / "awr19.txt", "sessions=6", "--system", "redo", "--precision", "20%", "--json")
    )
    assert (status, err) == (0, "")
    report = json.loads(out)
    roles = {cell["column"]: cell["role"] for cell in report["cells"]}
    assert (roles["throughput"], roles["log_write"], roles["redo_rate"]) == ("predicted", "predicted", "restated")


def test_without_a_system_a_file_is_no_dataset(run):
    status, _, err = run("report", FOLDER / "awr19.txt")
    assert status == 2
    assert "is no dataset but a file; say what it measures: --system SYSTEM" in err


REFUSED = {
    "no such file": (
        ("nowhere.txt",),
        "no file 'nowhere.txt'; allowed: one that another tool wrote",
    ),
    "what no tool wrote": (
        (FOLDER.parent.parent / "tool_files.py",),
        "not recognized; allowed: what pg_test_fsync, vdbench",
    ),
    "a table of one's own": (
        (FOLDER.parent / "measured" / "fio" / "clones.json",),
        "go to `report` or `fit` as they",
    ),
    "no trace": ((FOLDER / "awr19.txt", "--replay", "a.csv"), "records no single I/Os; leave --replay out"),
    "no csv": ((FOLDER / "awr19.txt", "--csv", "a.txt"), "csv 'a.txt' is not a .csv file"),
    "two outputs": (
        (FOLDER / "msr.csv", "--csv", "-", "--replay", "-"),
        "more than one thing is to go to standard",
    ),
    "no such part": (
        (f"{FOLDER / 'msr.csv'}:web_3", "--replay", "a.csv"),
        "has no 'web_3'; did you mean",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_arguments_are_refused_in_one_line(run, case, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    words, said = REFUSED[case]
    refused(run("data", "read", *words), said)
    assert not [*tmp_path.iterdir()]


def test_replay_of_two_devices_needs_a_name(run, tmp_path):
    text = (FOLDER / "blkparse.txt").read_text("utf-8")
    path = tmp_path / "two.txt"
    path.write_text(text.replace(" 259,0 ", " 259,8 ", 4), "utf-8")
    status, _, err = run("data", "read", path, "--replay", tmp_path / "load.csv")
    assert status == 2
    assert "has 2 devices: 259,8, 259,0; name one" in err


def test_the_file_that_is_read_is_not_written_to(run, tmp_path):
    trace = tmp_path / "web.csv"
    text = (FOLDER / "msr.csv").read_text("utf-8")
    trace.write_text(text, "utf-8")
    for words in (
        ("--replay", trace),
        ("--csv", trace),
        ("--csv", tmp_path / "x.csv", "--replay", tmp_path / "x.csv"),
    ):
        status, _, err = run("data", "read", trace, *words)
        assert (status, err.count("\n")) == (2, 1)
        assert "name another" in err or "name two files" in err
    assert trace.read_text("utf-8") == text
    assert not (tmp_path / "x.csv").exists()


def test_missing_file_is_reported(run, tmp_path):
    assert "no file" in run("data", "read", tmp_path / "none.csv")[2]
