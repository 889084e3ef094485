"""Stack files of what people run, each against arithmetic by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from sim.prediction import RunOptions, predict
from sim.system import find

FOLDER = Path(__file__).parents[3] / "docs" / "stacks"
QUICK = RunOptions(precision=0.01, answers=("throughput",))


def rate(name, *, parameters=None, **settings):
    system = find(str(FOLDER / f"{name}.toml"))
    system = replace(system, parameters=system.parameters.changed(parameters or {}))
    found = predict(system, settings, QUICK, intervals=False)
    return found.answers["throughput"].estimate.value


def test_a_session_alone_on_an_oracle_redo_log():
    """Its work, three wake-ups, a write of 16 us that takes 10 us more to be durable, half a post."""
    assert rate("oracle-redo", sessions=1) == pytest.approx(1 / (118e-6 + 3 * 35e-6 + 26e-6 + 2.5e-6), rel=0.02)


def test_sessions_of_an_oracle_redo_log_end_where_one_worker_at_a_time_posts_them():
    """5 us each, with cores enough."""
    assert 0.9 / 5e-6 < rate("oracle-redo", sessions=1000, parameters={"cores": 1024}) < 1 / 5e-6


def test_half_of_the_reads_of_one_job_through_the_page_cache_wait_for_the_drive():
    """A call of 1 us and 16 KiB copied at 5 GB/s; every second one waits 59.2 us besides, and wakes up in 5."""
    mean_s = 1e-6 + 16384 / 5e9 + (59.2e-6 + 5e-6) / 2
    assert rate("buffered-files", jobs=1) == pytest.approx(16384 / mean_s / 1e6, rel=0.01)


def test_sustained_writes_through_the_page_cache_have_the_rate_of_the_drive():
    assert rate("buffered-files", op="write", jobs=8) == pytest.approx(3200, rel=0.01)


def test_syncs_of_a_drive_without_power_loss_protection():
    """A write of 23.6 us, then a flush of 449, whose first 220 only one passes at a time."""
    per_second = rate("consumer-nvme", jobs=1) * 1e6 / 16384
    assert per_second == pytest.approx(1 / (23.6e-6 + 449e-6), rel=0.01)
    per_second = rate("consumer-nvme", jobs=2) * 1e6 / 16384
    assert per_second == pytest.approx(2 / (23.6e-6 + 449e-6 + 220e-6), rel=0.01)


def test_four_mirrors_read_with_eight_arms_and_write_with_four():
    """8.5 ms of seek, half a turn, 8 KiB at 180 MB/s on average over the zones; any disk as likely as another."""
    arm = 8192 / (8.5e-3 + 60 / 7200 / 2 + 8192 / (125e6 / math.log(2))) / 1e6
    assert rate("mirrored-disks", jobs=512) == pytest.approx(8 * arm, rel=0.05)
    assert rate("mirrored-disks", jobs=512, lost=1) == pytest.approx(4 * arm, rel=0.05)
    assert rate("mirrored-disks", jobs=512, op="write") == pytest.approx(4 * arm, rel=0.05)


def test_misses_of_a_cached_array_are_those_of_thirty_arms():
    """A tenth of the data is in memory; an arm takes 3.4 ms, half a turn of 4 ms, and 8 KiB at 108 MB/s."""
    arm_s = 3.4e-3 + 60 / 15_000 / 2 + 8192 / (75e6 / math.log(2))
    assert rate("cached-array", jobs=512) == pytest.approx(30 * 8192 / arm_s / 1e6 / (1 - 0.1), rel=0.06)


def test_a_write_without_batteries_takes_the_longer_of_two_arms():
    """And the link, and the controller; times of arms vary by 0.32: of two the longer is 0.18 of a time longer."""
    arm_s = 3.4e-3 + 60 / 15_000 / 2 + 8192 / (75e6 / math.log(2))
    alone_s = 115e-6 + 8192 / 425e6 + 50e-6 + arm_s * (1 + 0.32 / math.sqrt(math.pi))
    found = rate("cached-array", jobs=1, op="write", battery=False)
    assert found == pytest.approx(8192 / alone_s / 1e6, rel=0.03)


def test_reads_of_the_published_ssd_over_tcp():
    """Submission and interrupt, a round trip, headers of 128 bytes, the target, and 59.2 us of the device."""
    alone_s = 2.65e-6 + 4.6e-6 + 45e-6 + (4096 + 2 * 128) / 2.94e9 + 5e-6 + 59.2e-6
    assert rate("nvmeof", depth=1) == pytest.approx(4096 / alone_s / 1e6, rel=0.01)


def test_one_session_of_postgresql_on_zfs():
    """Its work, a call and a copy of ZFS, a log block of 12 KiB on both drives with a flush, and a wake-up."""
    alone_s = 200e-6 + 5e-6 + 8192 / 5e9 + 16e-6 + 10e-6 + 5e-6
    assert rate("postgresql-zfs", clients=1) == pytest.approx(1 / alone_s, rel=0.02)


def test_commits_of_postgresql_on_zfs_share_log_blocks():
    """A flush of 5 ms: whoever comes while one is written shares the next."""
    alone, many = (rate("postgresql-zfs", clients=clients, drive="5ms") for clients in (1, 16))
    assert 7 < many / alone < 16


def test_writes_through_fuse_wait_for_the_second_of_three_replicas():
    """Two wake-ups, queue, handler, a copy, the link out, a round trip, a hop, and the drive."""
    link_s = (131_072 + 2 * 128) / 2.94e9 + 45e-6
    alone_s = 2 * 5e-6 + 7e-6 + 6.6e-6 + 131_072 / 3.1e9 + link_s + 45e-6 + 45e-6
    assert rate("fuse-replicas", users=1) == pytest.approx(131_072 / alone_s / 1e6, rel=0.02)


def test_reads_of_nfs_over_a_cached_array_miss_three_times_of_four():
    arm_s = 3.4e-3 + 60 / 15_000 / 2 + 8192 / (75e6 / math.log(2))
    front_s = 60e-6 + 8192 / 1.18e9 + 25e-6 + 115e-6 + 8192 / 425e6 + 50e-6
    found = rate("nfs-array", jobs=1)
    assert found == pytest.approx(8192 / (front_s + 0.75 * arm_s) / 1e6, rel=0.03)


def test_reads_of_nfs_over_zfs_fetch_whole_records():
    """Half are in memory; the others wait for 128 KiB from one disk, and its checksum."""
    disk_s = 8.5e-3 + 60 / 7200 / 2 + 131_072 / (125e6 / math.log(2)) + 131_072 / 5e9
    front_s = 50e-6 + 16384 / 2.94e9 + 25e-6 + 5e-6 + 16384 / 5e9
    found = rate("nfs-zfs", jobs=1, hosts=1, op="read")
    assert found == pytest.approx(16384 / (front_s + disk_s / 2) / 1e6, rel=0.03)


def test_writes_of_nfs_over_zfs_go_to_disk_in_large_pieces():
    """Ten writes behind, each of 1 MiB in a row to one of four mirrors: 10 / 13 of them busy at least.

    A block of 16 KiB costs a record, eight times its bytes, but no seek.
    """
    mirrors = 4 * 125e6 / math.log(2) / 1e6
    whole = rate("nfs-zfs", block="128KiB", resident=1.0)
    assert 10 / 13 * mirrors < whole < mirrors
    assert rate("nfs-zfs", resident=1.0) == pytest.approx(whole / 8, rel=0.05)


def test_syncs_on_btrfs_wait_for_two_flushes():
    """Data and tree blocks go into the cache; a flush takes 1 ms, and so does the superblock through the cache."""
    alone_s = 2 * 1e-3 + 3 * 16e-6 + 5e-6
    assert rate("btrfs-sync", jobs=1) == pytest.approx(4096 / alone_s / 1e6, rel=0.05)
    assert rate("btrfs-sync", jobs=32) == pytest.approx(16 * rate("btrfs-sync", jobs=1), rel=0.1)


def test_disks_busy_for_two_thirds_of_the_time_do_not_limit_jobs_with_their_own_files():
    """Twice the jobs get a fifth more, and would even if they shared the locks of these files."""
    system = find(str(FOLDER / "mirrored-disks.toml"))
    few, more = (
        predict(system, {"block": "8KiB", "op": "mixed", "jobs": jobs}, QUICK, intervals=False) for jobs in (8, 16)
    )
    assert more.throughput.value > 1.15 * few.throughput.value
    assert few.limit.kind == "path"
