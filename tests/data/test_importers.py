"""A user's own measurements are read; any that cannot be is refused with one line that says where and why."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from sim import Closed, InputError, Model, Station, Use
from sim.data.importers import fio_options, read
from sim.engine.statistics.estimates import point
from sim.system import (
    Ceiling,
    Measure,
    Parameters,
    Scenario,
    Settings,
    System,
    choice,
    count,
    find,
    flag,
    number,
    size,
)

EXAMPLES = Path(__file__).parent / "measured"

OWN = """\
users,block,op,value,unit
1,8KiB,write,205,MB/s
4,8KiB,write,0.65,GB/s
8,1MiB,read,800.0,MiB/s
"""


@dataclass(frozen=True)
class MillSettings:
    nodes: int = count(1, "mills", high=8)
    users: int = count(1, "millers", high=64, role="clients")
    block: int = size(4096, "a sack")
    op: str = choice("write", "which way", ("write", "read"))
    direct_io: bool = flag("no detour", default=True)


@dataclass(frozen=True)
class SieveSettings:
    streams: int = count(1, "sieves", high=64, role="clients")


def grind(settings, parameters):
    del parameters
    path = [Use(Station("stone"), 1e-3)]
    measures = {"dust": Measure("µs", lambda result: point(result.steps))}
    clients = getattr(settings, "users", 1)
    return Scenario(Model([Closed("miller", clients=clients, path=path)]), "miller", 1.0, "MB/s", measures)


def sift(settings, parameters):
    del settings, parameters
    model = Model([Closed("sieve", clients=1, path=[Use(Station("mesh"), 1e-3)])])
    return Scenario(model, "sieve", 1.0, "MiB/s")


def one_stone(settings):
    return (Ceiling("throughput", 2000.0 * settings.nodes, "one stone a mill"),)


MILL = System("mill", "a mill", Settings.of(MillSettings), Parameters(()), grind, ceilings=one_stone)
"""A system with one of each kind of setting, further measures and a ceiling."""

SIEVE = System("sieve", "a sieve", Settings.of(SieveSettings), Parameters(()), sift)
"""A system without users, op or a ceiling, and of another unit."""


def figures(path, system=None, **given):
    return read(path, system or MILL, given).measurements


def summary(path, system=None, **given):
    return [(" ".join(map("=".join, each.conditions)), each.value) for each in figures(path, system, **given)]


def refusal(path, system=None, **given):
    """The one line with which ``path`` is refused."""
    with pytest.raises(InputError) as caught:
        read(path, system or MILL, given)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_table_is_read_and_converted(tmp_path):
    dataset = read(write(tmp_path, "own.csv", OWN), MILL, {"nodes": "2"})
    assert (dataset.name, dataset.system) == ("own", "mill")
    first, second, third = dataset.measurements
    assert (first.value, first.unit, first.half_width, first.measure) == (205.0, "MB/s", 0.5, "throughput")
    assert (second.value, second.half_width) == pytest.approx((650.0, 5.0))
    assert (third.value, third.half_width) == pytest.approx((838.8608, 0.05 * 1.048576))
    assert third.conditions == (("nodes", "2"), ("users", "8"), ("block", "1MiB"), ("op", "read"))
    assert third.cell == "own/nodes=2 users=8 block=1MiB op=read/throughput"
    assert (third.line, third.table) == (4, "own.csv")


def test_a_table_may_have_other_measures_and_half_widths(tmp_path):
    table = "measure,value,half_width,unit\nthroughput,100,20,MB/s\ndust,0.3,0.002,ms\n"
    throughput, dust = figures(write(tmp_path, "own.csv", table))
    assert (throughput.value, throughput.half_width, throughput.row) == (100.0, 20.0, "-")
    assert (dust.measure, dust.unit, dust.half_width) == ("dust", "µs", 2.0)
    assert dust.value == pytest.approx(300.0)


@pytest.mark.parametrize(
    "table", [OWN.replace("\n", "\r\n"), OWN.removesuffix("\n"), "\ufeff" + OWN, OWN.replace(",", " , ")]
)
def test_marks_added_by_spreadsheets_and_editors_are_ignored(tmp_path, table):
    assert summary(write(tmp_path, "own.csv", table)) == summary(write(tmp_path, "plain.csv", OWN))


def test_a_folder_of_dd_is_read():
    dataset = figures(EXAMPLES / "dd", nodes=1)
    assert [(each.row, each.table, each.line) for each in dataset] == [
        ("nodes=1 users=1 block=1MiB op=write", "users=1,block=1MiB,op=write.txt", 4),
        ("nodes=1 users=1 block=8KiB op=write", "users=1_block=8KiB_op=write.txt", 3),
        ("nodes=1 users=2 block=1MiB op=read direct_io=no", "users=2_block=1MiB_op=read_direct_io=no.log", 3),
    ]
    rates = [2**30 / 3.4e6, 2**30 / 5.3125e6, 2**30 / 2.65e6 + 2**30 / 2.5e6]
    assert [each.value for each in dataset] == pytest.approx(rates)
    shares = [0.05 / 3.4, 0.00005 / 5.3125]
    assert [each.half_width / each.value for each in dataset[:2]] == pytest.approx(shares)
    assert dataset[2].half_width == pytest.approx(2**30 / 2.65e6 * 0.005 / 2.65 + 2**30 / 2.5e6 * 0.05 / 2.5)


def test_results_of_fio_are_read():
    assert summary(EXAMPLES / "fio" / "after-another.json") == [
        ("users=4 block=8KiB op=write", 640.0),
        ("users=8 block=8KiB op=read", 800.0),
    ]
    (clones,) = figures(EXAMPLES / "fio" / "clones.json")
    assert (clones.value, clones.half_width, clones.line) == pytest.approx((900.0, 1.5e-6, 12))


def test_a_folder_of_fio_is_read_as_one():
    dataset = read(EXAMPLES / "fio", MILL, {})
    assert (dataset.name, len(dataset.measurements)) == ("fio", 3)


def test_other_systems_name_their_processes_otherwise(tmp_path):
    (found,) = figures(EXAMPLES / "fio" / "clones.json", SIEVE)
    assert (found.row, found.unit) == ("streams=3", "MiB/s")
    assert found.value == pytest.approx(900e6 / 2**20)
    dd = (EXAMPLES / "dd" / "users=1_block=8KiB_op=write.txt").read_text()
    write(tmp_path, "streams=2.txt", dd * 2)
    assert figures(tmp_path, SIEVE)[0].value == pytest.approx(2 * 2**30 / 5.3125 / 2**20)


FIRST = "1,8KiB,write,205,MB/s"

TABLES = {
    "empty file": (OWN, "", "line 1 has no column 'value'"),
    "no rows": (OWN, "value,unit\n", "line 2 is absent", "cut short"),
    "unknown column": ("users,", "usrs,", "line 1, column 1 is 'usrs'", "did you mean 'users'?"),
    "column twice": ("users,block", "users,users", "line 1, column 2 is 'users' again"),
    "semicolons": (OWN, OWN.replace(",", ";"), "line 1 is 'users;block;op;value;unit'", "';' between", "commas"),
    "tabs": (OWN, OWN.replace(",", "\t"), r"'\t' between the columns", "allowed: commas"),
    "no unit": (OWN, OWN.replace(",unit", "").replace(",MB/s", ""), "line 1 has no column 'unit'"),
    "no value": (",value", "", "line 1 has no column 'value'"),
    "file cut in a row": (",read,800.0,MiB/s\n", "", "line 4 has 2 cells", "allowed: 5", "cut short"),
    "file cut in the unit": ("MiB/s\n", "Mi", "line 4: unit is 'Mi'", "allowed for throughput: MB/s"),
    "file cut in a number": (OWN, "unit,value\nMB/s,88", "line 2 does not end", "cut short"),
    "quote left open": ("4,8KiB", '4,"8KiB', "line 4", "quote"),
    "unit is missing": (FIRST, FIRST.replace("MB/s", ""), "line 2: unit is missing", "205"),
    "unit is unknown": (FIRST, FIRST.replace("MB/s", "sacks/s"), "line 2: unit is 'sacks/s'", "MB/s"),
    "unit of another kind": (FIRST, FIRST.replace("MB/s", "ms"), "line 2: unit is 'ms'", "MB/s"),
    "unit with a number": (FIRST, FIRST.replace("MB/s", "2 MB/s"), "line 2: unit is '2 MB/s'"),
    "unit beyond the registry": (FIRST, FIRST.replace("MB/s", "MB/s^9**9**9"), "line 2: unit is"),
    "setting is not allowed": (FIRST, FIRST.replace("1,", "0,"), "line 2: users is '0'", "from 1 to 64"),
    "setting is empty": (FIRST, FIRST.replace("1,", ",", 1), "line 2: users is ''", "from 1 to 64"),
    "word is unknown": ("write,0.65", "writ,0.65", "line 3: op is 'writ'", "did you mean 'write'?"),
    "value is empty": ("205", "", "line 2: value is ''", "a number"),
    "value is no number": ("205", "2O5", "line 2: value is '2O5'", "a number"),
    "value with a unit": ("205", "205 MB/s", "line 2: value is '205 MB/s'", "column unit"),
    "value is nan": ("205", "nan", "line 2: value is 'nan'", "a number"),
    "value is infinite": ("205", "1e999", "line 2: value is '1e999'", "a number"),
    "value overflows": (FIRST, FIRST.replace("205,MB", "1e308,GB"), "line 2: value is '1e308'", "to 1e+18"),
    "value is negative": ("205", "-205", "line 2: value is '-205'", "a number"),
    "value is zero": ("205", "0", "line 2: value is '0'; allowed: a number above 0"),
    "value is next to nothing": ("205", "1e-309", "line 2: value is '1e-309'", "from 1e-18"),
    "value is too long to show": ("205", "2" + 5000 * "O", "line 2: value is '2OOOO"),
    "figure twice": ("4,8KiB", "1,8192", "line 3", "same settings as", "line 2"),
    "beyond the ceiling": ("205", "2001", "line 2: throughput is 2001 MB/s", "at most 2000 MB/s (one stone"),
    "beyond it in its unit": ("0.65", "20", "line 3: throughput is 20 GB/s", "at most 2000 MB/s"),
    "no text": (OWN, OWN.encode().replace(b"MB/s", b"\xb5s"), "line 2 has the byte 0xb5", "UTF-8"),
    "another encoding": (OWN, OWN.encode("utf-16"), "line 1 has the byte 0xff", "UTF-8"),
}


@pytest.mark.parametrize("case", TABLES)
def test_refuses_a_table(tmp_path, case):
    old, new, *expected = TABLES[case]
    assert old in OWN
    path = write(tmp_path, "own.csv", new if isinstance(new, bytes) else OWN.replace(old, new, 1))
    message = refusal(path)
    for part in (str(path), *expected):
        assert part in message


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "measure,value,unit\noutput,1,MB/s\n",
            "measure is 'output'; did you mean 'throughput'? allowed: dust, mean, p50, p95, p99, throughput",
        ),
        ("half_width,value,unit\n36,35,MB/s\n", "half_width is 36.0; allowed: at most the value, 35"),
        ("half_width,value,unit\n,35,MB/s\n", "half_width is ''; allowed: a number"),
        ("half_width,value,unit\n0,35,MB/s\n", "half_width is '0'; allowed: a number above 0"),
    ],
)
def test_refuses_a_cell_of_an_optional_column(tmp_path, table, expected):
    assert f"own.csv, line 2: {expected}" in refusal(write(tmp_path, "own.csv", table))


def test_a_rounded_figure_may_touch_the_ceiling(tmp_path):
    assert figures(write(tmp_path, "own.csv", "value,unit\n2000.4,MB/s\n"), nodes=2)
    assert figures(write(tmp_path, "own.csv", "value,half_width,unit\n2010,10,MB/s\n"))


def test_a_system_without_ceilings_refuses_no_figure(tmp_path):
    assert figures(write(tmp_path, "own.csv", "value,unit\n2e9,MB/s\n"), SIEVE)


def test_refuses_a_value_that_no_system_has_once_it_is_converted(tmp_path):
    message = refusal(write(tmp_path, "own.csv", "value,unit\n1e18,GiB/s\n"), SIEVE)
    assert "line 2: value is 1.024e+21; allowed: a number above 0, from 1e-18 to 1e+18 in its unit" in message


def test_a_setting_is_given_in_one_place(tmp_path):
    message = refusal(write(tmp_path, "own.csv", OWN), users=4)
    assert "own.csv, line 2: users is '1', yet users=4 is given" in message
    assert "no setting 'user'; did you mean 'users'?" in refusal(write(tmp_path, "own.csv", OWN), user=4)


@pytest.mark.parametrize(("name", "expected"), [("own.txt", "no measurement"), ("nothing.csv", "cannot be read")])
def test_files_without_measurements_are_refused(tmp_path, name, expected):
    assert expected in refusal(tmp_path / name)


def test_refuses_an_empty_folder(tmp_path):
    assert "is empty" in refusal(tmp_path)


IN, OUT = "131072+0 records in\n", "131072+0 records out\n"
COPIED = "1073741824 bytes (1.1 GB) copied, 5.3125 s, 202 MB/s\n"
DD = IN + OUT + COPIED

RESULTS = {
    "empty file": ("", "has no result", "run dd again"),
    "cut before the bytes": (IN + OUT, "line 2", "0 times 'bytes copied'", "cut short"),
    "second result cut": (DD + IN, "line 4", "2 times 'records in'", "1 times 'bytes copied'"),
    "cut in the bytes": (IN + OUT + COPIED[:40], "line 3: '1073741824 bytes", "allowed:"),
    "cut in the rate": (IN + OUT + COPIED[:-4], "line 3: '1073741824 bytes", "allowed:"),
    "only progress": ("\r" + COPIED, "has no result"),
    "an error": ("dd: error writing 'f': No space left on device\n" + DD, "line 1: 'dd: error writing"),
    "a comma in the number": (DD.replace("5.3125 s", "5,3125 s"), "line 3", "LC_ALL=C"),
    "no bytes": ("0 bytes copied, 4e-05 s, 0.0 kB/s\n", "line 1", "run dd for longer"),
    "no time": ("10 bytes copied, 0 s, 1.0 kB/s\n", "line 1", "run dd for longer"),
    "a process too many": (DD * 2, "line 3: results of 2 processes; nodes=1 users=1 means 1"),
    "beyond the ceiling": (
        DD.replace("5.3125", "0.053"),
        "line 3: throughput is 20,259.3 MB/s; allowed: at most 2000",
    ),
    "no text": (DD.encode() + b"\xff", "line 4 has the byte 0xff"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_refuses_a_result_of_dd(tmp_path, case):
    text, *expected = RESULTS[case]
    path = write(tmp_path, "users=1_block=8KiB.txt", text)
    message = refusal(tmp_path)
    for part in (str(path), *expected):
        assert part in message


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("notes.txt", "'notes' is not a setting"),
        ("users=1_users=1", "setting 'users' is given twice"),
        ("users=_op=read", "'users=' is not a setting"),
        ("usrs=1.txt", "no setting 'usrs'; did you mean 'users'?"),
        ("users=1_op=raed.txt", "op is 'raed'; did you mean 'read'?"),
        ("users=two.txt", "users is 'two'; allowed: a whole number"),
    ],
)
def test_refuses_a_name_that_says_no_settings(tmp_path, name, expected):
    path = write(tmp_path, name, DD)
    message = refusal(tmp_path)
    assert str(path) in message
    assert expected in message


def test_refuses_the_same_settings_in_two_files(tmp_path):
    write(tmp_path, "users=1.txt", DD)
    write(tmp_path, "users=1_nodes=1.txt", DD)
    assert "users=1_nodes=1.txt, line 3 measures throughput under the same settings as" in refusal(tmp_path)


def test_refuses_a_folder_in_a_folder(tmp_path):
    (tmp_path / "users=1").mkdir()
    assert "users=1 is a folder; name a file" in refusal(tmp_path)


def change(*keys, to):
    """An edit that gives an entry of fio's results another value, or takes it out for None."""

    def edit(whole):
        output, (*parents, last) = whole, keys
        for key in parents:
            output = output[key]
        if to is None:
            del output[last]
        else:
            output[last] = to
        return whole

    return edit


