"""Statistics of a running system: devices, processes, PostgreSQL, InnoDB and RocksDB."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from sim import InputError
from sim.data.importers import tools
from sim.data.importers.figures import dataset
from sim.system.installed import find, systems
from tool_files import FOLDER, changed, refusal, told, values

KIB = 1024.0
MIB = KIB * KIB / 1e6
"""MB of a MiB."""

NEW = (
    "innodb_status.txt",
    "pg_stat_io.csv",
    "iostat.txt",
    "pg_stat_statements.csv",
    "pg_stat_wal.csv",
    "pidstat.txt",
    "rocksdb_LOG.txt",
)

SECONDS = 31.812313 - 21.171318
"""Between the two snapshots of pg_stat_wal."""


def test_reads_writes_and_flushes_of_a_device_are_separated():
    found = values("iostat.txt", "vda")
    rates = {
        "read": (25098.0, 14735.5, 12030.0),
        "write": (16443.5, 7192.0, 6341.5),
        "flush": (3228.5, 698.5, 528.5),
    }
    times = {"read": (0.07, 0.07, 0.07), "write": (0.06, 0.06, 0.16), "flush": (0.05, 0.04, 0.06)}
    for name, measure, unit in (
        ("read", "read_iops", "IO/s"),
        ("write", "write_iops", "IO/s"),
        ("flush", "flushes", "flushes/s"),
    ):
        rate = found["vda", measure, unit]
        assert rate == pytest.approx(sum(rates[name]) / 3)
        waited = sum(each * ms for each, ms in zip(rates[name], times[name], strict=True)) * 1e-3
        assert found["vda", f"{name}_await", "s"] == pytest.approx(waited / sum(rates[name]))
    assert found["vda", "read_throughput", "MB/s"] == pytest.approx((200782 + 117884 + 96462) / 3 * KIB / 1e6)
    assert found["vda", "iops", "IO/s"] == pytest.approx(sum(rates["read"] + rates["write"]) / 3)


def test_json_and_text_of_iostat_agree(tmp_path):
    reports = []
    for line in (FOLDER / "iostat.txt").read_text("utf-8").splitlines():
        words = line.split()
        if words[:1] == ["Device"]:
            heading = ["disk_device", *words[1:-1], "util"]
        elif words[:1] == ["vda"]:
            figures = zip(heading[1:], map(float, words[1:]), strict=True)
            reports.append({"disk": [{"disk_device": "vda", **dict(figures)}]})
    path = tmp_path / "iostat.json"
    path.write_text(json.dumps({"sysstat": {"hosts": [{"statistics": reports}]}}), "utf-8")
    assert values(path) == values("iostat.txt")


def test_flushes_are_read_from_json():
    found = values("iostat.json")
    assert found["nvme0n1", "flushes", "flushes/s"] == pytest.approx((0 + 50) / 2)
    assert found["nvme0n1", "flush_await", "s"] == pytest.approx(0.6e-3)


def test_sar_separates_only_bandwidths_of_reads_and_writes():
    found = values("sadf.json", "sda")
    read, write = (found["sda", f"{name}_throughput", "MB/s"] for name in ("read", "write"))
    assert read + write == pytest.approx(found["sda", "throughput", "MB/s"])
    assert not {"read_iops", "read_await"} & {measure for _, measure, _ in found}


OLD = """Linux 4.4.0 (host)

Device: rrqm/s wrqm/s   r/s    w/s   rkB/s   wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util
sda       0.00   0.00   1.00   1.00   4.00    4.00     8.00     0.00  1.00    1.00    1.00  0.10  0.02

Device: rrqm/s wrqm/s   r/s    w/s   rkB/s   wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util
sda       0.00   0.00 100.00 300.00 800.00 4800.00    28.00     1.10  2.75    5.00    2.00  0.10 80.00

