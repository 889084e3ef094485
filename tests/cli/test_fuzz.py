"""Whatever is typed, and whatever its files hold: an answer or one line, no file half-written, and soon."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from typer.main import get_command

import command_lines
import damage
from examples import examples
from schemas import command_of, validator
from sim import InputError
from sim.cli import main
from sim.data.fitted import path_in
from sim.data.package import DataPackage
from sim.engine.model import memory
from sim.engine.simulation.simulate import run as run_model
from sim.prediction import sensitivity, structures
from sim.prediction.report import datasets
from sim.system.installed import find
from stacksim.claims import predicted
from stacksim.claims.suspects import in_model

HANGS_S = 120.0
"""Longer work may never come back; runs are short, and most lines answer in milliseconds."""

LONGEST_LINE = 1000
STEPS = 5_000
FIGURES = 2

MEASURED = Path(__file__).parents[1] / "data" / "measured"
PACKAGE = find("dbfs").data_package
OWN = b"users,block,op,value,unit,half_width\n1,8KiB,write,199,MB/s,0.5\n4,1MiB,read,1147,MB/s,0.5\n"
TRACE = b"time,op,offset,bytes\n0.0,read,8192,8192\n0.5,write,0,4096\n0.6,read,16384,100\n0.7,write,4096,8192\n"
DD = (MEASURED / "dd" / "users=1_block=8KiB_op=write.txt").read_bytes()
THERE = b"as it was\n"
CLAIMS = (
    b'[[claim]]\ntext = "crazy"\nsource = "a blog"\ndate = "2007"\nthroughput = "450 MB/s"\nop = "read"\n'
    b'hardware = ["2 x fc-2", "pcie-1-x8"]\n[[claim]]\ntext = "four times"\nsource = "a paper"\niops = "780k"\n'
    b'block = "8KiB"\nlatency = "3 ms"\nratio = "3.9"\nof = "throughput"\n[claim.than]\nthroughput = "1..2 GB/s"\n'
)

VALID = {
    "fit.json": path_in(PACKAGE, "dbfs").read_bytes(),
    "own.csv": OWN,
    "fio.json": (MEASURED / "fio" / "clones.json").read_bytes(),
    "dd/users=1_block=8KiB_op=write.txt": DD,
    "trace.csv": TRACE,
    "fit\x1b[31m.json": path_in(PACKAGE, "dbfs").read_bytes(),
    "trace\x1b[31m.csv": TRACE,
    "prices.toml": b"[users]\npurchase = 5\n",
    "loads.toml": b'[[load]]\nname = "day"\ngoals = ["mean<=1s"]\n',
    "claims.toml": CLAIMS,
    "there.csv": THERE,
    "there.json": THERE,
}

NO_JSON = {"-h", "--help", "--version", "--schema"}
"""Options that are answered instead of the command."""


CONTROL = {*range(32), 127} - {*b"\n"}

TO_OUTPUT = {f"{option}-" for option in ("", "--csv=", "--parquet=", "--picture=", "--html=", "--output=")}
"""Words that send a file to standard output, which may be a picture."""


@dataclass(frozen=True)
class Ran:
    """Result of a command line."""

    line: list[str]
    status: int
    out: bytes
    err: str
    took_s: float


KEPT = ((structures, "_structures"), (structures, "_deciding"), (predicted, "_outcome"), (in_model, "_tried"))
"""Commands that keep the answers of runs."""


def fuzz(in_the_gate):
    # Not explained: that traces each line, and simulations become slow.
    relaxed = {
        "phases": (Phase.explicit, Phase.generate, Phase.shrink),
        "deadline": None,
        "database": None,
        "suppress_health_check": list(HealthCheck),
    }
    return settings(max_examples=examples(in_the_gate), **relaxed)


@pytest.fixture(autouse=True, scope="module")
def _short_work():
    """Runs stay short and small, whatever is asked; a fit is left out, but for what it reads and refuses."""

    def short(model, options, **more):
        return run_model(model, replace(options, max_steps=min(options.max_steps, STEPS)), **more)

    def few(names):
        tables = datasets(names)[: len(names) or 2]
        return [each.model_copy(update={"measurements": each.measurements[:FIGURES]}) for each in tables]

    def calibrate(*_arguments, **_choices):
        raise InputError("the fit itself is left out here")

    def moved(entry):
        return [entry.value + 1.0] if entry.name in ("cores", "disks") else []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.prediction.uncertainty.DRAWS", 2)
        patch.setattr("sim.decision.pairs.PAIRS", 2)
        patch.setattr(sensitivity, "_moved", moved)  # --explain of all parameters is a hundred runs
        for name in ("sim.prediction.solvers.run", "sim.engine.simulation.fixed_length.run"):
            patch.setattr(name, short)
        for module, name in KEPT:  # so that no other test gets answers of short runs
            patch.setattr(module, name, cache(getattr(module, name).__wrapped__))
        patch.setattr("typer.main.get_command", cache(get_command))  # which takes longer than most refusals
        patch.setattr("sim.cli.console.LINE_EVERY_S", math.inf)  # no progress on a machine that has much to do
        patch.setattr(memory, "available_bytes", lambda: float(1 << 29))
        patch.setattr("sim.prediction.report.datasets", few)
        patch.setattr("sim.cli.fit.calibrate", calibrate)
        patch.setattr("sim.prediction.crew.pool", ThreadPoolExecutor)
        patch.setattr("sim.cli.fit.leaving", ThreadPoolExecutor)
        yield


@contextmanager
def folder(contents):
    """Be in a folder of its own with the files ``contents``, and with names that are no files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        here = Path(made) / "work"
        for name in ("dd", "folder", "folder.csv", "folder.json", "folder.png", "empty", "locked"):
            (here / name).mkdir(parents=True)
        for name, content in contents.items():
            (here / name).write_bytes(content)
        for name in ("pipe.json", "pipe.csv"):
            os.mkfifo(here / name)
        (here / "loop.json").symlink_to("loop.json")
        (here / "locked").chmod(0o555)
        os.chdir(here)
        try:
            yield Path(made)
        finally:
            os.chdir(before)