def option(name, text, job=0):
    return change("jobs", job, "job options", name, to=text)


JOBS = {
    "random": (option("rw", "randwrite"), "line 15: job 'write-8k': rw is 'randwrite'", "for mill: read, write"),
    "mixed": (option("rw", "randrw"), "line 15: job 'write-8k': rw is 'randrw'", "for mill: read, write"),
    "trimmed": (option("rw", "trim"), "line 15: job 'write-8k': rw is 'trim'", "for mill: read, write"),
    "deep queue": (option("iodepth", "32"), "line 15: job 'write-8k': iodepth is '32'", "allowed: 1"),
    "limited": (option("rate", "10m"), "line 15: job 'write-8k': rate is '10m'"),
    "two sizes": (option("bs", "8k,16k"), "line 15: job 'write-8k': bs is '8k,16k'"),
    "a size that fio takes for 8000": (option("bs", "8KiB"), "bs is '8KiB'", "such as 8k"),
    "failed": (change("jobs", 0, "error", to=28), "line 15: job 'write-8k' ended with error 28"),
    "no bytes a second": (change("jobs", 1, "read", "bw_bytes", to=None), "line 46", "bw_bytes is missing"),
    "nothing moved": (change("jobs", 1, "read", "bw_bytes", to=0), "line 46: job 'read-8k' moved nothing"),
    "negative": (change("jobs", 0, "write", "bw_bytes", to=-1), "line 15", "bw_bytes is -1"),
    "no options": (change("jobs", 0, "job options", to=None), "line 15", "job options is missing"),
    "no jobs": (change("jobs", to=[]), "line 1: jobs is []", "at least 1"),
    "at the same time": (option("stonewall", None, 1), "line 46: group 1 ran beside another"),
    "not alike": (change("jobs", 1, "groupid", to=0), "line 46: job 'read-8k' ran beside another with other"),
    "processes are no number": (option("numjobs", "4x"), "line 15: job 'write-8k': numjobs is '4x'"),
    "beyond the ceiling": (change("jobs", 0, "write", to={"bw_bytes": 9 * 10**9}), "line 15", "at most 2000"),
    "bytes a second that are not its I/Os": (
        change("jobs", 0, "write", "bw_bytes", to=660_000_000),
        "line 15: job 'write-8k': iops 78125 of 8192 bytes",
        "bw_bytes says 660,000,000; is a figure or its unit wrong?",
    ),
    "bytes a second that are not its bytes": (
        change("jobs", 0, "write", to={"bw_bytes": 1, "io_bytes": 640_000_000, "runtime": 1000}),
        "line 15: job 'write-8k': io_bytes 640000000 in 1 s",
        "bw_bytes says 1;",
    ),
}


