"""The kind ``file``: which writes of one file happen at once, by file system, kernel and state of the blocks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layers import Below, engines_agree, layer_of, made, model_of, per_second
from models.io import FileIO
from models.parts.file.lock import File
from models.parts.file.lock_rules import EXTENTS, FILE_SYSTEMS, lock_rule
from models.parts.host.nodes import Nodes
from sim import InputError, ModelError
from sim.engine.analytic.solve import solve
from sim.system import Settings

ALIGNED, UNALIGNED = 4096, 512


def write(aligned_bytes=ALIGNED, **changes):
    return lambda process: FileIO("write", 4096, process=process, aligned_bytes=aligned_bytes, **changes)


def at_once(io=None, **fields):
    """Number of two writers that write at once."""
    layer = layer_of(File, wake=0.0, **fields)
    return per_second(model_of(layer, io or write(), 2)) * 1e-3


@pytest.mark.parametrize(
    ("filesystem", "kernel", "extents", "aligned", "others"),
    [
        ("xfs", "5.11", "written", True, False),
        ("xfs", "5.12", "written", True, True),
        ("xfs", "5.12", "preallocated", True, False),
        ("xfs", "5.12", "unwritten", True, False),
        ("xfs", "5.12", "extending", True, False),
        ("ext4", "3.5", "written", False, False),
        ("ext4", "3.6", "written", True, True),
        ("ext4", "5.4", "preallocated", False, False),
        ("ext4", "5.5", "written", True, False),
        ("ext4", "6.2", "preallocated", False, False),
        ("ext4", "6.3", "preallocated", True, False),
        ("ext4", "6.3", "written", True, False),
        ("ext4", "6.4", "written", True, True),
        ("ext4", "6.4", "preallocated", True, False),
        ("ext4", "6.4", "unwritten", False, False),
        ("ext4", "6.4", "extending", False, False),
        ("ext4", "6.10", "preallocated", True, False),
    ],
)
def test_the_rule_of_each_kernel(filesystem, kernel, extents, aligned, others):
    """True where direct writes share the lock: those in whole blocks, and others."""
    of = {"filesystem": filesystem, "kernel": kernel, "extents": extents, "files": "shared"}
    assert at_once(**of) == pytest.approx(2 if aligned else 1)
    assert at_once(write(UNALIGNED), **of) == pytest.approx(2 if others else 1)


def test_each_process_has_a_file_of_its_own_wherever_it_runs():
    files = layer_of(File, access="buffered", files="each", wake=0.0)
    assert per_second(model_of(layer_of(Nodes, files), write(), 4)) * 1e-3 == pytest.approx(4)


def test_write_behind_the_end_is_an_append():
    appends = write(appends=True)
    assert at_once(appends, filesystem="ext4", kernel="6.4", files="shared") == pytest.approx(1)
    assert at_once(appends, filesystem="xfs", kernel="6.4", files="shared") == pytest.approx(2)


@pytest.mark.parametrize(
    ("files", "io_file", "expected"),
    [
        ("each", lambda _: 0, 2),
        ("shared", lambda process: process, 1),
        ("load", lambda _: 0, 1),
        ("load", lambda process: process, 2),
    ],
)
def test_files_are_shared_or_separate(files, io_file, expected):
    below = Below()
    layer = layer_of(File, below, access="buffered", files=files, wake=0.0)
    model = model_of(layer, lambda process: FileIO("write", 4096, process=process, file=io_file(process)), 2)
    assert per_second(model) * 1e-3 == pytest.approx(expected)
    assert len({io.file for io in below.seen}) == expected


def test_a_flush_takes_no_lock_and_all_other_fields_survive():
    below = Below()
    layer = layer_of(File, below, access="buffered", files="shared", wake=0.0)
    asked = FileIO("flush", 0, process=3, durable="data", appends=True)
    assert layer.path(asked) == below.path(asked)
    assert below.seen[0] == asked


def test_a_writer_that_slept_at_the_lock_has_to_wake_up():
    layer = layer_of(File, access="buffered", files="shared", wake="500us")
    assert per_second(model_of(layer, write(), 1)) == pytest.approx(1000)
    assert per_second(model_of(layer, write(), 3), precision=0.01) == pytest.approx(1 / 1.5e-3, rel=0.02)


@pytest.mark.parametrize("wake", ["0us", "300us"])
def test_engines_agree(wake):
    layer = layer_of(File, filesystem="ext4", kernel="5.5", files="shared", wake=wake)
    sizes = [ALIGNED, UNALIGNED, ALIGNED]
    assert engines_agree(model_of(layer, lambda process: write(sizes[process])(process), 3))


def test_analytic_engine_answers_without_sleeping_writers_and_refuses_with_them():
    alone = layer_of(File, access="buffered", files="shared", wake=0.0)
    result = solve(model_of(alone, write(), 3)).result("all", seed=1)
    assert result.throughput.low <= 1000 <= result.throughput.high
    asleep = layer_of(File, filesystem="ufs", access="buffered", files="shared")
    with pytest.raises(ModelError, match="asks whether anything is at lock"):
        solve(model_of(asleep, write(), 3))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"kernel": "six"}, r"kernel is 'six'; allowed: a release of Linux from 2\.6 to 9\.99"),
        ({"kernel": 6.1}, r"kernel is '6.1'; allowed: .* in quotes"),
        ({"filesystem": "xf5"}, "filesystem is 'xf5'; .*did you mean 'xfs'"),
        ({"extents": "writen"}, "did you mean 'written'"),
        ({"access": "odm"}, "no access 'odm' to xfs; allowed: buffered, direct"),
    ],
)
def test_a_wrong_field_is_refused_in_one_line(fields, line):
    with pytest.raises(InputError, match=line):
        layer_of(File, **fields)


@pytest.mark.parametrize("filesystem", FILE_SYSTEMS)
def test_overwrites_share_wherever_other_writes_do_and_every_rule_has_a_source(filesystem):
    kernels = [(2, 6), (3, 0), (3, 6), (5, 4), (5, 5), (5, 12), (6, 3), (6, 4)]
    for access in FILE_SYSTEMS[filesystem]:
        for kernel in kernels:
            rules = {
                (extents, aligned): lock_rule(filesystem, access, aligned=aligned, kernel=kernel, extents=extents)
                for extents in EXTENTS
                for aligned in (True, False)
            }
            assert all(rule.source for rule in rules.values())
            for (_, aligned), rule in rules.items():
                assert rule.write in (rules["written", aligned].write, "exclusive")
                assert rule.write in (rules["written", True].write, "exclusive")


def test_every_field_is_described():
    assert all(setting.help for setting in Settings.of(type(made(File))))


def test_the_document_lists_the_rules_of_direct_writes():
    text = (Path(__file__).parents[4] / "docs" / "layers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (xfs|ext4) \| (\d)\.(\d+) \| ([\w, ]+) \| ([\w, ]+) \| .* \|$", text, re.MULTILINE)
    assert len(rows) == 8
    for filesystem, major, minor, *shown in rows:
        for aligned, written in zip((True, False), shown, strict=True):
            rules = {
                extents: lock_rule(
                    filesystem, "direct", aligned=aligned, kernel=(int(major), int(minor)), extents=extents
                )
                for extents in EXTENTS
            }
            shared = [extents for extents, rule in rules.items() if rule.write == "shared"]
            named = {"all": list(EXTENTS), "none": []}.get(written, written.split(", "))
            assert named == shared