"""
"""As sysstat 11.2 has it, by its manual page."""


def test_the_columns_of_before_are_read(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text(OLD, "utf-8")
    found = values(path)
    assert found["sda", "read_size", "bytes"] == pytest.approx(8192)
    assert found["sda", "write_size", "bytes"] == pytest.approx(16384)
    assert found["sda", "await", "s"] == pytest.approx((100 * 5 + 300 * 2) / 400 * 1e-3)


def test_processes_are_means_over_all_intervals():
    found = values("pidstat.txt")
    read = (200537.31 + 116131.34 + 96116.0) / 3 * KIB / 1e6
    assert found["fio 15474", "read_throughput", "MB/s"] == pytest.approx(read)
    assert read == pytest.approx(137663.79 * KIB / 1e6, rel=1e-3)  # what pidstat has for its average
    late = "kworker/u8:1-ext4-rsv-conversion 14416"
    assert found[late, "write_throughput", "MB/s"] == pytest.approx(1570 / 3 * KIB / 1e6)


def test_an_interval_of_pidstat_without_rows_counts(tmp_path):
    row = "13:25:28        0     15474 116131.34  49504.48      0.00       0  fio\n"
    found = values(changed(tmp_path, "pidstat.txt", row, ""))
    assert found["fio 15474", "read_throughput", "MB/s"] == pytest.approx((200537.31 + 96116) / 3 * KIB / 1e6)


def test_means_since_the_start_are_left_out(tmp_path):
    lines = (FOLDER / "pidstat.txt").read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "since.txt"
    path.write_text("".join(lines[:4]).replace("13:25:26", "13:25:24"), "utf-8")
    with pytest.raises(InputError, match=r"has no interval .* run pidstat -d 10 6"):
        told(path)
    path.write_text("".join(lines[:4]).replace("13:25:24  ", "# Time    "), "utf-8")
    with pytest.raises(InputError, match="may be since the start"):
        told(path)


def test_a_process_that_may_not_be_seen_is_left_out(tmp_path):
    path = changed(tmp_path, "pidstat.txt", "     30.00   1570.00", "     -1.00     -1.00")
    assert {part for part, _, _ in told(path)} == {"fio 15474"}


def test_wal_rates_are_differences_of_two_snapshots():
    found = values("pg_stat_wal.csv")
    assert found["WAL", "wal_throughput", "MB/s"] == pytest.approx(
        (138640248 - 73777527) / SECONDS / 1e6, rel=1e-6
    )
    assert found["WAL", "syncs", "syncs/s"] == pytest.approx((8497 - 39) / SECONDS, rel=1e-6)
    assert found["WAL", "mean_sync_time", "s"] == pytest.approx((7262.294 - 220.44) / (8497 - 39) * 1e-3)
    assert found["WAL", "mean_write_time", "s"] == pytest.approx((135.445 - 44.263) / (15340 - 6823) * 1e-3)
    assert ("WAL", "buffers_full", "1/s") not in found  # not once in between


def test_one_snapshot_is_of_the_time_since_the_reset(tmp_path):
    lines = (FOLDER / "pg_stat_wal.csv").read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "wal.csv"
    path.write_text("".join(lines[2:]), "utf-8")
    assert values(path)["WAL", "syncs", "syncs/s"] == pytest.approx(8497 / (31.812313 - 18.074729), rel=1e-6)


def test_without_a_time_there_are_means_and_no_rates(tmp_path):
    lines = [line.partition(",")[2] for line in (FOLDER / "pg_stat_wal.csv").read_text("utf-8").splitlines()]
    path = tmp_path / "wal.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert {measure for _, measure, _ in told(path)} == {"mean_write_time", "mean_sync_time"}


def test_statements_are_named_by_number_and_text():
    part = "4980553518391887893 UPDATE pgbench_accounts SET abalance = abalance…"
    found, seconds = values("pg_stat_statements.csv", part), 28.060378 - 21.877644
    assert found[part, "calls", "calls/s"] == pytest.approx((16529 - 12192) / seconds, rel=1e-6)
    assert found[part, "mean_execution_time", "s"] == pytest.approx(
        (1083.5483599999995 - 805.7015580000001) / 4337 * 1e-3
    )
    assert found[part, "mean_block_read_time", "s"] == pytest.approx(
        (517.7857199999988 - 377.8643140000001) / 3770 * 1e-3
    )
    assert found[part, "wal_bytes", "bytes"] == pytest.approx((100731043 - 73195812) / 4337)


def test_io_of_postgresql_has_bytes_in_two_ways(tmp_path):
    part = "client backend/relation/normal"
    found = values("pg_stat_io.csv")
    assert found[part, "reads", "reads/s"] == pytest.approx(10_000)
    assert found[part, "read_throughput", "MB/s"] == pytest.approx(10_000 * 8192 / 1e6)
    assert found[part, "mean_read_time", "s"] == pytest.approx(30_000 / 200_000 * 1e-3)
    assert found["checkpointer/relation/normal", "mean_fsync_time", "s"] == pytest.approx(10e-3)
    assert not any("temp relation" in name for name, _, _ in found)
    since_18 = tmp_path / "io.csv"
    since_18.write_text(
        "now,backend_type,object,context,reads,read_bytes,read_time,writes,stats_reset\n"
        "2026-11-27 10:00:10+00,client backend,wal,normal,100,1638400,5,0,2026-11-27 10:00:00+00\n",
        "utf-8",
    )
    assert values(since_18)["client backend/wal/normal", "read_throughput", "MB/s"] == pytest.approx(0.16384)


@pytest.mark.parametrize("name", [each for each in NEW if each != "iostat.txt"])
def test_counters_of_a_database_match_no_answer_of_a_system(name):
    answers = {
        measure
        for system in systems().values()
        for measure in system.scenario({each.name: each.default for each in system.settings}).units
    }
    assert not answers & {measure for _, measure, _ in told(name)}


def test_innodb_averages_are_read():
    found = values("innodb_status.txt")
    assert found["FILE I/O", "fsyncs", "fsyncs/s"] == 2139.17
    assert found["FILE I/O", "pending_fsyncs", "fsyncs"] == 0
    assert found["BUFFER POOL AND MEMORY", "page_creates", "pages/s"] == 96.58
    assert found["LOG", "checkpoint_age", "bytes"] == 6341027 - 44760


def test_innodb_in_one_line_and_of_mysql_is_read(tmp_path):
    text = (FOLDER / "innodb_status.txt").read_text("utf-8").partition("Status: ")[2]
    mysql = text.replace("Pending flushes (fsync): 0", "Pending flushes (fsync) log: 1; buffer pool: 2").replace(
        "Last checkpoint at  44760\n", "Last checkpoint at  44760\n321 log i/o's done, 12.50 log i/o's/second\n"
    )
    path = tmp_path / "one_line.txt"
    path.write_text("Type\tName\tStatus\nInnoDB\t\t" + mysql.replace("\n", "\\n") + "\n", "utf-8")
    found = values(path)
    assert found["LOG", "log_writes", "writes/s"] == 12.5
    assert found["FILE I/O", "pending_log_fsyncs", "fsyncs"] == 1
    assert found["FILE I/O", "pending_fsyncs", "fsyncs"] == 2
    assert found["FILE I/O", "fsyncs", "fsyncs/s"] == 2139.17


def test_last_statistics_of_rocksdb_are_read():
    found = told("rocksdb_LOG.txt")
    syncs = found["cumulative", "wal_syncs", "syncs/s"]
    assert (syncs.value, syncs.line) == (pytest.approx(36e3 / 24), 7)
    assert found["interval", "wal_syncs", "syncs/s"].value == pytest.approx(2446 / 3)
    assert found["cumulative", "ingest", "MB/s"].value == pytest.approx(11.67 * MIB)
    assert found["default cumulative", "compaction_writes", "MB/s"].value == pytest.approx(16.73 * MIB)
    assert found["default cumulative", "write_amplification", ""].value == 2.8
    assert found["default interval", "write_amplification", ""].value == 2.7


def test_stale_statistics_of_rocksdb_are_ignored(tmp_path):
    text = (FOLDER / "rocksdb_LOG.txt").read_text("utf-8")
    first, rest = text.split("\n", 1)
    path = tmp_path / "LOG"
    path.write_text(
        f"{first}\n{rest.replace('[default]', '[dropped]').replace('2446 syncs', '1 syncs')}{rest}", "utf-8"
    )
    assert values(path) == values("rocksdb_LOG.txt")


REFUSED = {
    "iostat: columns that are not those of -x": (
        "iostat.txt",
        " w/s ",
        " tps ",
        "allowed: the columns of iostat -x",
        4,
    ),
    "iostat: a decimal comma": (
        "iostat.txt",
        "25098.00",
        "25098,00",
        "line 16: r/s is '25098,00'; allowed: a num",
    ),
    "iostat: a row cut short": ("iostat.txt", "   2.72  77.60", "", "line 16 has 21 columns; allowed: 23"),
    "iostat: a bandwidth in another unit": ("iostat.txt", "200782.00", "200.78", "which make 205,"),
    "iostat: a device twice": (
        "iostat.txt",
        "1.89  35.80\n",
        "1.89  35.80\nvda" + " 0.00" * 23 + "\n",
        "tells of 'vda' twice",
    ),
    "pidstat: a decimal comma": ("pidstat.txt", "200537.31", "200537,31", "line 4: kB_rd/s is '200537,31'"),
    "pidstat: a row cut short": (
        "pidstat.txt",
        "  85882.59      0.00       0  fio",
        "",
        "line 4 has 3 columns; allowed: 7",
    ),
    "pidstat: another text": ("pidstat.txt", "13:25:28        0", "hello", "line 7 is 'hello"),
    "wal: counters that were reset": (
        "pg_stat_wal.csv",
        ",8497,",
        ",38,",
        "wal_sync is 38, and was 39 before; take two",
    ),
    "wal: another reset": ("pg_stat_wal.csv", "13:26:18", "13:26:19", "stats_reset is another than in line 2"),
    "wal: no later": ("pg_stat_wal.csv", "13:26:31", "13:26:20", "which is not after what it counts from"),
    "wal: a time of Germany": (
        "pg_stat_wal.csv",
        "2026-11-27 13:26:31.812313+00",
        "27.11.2026 13:26:31",
        "set datestyle",
    ),
    "wal: a row cut short": ("pg_stat_wal.csv", ",135.445,7262.294", "", "line 4 has 8 cells; allowed: 10"),
    "statements: one twice": (
        "pg_stat_statements.csv",
        "1815902391452003170",
        "7493765633537579929",
        "counts the same as line 2",
    ),
    "innodb: averages of nothing": (
        "innodb_status.txt",
        "last 5 seconds",
        "last 0 seconds",
        "averages of the last 0 seconds",
    ),
    "innodb: cut short": ("innodb_status.txt", "END OF INNODB MONITOR OUTPUT", "", "has not one status"),
    "innodb: no rates": ("innodb_status.txt", "2139.17 fsyncs/s", "", "tells of no 'fsyncs/s' under FILE I/O"),
    "innodb: a checkpoint to come": (
        "innodb_status.txt",
        "at  44760",
        "at  9944760",
        "the log ends before its last",
    ),
    "rocksdb: a bandwidth that the bytes contradict": (
        "rocksdb_LOG.txt",
        "0.27 GB, 11.67 MB/s\nCumulative WAL",
        "0.27 GB, 116.7 MB/s\nCumulative WAL",
        "line 6: 0.27 GB in 24 s, which make 11.52, and MB/s says 116.7",
    ),
    "rocksdb: cut short": (
        "rocksdb_LOG.txt",
        "Interval compaction",
        "Interval",
        "'Interval compaction: …' is not there",
    ),
    "rocksdb: no statistics": ("rocksdb_LOG.txt", "** DB Stats **", "", "ends before the first statistics"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_truncated_or_contradictory_output_is_refused(tmp_path, case):
    name, old, new, said, *count = REFUSED[case]
    assert said in refusal(changed(tmp_path, name, old, new, *count))


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(NEW), st.floats(0.0, 1.0))
def test_a_file_cut_within_a_line_is_refused(tmp_path_factory, name, share):
    text = (FOLDER / name).read_text("utf-8")
    cut = text[: int(share * len(text))]
    path = tmp_path_factory.mktemp("cut") / name
    path.write_text(cut if not cut.endswith("\n") else cut + "x", "utf-8")
    tool = tools.tool_of(path)
    if tool is not None:
        with pytest.raises(InputError, match=r".") as caught:
            tools.told(tool, path, "")
        assert "\n" not in str(caught.value)


def test_an_interval_in_which_a_process_may_not_be_seen_is_left_out_of_its_mean(tmp_path):
    path = changed(tmp_path, "pidstat.txt", "200537.31  85882.59", "    -1.00     -1.00")
    read = values(path)["fio 15474", "read_throughput", "MB/s"]
    assert read == pytest.approx((116131.34 + 96116.0) / 2 * KIB / 1e6, rel=1e-6)


def only(op, tmp_path, **others):
    """A file of iostat in which a device does nothing but ``op``, and the flushes that are in ``others``."""
    idle = dict.fromkeys(("r/s", "w/s", "d/s", "f/s", "rkB/s", "wkB/s", "r_await", "w_await", "f_await"), 0.0)
    letter = op[0]
    busy = {f"{letter}/s": 1000.0, f"{letter}kB/s": 16000.0, f"{letter}_await": 0.1, f"{letter}areq-sz": 16.0}
    sizes = {"rareq-sz": 0.0, "wareq-sz": 0.0, "aqu-sz": 0.1, "util": 90.0}
    disk = {"disk_device": "sda", **idle, **sizes, **busy, **others}
    path = tmp_path / "iostat.json"
    path.write_text(json.dumps({"sysstat": {"hosts": [{"statistics": [{"disk": [disk]}] * 3}]}}), "utf-8")
    return path


def read_as(path, system, **common):
    tool = tools.tool_of(tools.split(path)[0])
    return dataset("own", tools.readings(path, tool, find(system)), find(system), common)


def test_write_only_devices_are_compared_with_writes(tmp_path):
    written = only("write", tmp_path)
    figures = read_as(written, "gp3").measurements
    assert {dict(each.conditions)["op"] for each in figures} == {"write"}
    with pytest.raises(InputError, match=r"line \d+: op is 'write', yet op=read is given; leave one out"):
        read_as(written, "gp3", op="read")
    with pytest.raises(InputError, match="op is 'write'; allowed: read; fix this setting"):
        read_as(written, "nvme")
    few = only("write", tmp_path, **{"r/s": 1.0, "rkB/s": 4.0, "rareq-sz": 4.0, "r_await": 0.1})
    assert {dict(each.conditions)["op"] for each in read_as(few, "gp3").measurements} == {"write"}


def test_read_only_device_is_refused_for_a_write_only_stack(tmp_path):
    with pytest.raises(InputError, match="'sda' did reads only, and 'postgresql' does writes only; name another"):
        read_as(only("read", tmp_path), "postgresql")


def test_two_devices_need_a_name_even_if_one_reads_and_one_writes(tmp_path):
    path = only("write", tmp_path)
    content = json.loads(path.read_text("utf-8"))
    (disk,) = content["sysstat"]["hosts"][0]["statistics"][0]["disk"]
    other = {**disk, "disk_device": "sdb"}
    other |= {f"r{name}": disk[f"w{name}"] for name in ("/s", "kB/s", "_await", "areq-sz")}
    other |= {f"w{name}": 0.0 for name in ("/s", "kB/s", "_await", "areq-sz")}
    content["sysstat"]["hosts"][0]["statistics"] = [{"disk": [disk, other]}] * 3
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=r"sda and sdb; say which is meant"):
        read_as(path, "gp3")
    assert dict(read_as(Path(f"{path}:sdb"), "gp3").measurements[0].conditions)["op"] == "read"


def test_scans_count_as_reads_and_mixed_devices_state_no_op(tmp_path):
    scanned = read_as(only("read", tmp_path), "exadata", op="scan").measurements
    assert {dict(each.conditions)["op"] for each in scanned} == {"scan"}
    mixed = only(
        "write", tmp_path, **{"r/s": 100.0, "rkB/s": 1600.0, "rareq-sz": 16.0, "r_await": 0.1, "aqu-sz": 0.11}
    )
    assert "op" not in dict(read_as(mixed, "gp3", jobs=1).measurements[0].conditions)


def test_bandwidths_of_sar_show_a_write_only_device(tmp_path):
    content = json.loads((FOLDER / "sadf.json").read_text("utf-8"))
    for entry in content["sysstat"]["hosts"][0]["statistics"]:
        for disk in entry["disk"]:
            disk.update({"rkB": 0.0, "wkB": disk["rkB"] + disk["wkB"]})
    path = tmp_path / "sadf.json"
    path.write_text(json.dumps(content, indent=1), "utf-8")
    assert {each.settings.get("op") for each in told(path).values()} == {"write"}


def test_a_queue_that_flushes_take_is_not_suspected(tmp_path):
    flushing = only("write", tmp_path, **{"f/s": 500.0, "f_await": 1.8, "aqu-sz": 1.0})
    assert values(flushing)["sda", "flush_await", "s"] == pytest.approx(1.8e-3)
