"""`stacksim sweep`: what varies, from words or a file; stores; rows that are not done; what would be run."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from refusals import refused
from sim.cli import main

TESTS = Path(__file__).parents[1]
OWN = "mine.py:OWN"
QUICK = ("--precision", "20%")

FILE = """
# a comment
system = "dbfs"
engine = "analytic"
pair = ["nodes,cells"]

[settings]
nodes = [1, 2]
cells = [3, 6]
block = ["8KiB", "1MiB"]
op = "write"

[set]
cores = [12, 24]
"""


def made(folder):
    """The files that the command has left in a folder."""
    return sorted(each.name for each in folder.iterdir() if each.name not in ("mine.py", "__pycache__"))


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Call the command in a folder of its own: status, standard output, standard error."""
    (tmp_path / "mine.py").write_text((TESTS / "own_system.py").read_text())
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["stacksim", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return call


def test_settings_that_are_paired_vary_together(run):
    words = ("dbfs", "nodes=1,2", "users=1,4", "cells=3,6", "--engine", "analytic", "--json")
    rows = json.loads(run("sweep", *words, "--pair", "nodes,cells")[1])
    given = [tuple(row["settings"][name] for name in ("nodes", "cells", "users")) for row in rows]
    assert given == [(1, 3, 1), (1, 3, 4), (2, 6, 1), (2, 6, 4)]
    parameter = ("sweep", "dbfs", "nodes=1,2", "--set", "cores=12,24", "--pair", "cores,nodes", *words[4:])
    rows = json.loads(run(*parameter)[1])
    assert [(row["settings"]["nodes"], row["parameters"]["cores"]) for row in rows] == [(1, 12), (2, 24)]


@pytest.mark.parametrize(
    ("pair", "part"),
    [
        ("nodes", "'nodes' is no pair; name two settings or more"),
        ("nodes,cels", "pairs 'cels', which does not vary; did you mean 'cells'?"),
        ("nodes,users", "nodes has 2 values and users has 3; give each as many"),
        ("nodes,nodes", "nodes is paired twice"),
    ],
)
def test_axes_that_cannot_be_paired_are_refused(run, pair, part):
    refused(run("sweep", "dbfs", "nodes=1,2", "cells=3,6", "users=1,2,3", "--pair", pair), part)


def test_a_range_stands_for_its_values(run, tmp_path):
    def swept(*words):
        rows = json.loads(run("sweep", *words, "--dry-run", "--json")[1])
        return [tuple(row["settings"].values()) for row in rows]

    assert swept(OWN, "clients=1..4", "load=0,1") == [(n, load) for n in (1, 2, 3, 4) for load in (0, 1)]
    assert swept(OWN, "clients=2..9x2") == [(2, 0), (4, 0), (8, 0)]
    (tmp_path / "a.toml").write_text(f'system = "{OWN}"\n[settings]\nclients = "1..5/2"\n')
    assert swept("a.toml") == [(1, 0), (3, 0), (5, 0)]
    refused(
        run("sweep", OWN, "clients=1..8x0.5"), "clients is '1..8x0.5'; allowed: as a factor a whole number from 2"
    )
    refused(run("sweep", OWN, "clients=1..4,2"), "a value of clients is given twice in '1..4,2'")


def test_sweep_file_equals_its_command_line(run, tmp_path):
    (tmp_path / "a.toml").write_text(FILE)
    words = ("dbfs", "nodes=1,2", "cells=3,6", "block=8KiB,1MiB", "op=write", "--set", "cores=12,24")
    typed = run("sweep", *words, "--pair", "nodes,cells", "--engine", "analytic")
    assert run("sweep", "a.toml") == typed
    assert len([line for line in typed[1].splitlines() if line[:1].isdigit()]) == 8
    assert "extrapolated: nodes=2 and cells=6 together (4 of 8)" in typed[1]
    simulated = json.loads(run("sweep", "a.toml", "--engine", "compiled", "--json", "--max-steps", "30000")[1])
    assert {row["engine"] for row in simulated} == {"compiled"}


def test_files_that_a_sweep_names_lie_beside_it(run, tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "mine.py").rename(tmp_path / "inside" / "disk.py")
    (tmp_path / "inside" / "a.toml").write_text(
        'system = "disk.py:OWN"\nprecision = 0.2\n[settings]\nclients = [1, 2]\n'
    )
    status, out, _ = run("sweep", "inside/a.toml")
    assert (status, len([line for line in out.splitlines() if line[0].isdigit()])) == (0, 2)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("dbfs", "dbsf", ("line 3: no system 'dbsf'", "did you mean 'dbfs'?")),
        ("analytic", "fast", ("line 4: no engine 'fast'",)),
        ("nodes,cells", "nodes,block,op", ("line 5: ", "op has 1")),
        ("nodes = [1, 2]", "nodes = [1, 'x']", ("line 8: nodes is 'x'; allowed: a whole number",)),
        ("nodes = [1, 2]", "nodes = []", ("line 8: nodes has no values",)),
        ("nodes = [1, 2]", "node = [1, 2]", ("line 8: no setting 'node'",)),
        ("1MiB", "8KiB", ("line 10: a value of block is given twice",)),
        ("cores = [12, 24]", "cores = [-1]", ("line 14: cores is '-1'",)),
        ("engine =", "engin =", ("line 4: engin is 'analytic'; did you mean 'engine'?",)),
        ('system = "dbfs"', "system = 1", ("line 3: system is 1; allowed: text",)),
        ('system = "dbfs"', "seed = 3", ("system is missing; add it",)),
    ],
)
def test_an_entry_that_is_not_allowed_is_named_with_its_line(run, tmp_path, old, new, parts):
    (tmp_path / "a.toml").write_text(FILE.replace(old, new))
    refused(run("sweep", "a.toml"), "sweep file 'a.toml'", *parts)


