"""The command: what it prints, what it writes, and the one line with which it refuses what it cannot use."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from refusals import refused
from sim import NoSteadyStateError
from sim.data.dataset import Dataset, Measurement
from sim.engine.statistics.estimates import point
from sim.engine.units.text import figure_text
from sim.prediction.prediction import Prediction
from sim.prediction.report import datasets
from sim.system import Measure
from sim.system.installed import find, systems
from sim.system.settings import Size

QUICK = ("--precision", "10%")
SETTINGS = "block, cell, cells, cells_lost, direct_io, link, nodes, op, users"


class Ran(NamedTuple):
    """Result of a command line; the text without colours."""

    status: int
    out: str
    err: str

    @property
    def rows(self):
        """The cells of a printed table; columns are at least two blanks apart."""
        return [re.split(r" {2,}", line.strip()) for line in self.out.splitlines()]


@pytest.fixture
def run(run):
    def call(*arguments):
        status, *texts = run(*arguments)
        return Ran(status, *(re.sub(r"\x1b\[[0-9;]*m", "", text) for text in texts))

    return call


@pytest.fixture
def no_simulation(monkeypatch):
    """Whatever is wrong must be said before the long work begins."""

    def simulate(*_arguments, **_choices):
        pytest.fail("it simulated instead of refusing")

    monkeypatch.setattr("sim.prediction.solvers.run", simulate)


@pytest.fixture
def two_figures(monkeypatch):
    """Reports are about two figures of dbfs-dd: one that parameters were derived from, one that none was."""
    (whole,) = datasets(["dbfs-dd"])
    chosen = [each for each in whole.measurements if each.column in ("1u-1k-write", "1u-4k-write")][:2]
    small = Dataset(name=whole.name, title=whole.title, system=whole.system, measurements=tuple(chosen))
    monkeypatch.setattr("sim.prediction.report.datasets", lambda _names: [small])
    return small


# What is printed.


def test_a_group_without_a_command_names_its_commands(run):
    assert run("stack").err == "stacksim: no command; allowed: check, show, new, host, schema\n"
    assert run("stack").status == 2


def test_a_profile_stands_below_the_prediction_and_in_its_record(run):
    words = ("predict", "san", "--profile", "--precision", "10%", "--watch", "throughput")
    phases = ["importing", "building", "loading", "lowering", "simulating", "intervals"]
    told = [row[0] for row in run(*words).rows]
    assert told[-7:] == ["time of this command", *phases]
    profile = json.loads(run(*words, "--json").out)["profile"]
    assert list(profile) == phases
    assert profile["importing"]["elapsed"] is None
    assert all(each["processor"] >= 0.0 for each in profile.values())
    assert [*json.loads(run(*words, "--explain", "--json").out)["profile"]] == [*phases, "explaining"]


def test_systems_lists_all_in_a_line_each(run):
    ran = run("systems")
    assert (ran.status, ran.err) == (0, "")
    listed = ran.rows[1 : 1 + len(systems())]
    assert [name for name, _ in listed] == [*systems()]
    lines = dict(listed)
    assert lines["dbfs"] == systems()["dbfs"].title
    assert lines["dbfs-free"] == f"dbfs, if {systems()['dbfs-free'].structure}"
    assert lines["redo-poster"].startswith("redo, if a process of its own posts sessions")
    assert len({*lines.values()}) == len(lines), "structures of one system are told apart"


def test_systems_with_a_name_lists_settings_and_parameters(run):
    for system in systems().values():
        ran = run("systems", system.name)
        assert (ran.status, ran.err) == (0, "")
        assert f"{system.name}: {system.title}" in ran.out
        assert ("64k = 64K = 64KiB" in ran.out) == any(isinstance(each, Size) for each in system.settings)
        for setting in system.settings:
            assert [setting.name, setting.show(setting.default), setting.allowed, setting.help] in ran.rows
        ranged = any(parameter.likely for parameter in system.parameters.entries)
        for parameter in system.parameters.entries:
            row = next(row for row in ran.rows if row[0] == parameter.name and "basis" not in row)
            written = f"{figure_text(parameter.value, parameter.unit)} "
            assert written.startswith(f"{row[1]} ")
            assert [parameter.unit, parameter.basis] == [each for each in row[2:] if "…" not in each][:2]
            assert any("…" in each for each in row) == (parameter.likely is not None) or not ranged


def test_predict_prints_throughput_latency_bottleneck_and_how_it_was_found(run):
    ran = run("predict", "dbfs", "users=2", "block=4KiB", "--seed", "7", "--engine", "reference", *QUICK)
    assert ran.status == 0
    for setting in ("nodes=1", "users=2", "block=4KiB", "op=write", "direct_io=yes", "cell=x2-2"):
        assert setting in ran.out.splitlines()[0]
    for name, unit in (("throughput", "MB/s"), *((f"{each} latency", "[µm]s") for each in ("mean", "p50", "p99"))):
        assert re.search(rf"^{name} +[\d.]+ {unit}\s*$", ran.out, re.MULTILINE)
    assert re.search(
        r"^limit +latency-bound: each client waits for its own request; "
        r"busiest resource: node 1 fuse queue, [45]\d% in use$",
        ran.out,
        re.MULTILINE,
    )
    assert re.search(r"^would help +more nodes or users, ", ran.out, re.MULTILINE)
    assert re.search(r"^assumed +daemon_threads", ran.out, re.MULTILINE)
    assert "engine" not in ran.out


def test_details_are_printed_with_verbose(run):
    out = run("predict", "dbfs", "block=4KiB", "--seed", "7", "--engine", "reference", "-v", *QUICK).out
    found = re.search(r"^throughput +([\d.]+) \(([\d.]+) … ([\d.]+) at 95%\) MB/s\s*$", out, re.MULTILINE)
    value, low, high = map(float, found.groups())
    assert low < value < high
    assert re.search(r"^mean +[\d.]+ \([\d.]+ … [\d.]+ at 95%\) (µs|ms)", out, re.MULTILINE)
    assert re.search(r"^node 1 fuse queue +station +1 +[\d.]+% in use", out, re.MULTILINE)
    assert re.search("^run +reference engine, seed 7, ", out, re.MULTILINE)


def test_first_of_many_answers_are_printed_and_all_with_verbose(run):
    quick = ("predict", "exadata-ctas", "--engine", "analytic")
    brief, whole = run(*quick).out, run(*quick, "-v").out
    assert "elapsed" in brief
    assert "db cpu share" not in brief
    assert "-v: 12 more answers, " in brief
    assert "db cpu share" in whole


def predicted_json(run, *arguments):
    ran = run("predict", "dbfs", "--json", *QUICK, *arguments)
    assert ran.status == 0
    return json.loads(ran.out)


NUMBER = (int, float)
JSON_TYPES = {
    "system": str,
    "settings": dict,
    "asked": type(None),
    "parameters": dict,
    "engine": str,
    "seed": int,
    "throughput": {
        "value": NUMBER,
        "unit": str,
        "low": NUMBER,
        "high": NUMBER,
        "confidence": NUMBER,
        "known": bool,
    },
    "band": dict,
    "elapsed": (dict, type(None)),
    "latency": {
        "mean": NUMBER,
        "p50": NUMBER,
        "p95": NUMBER,
        "p99": NUMBER,
        "unit": str,
        "intervals": {"mean": list, "p50": list, "p95": list, "p99": list},
        "known": {"mean": bool, "p50": bool, "p95": bool, "p99": bool},
    },
    "percentiles": {"status": str, "reason": (str, type(None)), "times": dict, "places": list},
    "told_percentiles": dict,
    "measures": dict,
    "bands": dict,
    "utilisation": dict,
    "bottleneck": str,
    "bound": {"value": NUMBER, "unit": str, "place": str},
    "limit": {"kind": str, "place": str, "alike": int, "reached": NUMBER, "brought_by": list},
    "bursts": list,
    "states": type(None),
    "structures": list,
    "rivals": list,
    "deciding": type(None),
    "events": int,
    "narrowed": dict,
    "warnings": list,
    "extrapolated": list,
    "apart": list,
    "notes": list,
    "measured": bool,
    "assumed": list,
    "answer": {
        "figures": list,
        "confidence": NUMBER,
        "left_out": int,
        "beside": list,
        "state": str,
        "limits": list,
        "sure": list,
    },
}


def check_types(record, types):
    assert list(record) == list(types)
    for name, wanted in types.items():
        if isinstance(wanted, dict):
            check_types(record[name], wanted)
        else:
            assert isinstance(record[name], wanted), name


def test_predict_json_is_the_stable_interface(run):
    record = predicted_json(run, "users=8", "block=8 KiB", "direct_io=no")
    check_types(record, JSON_TYPES)
    assert record["settings"] == {
        "nodes": 1,
        "cells": 3,
        "cells_lost": 0,
        "users": 8,
        "block": 8192,
        "op": "write",
        "direct_io": False,
        "link": "qdr",
        "cell": "x2-2",
    }
    throughput, latency, bound = record["throughput"], record["latency"], record["bound"]
    assert throughput["low"] < throughput["value"] < throughput["high"]
    assert (throughput["unit"], throughput["confidence"]) == ("MB/s", 0.95)
    assert 0 < latency["p50"] <= latency["p95"] <= latency["p99"]
    for name, (low, high) in latency["intervals"].items():
        assert low < latency[name] < high
        assert latency["known"][name] is True
    assert (record["system"], record["elapsed"], latency["unit"], bound["unit"]) == ("dbfs", None, "s", "MB/s")
    assert record["bottleneck"] == bound["place"] == record["limit"]["place"]
    assert all(0 <= share <= 1 for share in record["utilisation"].values())
    assert record["utilisation"][bound["place"]] > 0
    assert record["events"] > 0


def test_equal_seeds_give_equal_json(run):
    first, again, other = (predicted_json(run, "--seed", seed) for seed in ("3", "3", "4"))
    assert first == again
    assert other["throughput"] != first["throughput"]


def test_sweep_prints_a_row_a_combination_the_last_setting_fastest(run):
    ran = run("sweep", "dbfs", "block=4KiB,1KiB", "users=2,1", "op=read", *QUICK)
    assert ran.status == 0
    header, *rows = ran.rows
    assert header[:6] == ["block", "users", "op", "MB/s", "low", "high"]
    assert header[6:] == ["system cpu, s/GB", "mean latency", "p99", "limit"]
    *rows, lacking, assumed = rows
    assert assumed[0].startswith("assumed: daemon_threads, ")
    assert lacking[0].startswith("percentiles assumed: no source says how times of node 1 fuse queue")
    assert [tuple(row[:3]) for row in rows] == list(product(["4KiB", "1KiB"], ["2", "1"], ["read"]))
    for row in rows:
        value, low, high = map(float, row[3:6])
        assert low < value < high


# What is written.


def test_a_sweep_that_would_take_days_is_refused_before_its_combinations_are_made(run):
    thousand = ",".join(map(str, range(1, 1001)))
    failed = run("sweep", "array", f"disks={thousand}", f"users={thousand}", f"seconds={thousand}")
    assert failed.status == 2
    assert "these settings make" in failed.err
    assert "combinations; allowed: 100000; vary less" in failed.err


def test_sweep_writes_table_and_pictures_whole(run, tmp_path):
    table, picture, drawing = (tmp_path / name for name in ("table.csv", "picture.PNG", "drawing.svg"))
    settings = ("users=2,1", "direct_io=yes,no", "block=4KiB")
    ran = run("sweep", "dbfs", *settings, "--csv", table, "--picture", picture, *QUICK)
    assert ran.status == 0
    rows = list(csv.DictReader(StringIO(table.read_text(encoding="utf-8"))))
    assert list(rows[0]) == [
        *("users", "direct_io", "block", "throughput (MB/s)", "low", "high", "system_cpu (s/GB)"),
        *("mean latency (s)", "p99 latency (s)", "bottleneck", "limited by", "reached", "not known"),
        *("mean latency low (s)", "mean latency high (s)"),
        *(f"p50 latency{which} (s)" for which in ("", " low", " high")),
        *(f"p95 latency{which} (s)" for which in ("", " low", " high")),
        *("p99 latency low (s)", "p99 latency high (s)"),
        *("system_cpu low (s/GB)", "system_cpu high (s/GB)", "status", "reason", "caveats"),
    ]
    nearest = [f"latency-bound ({row['bottleneck']}, {float(row['reached']):.0%})" for row in rows]
    assert {row["limited by"] for row in rows} == {"path"}
    printed_rows = [row for row in ran.rows[1:] if len(row) > 1]
    assert [row[-1] for row in printed_rows] == nearest
    given = [(row["users"], row["direct_io"], row["block"]) for row in rows]
    assert given == list(product(["2", "1"], ["True", "False"], ["4096"]))
    printed = [float(row[3]) for row in printed_rows]
    assert [float(row["throughput (MB/s)"]) for row in rows] == pytest.approx(printed, rel=1e-3)
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")

    assert run("sweep", "dbfs", *settings, "--picture", drawing, *QUICK).status == 0
    text = drawing.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert text.rstrip().endswith("</svg>")
    assert set(tmp_path.iterdir()) == {table, picture, drawing}


def test_picture_draws_the_requested_answers(run, tmp_path):
    def texts(*options):
        drawing = tmp_path / "drawing.svg"
        ran = run(
            "sweep", "array", "cache=1MiB,4MiB", "data=16MiB", "--picture", drawing, *options, "--precision=20%"
        )
        assert ran.status == 0
        return drawing.read_text(encoding="utf-8")

    assert "<!-- hit ratio (%) -->" in texts("--draw", "hit_ratio")
    assert "<!-- throughput (I/O/s) -->" in texts()
    both = texts("noise=yes", "seconds=1", "--draw", "hit_ratio_before,hit_ratio_during")
    assert all(each in both for each in ("<!-- answers (%) -->", "hit ratio before -->", "hit ratio during -->"))


@pytest.mark.parametrize("name", ["old.csv", "old.png"])
def test_failing_write_keeps_the_old_file(run, tmp_path, monkeypatch, name):
    old = tmp_path / name
    old.write_bytes(b"old")
    monkeypatch.chdir(tmp_path)  # a long path would be told in part

    def full(_descriptor, _mode):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sim.engine.files.os.fdopen", full)
    option = "--csv" if name.endswith("csv") else "--picture"
    refused(run("sweep", "dbfs", "users=1,2", option, name, *QUICK), f"'{name}'", "No space left")
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]


# Reports.


def test_report_json_is_the_stable_interface(run, two_figures):
    ran = run("report", "dbfs-dd", "--json", *QUICK)
    assert ran.status == 0
    record = json.loads(ran.out)
    assert list(record) == ["cells", "summary", "unpredicted", "warnings", "notes", "transfers", "reach"]
    for cell, figure in zip(record["cells"], two_figures.measurements, strict=True):
        assert list(cell) == [
            *("dataset", "row", "column", "measure", "published", "unit"),
            *("predicted", "low", "high", "error", "role", "held_out", "restated", "restated_by_fit", "first"),
        ]
        assert (cell["dataset"], cell["row"], cell["column"]) == ("dbfs-dd", figure.row, figure.column)
        assert (cell["published"], cell["unit"]) == (figure.value, figure.unit)
        assert cell["low"] < cell["predicted"] < cell["high"]
        assert cell["error"] == pytest.approx(cell["predicted"] / cell["published"] - 1)
    assert [cell["role"] for cell in record["cells"]] == ["fitted", "fitted"]
    errors = [abs(cell["error"]) for cell in record["cells"]]
    mean = pytest.approx(sum(errors) / 2)
    fit = {"figures_per_parameter": pytest.approx(72 / 13), "repeats": None}
    most = max(errors)
    assert record["summary"] == [
        {"dataset": "dbfs-dd", "cells": 2, "mape": mean, "median": mean, "p95": most, "worst": most, **fit}
    ]
    assert [each["where"] for each in record["reach"]] == ["inside", "along"]


def test_report_prints_the_summary_and_every_figure_on_demand(run, two_figures):
    summary, ran = run("report", *QUICK), run("report", "--cells", *QUICK)
    assert (summary.status, ran.status) == (0, 0)
    listed = [row[:3] for row in ran.rows]
    for figure in two_figures.measurements:
        assert [figure.row, figure.column, f"{figure.value:g} {figure.unit}"] in listed
        assert figure.column not in summary.out
    assert ["dbfs-dd", "2"] in [row[:2] for row in ran.rows]
    assert any(row[0].startswith("dbfs: quarter rack to half rack") for row in summary.rows)
    assert [row[:2] for row in summary.rows[1:3]] == [["dbfs-dd", "2"], ["fitted", "2"]]
    reached = {row[0]: row[1] for row in summary.rows if row[0].startswith(("inside what", "along an axis"))}
    assert reached == {"inside what was measured (folds)": "72", "along an axis (values left out)": "156"}
    assert "--cells" in summary.out


def test_report_names_figures_in_full_at_80_columns(run, two_figures, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("report", "--cells", *QUICK).out.splitlines()
    for figure in two_figures.measurements:
        names = lines.index(f"{figure.row}  {figure.column}")
        assert lines[names + 1].split()[:2] == [f"{figure.value:g}", figure.unit]


@pytest.fixture
def with_waits(monkeypatch):
    """The DBFS system answers with what one wait for its channel takes, too."""
    dbfs = find("dbfs")

    def also(settings, parameters):
        wait = Measure("µs", lambda result: point(result.places["node 1 fuse queue"].wait_s * 1e6))
        return replace(dbfs.build(settings, parameters), measures={"channel_wait": wait})

    monkeypatch.setattr("sim.system.installed._loaded", lambda _point: replace(dbfs, build=also))


@pytest.mark.usefixtures("with_waits")
def test_a_further_measure_is_printed_swept_and_reported(run, two_figures, monkeypatch, tmp_path):
    found = predicted_json(run, "users=8", "block=1KiB")["measures"]["channel_wait"]
    assert (found["unit"], found["confidence"]) == ("µs", 0.95)
    assert 10 < found["low"] < found["value"] < found["high"]
    ran = run("predict", "dbfs", "users=8", "block=1KiB", *QUICK)
    assert re.search(rf"^channel wait +{found['value']:.3g} µs", ran.out, re.MULTILINE)
    table = tmp_path / "table.csv"
    ran = run("sweep", "dbfs", "users=8", "block=1KiB", "--csv", table, *QUICK)
    assert f"{found['value']:.4g}" in ran.rows[1]
    (row,) = csv.DictReader(StringIO(table.read_text(encoding="utf-8")))
    assert float(row["channel_wait (µs)"]) == pytest.approx(found["value"])
    first, second = two_figures.measurements
    figure = first.model_copy(update={"measure": "channel_wait", "unit": "µs", "value": 5.0})
    changed = two_figures.model_copy(
        update={"measurements": (figure, second), "unpredicted": {f"{second.row}/{second.column}": "why not"}}
    )
    monkeypatch.setattr("sim.prediction.report.datasets", lambda _names: [changed])
    record = json.loads(run("report", "--json", *QUICK).out)
    assert [cell["measure"] for cell in record["cells"]] == ["channel_wait"]
    assert [(each["column"], each["reason"]) for each in record["unpredicted"]] == [(second.column, "why not")]
    assert "why not" in run("report", "--cells", *QUICK).out
    assert "and the 1 that no model predicts" in run("report", *QUICK).out


@pytest.mark.usefixtures("with_waits")
def test_a_sweep_over_systems_that_answer_differently_leaves_cells_empty(run, monkeypatch):
    further = Prediction.further.fget
    monkeypatch.setattr(
        Prediction, "further", property(lambda each: {} if each.settings["users"] == 1 else further(each))
    )
    ran = run("sweep", "dbfs", "users=1,2", "block=1KiB", *QUICK)
    assert ran.status == 0
    assert len(ran.rows[2]) == len(ran.rows[1]) + 1


def test_report_lists_analytic_refusals_with_reasons(run, tmp_path):
    page = tmp_path / "page.html"
    ran = run("report", "redo-filesystems", "direct-write-lock", "--engine", "analytic", "--json", "--html", page)
    assert ran.status == 0
    record = json.loads(ran.out)
    assert {each["dataset"] for each in record["cells"]} == {"direct-write-lock"}
    reasons = {(each["row"], each["column"]): each["reason"] for each in record["unpredicted"]}
    assert reasons["EXT4", "DB CPU: time"].startswith("analytic engine: ")
    assert "simulate it" in page.read_text("utf-8")


def test_report_writes_a_page_and_refuses_another_ending(run, two_figures, tmp_path):
    refused(run("report", "--html", tmp_path / "page.pdf", *QUICK), "page.pdf", ".html")
    ran = run("report", "--html", tmp_path / "page.html", *QUICK)
    assert ran.status == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(figure.row in page for figure in two_figures.measurements)


@pytest.mark.parametrize(
    ("column", "value", "word"),
    [
        ("unit", "kB/s", "is in kB/s, but system 'dbfs' predicts throughput in MB/s"),
        ("measure", "output", "has no measure 'output'"),
        ("measure", "elapsed", "has no measure 'elapsed'"),
        ("conditions", (("node", "1"),), "no setting 'node'; did you mean 'nodes'?"),
        ("conditions", (("nodes", "0"),), "nodes is '0'"),
    ],
)
@pytest.mark.usefixtures("no_simulation")
def test_a_figure_that_cannot_be_compared_is_refused_first(run, two_figures, monkeypatch, column, value, word):
    first, second = two_figures.measurements
    wrong = Measurement.model_validate(second.model_dump() | {column: value})
    changed = two_figures.model_copy(update={"measurements": (first, wrong)})
    monkeypatch.setattr("sim.prediction.report.datasets", lambda _names: [changed])
    ran = run("report")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].startswith(f"stacksim: dataset 'dbfs-dd' line {second.line}")
    assert word in ran.err


# What is refused: the command line, and what the line on standard error must name.

REFUSALS = [
    ("frobnicate", "'frobnicate'"),
    ("predit dbfs", "'predit'", "'predict'"),
    ("--frob", "--frob"),
    ("systems dbsf", "no system 'dbsf'", "did you mean 'dbfs'?"),
    ("systems dbfs san", "san"),
    ("predict DBFS", "no system 'DBFS'", "did you mean 'dbfs'?"),
    ("predict dbfs latency_s=3", "'latency_s' is a parameter, not a setting; write --set latency_s=VALUE"),
    ("sweep dbfs latency_s=3,4", "'latency_s' is a parameter, not a setting; write --set latency_s=VALUE"),
    ("find dbfs throughput>=1GB/s latency_s=3,4", "'latency_s' is a parameter, not a setting"),
    ("predict dbfs --set users=8", "'users' is a setting, not a parameter; write users=8 without --set"),
    ("sweep dbfs --set users=8,9", "'users' is a setting, not a parameter; write users=8 without --set"),
    ("predict dbfs NODES=4", "no setting 'NODES'", "did you mean 'nodes'?"),
    ("predict dbfs op=WRITE", "op is 'WRITE'", "did you mean 'write'?"),
    ("predict dbfs direct_io=YES", "direct_io is 'YES'", "did you mean 'yes'?"),
    ("predict dbfs block=8kB", "block is '8kB'", "dd reads a kB as 1000 bytes, fio as 1024"),
    ("predict dbfs block=8Kb", "block is '8Kb'", "b is for bits; did you mean '8KiB'?"),
    ("predict dbfs --engine Analytic", "did you mean 'analytic'?"),
    ("predict", "SYSTEM"),
    ("predict dbsf", "no system 'dbsf'", "did you mean 'dbfs'?"),
    ("predict dbfs node=4", "no setting 'node'", "did you mean 'nodes'?", SETTINGS),
    ("predict dbfs parsecs=4", "no setting 'parsecs'", SETTINGS),
    ("predict dbfs nodes", "'nodes' is not a setting"),
    ("predict dbfs nodes=", "'nodes=' is not a setting"),
    ("predict dbfs =3", "'=3' is not a setting"),
    ("predict dbfs nodes=1 nodes=2", "setting 'nodes' is given twice ('1' and '2')"),
    ("predict dbfs nodes=four", "nodes is 'four'", "a whole number from 1 to 1000"),
    ("predict dbfs nodes=-1", "nodes is '-1'"),
    ("predict dbfs nodes=0", "nodes is '0'"),
    ("predict dbfs nodes=1.5", "nodes is '1.5'"),
    ("predict dbfs nodes=1001", "nodes is '1001'"),
    ("predict dbfs nodes=1,2", "nodes is '1,2'"),
    ("predict dbfs nodes=1_0", "nodes is '1_0'"),
    ("predict dbfs nodes=٤", "nodes is '٤'"),
    (f"predict dbfs nodes={'9' * 30}", "nodes is '999"),
    ("predict dbfs block=large", "block is 'large'", "such as 32KiB or 1MiB"),
    ("predict dbfs block=-4KiB", "block is '-4KiB'"),
    ("predict dbfs block=0", "block is '0'"),
    ("predict dbfs block=1.5B", "block is '1.5B'"),
    ("predict dbfs block=1TiB", "block is '1TiB'", "64MiB"),
    ("predict dbfs block=3|parsecs", "block is '3 parsecs'"),
    ("predict dbfs block=4KiB/s", "block is '4KiB/s'"),
    ("predict dbfs block=9**9**9", "block is '9**9**9'"),
    ("predict dbfs block=1e999", "block is '1e999'"),
    ("predict dbfs op=wriet", "op is 'wriet'", "did you mean 'write'?"),
    ("predict dbfs op=2", "op is '2'", "read, write"),
    ("predict dbfs direct_io=true", "direct_io is 'true'", "yes, no"),
    ("predict dbfs direct_io=1", "direct_io is '1'"),
    ("predict dbfs cell=x3", "cell is 'x3'", "v1, v2, x10m, x11m, x2-2, x3-2"),
    ("predict san streams=256 data=1TiB block=1B", "system 'san': the mean of an exp", "; look at block=1B"),
    ("predict dbfs --precision 0", "precision is '0'", "0.01% to 50%"),
    ("predict dbfs --precision -1%", "precision is '-1%'"),
    ("predict dbfs --precision x", "precision is 'x'"),
    ("predict dbfs --precision 200%", "precision is '200%'"),
    ("predict dbfs --precision nan", "precision is 'nan'"),
    ("predict dbfs --precision", "--precision"),
    ("predict dbfs --seed -1", "seed is '-1'"),
    ("predict dbfs --seed 1.5", "seed is '1.5'"),
    ("predict dbfs --seed ²", "seed is '²'"),
    ("predict dbfs --engine refrence", "no engine 'refrence'", "did you mean 'reference'?"),
    ("predict dbfs --jsn", "--jsn"),
    ("sweep dbfs", "nothing varies", "such as users=1,8"),
    ("sweep dbsf nodes=1,2", "no system 'dbsf'"),
    ("sweep dbfs nods=1,2", "no setting 'nods'", "did you mean 'nodes'?"),
    ("sweep dbfs nodes=1,2,1", "nodes is given twice in '1,2,1'"),
    ("sweep dbfs block=1KiB,1024", "block is given twice in '1KiB,1024'"),
    ("sweep dbfs nodes=1,,2", "nodes is ''"),
    ("sweep dbfs nodes=1,x", "nodes is 'x'"),
    ("sweep dbfs nodes=1,2 --engine fast", "no engine 'fast'"),
    ("sweep dbfs nodes=1,2 --picture a.gif", "'a.gif'", ".png or .svg"),
    ("sweep dbfs nodes=1,2 --picture picture", "'picture'", ".png or .svg"),
    ("sweep dbfs nodes=1,2 --picture missing/a.png", "missing/a.png", "no folder 'missing'"),
    ("sweep dbfs nodes=1,2 --picture folder.png", "folder.png", "it is a folder"),
    ("sweep dbfs nodes=1 --picture a.png", "nothing to draw", "nodes"),
    ("sweep dbfs nodes=1,2 --picture a.png --draw hits", "no answer 'hits'", "throughput"),
    ("sweep dbfs nodes=1,2 --picture a.png --draw p99 --engine analytic", "does not know p99", "draw mean"),
    ("sweep dbfs nodes=1,2 --picture a.png --draw throughput,throughput", "given twice", "give each once"),
    ("sweep dbfs nodes=1,2 --picture a.png/", "'a.png/' names a folder", "name a file"),
    (f"sweep dbfs nodes=1,2 --picture {'a' * 300}.png", "'aaa", "File name too long", "name another file"),
    ("sweep dbfs nodes=1,2,3,4,5,6 cells=1,2,3,4,5,6 users=1,2,3,4,5,6,7 --picture a.png", "36 lines", "32"),
    ("sweep dbfs nodes=1,2 --csv - --picture -", "more than one thing", "give one of them a file"),
    ("sweep dbfs nodes=1,2 --csv - --json", "more than one thing", "give one of them a file"),
    ("report dbfs-dd --html - --json", "more than one thing", "give one of them a file"),
    ("report dbfs-dd --html /proc/a.html", "'/proc/a.html'", "no file can be made in '/proc'", "another folder"),
    ("trace dbfs --output - --picture -", "more than one thing", "give one of them a file"),
    (
        "sweep redo sessions=1,2 --picture a.png --draw throughput,p99,redo_rate,db_cpu_share,commits_per_write",
        *("redo_rate in bytes/s", "draw answers of 4 units at most"),
    ),
    ("sweep array noise=no,yes users=1,2 --picture a.png --draw hit_ratio", "no answer 'hit_ratio' here"),
    ("sweep array users=1,2 --draw hit_ratio", "--draw is 'hit_ratio'", "--picture"),
    ("sweep dbfs nodes=1,2 --csv missing/a.csv", "missing/a.csv", "no folder 'missing'"),
    ("sweep dbfs nodes=1,2 --csv file/a.csv", "file/a.csv", "no folder 'file'"),
    ("sweep dbfs nodes=1,2 --csv a.parquet", "'a.parquet'", ".csv"),
    ("report dbfsdd", "no dataset 'dbfsdd'", "did you mean 'dbfs-dd'?"),
    ("report dbfs-dd dbfs-dd", "dataset 'dbfs-dd' is given twice"),
    ("report --seed x", "seed is 'x'"),
    ("report --html", "--html"),
]


@pytest.mark.parametrize(("line", "words"), [(line, words) for line, *words in REFUSALS])
@pytest.mark.usefixtures("no_simulation")
def test_a_wrong_command_line_is_refused_with_one_line(run, tmp_path, monkeypatch, line, words):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder.png").mkdir()
    refused(run(*(word.replace("|", " ") for word in line.split(" "))), *words)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder.png"}


@pytest.mark.parametrize(
    "arguments", [("predict", ""), ("predict", "dbfs", ""), ("predict", "dbfs", "--seed", "")]
)
@pytest.mark.usefixtures("no_simulation")
def test_empty_words_are_refused(run, arguments):
    refused(run(*arguments), "''")


@pytest.mark.parametrize("option", ["--csv", "--picture"])
@pytest.mark.usefixtures("no_simulation")
def test_an_empty_file_name_is_refused(run, option):
    refused(run("sweep", "dbfs", "users=1,2", option, ""), "give its name such an ending")


@pytest.mark.usefixtures("no_simulation")
def test_a_folder_where_no_file_can_be_made_is_refused(run, tmp_path, monkeypatch):
    def refuse(**_place):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("sim.engine.files.tempfile.TemporaryFile", refuse)
    target = tmp_path / "a.csv"
    refused(run("sweep", "dbfs", "users=1,2", "--csv", target), "Read-only file system", "name another folder")


# What stops a run.


def stop_with(monkeypatch, error):
    def simulate(*_arguments, **_choices):
        raise error

    monkeypatch.setattr("sim.prediction.solvers.run", simulate)


@pytest.mark.parametrize("command", [("predict", "dbfs"), ("sweep", "dbfs", "users=1,2")])
def test_refusal_of_the_simulation_is_the_last_line(run, monkeypatch, command):
    stop_with(monkeypatch, NoSteadyStateError("no steady state:\nclients pile up"))
    ran = run(*command)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == "stacksim: no steady state: clients pile up"


@pytest.mark.parametrize("command", [("predict", "dbfs"), ("sweep", "dbfs", "users=1,2")])
def test_the_interrupt_key_ends_it_without_a_traceback(run, monkeypatch, command):
    stop_with(monkeypatch, KeyboardInterrupt())
    ran = run(*command)
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.splitlines()[-1].startswith("stacksim: interrupted")


def test_interrupt_of_a_process_leaves_no_traceback():
    command = [sys.executable, "-m", "sim.cli", "predict", "dbfs", "node=4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    refused(
        Ran(done.returncode, done.stdout, done.stderr), "no setting 'node'", find("dbfs").settings.entries[0].name
    )


def test_imprecise_answers_are_marked_in_every_output(run, tmp_path):
    """A run of so few steps that nothing can be known of it."""
    few = ("users=1", "block=1KiB", "--max-steps", "3000", "--precision", "0.1%")
    record = predicted_json(run, *few)
    assert record["throughput"]["known"] is False
    assert any("not known well enough" in each for each in record["warnings"])
    printed = run("predict", "dbfs", *few).out
    assert re.search(r"^throughput +[\d.]+ MB/s\?", printed, re.MULTILINE)
    table = tmp_path / "table.csv"
    swept = run("sweep", "dbfs", *few, "--csv", table)
    assert re.search(r"^1 +1KiB +[\d.]+\?", swept.out, re.MULTILINE)
    assert any(line.startswith("? not known well enough") for line in swept.out.splitlines())
    (row,) = csv.DictReader(StringIO(table.read_text(encoding="utf-8")))
    assert "throughput" in row["not known"].split()


def test_run_length_depends_on_the_watched_answers_alone(run):
    alone, every = (
        predicted_json(run, "users=8", "block=8KiB", "--watch", watch) for watch in ("throughput", "all")
    )
    assert alone["events"] < every["events"]
    assert alone["throughput"]["known"]
    assert run("predict", "dbfs", "--watch", "p95,thrughput").err.startswith("stacksim: no answer 'thrughput'")


def test_the_answers_of_a_system_can_be_watched(run):
    shown = run("predict", "file-sync", "--watch", "sync_latencies").err
    assert shown.startswith(
        "stacksim: no answer 'sync_latencies' to watch; did you mean 'sync_latency'? allowed: "
    )
    dry = run("sweep", "file-sync", "sync=none,fsync", "--watch", "sync_latency", "--dry-run").out
    assert "refused: no answer 'sync_latency' to watch; allowed: mean, p50, p95, p99, throughput" in dry
    assert "1 of 2 would be run" in dry


def test_step_limit_error_names_the_settings_to_look_at(run):
    told = run("predict", "file-copy", "file=4GiB", "--max-steps", "10000")
    assert told.status == 2
    assert told.err.endswith("or allow more steps; look at file=4GiB\n")


def test_a_shipped_stack_is_fitted_and_answers_with_the_fit(run, tmp_path):
    """Values assumed within ranges are free; its cores are not."""
    figures = "clients,depth,block,op,value,unit\n1,1,64KiB,read,250,MB/s\n1,1,4KiB,read,20,MB/s\n"
    (tmp_path / "own.csv").write_text(figures, encoding="utf-8")
    words = ("--system", "nfs-server", "--no-folds", "--output", tmp_path / "own.json", "-q")
    assert run("fit", tmp_path / "own.csv", *words).status == 0
    fitted = json.loads((tmp_path / "own.json").read_text("utf-8"))["parameters"]
    assert "read_64k" in fitted
    assert "cores" not in fitted
    ran = run("predict", "nfs-server", "clients=1", "depth=1", "--fitted", tmp_path / "own.json", "--json", *QUICK)
    assert json.loads(ran.out)["throughput"]["value"] == pytest.approx(250, rel=0.08)
