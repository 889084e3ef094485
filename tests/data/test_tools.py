"""Which tool wrote a file, and what of it a system is compared with."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import damage
from examples import examples
from sim import InputError
from sim.data.contribution.results import readings as contributed
from sim.data.importers import read, tools
from sim.system.installed import find
from tool_files import FOLDER, changed, told, values

WRITTEN_BY = {
    "awr10.txt": "AWR or Statspack",
    "awr19.txt": "AWR or Statspack",
    "blkparse.txt": "blkparse",
    "flatfile.html": "vdbench",
    "innodb_status.txt": "InnoDB's status",
    "iostat.json": "iostat or sar",
    "iostat-8k.json": "iostat or sar",
    "iostat.txt": "iostat as text",
    "msr.csv": "block trace",
    "pg_stat_io.csv": "PostgreSQL's statistics as CSV",
    "pg_stat_statements.csv": "PostgreSQL's statistics as CSV",
    "pg_stat_wal.csv": "PostgreSQL's statistics as CSV",
    "pg_test_fsync.txt": "pg_test_fsync",
    "pidstat.txt": "pidstat",
    "rocksdb_LOG.txt": "RocksDB's LOG",
    "sadf.json": "iostat or sar",
    "statspack11.txt": "AWR or Statspack",
    "summary.html": "vdbench",
    "systor.csv": "block trace",
}

LONGEST_LINE = 1000

NVME = "processes=8 depth=1 block=4KiB"


@pytest.mark.parametrize("name", WRITTEN_BY)
def test_file_is_recognised_by_its_content(name, tmp_path):
    assert tools.tool_of(FOLDER / name).name == WRITTEN_BY[name]
    copy = tmp_path / "copy"
    shutil.copy(FOLDER / name, copy)
    assert tools.tool_of(copy).name == WRITTEN_BY[name]
    assert sum(tool.recognises((FOLDER / name).read_text("utf-8")) for tool in tools.TOOLS) == 1


def test_every_example_file_is_tested():
    assert {each.name for each in FOLDER.iterdir()} == {*WRITTEN_BY}


@pytest.mark.parametrize("folder", ["dd", "fio"])
def test_results_of_dd_and_fio_are_read_as_ever(folder):
    assert not any(tools.tool_of(each) for each in (FOLDER.parent / "measured" / folder).iterdir())


def test_path_without_a_readable_file_matches_no_tool(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere", Path("x" * 5000), Path("/dev/null"), Path("a\0b")):
        assert tools.tool_of(path) is None
        assert tools.split(path) == (path, "")


def figures(path, system, **given):
    return read(path, find(system), given).measurements


def summary(path, system, **given):
    return {(each.row, each.measure): (each.value, each.unit) for each in figures(path, system, **given)}


def test_syncs_that_a_system_knows_are_compared_and_others_passed_over():
    found = summary(FOLDER / "pg_test_fsync.txt", "file-sync", host="dell32")
    assert found == {
        ("host=dell32 jobs=1 block=8KiB sync=fdatasync", "throughput"): (2136.752, "writes/s"),
        ("host=dell32 jobs=1 block=8KiB sync=fsync", "throughput"): (1083.424, "writes/s"),
    }


def test_a_sync_that_a_system_does_not_know_is_refused_by_name():
    with pytest.raises(
        InputError, match=r"line 6: 'open_datasync': sync is 'dsync'; allowed for file-sync: fsync or"
    ):
        figures(FOLDER / "pg_test_fsync.txt:open_datasync", "file-sync")


def test_a_run_becomes_settings_of_the_system(tmp_path):
    text = (FOLDER / "summary.html").read_text("utf-8")
    path = tmp_path / "summary.html"
    path.write_text(text[: text.index('<A NAME="_2">')], "utf-8")
    found = summary(path, "nvme")
    assert found == {
        (NVME + " op=read", "throughput"): (pytest.approx(26.5), "kIO/s"),
        (NVME + " op=read", "mean"): (pytest.approx(0.301e-3), "s"),
    }


def test_derived_figures_are_never_fitted(tmp_path):
    text = (FOLDER / "summary.html").read_text("utf-8")
    path = tmp_path / "summary.html"
    path.write_text(text[: text.index('<A NAME="_2">')], "utf-8")
    dataset = read(path, find("nvme"), {})
    assert [each.measure for each in dataset.fitted()] == ["throughput"]
    (mean,) = (each for each in dataset.measurements if each.measure == "mean")
    assert "always has as many in flight" in dataset.why_restated(mean)
    report = read(FOLDER / "awr19.txt", find("redo"), {"sessions": "6"})
    assert {"redo_rate", "writes_in_flight"} == {each.measure for each in report.measurements} - {
        each.measure for each in report.fitted()
    }


def test_a_mix_and_a_pace_are_refused_as_those_of_fio():
    with pytest.raises(InputError, match=r"line 11: 'rw50 .*': rw is 'randrw'; allowed for nvme: randread"):
        figures(FOLDER / "flatfile.html", "nvme")
    text = (FOLDER / "flatfile.html").as_posix()
    part = "paced xfersize=4096 threads=8 rdpct=100.00 seekpct=100.00 iorate=500"
    with pytest.raises(InputError, match="rate_iops is '500'; allowed: jobs without it"):
        figures(Path(f"{text}:{part}"), "nvme")


def test_file_of_two_devices_needs_a_name():
    with pytest.raises(InputError, match=r"sda and dm-0; say which is meant: .*sadf\.json:sda"):
        figures(FOLDER / "sadf.json", "nvme")
    found = summary(Path(f"{FOLDER / 'sadf.json'}:dm-0"), "nvme", block="4KiB")
    assert found["block=4KiB", "throughput"] == (pytest.approx(0.47), "kIO/s")


READS = FOLDER / "iostat-8k.json"


def test_the_size_of_ios_is_the_block_of_a_system_and_said():
    dataset = read(READS, find("nvme-xfs"), {"jobs": "1", "depth": "1"})
    (figure, *_) = dataset.fitted()
    assert figure.conditions == (("jobs", "1"), ("depth", "1"), ("block", "8KiB"), ("op", "read"))
    (remark,) = dataset.remarks
    assert remark.startswith(f"block=8KiB is the mean size of the I/Os in {READS}")


def test_a_block_that_the_user_gives_counts_more_than_the_size_of_ios():
    dataset = read(READS, find("nvme-xfs"), {"block": "64KiB"})
    assert {dict(each.conditions)["block"] for each in dataset.measurements} == {"64KiB"}
    assert not dataset.remarks


def of_size(tmp_path, factor):
    content = json.loads(READS.read_text("utf-8"))
    for entry in content["sysstat"]["hosts"][0]["statistics"]:
        entry["disk"][0]["rkB/s"] *= factor
        entry["disk"][0]["rareq-sz"] *= factor
    path = tmp_path / "iostat.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize(("factor", "block"), [(1.019, "8KiB"), (0.981, "8KiB"), (0.0625, "512B")])
def test_a_mean_size_near_a_power_of_two_is_taken_for_it(tmp_path, factor, block):
    found = figures(of_size(tmp_path, factor), "nvme-xfs")
    assert {dict(each.conditions)["block"] for each in found} == {block}


@pytest.mark.parametrize(("factor", "system", "mean"), [(1.5, "nvme-xfs", "12 KiB"), (256, "nvme", "2 MiB")])
def test_a_mean_size_that_is_no_block_is_refused_until_one_is_given(tmp_path, factor, system, mean):
    path = of_size(tmp_path, factor)
    with pytest.raises(InputError, match=f"line 1: its I/Os have {mean} in the mean; .* give block=…"):
        figures(path, system)
    assert figures(path, system, block="4KiB")


def test_a_size_is_no_complaint_where_the_system_answers_nothing_anyway(tmp_path):
    with pytest.raises(InputError, match="tells nothing that system 'redo' answers"):
        figures(of_size(tmp_path, 1.5), "redo")


def test_a_report_of_a_database_is_data_for_redo():
    found = summary(FOLDER / "awr19.txt", "redo", sessions="6")
    row = "sessions=6 redo=610B"
    assert found[row, "throughput"] == (5000.2, "transactions/s")
    assert found[row, "log_file_sync"] == (pytest.approx(1050.06, rel=1e-5), "µs")
    assert found[row, "log_write"] == (pytest.approx(610.0), "µs")
    assert found[row, "all_workers_share"] == (8.6, "%")
    assert found[row, "commits_per_write"] == (pytest.approx(2.15667, rel=1e-5), "commits")
    assert not any("waits" in measure or measure.endswith("_time") for _, measure in found)


def test_zeros_of_a_report_are_no_figures(tmp_path):
    old = "buffer busy waits                  210,112        7.8   37.12us     .2"
    path = changed(tmp_path, "awr19.txt", old, old.replace(" .2", " .0"))
    assert told(path)["", "buffer_busy_share", "%"].value == 0.0
    assert "buffer_busy_share" not in {measure for _, measure in summary(path, "redo", sessions="6")}


def test_report_without_an_answer_of_the_system_is_refused():
    with pytest.raises(InputError, match="tells nothing that system 'file-sync' answers; name another system"):
        figures(FOLDER / "statspack11.txt", "file-sync")


def test_a_folder_may_hold_files_of_several_tools(tmp_path):
    for each in ("sessions=6", "sessions=12"):
        shutil.copy(FOLDER / "awr19.txt", tmp_path / f"{each}.txt")
    rows = {row for row, _ in summary(tmp_path, "redo")}
    assert rows == {"sessions=6 redo=610B", "sessions=12 redo=610B"}


def test_setting_in_both_name_and_file_is_refused(tmp_path):
    shutil.copy(FOLDER / "awr19.txt", tmp_path / "redo=1KiB.txt")
    with pytest.raises(InputError, match="its name states redo, and so does line 28; rename the file"):
        figures(tmp_path, "redo")


def test_a_contribution_may_hold_files_of_tools(tmp_path):
    results = tmp_path / "results" / "sessions=6"
    results.mkdir(parents=True)
    shutil.copy(FOLDER / "awr19.txt", results)
    refused = []
    found = [*contributed(tmp_path, find("redo"), refused.append)]
    assert not refused
    assert {each.settings["sessions"] for each in found} == {"6"}


def damaged():
    def one(name):
        inner = {".json": damage.record, ".csv": damage.table}.get(Path(name).suffix, st.just)
        return damage.files((FOLDER / name).read_bytes(), inner).map(lambda content: (name, content))

    return st.sampled_from(sorted(WRITTEN_BY)).flatmap(one)


@settings(max_examples=examples(150), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(damaged())
def test_a_damaged_file_is_read_or_refused_in_one_line(part):
    name, content = part
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / name
        path.write_bytes(content)
        tool = tools.tool_of(path)
        if tool is None:
            return
        found, refusal = [], ""
        try:
            found = tools.told(tool, path, "")
        except InputError as error:
            refusal = str(error)
        assert "\n" not in refusal
        assert len(refusal) < LONGEST_LINE
        assert all(each.value >= 0.0 and each.half_width >= 0.0 for each in found)


def ran(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, env={"LC_ALL": "C"}).stdout


def needs(*programs):
    missing = [each for each in programs if shutil.which(each) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed here")


@needs("iostat")
def test_output_of_the_installed_iostat_is_read(tmp_path):
    path = tmp_path / "iostat.json"
    path.write_text(ran("iostat", "-o", "JSON", "-x", "1", "2"), "utf-8")
    assert tools.tool_of(path).name == "iostat or sar"
    try:
        found = values(path)
    except InputError as quiet:
        assert "no interval in which a device did any I/O" in str(quiet)  # noqa: PT017  (a quiet machine)
    else:
        assert all(value >= 0.0 for value in found.values())


SADC = Path("/usr/lib/sysstat/sadc")


@pytest.mark.skipif(not SADC.exists(), reason="sadc of sysstat is not installed here")
@needs("sadf")
def test_recording_of_the_installed_sar_is_read(tmp_path):
    ran(str(SADC), "-S", "DISK", "1", "2", str(tmp_path / "sa"))
    text = ran("sadf", "-j", str(tmp_path / "sa"), "--", "-d", "-u")
    statistics = json.loads(text)["sysstat"]["hosts"][0]["statistics"]
    path = tmp_path / "sadf.json"
    path.write_text(text, "utf-8")
    assert tools.tool_of(path).name == "iostat or sar"
    busy = any(disk["tps"] for entry in statistics for disk in entry["disk"])
    if busy:
        assert values(path)
    else:
        with pytest.raises(InputError, match="no interval in which a device did any I/O"):
            values(path)


PG_TEST_FSYNC = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_test_fsync"))), None)


@pytest.mark.slow
@pytest.mark.skipif(PG_TEST_FSYNC is None, reason="pg_test_fsync of PostgreSQL is not installed here")
def test_output_of_the_installed_pg_test_fsync_is_read(tmp_path):
    path = tmp_path / "pg.txt"
    path.write_text(ran(str(PG_TEST_FSYNC), "-s", "1", "-f", str(tmp_path / "file")), "utf-8")
    assert ("fdatasync", "throughput", "IO/s") in told(path)
