"""Clients on the host of their database: messages, rows that are locked, the core of a flush, no wait for it."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from statistics import median

import pytest

from layers import engines_agree, layer_of, made, model_of
from models.io import FileIO, HostTimes
from models.parts.leader_commit import Commits
from sim import Delay, InputError, Model, Station, Use, simulate
from sim.prediction import RunOptions, predict
from sim.system import find

WRITE_S, FLUSH_S = 50e-6, 1e-3
CPU_S, WAKE_S, SWITCH_S = 140e-6, 30e-6, 10e-6
SIDE_S = CPU_S / 14
"""Of tpcb-like: the client or the session, for one of seven statements."""


class Disk:
    """Any number of writes and flushes at once."""

    def path(self, io):
        return (Use(Station("flushes", 64), FLUSH_S) if io.op == "flush" else Delay(WRITE_S),)


def commit(number):
    return FileIO("write", 300, process=number, durable="data")


def layer(**fields):
    return layer_of(Commits, Disk(), **{"cpu": CPU_S, "wake": WAKE_S, "cores": 64, "script": "insert", **fields})


def ran(clients, **fields):
    return simulate(
        model_of(layer(**fields), commit, clients), watch="all", precision=0.01, answers=("throughput",)
    )


def cycle_s(clients, **fields):
    """Mean time from one transaction to the next, of whichever client."""
    return 1 / ran(clients, **fields).throughput.value


@pytest.mark.parametrize(("script", "messages"), [("insert", 1), ("tpcb-like", 7)])
def test_one_client_wakes_its_session_and_is_woken_for_each_statement(script, messages):
    alone_s = CPU_S + 2 * messages * WAKE_S + WRITE_S + FLUSH_S
    assert cycle_s(1, script=script) == pytest.approx(alone_s, rel=0.01)


@pytest.mark.parametrize("script", ["insert", "tpcb-like"])
def test_single_core_needs_no_wake_up(script):
    assert cycle_s(1, script=script, cores=1, wake="1s") == pytest.approx(CPU_S + WRITE_S + FLUSH_S, rel=0.01)


def test_where_all_cores_work_a_message_waits_for_a_core_and_not_for_a_wake_up():
    """Two clients keep two cores busy, four times the rate of one, who waits longer than it works."""
    one_s, two_s = (cycle_s(clients, cores=2, wake=CPU_S, synchronous_commit="off") for clients in (1, 2))
    assert one_s == pytest.approx(3 * CPU_S, rel=0.01)
    assert two_s == pytest.approx(CPU_S / 2, rel=0.02)


def test_wake_up_beyond_the_switch_comes_from_the_host():
    """Of the switch the core's part is in the time of the transaction, as it is in that of one core alone."""
    times = HostTimes((Delay(WAKE_S),), 1e9, busy_s=SWITCH_S)

    def found_s(clients, **fields):
        of_host = layer(wake="host", **fields)
        model = model_of(of_host, lambda number: replace(commit(number), times=times), clients)
        return 1 / simulate(model, watch="all", precision=0.01, answers=("throughput",)).throughput.value

    assert found_s(1, synchronous_commit="off") == pytest.approx(CPU_S + 2 * WAKE_S, rel=0.01)
    held_s = 4.5 * SIDE_S + 5 * WAKE_S + SWITCH_S  # who waited for a row is switched to besides
    assert found_s(8, script="tpcb-like", synchronous_commit="off") == pytest.approx(held_s, rel=0.01)


@pytest.mark.parametrize("script", ["plain", "insert"])
def test_a_flush_takes_a_core(script):
    found = ran(1, script=script, cores=2, wake=0, flush_cpu="300us")
    alone_s = CPU_S + WRITE_S + FLUSH_S + 300e-6
    assert 1 / found.throughput.value == pytest.approx(alone_s, rel=0.01)
    assert found.places["commits cpu"].utilisation == pytest.approx((CPU_S + 300e-6) / 2 / alone_s, rel=0.02)


@pytest.mark.parametrize("script", ["plain", "insert"])
def test_with_synchronous_commit_off_no_commit_waits_for_its_flush(script):
    assert cycle_s(1, script=script, wake=0, synchronous_commit="off") == pytest.approx(CPU_S, rel=0.02)


