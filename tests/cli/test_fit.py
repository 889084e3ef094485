"""`stacksim fit` on a table of one's own: what it prints, what it writes, and what it refuses before it begins."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest

import toy
from sim.calibration import evaluate, problem
from sim.data.dataset import Dataset
from sim.data.fitted import read, refitted

MANY = toy.CONDITIONS
TABLE = "clients,items,value,unit\n" + "".join(
    f"{clients},{items},{toy.throughput(toy.TRUTH, clients, items):.4g},1/s\n" for clients, items in toy.CONDITIONS
)


@pytest.fixture(autouse=True, scope="module")
def _each_simulation_once():
    """Most of these tests fit the same table, whose simulations have the same answers each time."""

    def once(function):
        answers = {}

        def answer(*asked):
            key = repr(asked)
            if key not in answers:
                answers[key] = function(*asked)
            return answers[key]

        return answer

    with pytest.MonkeyPatch.context() as patch:
        for function in (evaluate.pilot, evaluate.run, evaluate.computed):
            patch.setattr(problem, function.__name__, once(function))
        yield


@pytest.fixture
def run(run, monkeypatch):
    """The command, with the toy as its only system, all in this process."""
    monkeypatch.setattr("sim.cli.fit.find", lambda _name: toy.TOY)
    monkeypatch.setattr("sim.cli.fit.workers", nullcontext)
    return partial(run, "fit")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_users_table_gives_parameters_errors_and_advice(run, table, tmp_path):
    target, picture = tmp_path / "own.json", tmp_path / "own.png"
    status, out, _ = run(table, "--system", "toy", "--output", target, "--picture", picture)
    assert status == 0
    fitted = read(target)
    assert fitted.system == "toy"
    for name, value in toy.TRUTH.items():
        assert fitted.parameters[name].low <= value <= fitted.parameters[name].high
    assert fitted.parameters["unseen_s"].at_prior
    assert fitted.errors["in sample"].system.mean < 0.02
    assert fitted.warnings == ()
    for text in (
        "the figures determine 3 of 4 parameters",
        "mostly as assumed before, because no figure says enough about it: unseen_s",
        "mostly its prior",
        "in sample",
        "cross-validated",
        "measure 1",
        f"written     {target}",
    ):
        assert text in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert {each.name for each in tmp_path.iterdir()} == {"own.csv", "own.json", "own.png"}


def test_without_an_output_nothing_is_written(run, table, tmp_path):
    status, out, _ = run(table, "--system", "toy")
    assert status == 0
    assert out.splitlines()[-1] == "not written: give --output FILE.json to keep it for --fitted"
    assert list(tmp_path.iterdir()) == [table]


def test_repeats_show_how_far_errors_are_chance(run, table, tmp_path):
    target = tmp_path / "own.json"
    status, out, _ = run(table, "--system", "toy", "--repeat", "2", "--output", target)
    assert status == 0
    assert "mean error of 2 fits" in out
    assert "--repeat 5" not in out
    fitted = read(target)
    assert list(fitted.repeats) == ["in sample", "cross-validated"]
    assert list(fitted.errors) == [*fitted.repeats, "each value left out of clients"]
    for name, (first, second) in fitted.repeats.items():
        assert first == pytest.approx(fitted.errors[name].system.mean)
        assert 0.0 < second < 0.1
        assert first != second


def test_a_single_fit_says_that_it_is_one(run, table):
    status, out, _ = run(table, "--system", "toy")
    assert status == 0
    assert "once        with one seed and from one first guess; --repeat 5 shows how far others differ" in out


@pytest.mark.parametrize("words", [("--json",), ("--output", "-"), ("--json", "--quiet")])
def test_json_fit_equals_its_file(run, table, tmp_path, words):
    status, out, _ = run(table, "--system", "toy", *words)
    assert status == 0
    kept = tmp_path / "kept.json"
    kept.write_text(out, encoding="utf-8")
    assert read(kept).parameters.keys() == {*toy.TRUTH, "unseen_s"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("own.csv", "other.csv", "--system", "toy"), "2 files are given (own.csv, other.csv)"),
        (("--system", "toy", "clients=2"), "0 files are given"),
        (("nowhere.csv", "--system", "toy"), "nowhere.csv"),
        (("dbfs",), "no dataset 'dbfs'; did you mean 'dbfs-dd'?"),
        (("dbfs-dd", "--starts", "0"), "starts is '0'; allowed: a whole number from 1"),
        (("dbfs-dd", "--repeat", "0"), "repeat is '0'; allowed: a whole number from 1"),
        (("dbfs-dd", "--output", "fit.csv"), "fit.csv"),
        (("dbfs-dd", "direct-copy"), "datasets of systems dbfs and file-copy; fit those of one system at a time"),
    ],
)
def test_unfittable_input_is_refused_in_one_line(run, words, message):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert message in err.strip().splitlines()[-1]


def test_the_installed_parameters_are_unchanged(run, monkeypatch, tmp_path):
    """A maintainer who fits them anew names their file."""
    dataset = Dataset(name="toys", title="Toys", system="toy", measurements=tuple(toy.figures()))
    monkeypatch.setattr("sim.prediction.report.datasets", lambda _names: [dataset])
    monkeypatch.setattr("sim.cli.fit.find", lambda _name: replace(toy.TOY, data_package=tmp_path))
    status, out, _ = run("toys")
    assert status == 0
    assert "not written" in out
    assert list(tmp_path.iterdir()) == []


def rows(*cells):
    return "clients,items,value,unit\n" + "".join(f"{each},1/s\n" for each in cells)


def test_a_fit_of_one_figure_says_so_and_claims_little(run, table, tmp_path):
    table.write_text(rows("1,1,42.55"), "utf-8")
    target = tmp_path / "own.json"
    status, out, _ = run(table, "--system", "toy", "--output", target)
    assert status == 0
    fitted = read(target)
    (warning,) = fitted.warnings
    assert warning.startswith("too few figures: 1 for 4 free parameters")
    assert f"warning: {warning}" in out
    assert "1 of 1 figures lie within their 90% prediction intervals" in out
    assert fitted.scatter > 0.06
    assert refitted(toy.TOY, target).parameters.warnings == (f"{target}: {warning}",)


def test_a_parameter_at_its_bound_and_a_bad_fit_are_warned_of(run, table, tmp_path):
    """Figures ten times as high as those of the truth, which is within a factor of four from the priors."""
    quick = [f"{clients},{items},{toy.throughput(toy.TRUTH, clients, items) * 10:.4g}" for clients, items in MANY]
    table.write_text(rows(*quick), "utf-8")
    target = tmp_path / "own.json"
    status, out, _ = run(table, "--system", "toy", "--output", target)
    assert status == 0
    fitted = read(target)
    assert fitted.parameters["think_s"].at_bound
    assert not fitted.parameters["think_s"].at_prior
    assert refitted(toy.TOY, target).parameters["think_s"] == fitted.parameters["think_s"].value
    (row,) = (line for line in out.splitlines() if line.startswith("think_s "))
    assert row.rstrip().endswith("at its bound")
    assert fitted.warnings[0].startswith("bad fit: figures are missed by ")
    assert (
        "bounds are reached by fixed_s (0.00025 s), each_s (0.00025 s), think_s (0.0025 s): " in fitted.warnings[1]
    )


def test_a_hopeless_fit_is_refused_and_not_written(run, table, tmp_path):
    table.write_text(rows(*(f"{clients},{items},1e-12" for clients, items in MANY)), "utf-8")
    target = tmp_path / "own.json"
    status, out, err = run(table, "--system", "toy", "--output", target)
    assert (status, out) == (2, "")
    assert "the best fit misses the figures by a factor of" in err
    assert "1e-12 1/s, where" in err
    assert not target.exists()


def test_simulated_rate_of_zero_is_refused(run, table, monkeypatch, tmp_path):
    monkeypatch.setattr("sim.calibration.problem.run", lambda _task, points: [(0.0,)] * len(points))
    status, out, err = run(table, "--system", "toy", "--output", tmp_path / "own.json")
    assert (status, out) == (2, "")
    assert "own/clients=1 items=1/throughput is 41.15 1/s, where 0 1/s is simulated" in err
    assert not (tmp_path / "own.json").exists()


def test_each_figure_stands_beside_its_prediction_the_worst_first(run, table, tmp_path):
    """One of thirteen figures is spoiled; the one that is missed least is counted, not shown."""
    values = {each: toy.throughput(toy.TRUTH, *each) for each in (*toy.CONDITIONS, (12, 3))}
    values[2, 2] *= 1.3
    table.write_text(
        rows(*(f"{clients},{items},{each:.4g}" for (clients, items), each in values.items())), "utf-8"
    )
    target = tmp_path / "own.json"
    status, out, _ = run(table, "--system", "toy", "--output", target)
    assert status == 0
    figures = {each.cell: each for each in read(target).figures}
    assert len(figures) == len(values)
    worst = max(figures.values(), key=lambda each: abs(each.error))
    assert (worst.row, worst.measured) == ("clients=2 items=2", pytest.approx(values[2, 2], rel=1e-3))
    assert worst.error == pytest.approx(worst.predicted / worst.measured - 1.0)
    lines = out.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith("figure ")) + 1
    assert lines[first].split() == [
        *("clients=2", "items=2", "throughput"),
        *(f"{worst.measured:.4g}", "1/s", f"{worst.predicted:.4g}", "1/s", f"{worst.error:+.1%}"),
    ]
    assert lines[first + 12].startswith("1 more is not shown: missed by 0.")


def test_quiet_omits_single_figures(run, table):
    _, out, _ = run(table, "--system", "toy", "--quiet")
    assert "measured  predicted" not in out
    assert "in sample" in out


def test_a_fit_to_latencies_speaks_of_times(run, table):
    """The latency of a request ends where the client begins to think."""
    latencies = [
        (each, each[0] / toy.throughput(toy.TRUTH, *each) - toy.TRUTH["think_s"]) for each in toy.CONDITIONS
    ]
    lines = [f"{clients},{items},mean,{value * 1e3:.4g},ms" for (clients, items), value in latencies]
    table.write_text("\n".join(["clients,items,measure,value,unit", *lines, ""]), "utf-8")
    status, out, _ = run(table, "--system", "toy", "--json")
    assert status == 0
    kept = json.loads(out)
    for name in ("fixed_s", "each_s"):
        value = kept["parameters"][name]
        assert value["low"] <= toy.TRUTH[name] <= value["high"]
        assert value["high"] / value["low"] < 4.0  # of 16, the width of the prior
    assert {each["measure"] for each in kept["figures"]} == {"mean"}
    status, out, _ = run(table, "--system", "toy")
    assert re.search(r"^clients=1 items=1 mean latency +2\.3 ms +2\.\d+ ms ", out, re.MULTILINE)
    assert re.search(r"^measure 1     the mean latency with clients=", out, re.MULTILINE)


def test_on_a_narrow_terminal_every_parameter_keeps_its_name_and_value(run, table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(table, "--system", "toy", "--quiet")
    lines = out.splitlines()
    for name in ("fixed_s", "each_s", "think_s", "unseen_s"):
        first, second = (line.split() for line in lines if line.startswith(f"{name} "))
        assert float(first[1]) > 0.0
        assert len(second) > 1
