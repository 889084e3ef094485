"""`stacksim report FILE --system STACK`: what a user measured beside what is predicted, and what is refused."""

from __future__ import annotations

import json
from functools import partial

import pytest

from refusals import refused
from sim.data.fitted import (
    Errors,
    ErrorsWithBaselines,
    Fitted,
    FittedFigure,
    FittedValue,
    data_hash,
    definitions_hash,
    write,
)
from sim.data.importers import read
from sim.system.installed import find

STACK = """\
title = "one arm"

[settings]
users = { default = 1, range = [1, 100] }
block = "1MB"

[parameters]
access = { value = "10ms", bounds = ["1ms", "40ms"], range = ["9ms", "11ms"], basis = "fitted", source = "x" }

[load]
clients = "users"
block = "block"

[[place]]
kind = "station"
name = "arm"

[[layer]]
kind = "steps"
name = "disk"
steps = [ { use = "arm", time = "access" } ]
"""
"""One megabyte in 10 ms, 100 MB/s, for any settings."""

TABLE = "users,measure,value,unit\n1,throughput,80,MB/s\n4,throughput,0.125,GB/s\n4,mean,40,ms\n"
QUICK = ("--precision", "5%", "--quiet")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own with a stack and measurements of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.toml").write_text(STACK, "utf-8")
    (tmp_path / "own.csv").write_text(TABLE, "utf-8")
    return tmp_path


@pytest.fixture
def run(folder, run):
    del folder
    return partial(run, "report")


def answered(run, *words):
    status, out, _ = run(*words, *QUICK)
    assert status == 0
    return out


def cells(run, *words):
    return json.loads(answered(run, *words, "--json"))["cells"]


def test_each_figure_stands_beside_its_prediction(run):
    throughput, four, mean = cells(run, "own.csv", "--system", "ours.toml")
    assert (throughput["dataset"], throughput["row"], throughput["column"]) == ("own", "users=1", "throughput")
    assert (throughput["published"], throughput["predicted"]) == (80.0, pytest.approx(100.0, rel=0.01))
    assert throughput["error"] == pytest.approx(0.25, rel=0.05)
    assert (four["published"], four["unit"], four["error"]) == (125.0, "MB/s", pytest.approx(-0.2, rel=0.05))
    assert (mean["column"], mean["error"]) == ("mean latency", pytest.approx(0.0, abs=0.02))
    assert {each["role"] for each in (throughput, four, mean)} == {"predicted"}


def test_report_calls_own_figures_measured(run, folder):
    summary = answered(run, "own.csv", "--system", "ours.toml")
    assert "--cells lists every figure" in summary
    listed = answered(run, "own.csv", "--system", "ours.toml", "--cells", "--html", "page.html")
    assert [word for word in ("measured", "users=4", "80 MB/s", "+25.0%") if word not in listed] == []
    assert "published" not in summary + listed
    page = (folder / "page.html").read_text("utf-8")
    assert "Measured against predicted" in page
    assert "3 measured figures" in page


def test_settings_and_parameters_of_all_may_be_given(run, folder):
    (folder / "own.csv").write_text("users,value,unit\n1,80,MB/s\n", "utf-8")
    (figure,) = cells(run, "own.csv", "block=0.5MB", "--system", "ours.toml", "--set", "access=5ms")
    assert (figure["row"], figure["predicted"]) == ("users=1 block=500000B", pytest.approx(100.0, rel=0.01))
    out = answered(run, "own.csv", "--system", "ours.toml", "--set", "access=1s")
    assert "warning: access is set to 1 s, outside its bounds" in out


@pytest.fixture
def fit(folder):
    """A fit of the table to 20 ms, which is outside the range of the guess."""
    system = find(str(folder / "ours.toml"))
    dataset = read(folder / "own.csv", system, {})
    errors = Errors(figures=3, mean=0.1, median=0.1, worst=0.1)
    fitted = Fitted(
        system="ours",
        version="0.1.0",
        command="stacksim fit",
        datasets={"own": data_hash(dataset)},
        definitions=definitions_hash(system.parameters),
        cells=tuple(each.cell for each in dataset.measurements),
        parameters={"access": FittedValue(value=20e-3, low=19e-3, high=21e-3, at_prior=False)},
        covariance=((1e-4,),),
        scatter=0.05,
        errors={"in sample": ErrorsWithBaselines(system=errors, baselines={})},
        held_out={each.cell: each.value * 1.5 for each in dataset.measurements},
        coverage=1.0,
        warnings=(),
        figures=tuple(FittedFigure.of(each, each.value) for each in dataset.measurements),
    )
    write(fitted, folder / "own.json")
    return folder / "own.json"


def test_with_a_fit_of_them_figures_are_fitted_and_held_out(run, fit, folder):
    found = cells(run, "own.csv", "--system", "ours.toml", "--fitted", fit)
    assert {each["role"] for each in found} == {"fitted"}
    assert [each["held_out"] for each in found] == pytest.approx([0.5] * 3)
    assert found[0]["predicted"] == pytest.approx(50.0, rel=0.01)
    (folder / "own.csv").write_text(TABLE.replace("80", "81"), "utf-8")
    out = answered(run, "own.csv", "--system", "ours.toml", "--fitted", fit)
    assert "warning: " in out
    assert "own.json: figures of dataset 'own' changed since this fit" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("own.csv", "'own.csv' is no dataset but a file; say what it measures: --system SYSTEM"),
        ("none.csv --system ours.toml", "none.csv cannot be read: No such file or directory"),
        ("own.csv --system none.toml", "cannot read stack file 'none.toml'"),
        ("empty.csv --system ours.toml", "empty.csv, line 1 has no column 'value'"),
        ("header.csv --system ours.toml", "header.csv, line 2 is absent; allowed: at least one row"),
        ("column.csv --system ours.toml", "column 1 is 'user'; did you mean 'users'?"),
        ("value.csv --system ours.toml", "value.csv, line 2: users is '0'"),
        ("unit.csv --system ours.toml", "unit is 'ms'; allowed for throughput: MB/s"),
        ("own.csv other.csv --system ours.toml", "2 files are given (own.csv, other.csv)"),
        ("--system ours.toml", "0 files are given ()"),
        ("own.csv user=1 --system ours.toml", "no setting 'user'; did you mean 'users'?"),
        ("own.csv --system ours.toml --set acces=1ms", "no parameter 'acces'; did you mean 'access'?"),
        ("own.csv --system ours.toml --fitted none.json", "no file none.json"),
        ("dbfs-dd --set cores=2", "give --system SYSTEM and a file of your own"),
    ],
)
def test_incomparable_figures_are_refused_in_one_line(run, folder, monkeypatch, words, message):
    monkeypatch.setattr("sim.prediction.solvers.run", lambda *_a, **_k: pytest.fail("it simulated"))
    (folder / "empty.csv").write_text("", "utf-8")
    (folder / "header.csv").write_text("users,value,unit\n", "utf-8")
    (folder / "column.csv").write_text("user,value,unit\n1,80,MB/s\n", "utf-8")
    (folder / "value.csv").write_text("users,value,unit\n0,80,MB/s\n", "utf-8")
    (folder / "unit.csv").write_text("users,value,unit\n1,80,ms\n", "utf-8")
    refused(run(*words.split()), message)
