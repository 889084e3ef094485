"""Block traces: what is read, what is refused, that nothing is kept, and both engines on one."""

from __future__ import annotations

import os
import tracemalloc

import pytest

from models.systems.array import ARRAY
from models.workloads.block_trace import KINDS, TracedGaps, TracedPages, records, replay
from sim import InputError, Model
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.prediction import RunOptions, predict
from sim.system.settings import complete

LINES = """time,op,offset,bytes
100.5,read,8192,8192
100.5,write,0,4096
100.6, READ ,16384,100
100.60031,write,1000,20000
100.7,write,4096,1
"""


@pytest.fixture
def trace(tmp_path):
    def written(text):
        file = tmp_path / "trace.csv"
        file.write_text(text, encoding="utf-8")
        return file

    return written


def test_lines_become_records(trace):
    assert [tuple(each) for each in records(trace(LINES))] == [
        (0, "read", False, 8192, 16384),
        (0, "write", False, 0, 4096),
        (100_000_000, "read", True, 16384, 16484),
        (100_310_000, "write", False, 1000, 21000),
        (200_000_000, "write", False, 4096, 4097),
    ]


def test_accesses_are_pages_with_the_time_of_their_line(trace):
    file = trace(LINES)
    writes = TracedPages(file, 8192, ("write", False)), TracedGaps(file, 8192, ("write", False))
    pages, gaps = (next(source.blocks(None, 8)).tolist() for source in writes)
    assert pages == [0, 0, 1, 2, 0, 0, 0, 0]
    assert gaps == [0, 100_310_000, 0, 0, 99_690_000, 0, 0, 0]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1,read,0", "line 3: '1,read,0' has 3 fields; allowed: time,op,offset,bytes"),
        ("", "line 3 is empty; allowed: time,op,offset,bytes"),
        ("1 read 0 1", "line 3: '1 read 0 1' has 1 field; allowed: time,op,offset,bytes"),
        ("x" * 300, "line 3 is longer than 200 characters"),
        ("x,read,0,1", "line 3: time is 'x'; allowed: seconds from 0 to 999999999999, written out, such as"),
        ("1e9,read,0,1", "line 3: time is '1e9'; allowed: seconds from 0"),
        ("1000000001,read,0,1", "line 3: time 1e+09 is more than 1e+09 seconds after the first line's"),
        ("-1,read,0,1", "line 3: time is '-1'"),
        ("nan,read,0,1", "line 3: time is 'nan'"),
        ("1,erase,0,1", "line 3: op is 'erase'; allowed: read, write"),
        ("1,read,1.5,1", "line 3: offset is '1.5'; allowed: a whole number of bytes"),
        ("1,read,-8,1", "line 3: offset is '-8'"),
        ("1,read,0,0", "line 3: bytes is '0'; allowed: a whole number from 1 to 1073741824 (1 GiB)"),
        (f"1,read,0,{1 << 50}", "line 3: bytes is '1125899906842624'; allowed: a whole number from 1 to"),
        ("1,read,0,1e3", "line 3: bytes is '1e3'"),
        ("0.1,read,0,1", "line 3: time 0.1 comes after 0.5; put the lines in order of time"),
        ("time,op,offset,bytes", "line 3: time is 'time'"),
    ],
)
def test_a_broken_line_is_refused_by_its_number(trace, line, what):
    file = trace(f"time,op,offset,bytes\n0.5,read,0,8\n{line}\n2,read,0,8\n")
    with pytest.raises(InputError) as caught:
        predict(ARRAY, {"trace": str(file)}, intervals=False)
    assert str(caught.value).startswith(f"{file}, {what}")
    assert "\n" not in str(caught.value)


def test_a_last_line_without_end_is_refused(trace):
    file = trace("0.5,read,0,8\n2,read,0,81")
    with pytest.raises(InputError, match="line 2 does not end; is the file cut short"):
        list(records(file))