@pytest.mark.parametrize("case", JOBS)
def test_refuses_a_result_of_fio(tmp_path, case):
    edit, *expected = JOBS[case]
    output = json.loads((EXAMPLES / "fio" / "after-another.json").read_text())
    edit(output)
    path = write(tmp_path, "own.json", json.dumps(output, indent=2))
    message = refusal(path)
    for part in (str(path), *expected):
        assert part in message


def test_refuses_results_of_fio_cut_short(tmp_path):
    text = (EXAMPLES / "fio" / "clones.json").read_text()
    line = text[:900].count("\n") + 1
    assert f"own.json: its text is cut short at line {line}, column " in refusal(
        write(tmp_path, "own.json", text[:900])
    )
    output = json.loads(text)
    del output["jobs"][1]
    message = refusal(write(tmp_path, "own.json", json.dumps(output)))
    assert (
        "job 'clones' has 2 results; allowed: 1 (group_reporting), or 3 as numjobs says; is the file cut short?"
        in message
    )


def test_text_around_the_json_of_fio_is_ignored(tmp_path):
    """As ``--output-format=normal,json`` writes it."""
    text = (EXAMPLES / "fio" / "clones.json").read_text()
    around = f"clones: (g=0): rw=write\nStarting 3 processes\n{text}\nRun status group 0 (all jobs):\n  {{odd}}\n"
    (plain,), (found,) = (figures(write(tmp_path, "own.json", each)) for each in (text, around))
    assert found == plain.model_copy(update={"line": plain.line + 2})


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda _output: None, "its text is null; allowed: names with values"),
        (change("jobs", to={}), "line 1: jobs is {}; allowed: a list"),
        (change("jobs", 0, to=[]), "jobs.0 is []; allowed: names with values"),
        (change("jobs", 0, "groupid", to="x"), "jobs.0.groupid is 'x'; allowed: a whole number"),
        (change("jobs", 0, "job options", "bs", to=True), "jobs.0.job options.bs is true; allowed: text"),
    ],
)
def test_messages_are_in_our_words(tmp_path, edit, expected):
    output = json.loads((EXAMPLES / "fio" / "after-another.json").read_text())
    edited = edit(output)
    message = refusal(write(tmp_path, "own.json", json.dumps(edited, indent=2)))
    assert expected in message
    assert "Input" not in message