def contents(root):
    """All regular files under ``root``."""
    return {each.relative_to(root / "work"): each.read_bytes() for each in root.rglob("*") if each.is_file()}


def run(line, encoding="utf-8"):
    """Run the command in this process, as its own does."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=name) for name in (encoding, "utf-8"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["stacksim", *line])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setattr(sys, "stdin", io.StringIO())
        begun = time.process_time()
        with pytest.raises(SystemExit) as left:
            main()
        took_s = time.process_time() - begun
    for each in (out, err):
        each.flush()
    return Ran(line, left.value.code, out.buffer.getvalue(), err.buffer.getvalue().decode(), took_s)


def check(ran):
    """Rules for every line: its status, standard error and output, and its time."""
    assert ran.status in ((0, 1, 2) if ran.line[0] in ("find", "claim") else (0, 2)), ran.err
    assert ran.took_s < HANGS_S
    assert CONTROL.isdisjoint(ran.out) or TO_OUTPUT & set(ran.line)
    if ran.status == 2:
        assert ran.out == b""
        (line,) = ran.err.splitlines()[-1:] if "--ask" in ran.line else ran.err.splitlines()
        assert line.startswith("stacksim: ")
        assert line.isprintable()
        assert len(line) <= LONGEST_LINE
    else:
        assert ran.err == ""


def check_json(ran):
    if ran.status == 0 and "--json" in ran.line and not NO_JSON & set(ran.line):
        record = strict(ran.out)
        if not any(word.startswith("--output-format") for word in ran.line):  # the format of fio
            validator(*command_of(ran.line)).validate(record)


def strict(text):
    """Read JSON as other languages do, to which NaN is none."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def check_files(ran, before, after):
    """A file that is new, or changed, is one that was asked for, and whole."""
    assert before.keys() <= after.keys()
    changed = {name: content for name, content in after.items() if before.get(name) != content}
    for name, content in changed.items():
        assert any(word == str(name) or word.endswith(f"={name}") for word in ran.line)
        if name.suffix == ".sqlite" and "sweep" in ran.line:  # which keeps why points are refused, too
            assert content.startswith(b"SQLite format 3\0")
            continue
        assert ran.status in (0, 1), "refused, yet something was written"
        whole(name.suffix.lower(), content, nothing_found=ran.status == 1)


def whole(ending, content, *, nothing_found=False):
    """True if a file of this kind is complete; an empty table is its heading."""
    match ending:
        case ".json":
            strict(content)
        case ".csv":
            rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
            assert len(rows) > 1 or (rows and nothing_found)
            assert {len(row) for row in rows} == {len(rows[0])}
            assert content.endswith(b"\n")
        case ".png":
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
            assert content.endswith(b"IEND\xaeB`\x82")
        case ".svg":
            ET.fromstring(content)  # noqa: S314  (of our own making)
        case ".html":
            assert content.rstrip().endswith(b"</html>")
        case _:
            pytest.fail(f"a file of another kind: {ending}")