def test_axes_beside_a_sweep_file_are_refused(run, tmp_path):
    (tmp_path / "a.toml").write_text(FILE)
    refused(run("sweep", "a.toml", "users=1,2"), "'users=1,2': 'a.toml' defines what varies; change it there")


def test_a_sweep_with_points_that_fail_has_a_row_for_each(run, tmp_path):
    words = ("sweep", OWN, "clients=1,300", "load=0,1,2", *QUICK)
    status, out, err = run(*words, "--csv", "a.csv", "--picture", "a.png")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert sum(line.endswith("refused") for line in lines[1:7]) == 2
    assert any(line.startswith("unstable  clients=300 load=1: no steady state") for line in lines[7:])
    table = pd.read_csv(tmp_path / "a.csv")
    assert list(table["status"]) == ["done", "done", "refused", "done", "unstable", "refused"]
    assert list(table["throughput (1/s)"].isna()) == list(table["status"] != "done")
    assert "ValueError: no such load" in table["reason"][2]
    assert (tmp_path / "a.png").exists()
    records = json.loads(run(*words, "--json")[1])
    assert [record["status"] for record in records] == list(table["status"])
    assert records[4]["throughput"] is None
    assert records[4]["settings"] == {"clients": 300, "load": 1}


def test_a_sweep_of_which_nothing_is_done_is_refused(run, tmp_path):
    refused(run("sweep", OWN, "clients=1,2", "load=2", "--csv", "a.csv"), "no such load")
    assert not made(tmp_path)


def test_results_of_a_store_are_those_that_were_run(run, monkeypatch, tmp_path):
    words = ("sweep", OWN, "clients=1,2", "--intervals", *QUICK)
    outputs = [("--json",), ("--csv", "-"), ()]
    first = [run(*words, *output) for output in outputs]
    stored = run(*words, *outputs[0], "--store", "a.sqlite")
    assert stored == first[0]
    monkeypatch.setattr("sim.prediction.points.predict_case", lambda *_: pytest.fail("it is in the store"))
    again = [run(*words, *output, "--store", "a.sqlite") for output in outputs]
    assert [each[:2] for each in again] == [each[:2] for each in first]
    assert {each[2] for each in again} == {"stacksim: 2 of 2 points were in the store\n"}
    assert "throughput expected if measured low (1/s)" in first[1][1]
    assert json.loads(first[0][1])[0]["band"]["low"] > 0.0
    assert made(tmp_path) == ["a.sqlite"]


def test_dry_run_lists_the_runs_with_reasons_and_writes_nothing(run, tmp_path):
    words = ("sweep", OWN, "clients=1,2", "load=0,2", "--store", "a.sqlite", *QUICK)
    status, out, _ = run(*words, "--dry-run")
    lines = out.splitlines()
    assert status == 0
    assert [line.split()[:2] for line in lines[1:3]] == [["1", "0"], ["2", "0"]]
    assert lines[3:6] == ["2 of 4 would be run", "  2  not in the store", "2 of 4 would not be run"]
    assert "  2  refused: " in lines[6]
    assert not made(tmp_path)
    run("sweep", OWN, "clients=1", "load=0", "--store", "a.sqlite", *QUICK)
    rows = json.loads(run(*words, "--dry-run", "--json")[1])
    assert [(row["runs"], row["why"].partition(":")[0]) for row in rows] == [
        (False, "in the store as done"),
        (False, "refused"),
        (True, "not in the store"),
        (False, "refused"),
    ]


def test_a_dry_run_of_many_points_lists_some_and_counts_all(run):
    clients = ",".join(map(str, range(1, 51)))
    status, out, _ = run("sweep", OWN, f"clients={clients}", "--dry-run")
    lines = out.splitlines()
    assert (status, len(lines)) == (0, 24)
    assert lines[21] == "and 30 more that would be run; --json has them all"
    assert lines[22] == "50 of 50 would be run"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("UPDATE record SET content = x'00'", "store 'a.sqlite' is damaged: a result cannot be read: "),
        ("DELETE FROM record", "store 'a.sqlite' is damaged: a result is missing; take a new store"),
    ],
)
def test_a_store_that_is_damaged_is_refused_even_by_a_dry_run(run, tmp_path, damage, says):
    words = ("sweep", OWN, "clients=1,2", "--store", "a.sqlite", *QUICK)
    assert run(*words)[0] == 0
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute(damage)
    connection.close()
    refused(run(*words, "--dry-run"), says)
    refused(run(*words), says)