@pytest.mark.parametrize("name", ["users=1_block=8KiB.txt", "own.json"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    assert f"{name} is no regular file; name a file" in refusal(tmp_path)


def test_results_of_fio_are_those_of_one_machine():
    message = refusal(EXAMPLES / "fio" / "clones.json", nodes=2)
    assert "results of 3 processes; nodes=2 users=3 means 6" in message


def test_a_system_without_op_knows_no_random_io(tmp_path):
    text = (EXAMPLES / "fio" / "clones.json").read_text().replace('"write",', '"randwrite",')
    message = refusal(write(tmp_path, "own.json", text), SIEVE)
    assert "rw is 'randwrite'; allowed for sieve: read, write" in message


@dataclass(frozen=True)
class QuernSettings:
    jobs: int = count(1, "querns", high=64, role="clients")
    op: str = choice("read", "which way", ("read", "write", "mixed"))
    order: str = choice("random", "of grains", ("random", "sequential"))
    read_share: float = number(0.5, "of mixed")


QUERN = System("quern", "a quern", Settings.of(QuernSettings), Parameters(()), grind)
"""A system that knows every workload of fio."""


def of_fio(folder, **options):
    """The results of one job with these options; it read 100 MB/s and wrote 300 MB/s."""
    output = json.loads((EXAMPLES / "fio" / "after-another.json").read_text())
    job = output["jobs"][0]
    job["job options"] |= {"numjobs": "1", **options}
    for side, moved in (("read", 100_000_000), ("write", 300_000_000)):
        job[side] = {"bw_bytes": moved}
    return write(folder, "own.json", json.dumps(output | {"jobs": [job]}))


@pytest.mark.parametrize(
    ("options", "settings", "value"),
    [
        ({"rw": "read"}, "jobs=1 op=read order=sequential", 100.0),
        ({"rw": "randread"}, "jobs=1 op=read order=random", 100.0),
        ({"rw": "write"}, "jobs=1 op=write order=sequential", 300.0),
        ({"rw": "randwrite"}, "jobs=1 op=write order=random", 300.0),
        ({"rw": "rw"}, "jobs=1 op=mixed order=sequential read_share=0.5", 400.0),
        ({"rw": "readwrite", "rwmixwrite": "75"}, "jobs=1 op=mixed order=sequential read_share=0.25", 400.0),
        ({"rw": "randrw", "rwmixread": "25"}, "jobs=1 op=mixed order=random read_share=0.25", 400.0),
    ],
)
def test_every_workload_of_fio_is_known_to_a_system_that_can_do_it(tmp_path, options, settings, value):
    assert summary(of_fio(tmp_path, **options), QUERN) == [(settings, value)]


@pytest.mark.parametrize(
    ("stack", "options", "settings", "value"),
    [
        ("nvme-xfs", {"rw": "randread", "iodepth": "8"}, "jobs=1 depth=8 block=8KiB op=read", 100.0),
        ("nvme-xfs", {"rw": "write"}, "jobs=1 depth=1 block=8KiB op=write", 300.0),
        ("nvme-xfs", {"rw": "randrw"}, "jobs=1 depth=1 block=8KiB op=mixed", 400.0),
        ("shared-ext4", {"rw": "randwrite"}, "jobs=1 block=8KiB", 300.0),
    ],
)
def test_a_stack_reads_and_writes_in_any_order(tmp_path, stack, options, settings, value):
    assert summary(of_fio(tmp_path, direct="1", **options), find(stack)) == [(settings, value)]


def test_mix_of_shared_and_own_files_is_neither():
    stack = find("nvme-xfs")
    assert fio_options.files({"a", "b"}, 2, stack) == {"files": "each"}
    assert fio_options.files({"a", "b"}, 3, stack) == {}


@pytest.mark.parametrize(
    ("options", "files"),
    [
        ({"numjobs": "4", "filename": "/data/f"}, "files=shared"),
        ({"numjobs": "4", "filename_format": "f"}, "files=shared"),
        ({"numjobs": "4", "filename_format": "f.$jobnum"}, "files=each"),
        ({"numjobs": "4"}, "files=each"),
        ({"numjobs": "4", "filename": "/dev/sdb"}, ""),
        ({"numjobs": "1", "filename": "/data/f"}, ""),
    ],
)
def test_processes_of_fio_share_a_file_or_have_one_each(tmp_path, options, files):
    path = of_fio(tmp_path, direct="1", rw="randread", **options)
    ((settings, _),) = summary(path, find("nvme-xfs"))
    assert settings.endswith(f"op=read {files}".rstrip())
    assert "files" not in summary(path, QUERN)[0][0]


@pytest.mark.parametrize(
    ("stack", "options", "expected"),
    [
        ("nvme-xfs", {"rw": "trim"}, "rw is 'trim'; allowed for nvme-xfs: read, write, rw, readwrite, randread"),
        ("nvme-xfs", {"rw": "randrw", "rwmixread": "70"}, "70% of it are reads; allowed for nvme-xfs: 50%"),
        ("nvme-xfs", {"rw": "read"}, "direct=0, so it went through a page cache, which nvme-xfs has not"),
        ("nvme-xfs", {"rw": "read", "buffered": "1"}, "buffered=1, so it went through a page cache"),
        (
            "nvme-xfs",
            {"rw": "write", "fsync": "1"},
            "fsync=1; nvme-xfs flushes nothing, and has no setting for it",
        ),
        ("postgresql", {"rw": "write", "fsync": "1"}, "fsync=1; postgresql writes as fdatasync does"),
        ("postgresql", {"rw": "write", "fdatasync": "2"}, "fdatasync=2; postgresql writes as fdatasync does"),
        ("postgresql", {"rw": "write"}, "no write is durable; postgresql writes as fdatasync does"),
        ("nvme-xfs", {"rw": "rw", "rwmixread": "most"}, "rwmixread is 'most'; allowed: a whole number"),
        ("shared-ext4", {"rw": "read"}, "rw is 'read'; allowed for shared-ext4: write, randwrite"),
        (
            "fuse-passthrough",
            {"rw": "rw"},
            "rw is 'rw'; allowed for fuse-passthrough: read, write, randread, randw",
        ),
    ],
)
def test_a_workload_that_a_stack_has_not_is_refused_by_name(tmp_path, stack, options, expected):
    assert f"job 'write-8k': {expected}" in refusal(of_fio(tmp_path, **options), find(stack))
