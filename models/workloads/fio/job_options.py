"""The options of fio 3.33: supported ones, those without effect on answers, and refused ones.

The simulation reads those that it supports. Of the others, those without effect on answers are accepted; those
that the stack answers (scheduler, state of the extents) are accepted with a note; all others are refused unless
they are fio's default. Names, aliases and defaults are those that `fio --cmdhelp=all` and `fio --enghelp` list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from models.workloads.fio import values

PROCESSES, DEPTH = 4096, 65536
"""Largest number of clones of a job, as in fio, and of requests in flight of one of them."""

PATTERNS = {
    "read": (True, False, False),
    "write": (False, True, False),
    "rw": (True, True, False),
    "readwrite": (True, True, False),
    "randread": (True, False, True),
    "randwrite": (False, True, True),
    "randrw": (True, True, True),
}
"""For each value of ``rw``: reads, writes, random."""

SYNCHRONOUS = ("psync", "pvsync", "pvsync2", "sync")
ASYNCHRONOUS = ("io_uring", "libaio")


class Reader(NamedTuple):
    """Parser of an option, and its allowed values."""

    read: Callable[[str], Any]
    allowed: str


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _words(meanings: dict[str, Any]) -> Reader:
    return Reader(values.one_of(meanings), ", ".join(sorted(meanings)))


_ENGINES = {name: name for name in (*SYNCHRONOUS, *ASYNCHRONOUS)}
_FLAG = Reader(values.flag, "0 or 1")
_PERCENT = Reader(values.whole(0, 100), "a whole number from 0 to 100")
_SIZE = Reader(values.size_or_percent, "a size such as 10g or 1048576, or a percentage such as 20%")
_BLOCK = Reader(
    values.for_both(values.whole(1, 1 << 40)), "a size such as 4k, or one for reads and one for writes: 4k,64k"
)
_EVERY = Reader(values.whole(0, 1 << 40), "a whole number of writes; 0: never")
_TIME = "a time such as 500ms, 30s, 10m or 1h"
_SECONDS = Reader(values.seconds("s"), f"{_TIME}; a number alone is in seconds")
_WORD = Reader(values.word, "a text")
_RATE = "one for reads and writes, or one for each; k is 1024, and 0 is no limit"

READ: dict[str, Reader] = {
    "rw": _words(PATTERNS),
    "rwmixread": _PERCENT,
    "rwmixwrite": _PERCENT,
    "bs": _BLOCK,
    "bssplit": Reader(
        values.for_both(values.split),
        "sizes with percentages that add up to 100, such as 4k/60:64k/40, for reads and writes or 4k/100,8k/100",
    ),
    "ba": _BLOCK,
    "iodepth": Reader(values.whole(1, DEPTH), f"a whole number from 1 to {DEPTH}"),
    "numjobs": Reader(values.whole(1, PROCESSES), f"a whole number from 1 to {PROCESSES}"),
    "size": _SIZE,
    "io_size": _SIZE,
    "offset": _SIZE,
    "offset_increment": _SIZE,
    "filename": _WORD,
    "filename_format": _WORD,
    "directory": _WORD,
    "file_append": _FLAG,
    "direct": _FLAG,
    "buffered": _FLAG,
    "sync": _words({"none": "no", "0": "no", "sync": "all", "1": "all", "dsync": "data"}),
    "fsync": _EVERY,
    "fdatasync": _EVERY,
    "rate": Reader(values.for_both(values.integer), f"bytes a second, such as 10m: {_RATE}"),
    "rate_iops": Reader(values.for_both(values.integer), f"I/Os a second, such as 500: {_RATE}"),
    "rate_process": _words({"linear": False, "poisson": True}),
    "thinktime": Reader(values.seconds("us"), f"{_TIME}; a number alone is in microseconds"),
    "runtime": _SECONDS,
    "ramp_time": Reader(values.seconds("s", decimals=True), f"{_TIME}; a number alone is in seconds"),
    "time_based": _FLAG,
    "ioengine": Reader(values.one_of(_ENGINES), ", ".join(sorted(_ENGINES))),
    "group_reporting": _FLAG,
    "new_group": _FLAG,
    "stonewall": _FLAG,
    "random_distribution": Reader(values.distribution, "random, zipf, or zipf with an exponent but 1: zipf:1.2"),
    "name": _WORD,
    "description": _WORD,
}
"""Supported options, including those that only yield a note."""

ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blockalign": "ba",
    "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned",
    "io_limit": "io_size",
    "fileoffset": "offset",
    "timeout": "runtime",
    "wait_for_previous": "stonewall",
    "nr_files": "nrfiles",
    "iomem": "mem",
    "iodepth_batch_submit": "iodepth_batch",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
    "fill_fs": "fill_device",
    "ratemin": "rate_min",
    "ratecycle": "rate_cycle",
    "disable_bw": "disable_bw_measurement",
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
}

WITHOUT_EFFECT = _names(
    """
    allow_file_create allow_mounted_write allrandrepeat block_error_percentiles buffer_pattern bwavgtime
    cgroup_nodelete clat_percentiles clocksource continue_on_error create_fsync create_on_open create_serialize
    disable_bw_measurement disable_clat disable_lat disable_slat disk_util do_verify error_dump exit_what exitall
    exitall_on_error file_service_type filesize gid gtod_cpu gtod_reduce hugepage-size ignore_error invalidate
    iopsavgtime lat_percentiles lockmem log_alternate_epoch log_alternate_epoch_clock_id log_avg_msec
    log_compression log_compression_cpus log_entries log_hist_coarseness log_hist_msec log_max_value log_offset
    log_prio log_store_compressed log_unix_epoch mem norandommap openfiles per_job_logs percentile_list
    random_generator randrepeat randseed rate_cycle refill_buffers scramble_buffers significant_figures
    slat_percentiles stats steadystate steadystate_duration steadystate_ramp_time thread uid unified_rw_reporting
    unique_filename unit_base unlink unlink_each_loop userspace_reap verify_async verify_dump verify_fatal
    verify_interval verify_offset verify_pattern verify_state_save write_bw_log write_hint write_hist_log
    write_iops_log write_lat_log zero_buffers
    """
)
"""Options of random seeds, logs, layout, clean-up and fio's own clock."""

