"""`--fitted FILE`: every command that asks a system takes its parameters from there, and repeats its warnings."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from models.systems.dbfs import DBFS
from sim.data.fitted import path_in, read, write
from sim.prediction.report import datasets

QUICK = ("--engine", "analytic")
SIGNS = {"b": -1, "e": 1}
"""Of the beginning and the end of a slice, so that times add up to how long it lasted."""

WARNING = "1 figure for 14 parameters"


@pytest.fixture
def slow(tmp_path):
    """The shipped fit of dbfs, but with a segment that takes three times as long, and a warning."""
    shipped = read(path_in(DBFS.data_package, "dbfs"))
    value = shipped.parameters["cluster_chunk_write_s"]
    slower = value.model_copy(update={"value": 3 * value.value, "high": 4 * value.value})
    held_out = {cell: 2 * predicted for cell, predicted in shipped.held_out.items()}
    parameters = {**shipped.parameters, "cluster_chunk_write_s": slower}
    path = tmp_path / "slow.json"
    write(
        shipped.model_copy(update={"parameters": parameters, "held_out": held_out, "warnings": (WARNING,)}), path
    )
    return path


def throughput(out):
    return json.loads(out)["throughput"]["value"]


def test_predict_uses_the_given_fit(run, slow):
    asked = ("predict", "dbfs", "nodes=8", "users=8", "cells=14", "--json", *QUICK)
    _, plain, _ = run(*asked)
    status, slower, _ = run(*asked, "--fitted", slow)
    assert status == 0
    assert throughput(slower) < 0.5 * throughput(plain)
    assert json.loads(slower)["warnings"] == [*json.loads(plain)["warnings"], f"{slow}: {WARNING}"]


@pytest.mark.parametrize("engine", ["analytic", "reference"])
def test_sweep_uses_the_given_fit(run, slow, tmp_path, engine):
    table = tmp_path / "own.csv"
    asked = ("sweep", "dbfs", "users=1", "--engine", engine, "--precision", "50%", "--csv", table)
    rates = []
    for more in ((), ("--fitted", slow)):
        status, out, _ = run(*asked, *more)
        assert status == 0
        assert (f"warning: {slow}: {WARNING}" in out) == bool(more)
        (row,) = csv.DictReader(table.read_text("utf-8").splitlines())
        rates.append(float(row["throughput (MB/s)"]))
    assert rates[1] < 0.9 * rates[0]


def test_trace_uses_the_given_fit(run, slow, tmp_path):
    asked = ("trace", "dbfs", "--walks", "300", "--precision", "50%", "--output")
    lasted = []
    for name, more in (("plain.json", ()), ("slow.json", ("--fitted", slow))):
        status, out, _ = run(*asked, tmp_path / f"trace-{name}", *more)
        assert status == 0
        assert (f"warning: {slow}: {WARNING}" in out) == bool(more)
        events = json.loads((tmp_path / f"trace-{name}").read_text("utf-8"))["traceEvents"]
        lasted.append(
            sum(SIGNS[each["ph"]] * each["ts"] for each in events if each["name"] == "cluster chunk work")
        )
    assert lasted[1] > 2 * lasted[0]


def test_report_uses_the_given_fit(run, slow, tmp_path, monkeypatch):
    """The figures held out are those of the file, and a page warns as well."""
    (whole,) = datasets(["dbfs-dd"])
    chosen = [each for each in whole.measurements if each.column == "8u-1m-write"][-1:]
    small = whole.model_copy(update={"measurements": tuple(chosen)})
    monkeypatch.setattr("sim.prediction.report.datasets", lambda _names: [small])
    page = tmp_path / "page.html"
    reports = []
    for more in ((), ("--fitted", slow)):
        status, out, _ = run("report", "dbfs-dd", "--json", *QUICK, "--html", page, *more)
        assert status == 0
        reports.append(json.loads(out))
        assert (WARNING in page.read_text("utf-8")) == bool(more)
    (plain, slower), (before, after) = reports, (each["cells"][0] for each in reports)
    assert (plain["warnings"], slower["warnings"]) == ([], [f"{slow}: {WARNING}"])
    assert after["predicted"] < 0.9 * before["predicted"]
    assert after["held_out"] == pytest.approx(2 * before["held_out"] + 1, rel=1e-5)
    assert f"warning: {slow}: {WARNING}" in run("report", "dbfs-dd", *QUICK, "--fitted", slow)[1]


def test_a_fit_of_another_system_is_refused(run, slow):
    for words in (("predict", "san"), ("sweep", "san", "streams=1,2"), ("trace", "san", "--output", "a.json")):
        status, out, err = run(*words, "--fitted", slow)
        assert (status, out) == (2, "")
        assert f"{slow} is a fit of system 'dbfs', not of 'san'" in err
    status, _, err = run("report", "redo-filesystems", "--fitted", slow)
    assert status == 2
    assert f"{slow} is a fit of system 'dbfs', of which no dataset is given" in err


def edited(slow, edit):
    record = json.loads(slow.read_text("utf-8"))
    edit(record)
    return json.dumps(record)


def misspell(record):
    record["parameters"]["dispach_s"] = record["parameters"].pop("dispatch_s")


@pytest.mark.parametrize(("number", "edit"), [(0, misspell), (1, lambda record: record.update(covariance=[]))])
def test_document_shows_the_printed_warnings(run, slow, tmp_path, monkeypatch, number, edit):
    text = (Path(__file__).parents[2] / "docs" / "refusals.md").read_text("utf-8")
    (block,) = re.findall(r"## Fits\n.*?```\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("own.json").write_text(edited(slow, edit), "utf-8")
    status, out, err = run("predict", "dbfs", "--fitted", "own.json")
    assert (status, out) == (2, "")
    assert err == f"stacksim: {block.splitlines()[number]}\n"
