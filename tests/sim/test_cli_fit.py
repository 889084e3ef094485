"""`stacksim fit` on a table of one's own: what it prints, what it writes, and what it refuses before it begins."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import pytest

import toy
from sim.cli import main
from sim.fitted import read

TABLE = "clients,items,value,unit\n" + "".join(
    f"{clients},{items},{toy.throughput(toy.TRUTH, clients, items):.4g},1/s\n" for clients, items in toy.CONDITIONS
)


@pytest.fixture
def run(capsys, monkeypatch):
    """The command, with the toy as its only system, all in this process."""
    monkeypatch.setattr("sim.cli.fit.find", lambda _name: toy.Toy())
    monkeypatch.setattr("sim.fit.calibrate.find", lambda _name: toy.Toy())
    monkeypatch.setattr("sim.fit.runs._system", lambda _name: toy.Toy())
    monkeypatch.setattr("sim.cli.fit._workers", nullcontext)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["stacksim", "fit", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_table_of_ones_own_gives_parameters_errors_and_advice(run, table, tmp_path):
    target, picture = tmp_path / "own.json", tmp_path / "own.png"
    status, out, _ = run(table, "--system", "toy", "--output", target, "--picture", picture)
    assert status == 0
    fitted = read(target)
    assert fitted.system == "toy"
    for name, value in toy.TRUTH.items():
        assert fitted.parameters[name].low <= value <= fitted.parameters[name].high
    assert fitted.parameters["unseen_s"].at_prior
    assert fitted.errors["in sample"].system.mean < 0.02
    for text in ("left at its prior", "in sample", "cross-validated", "measure 1", f"written     {target}"):
        assert text in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert {each.name for each in tmp_path.iterdir()} == {"own.csv", "own.json", "own.png"}


def test_without_an_output_nothing_is_written(run, table, tmp_path):
    status, out, _ = run(table, "--system", "toy")
    assert status == 0
    assert "written" not in out
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("own.csv", "other.csv", "--system", "toy"), "2 files are given (own.csv, other.csv)"),
        (("--system", "toy", "clients=2"), "0 files are given"),
        (("nowhere.csv", "--system", "toy"), "nowhere.csv"),
        (("dbfs",), "no dataset 'dbfs'; did you mean 'dbfs-dd'?"),
        (("dbfs-dd", "--starts", "0"), "starts is '0'; allowed: a whole number from 1"),
        (("dbfs-dd", "--output", "fit.csv"), "fit.csv"),
        (("dbfs-dd", "direct-copy"), "datasets of systems dbfs and file-copy; fit those of one system at a time"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_one_line(run, words, message):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert message in err.strip().splitlines()[-1]