def test_a_pipe_is_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="no regular file"):
        list(records(pipe))
    with pytest.raises(InputError, match="allowed: a file that can be read"):
        predict(ARRAY, {"trace": str(pipe)}, intervals=False)


@pytest.mark.parametrize("setting", [{"users": 4}, {"noise": True}, {"data": 1 << 30}])
def test_a_load_beside_the_trace_that_replaces_it_is_refused(trace, setting):
    with pytest.raises(InputError, match="has no effect beside a trace"):
        predict(ARRAY, {"trace": str(trace(LINES)), **setting}, intervals=False)


def test_heading_omits_the_replaced_load(trace):
    shown = predict(ARRAY, {"trace": str(trace(many(500)))}, RunOptions(precision=0.3), intervals=False).shown
    assert {shown[name] for name in ("users", "read", "skew", "noise", "data")} == {"(trace)"}
    assert shown["disks"] == "30"


def test_a_file_without_lines_is_refused(trace):
    with pytest.raises(InputError, match="has no line of time,op,offset,bytes"):
        predict(ARRAY, {"trace": str(trace("time,op,offset,bytes\n"))}, intervals=False)


def test_a_file_that_is_absent_is_refused():
    with pytest.raises(InputError, match=r"trace is 'nowhere\.csv'; allowed: a file that can be read, or none"):
        predict(ARRAY, {"trace": "nowhere.csv"}, intervals=False)


def many(count):
    ops = ("read", "read", "write")
    lines = (f"{number / 2000:.6f},{ops[number % 3]},{number * 7919 % 800 * 8192},8192" for number in range(count))
    return "\n".join(lines) + "\n"


def test_every_line_is_replayed_and_its_time_kept(trace):
    prediction = predict(
        ARRAY, {"trace": str(trace(many(3_000))), "cache": 8 << 20}, RunOptions(precision=0.05), intervals=False
    )
    group = prediction.result.groups["trace"]
    assert group.completed == 3_000
    assert prediction.result.elapsed.value == pytest.approx(1.5, abs=0.2)
    assert 0.0 < group.hit_ratio.value < 1.0


def test_both_engines_replay_a_trace_equally(trace):
    file = trace(many(2_500) + "9,write,0,70000\n9.5,write,70000,70000\n")
    settings = complete(ARRAY.settings, {"trace": str(file), "cache": 8 << 20, "disks": 3})
    model = ARRAY.scenario(settings, ARRAY.parameters).model
    engines = [engine(model, 1, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(10**11)
    assert engines[0].completions == engines[1].completions
    replayed = [each for each in engines[0].completions if not each.workload.startswith("write-back")]
    assert len(replayed) == 2_500 + 9 + 10
    assert engines[0].finished
    assert engines[1].finished


def test_a_long_file_is_never_in_memory(trace):
    file = trace(many(8_000))
    tracemalloc.start()
    workloads = replay(Anywhere(), file, 8192)
    drawn = 0
    for kind in KINDS:
        if any(each.name.startswith(kind[0]) for each in workloads):
            blocks = TracedPages(file, 8192, kind).blocks(None, 1000)
            drawn += sum(len(next(blocks)) for _ in range(5))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(each.count for each in workloads) == 8_000
    assert peak < 100_000 < file.stat().st_size


class Anywhere:
    """A layer that costs a nanosecond."""

    def path(self, io):  # noqa: ARG002  (whatever it is)
        from sim import Delay

        return (Delay(1e-9),)

    def behind(self, io):  # noqa: ARG002
        return []


def test_a_trace_of_the_load_is_the_load(trace):
    """The model of what is replayed has one workload for each kind of access that there is."""
    model = Model(replay(Anywhere(), trace(LINES), 8192))
    assert [each.name for each in model.workloads] == ["reads apart", "reads in runs", "writes apart"]
    assert [each.count for each in model.workloads] == [1, 1, 5]