def tried(line, given, encoding="utf-8"):
    """Run ``line`` beside the files ``given``, and check all that holds."""
    with folder(VALID | given) as root:
        before = contents(root)
        ran = run(line, encoding)
        event(f"{' '.join({*line[:1]} & command_lines.COMMANDS.keys()) or 'no command'}: {ran.status}")
        check(ran)
        check_json(ran)
        check_files(ran, before, contents(root))


@pytest.mark.long
@fuzz(40)
@given(command_lines.lines(), st.sampled_from(("utf-8", "ascii", "latin-1")))
def test_every_command_line_is_answered_or_refused(line, encoding):
    tried(line, {}, encoding)


READERS = {
    "fit.json": (
        ("predict", "dbfs", "--engine", "analytic", "--json", "--fitted", "fit.json"),
        ("predict", "dbfs", "--precision", "50%", "--fitted", "fit.json"),
        ("sweep", "dbfs", "users=1,2", "--engine", "analytic", "--csv", "-", "--fitted", "fit.json"),
        ("report", "dbfs-dd", "--engine", "analytic", "--cells", "--fitted", "fit.json"),
    ),
    "own.csv": (
        ("fit", "own.csv", "--system", "dbfs"),
        ("fit", "own.csv", "nodes=2", "--system", "dbfs"),
        ("report", "own.csv", "--system", "dbfs", "--engine", "analytic", "--cells"),
    ),
    "fio.json": (("fit", "fio.json", "--system", "dbfs"), ("fit", "fio.json", "--system", "san")),
    "dd/users=1_block=8KiB_op=write.txt": (("fit", "dd", "--system", "dbfs"),),
    "trace.csv": (
        ("predict", "array", "trace=trace.csv", "--precision", "50%", "--json"),
        ("predict", "array", "trace=trace.csv", "page=64KiB", "--engine", "analytic"),
    ),
    "claims.toml": (("claim", "claims.toml"), ("claim", "claims.toml", "--json", "--check")),
}
"""Commands that read a file."""


def damaged(name):
    inner = damage.record if name.endswith(".json") else damage.table
    return damage.files(VALID[name], inner)


@st.composite
def given_files(draw):
    """One file that may be damaged, and a line that reads it."""
    name = draw(st.sampled_from(("fit.json",) * 3 + tuple(READERS)))
    return draw(st.sampled_from(READERS[name])), {name: draw(damaged(name))}


@fuzz(40)
@given(given_files())
def test_every_file_is_used_or_refused(both):
    line, files = both
    tried(list(line), files)


PARTS = {
    name: (PACKAGE / name).read_bytes()
    for name in ("datapackage.json", "measurement.schema.json", "fc-fabric.csv")
}


def package_parts():
    def one(name):
        inner = damage.record if name.endswith(".json") else damage.table
        return damage.files(PARTS[name], inner).map(lambda content: {name: content})

    return st.sampled_from(sorted(PARTS)).flatmap(one)


@fuzz(15)
@given(package_parts())
def test_every_data_package_is_read_or_refused(part):
    with tempfile.TemporaryDirectory() as made:
        for name, content in (PARTS | part).items():
            (Path(made) / name).write_bytes(content)
        begun, line = time.process_time(), ""
        try:
            DataPackage(Path(made)).read("fc-fabric")
        except InputError as error:
            line = str(error)
        assert "\n" not in line
        assert len(line) <= LONGEST_LINE
        assert time.process_time() - begun < HANGS_S


@pytest.mark.parametrize(
    "line",
    [
        ["predict", "d\udcffbfs\x1b[31m"],
        pytest.param(["predict", "dbfs", "--fitted", "x" * 5000], marks=pytest.mark.slow),
        pytest.param(
            ["sweep", "dbfs", "users=1,2", "--engine", "analytic", "--csv", "nowhere/new.csv"],
            marks=pytest.mark.slow,
        ),
        ["predict", "dbfs", "users=NaN", "日本=é", "--json"],
    ],
)
def test_command_lines_in_a_process_are_answered_or_refused(line, tmp_path):
    begun = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "sim.cli", *line],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "utf-8"},
    )
    ended = os.times()
    took_s = ended.children_user + ended.children_system - begun.children_user - begun.children_system
    check(Ran(line, done.returncode, done.stdout, done.stderr.decode(), took_s))
    assert not list(tmp_path.iterdir())