def test_a_sweep_says_how_much_was_in_the_store(run):
    words = ("sweep", OWN, "--store", "a.sqlite", *QUICK)
    assert run(*words, "clients=1,2")[2] == ""
    assert run(*words, "clients=1,2,3")[2] == "stacksim: 2 of 3 points were in the store\n"
    assert run(*words, "clients=1,2,3", "--quiet")[2] == ""


def test_a_file_that_is_not_there_may_be_one_of_a_sweep(run):
    refused(run("sweep", "nope.toml"), "cannot read sweep or stack file 'nope.toml': No such file or directory")


def test_setting_along_the_horizontal_axis_can_be_chosen(run, tmp_path):
    words = ("sweep", "dbfs", "users=1,2,4", "block=8KiB,64KiB", "--engine", "analytic")
    assert run(*words, "--picture", "a.svg", "--over", "block")[0] == 0
    assert "<!-- block -->" in (tmp_path / "a.svg").read_text()
    assert run(*words, "--picture", "a.svg")[0] == 0
    assert "<!-- users -->" in (tmp_path / "a.svg").read_text()
    refused(run(*words, "--over", "block"), "--over is 'block', and there is no picture to draw; give --picture")
    over = (*words, "op=read", "--picture", "b.png", "--over")
    refused(run(*over, "blok"), "cannot draw over 'blok', which does not vary; did you mean 'block'?")
    refused(run(*over, "op"), "cannot draw over 'op', which does not vary")
    assert not (tmp_path / "b.png").exists()


def test_systems_with_custom_code_are_not_stored(run, tmp_path):
    text = (TESTS / "own_system.py").read_text()
    own = text.replace("Model([load])", "Model([load, Closed('b', 1, Custom('w', wait))])").replace(
        "def build(", "def wait(environment):\n    yield environment.timeout(1e9)\n\n\ndef build("
    )
    (tmp_path / "custom.py").write_text(own.replace("import Closed", "import Closed, Custom"))
    words = (
        "sweep",
        "custom.py:OWN",
        "clients=1,2",
        "--precision",
        "50%",
        "--max-steps",
        "2000",
        "--store",
        "a.sqlite",
    )
    assert run(*words)[0] == 0
    assert "  2  part of its model is code of its own, which no store keeps" in run(*words, "--dry-run")[1]


def test_a_file_that_is_no_store_is_refused_before_anything_is_run(run, tmp_path):
    (tmp_path / "a.sqlite").write_text("users\n1\n")
    refused(run("sweep", OWN, "clients=1,2", "--store", "a.sqlite"), "'a.sqlite' is no store of stacksim")
    assert (tmp_path / "a.sqlite").read_text() == "users\n1\n"
    refused(run("sweep", OWN, "clients=1,2", "--store", "a.db"), "'a.db' is not a .sqlite file")


def test_a_table_in_parquet_needs_one_more_package(run, monkeypatch):
    monkeypatch.setattr("sim.cli.sweep.find_spec", lambda _: None)
    refused(run("sweep", OWN, "clients=1,2", "--parquet", "a.parquet"), "pip install 'stacksim[parquet]'")


def test_a_table_in_parquet_is_the_one_in_csv(run, tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install '.[parquet]'")
    words = ("sweep", "dbfs", "users=1,2", "op=read,write", "--engine", "analytic")
    assert run(*words, "--parquet", "a.parquet", "--csv", "a.csv")[0] == 0
    assert pd.read_parquet(tmp_path / "a.parquet").to_csv(index=False) == (tmp_path / "a.csv").read_text()


def test_without_dask_a_cluster_is_one_line(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused(run("sweep", OWN, "clients=1,2", "--dask", "tcp://here:1"), "pip install 'stacksim[cluster]'")
    refused(run("sweep", OWN, "clients=1,2", "--dask", "here"), "'here' is no address of a scheduler")


def test_the_interrupt_key_leaves_a_store_that_can_be_used(tmp_path):
    clients = ",".join(map(str, range(1, 31)))
    words = ["sweep", OWN, f"clients={clients}", "--precision", "1%", "--store", "a.sqlite"]
    line = "import signal; signal.signal(2, signal.default_int_handler); from sim.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    (tmp_path / "mine.py").write_text((TESTS / "own_system.py").read_text())
    with subprocess.Popen(
        [sys.executable, "-c", line, *words], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as sweep:
        deadline = time.monotonic() + 60.0
        while not (tmp_path / "a.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        sweep.send_signal(signal.SIGINT)
        told = sweep.stderr.read()
    assert sweep.returncode == 130
    assert re.search(r"stacksim: \d+ of 30 points are in the store; the same command does the others\n", told)
    assert told.count("\n") == 2