IN_THE_STACK = _names(
    """
    buffer_compress_chunk buffer_compress_percentage cpumask cpus_allowed cpus_allowed_policy dedupe_global
    dedupe_mode dedupe_percentage dedupe_working_set_percentage fadvise_hint fallocate fixedbufs ioscheduler nice
    nonvectored numa_cpu_nodes numa_mem_policy overwrite pre_read prio prioclass registerfiles
    """
)
"""Options that the stack answers: cores, priorities, scheduler, state of the file."""

REFUSED = {
    **dict.fromkeys(
        _names("""
        atomic bs_unaligned cmdprio_percentage create_only end_fsync experimental_verify fill_device flow
        flow_id flow_sleep force_async fsync_on_close hipri ignore_zone_limits job_max_open_zones latency_run
        max_latency max_open_zones nowait number_ios offset_align rate_iops_min rate_ignore_thinktime
        rate_min read_beyond_wp read_iolog_chunked replay_no_stall serialize_overlap sqthread_poll
        startdelay thinktime_iotime thinktime_spin trim_percentage uncached verify verify_only verify_state_load
        write_barrier zonecapacity zonerange zonesize zoneskip
        """),
        "0",
    ),
    **dict.fromkeys(
        _names("""
        bsrange cgroup cgroup_weight cmd_type cmdprio cmdprio_bssplit cmdprio_class exec_postrun exec_prerun
        iodepth_batch_complete_max iodepth_low latency_percentile latency_target latency_window
        merge_blktrace_file merge_blktrace_iters merge_blktrace_scalars opendir profile read_iolog replay_align
        replay_redirect replay_scale replay_skip replay_time_scale sqthread_poll_cpu sync_file_range trim_backlog
        trim_backlog_batch trim_verify_zero verify_backlog verify_backlog_batch wait_for write_iolog
        zone_reset_frequency zone_reset_threshold
        """),
        "",
    ),
    "io_submit_mode": "inline",
    "iodepth_batch": "1",
    "iodepth_batch_complete_min": "1",
    "kb_base": "1024",
    "lockfile": "none",
    "loops": "1",
    "nrfiles": "1",
    "percentage_random": "100",
    "rw_sequencer": "sequential",
    "thinktime_blocks": "1",
    "thinktime_blocks_type": "complete",
    "zonemode": "none",
}
"""Options that change the answer, each with the text of fio's default; empty if there is none."""

KNOWN = frozenset((*READ, *ALIASES, *WITHOUT_EFFECT, *IN_THE_STACK, *REFUSED))