def test_wal_writer_flushes_asynchronous_commits_periodically():
    of_commits = layer(synchronous_commit="off")
    assert not list(of_commits.background())
    of_commits.path(commit(0))
    found = simulate(Model(list(of_commits.background())), precision=0.01, answers=("throughput",))
    assert 1 / found.throughput.value == pytest.approx(0.2 + WRITE_S + FLUSH_S, rel=0.01)


@pytest.mark.parametrize("clients", [4, 16])
def test_the_row_of_a_branch_is_locked_until_the_commit_is_done(clients):
    """Update, insert and half of the commit's work; two messages each way; the wake-up of who waited."""
    held_s = 4.5 * SIDE_S + 4 * WAKE_S + WAKE_S + WRITE_S + FLUSH_S
    assert cycle_s(clients, script="tpcb-like", scale=1) == pytest.approx(held_s, rel=0.01)


def test_asynchronous_commits_release_a_row_before_the_flush():
    held_s = 4.5 * SIDE_S + 5 * WAKE_S
    found_s = cycle_s(32, script="tpcb-like", scale=1, synchronous_commit="off")
    assert found_s == pytest.approx(held_s, rel=0.01)


def test_more_branches_let_commits_share_a_flush():
    """An insert locks none: half of the clients share each flush; of one branch no two commits do."""
    one, many, free = (
        ran(32, **fields).throughput.value
        for fields in (
            {"script": "tpcb-like", "scale": 1},
            {"script": "tpcb-like", "scale": 20},
            {"script": "insert", "scale": 1},
        )
    )
    assert free == pytest.approx(32 / 2 / (WRITE_S + FLUSH_S), rel=0.05)
    assert 5 * one < many < free


def test_mysql_has_no_commit_that_does_not_wait():
    with pytest.raises(InputError, match="synchronous_commit is 'off'; allowed: on, as database is mysql"):
        made(Commits, database="mysql", synchronous_commit="off").layer("commits", lambda _name: Disk())


@pytest.mark.parametrize(
    "fields",
    [
        {"script": "tpcb-like", "scale": 2, "flush_cpu": "20us"},
        {"script": "tpcb-like", "scale": 2, "synchronous_commit": "off"},
        {"script": "insert", "database": "mysql", "flush_cpu": "20us"},
    ],
)
def test_the_engines_agree(fields):
    assert engines_agree(model_of(layer(cores=2, **fields), commit, 5))


QUICK = RunOptions(precision=0.02, answers=("throughput",))
SETTINGS = ("script", "scale", "clients", "synchronous_commit", "drive")


@pytest.fixture
def table(calibration_data):
    """Rows of a table of pgbench."""

    def rows(name):
        text = (calibration_data / "own" / "vm-2-cores-epyc" / "postgresql" / f"{name}.csv").read_text("utf-8")
        return list(csv.DictReader(text.splitlines()))

    return rows


def cell(row):
    """Its settings."""
    return tuple(row[each] for each in SETTINGS)


def test_measured_is_the_median_of_the_runs_and_each_figure_was_predicted_before(table):
    rates = defaultdict(list)
    for run in table("postgresql"):
        if run["phase"] != "one client" and run["clients"] != "1":
            rates[cell(run)].append(float(run["rate"]))
    measured = {
        cell(row): float(row["value"]) for name in ("insert", "tpcb-like") for row in table(f"pgbench-{name}")
    }
    assert measured == {each: pytest.approx(median(runs), rel=1e-3) for each, runs in rates.items()}
    before = {
        cell(row) for name in ("", "-2") for row in table(f"before/postgresql{name}") if row["clients"] != "1"
    }
    assert measured.keys() == before


@pytest.mark.parametrize(
    ("script", "clients", "scale", "drive"), [("insert", 8, 1, "450us"), ("tpcb-like", 3, 2, "100us")]
)
def test_predictions_equal_those_published_before_the_measurement(table, script, clients, scale, drive):
    rows = [row for name in ("", "-2") for row in table(f"before/postgresql{name}")]
    key = (script, str(scale), str(clients), "on", drive)
    (row,) = [row for row in rows if cell(row) == key]
    system = find("postgresql")
    of_one_client = {name: float(row[name].removesuffix("us")) * 1e-6 for name in ("cpu", "wake", "flush_cpu")}
    changed = system.parameters.changed(of_one_client | {"cores": 2, "write": 1e-6})
    settings = {name: row[name] for name in SETTINGS}
    found = predict(replace(system, parameters=changed), settings, QUICK, intervals=False)
    assert found.throughput.value == pytest.approx(float(row["predicted"]), rel=0.03)
