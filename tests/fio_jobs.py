"""Job files of fio for tests: some that are simulated, and many with one mistake each."""

from __future__ import annotations

import re
from collections.abc import Iterator

ACCEPTED = {
    "one read": "[a]\nrw=read\nsize=1m\n",
    "defaults": "[a]\nsize=1m\n",
    "comments": "; above\n# too\n\n[global]  ; behind\n\trw=write # and here\n[a]\nsize=1m\n",
    "random": "[a]\nrw=randrw\nrwmixread=70\nbs=4k,64k\nsize=10m\nioengine=io_uring\niodepth=16\ndirect=1\n",
    "sizes": "[a]\nrw=randread\nbssplit=4k/60:64k/:1m/10\nsize=100m\nnorandommap\nblockalign=64k\n",
    "sizes of each": "[a]\nrw=randrw\nbssplit=4k/50:8k/50,64k/100\nsize=100m\nrwmixwrite=40\n",
    "groups": "[global]\nsize=1m\n[a]\nnumjobs=4\ngroup_reporting\n[global]\nbs=16k\n[b]\nstonewall\nrw=write\n",
    "durable": "[a]\nrw=write\nsync=dsync\nsize=1m\n[b]\nwait_for_previous\nrw=randwrite\nfsync=32\nsize=1m\n",
    "paced": "[a]\nrw=randrw\nrate_iops=100,300\nrate_process=poisson\ntime_based\nruntime=10\nsize=1m\n",
    "paced by bytes": "[a]\nrw=read\nrate=10m\nthinktime=500us\nruntime=1m\nsize=1m\nramp_time=5s\n",
    "a file for all": "[global]\nfilename=data\ndirectory=/tmp\nsize=1m\nruntime=9\n[a]\nnumjobs=2\n[b]\n",
    "offsets": "[a]\noffset=4k\noffset_increment=512\nfile_append=1\nrw=write\nsize=1m\n",
    "zipf": "[a]\nrw=randread\nrandom_distribution=zipf:1.2\ndirect=1\nsize=1m\n",
    "old names": "[a]\nreadwrite=write\nblocksize=8k\ntimeout=10\nio_limit=1m\nbuffered=0\nsize=2m\n",
    "no effect": "[a]\nsize=1m\nrandseed=7\nthread\ninvalidate=1\nloops=1\nverify=0\ndescription=x = y\n",
}
"""Each is accepted by fio 3.33, too."""

_BAD = {
    "rw": ("", "raed", "readd", "trim", "randtrim", "read:8", "READ", "read,write", "0", " read"),
    "rwmixread": ("-1", "101", "7.5", "70%", "k", "70,30"),
    "rwmixwrite": ("1k", "200"),
    "bs": (
        "0",
        "4kib",
        "4 KiB",
        "4.5k",
        "-4k",
        "4k-8k",
        "k",
        "4kk",
        ",8k",
        "8k,",
        "1k,2k,3k,4k",
        "4x",
        "2t",
        "0x1000",
    ),
    "bssplit": ("4k/0", "4k/50", "4k/80:8k/30", "4k/50:", "/50", "4k/50:8k/x", "4k/-50:8k/150", "4k/100,"),
    "ba": ("0", "x"),
    "iodepth": ("0", "-1", "1.5", "65537", "many"),
    "numjobs": ("0", "4097", "2,", "two"),
    "size": ("-1", "10 g", "1gib", "50 %", "1000%", "all", "100"),
    "io_size": ("1.5g", "x"),
    "offset": ("-4k", "x"),
    "offset_increment": ("1.5", "a"),
    "filename": ("a:b", "${DISK}"),
    "file_append": ("2", "yes"),
    "direct": ("2", "yes", "true", "-1"),
    "buffered": ("no",),
    "sync": ("2", "osync", "yes"),
    "fsync": ("-1", "x", "1.5"),
    "fdatasync": ("always",),
    "rate": ("fast", "1m,", "1mb/s", "-1", "1", "9999t"),
    "rate_iops": ("1.5", "x", "100000000"),
    "rate_process": ("lognormal",),
    "thinktime": ("1.5ms", "1 ms", "-1", "1min", "ms"),
    "runtime": ("1.5", "10 s", "forever", "-5", "10x"),
    "ramp_time": ("x",),
    "time_based": ("2", "yes"),
    "ioengine": ("libaoi", "posixaio", "mmap", "uring", "null"),
    "group_reporting": ("yes",),
    "new_group": ("x",),
    "stonewall": ("x",),
    "random_distribution": ("zipf:1", "zipf:0", "zipf:", "zipf:x", "pareto:0.9", "normal", "zipf:1.2"),
    "bsrange": ("4k-16k",),
    "loops": ("2",),
    "nrfiles": ("4",),
    "verify": ("crc32c",),
    "thinktime_blocks": ("4",),
    "iodepth_batch": ("8",),
    "startdelay": ("5",),
    "end_fsync": ("1",),
    "sqthread_poll": ("1",),
    "hipri": ("",),
    "kb_base": ("1000",),
    "percentage_random": ("50",),
    "read_iolog": ("trace",),
    "latency_target": ("1ms",),
    "iodept": ("4",),
    "bsize": ("4k",),
    "numjob": ("4",),
    "RW": ("read",),
    "direct_io": ("1",),
    "group-reporting": ("1",),
}
"""Options with what they may not be; an empty text stands for the name alone."""


def malformed() -> Iterator[tuple[str, int, str]]:
    """(text of a file, the line with the mistake, what the message names)."""
    for name, texts in _BAD.items():
        for text in texts:
            line = f"{name}={text}" if text else name
            yield f"[global]\nbs=8k\n\n[a]\nrw=randread\nsize=1m\n{line}\n", 7, name
    yield from _WRONG_LINES


_WRONG_LINES = (
    ("rw=read\n[a]\nsize=1m\n", 1, "rw=read"),
    ("[global]\nrw=read\n", 0, "job"),
    ("", 0, "job"),
    ("; nothing\n", 0, "job"),
    ("[a\nrw=read\n", 1, "[a"),
    ("[]\nrw=read\n", 1, "[]"),
    ("[ ]\nrw=read\n", 1, "[ ]"),
    ("[a] b\nrw=read\n", 1, "[a] b"),
    ("[a]]\nrw=read\n", 1, "[a]]"),
    ("[ a]\nrw=read\n", 1, "[ a]"),
    (f"[{'x' * 101}]\nrw=read\n", 1, "xxx"),
    ("[a]\nsize=1m\n[a]\nsize=1m\n", 3, "'a'"),
    ("[a]\nsize=1m\n[b]\nname=a\nsize=1m\n", 3, "'a'"),
    ("[a]\nname=[b]\nsize=1m\n", 2, "name"),
    ("[a]\nrw = read\n", 2, "rw = read"),
    ("[a]\nrw= read\n", 2, "rw= read"),
    ("[a]\nrw =read\n", 2, "rw =read"),
    ("[a]\nrw:read\n", 2, "rw:read"),
    ("[a]\n=read\n", 2, "=read"),
    ("[a]\n--rw=read\n", 2, "--rw=read"),
    ("[a]\nrw=read size=1m\n", 2, "rw"),
    ("[a]\ninclude other.fio\n", 2, "other.fio"),
    ("[a]\nsize=${SIZE}\n", 2, "size"),
    ("[a]\nnumjobs=$ncpus\n", 2, "numjobs"),
    ("[a]\nrw=read\x07\n", 2, "rw=read"),
    ("[a\x00]\nrw=read\n", 1, "[a"),
    ("[a]\nrate=1m\nrate_iops=100\n", 3, "rate_iops"),
    ("[a]\nrw=write\nfsync=1\nfdatasync=1\n", 4, "fdatasync"),
    ("[a]\nrw=randrw\nrate=1m,0\n", 3, "rate"),
    ("[a]\ntime_based=1\nsize=1m\n", 2, "time_based"),
    ("[a]\nsize=1k\n", 2, "size"),
    ("[a]\nio_size=100t\nsize=1m\n", 2, "io_size"),
    ("[a]\nrw=write\nfsync=1\nioengine=libaio\ndirect=1\niodepth=2\nsize=1m\n", 3, "fsync"),
)


def option_names(help_text: str) -> set[str]:
    """The options that ``fio --cmdhelp=all`` or ``--enghelp`` lists."""
    return set(re.findall(r"^ *([a-z_-]+) *:", help_text, re.MULTILINE))
