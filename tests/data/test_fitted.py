"""A fitted file is written whole, read back, refused when it cannot be used, and known to be stale."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

import toy
from sim import InputError
from sim.data.dataset import Dataset
from sim.data.fitted import (
    Errors,
    ErrorsWithBaselines,
    Fitted,
    FittedFigure,
    FittedValue,
    data_hash,
    definitions_hash,
    loaded,
    path_in,
    read,
    refitted,
    write,
)
from sim.prediction.prediction import predict
from sim.system import Parameters

NAMES = "each_s, fixed_s, think_s, unseen_s"
ERRORS = Errors(figures=12, mean=0.04, median=0.03, worst=0.2)
TOYS = Dataset(name="toys", title="Toys", system="toy", measurements=tuple(toy.figures()))


@pytest.fixture
def fitted():
    free = [each for each in toy.PARAMETERS.entries if each.basis == "fitted"]
    values = {
        each.name: FittedValue(value=each.value * 2, low=each.value, high=each.value * 3, at_prior=False)
        for each in free
    }
    return Fitted(
        system="toy",
        version=version("stacksim"),
        command="stacksim fit toys",
        datasets={"toys": data_hash(TOYS)},
        definitions=definitions_hash(toy.PARAMETERS),
        cells=tuple(figure.cell for figure in TOYS.measurements),
        parameters=values,
        covariance=tuple(tuple(0.01 * (row == column) for column in range(4)) for row in range(4)),
        scatter=0.05,
        errors={"in sample": ErrorsWithBaselines(system=ERRORS, baselines={"nearest neighbour": ERRORS})},
        held_out={figure.cell: round(figure.value) + 1.0 for figure in TOYS.measurements},
        coverage=0.9,
        warnings=(),
        figures=tuple(FittedFigure.of(figure, figure.value) for figure in TOYS.measurements),
    )


def test_written_fit_is_read_back(fitted, tmp_path):
    path = tmp_path / "fitted" / "toy.json"
    write(fitted, path)
    assert read(path) == fitted
    assert list(path.parent.iterdir()) == [path]


def test_system_without_a_fit_has_no_fitted_values(tmp_path):
    assert read(tmp_path / "toy.json") is None


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_a_file_cut_short_is_refused(fitted, tmp_path, share):
    path = tmp_path / "toy.json"
    write(fitted, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InputError, match=r"toy.json: .*fit again with `stacksim fit`"):
        read(path)


def test_fitted_values_replace_the_middles_of_the_priors(fitted):
    parameters = fitted.parameters_from(toy.PARAMETERS)
    assert parameters["fixed_s"] == 2 * toy.PARAMETERS["fixed_s"]
    (entry,) = (each for each in parameters.entries if each.name == "fixed_s")
    assert (entry.centre, entry.interval) == (toy.PARAMETERS["fixed_s"], (1e-3, 3e-3))
    assert entry.cells == fitted.cells
    assert (parameters.scatter, len(parameters.covariance)) == (0.05, 4)
    assert parameters["cores"] == 1
    again = fitted.parameters_from(parameters)
    assert [each.centre for each in again.entries] == [each.centre for each in toy.PARAMETERS.entries]


def test_changed_data_and_changed_priors_make_a_fit_stale(fitted):
    assert fitted.stale(toy.PARAMETERS, [TOYS]) is None
    assert fitted.stale(fitted.parameters_from(toy.PARAMETERS), [TOYS]) is None
    first, *others = TOYS.measurements
    corrected = TOYS.model_copy(update={"measurements": (first.model_copy(update={"value": 1.0}), *others)})
    assert fitted.stale(toy.PARAMETERS, [corrected]) == "dataset 'toys'"
    assert fitted.stale(toy.PARAMETERS, []) == "dataset 'toys'"
    first_entry, *entries = toy.PARAMETERS.entries
    wider = Parameters((replace(first_entry, high=first_entry.high * 2), *entries))
    assert fitted.stale(wider, [TOYS]) == "definitions of parameters"


def test_a_system_takes_the_parameters_of_a_file(fitted, tmp_path):
    path = tmp_path / "own.json"
    write(fitted, path)
    system = refitted(toy.TOY, path)
    assert system.parameters["fixed_s"] == 2 * toy.PARAMETERS["fixed_s"]
    assert system.title == "a toy"
    with pytest.raises(InputError, match=r"no file .*nowhere\.json; write one"):
        refitted(toy.TOY, Path("nowhere.json"))
    with pytest.raises(InputError, match="is a fit of system 'toy', not of 'other'"):
        refitted(replace(toy.TOY, name="other"), path)


def test_a_value_at_its_bound_is_read_back(fitted, tmp_path):
    """Six digits of 0.00025000049 would be below it."""
    first, *others = toy.PARAMETERS.entries
    low = 0.000250000499
    defined = Parameters((replace(first, low=low), *others))
    at_bound = FittedValue(value=low, low=low, high=3e-3, at_prior=False, at_bound=True)
    record = fitted.model_copy(
        update={
            "parameters": {**fitted.parameters, "fixed_s": at_bound},
            "definitions": definitions_hash(defined),
        }
    )
    write(record, tmp_path / "own.json")
    system = refitted(replace(toy.TOY, parameters=defined), tmp_path / "own.json")
    assert system.parameters["fixed_s"] == low
    assert system.parameters.warnings == ()


def change(*keys: str | int, to: object) -> Callable[[dict], None]:
    """An edit of a file's record; None takes the entry out."""

    def edit(record: dict) -> None:
        *parents, last = keys
        for key in parents:
            record = record[key]
        if to is None:
            del record[last]
        else:
            record[last] = to

    return edit


def rename(old: str, new: str) -> Callable[[dict], None]:
    def edit(record: dict) -> None:
        record["parameters"] = {new if name == old else name: each for name, each in record["parameters"].items()}

    return edit


def singular(record: dict) -> None:
    record["covariance"] = [[0.01] * 4 for _ in range(4)]


WRONG = {
    "a parameter is gone": (
        change("parameters", "each_s", to=None),
        "lacks 'each_s'; allowed: all of fixed_s, each_s, think_s, unseen_s;",
    ),
    "a parameter is misspelt": (rename("each_s", "eachs"), "has 'eachs'; did you mean 'each_s'? allowed: each_s"),
    "a parameter is not fitted": (rename("each_s", "cores"), f"parameters has 'cores'; allowed: {NAMES}"),
    "no value": (change("parameters", "each_s", "value", to=None), "parameters.each_s.value is missing; add it"),
    "a value is text": (change("parameters", "each_s", "value", to="1"), "each_s.value is '1'; allowed: a number"),
    "a value is negative": (
        change("parameters", "each_s", "value", to=-1),
        "value is -1; allowed: a number above 0",
    ),
    "a name in a value": (
        change("parameters", "each_s", "lo", to=1),
        "parameters.each_s.lo is 1; did you mean 'low'? allowed: at_bound, at_prior, high, low, value",
    ),
    "low above high": (
        change("parameters", "each_s", "low", to=1.0),
        "allowed: low, value and high in this order",
    ),
    "out of bounds": (
        change("parameters", "each_s", to={"value": 0.1, "low": 0.1, "high": 0.1, "at_prior": False}),
        "parameters.each_s.value is 0.1; allowed: from 0.00025 to 0.004 s",
    ),
    "scatter below 0": (change("scatter", to=-1), "scatter is -1; allowed: at least 0"),
    "scatter too large": (change("scatter", to=1e30), "scatter is 1e+30; allowed: at most 10"),
    "coverage below 0": (change("coverage", to=-1), "coverage is -1; allowed: at least 0"),
    "coverage above 1": (change("coverage", to=1e30), "coverage is 1e+30; allowed: at most 1"),
    "no covariance": (change("covariance", to=[]), "covariance has 0 rows of no numbers; allowed: 4 rows of 4"),
    "a row is short": (
        change("covariance", 1, to=[0.0, 0.01, 0.0]),
        "covariance has 4 rows of 3, 4 numbers; allowed: 4 rows of 4",
    ),
    "a cell is text": (change("covariance", 1, 2, to="x"), "covariance.1.2 is 'x'; allowed: a number"),
    "not symmetric": (change("covariance", 1, 2, to=0.005), "covariance is not symmetric and positive definite"),
    "singular": (singular, "covariance is not symmetric and positive definite"),
    "deviations too large": (change("covariance", 0, 0, to=1e30), "covariance has 1e+30; allowed: at most 100"),
    "a short draw": (change("draws", to=[[0.001]]), "draw 1 has 1 numbers; allowed: 4"),
    "a draw out of bounds": (
        change("draws", to=[[1e-30] * 4]),
        f"draw 1 has {next(iter(toy.PARAMETERS.free())).name} 1e-30; allowed: from ",
    ),
    "an unknown entry": (
        change("scater", to=0.1),
        "scater is 0.1; did you mean 'scatter'? allowed: cells, command",
    ),
    "no figures": (change("cells", to=[]), "cells is []; allowed: a list of at least 1"),
    "figures taken out": (change("figures", to=[]), "figures lacks 'toys/"),
    "warnings taken out": (change("warnings", to=None), "warnings is missing; add it"),
    "a newer version": (
        change("version", to="9.9.9"),
        f"version is '9.9.9'; allowed: up to {version('stacksim')}",
    ),
    "no version": (change("version", to="new"), "version is 'new'; allowed: a version, such as 0.1.0"),
    "a warning of two lines": (
        change("warnings", to=["a\nb"]),
        r"warnings.0 is 'a\nb'; allowed: text on one line",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_is_no_fit_of_the_system_is_refused(fitted, tmp_path, case):
    edit, expected = WRONG[case]
    path = tmp_path / "own.json"
    write(fitted, path)
    record = json.loads(path.read_text("utf-8"))
    edit(record)
    path.write_text(json.dumps(record), "utf-8")
    assert expected in refusal(path)


def refusal(path):
    """The one line with which ``path`` is refused, which names it."""
    with pytest.raises(InputError) as caught:
        refitted(toy.TOY, path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert str(path) in message
    return message


def test_a_name_given_twice_is_refused(fitted, tmp_path):
    path = tmp_path / "own.json"
    write(fitted, path)
    path.write_text(path.read_text("utf-8").replace('"scatter":', '"scatter": 0.04, "scatter":'), "utf-8")
    assert "own.json: 'scatter' is given twice; take one out" in refusal(path)


def test_folders_and_overlong_names_are_refused(tmp_path):
    assert "is a folder; name a file" in refusal(tmp_path)
    assert "is a folder; name a file" in refusal(Path())
    with pytest.raises(InputError, match=r"'aaaa.* cannot be read: File name too long"):
        refitted(toy.TOY, Path("a" * 300))


def test_jobs_have_the_prediction_of_a_fit_without_them(fitted):
    first, second, *_ = fitted.figures
    known = fitted.model_copy(update={"held_out": {first.cell: 7.0}, "unseen": (second,)})
    jobs = known.parameters_from(toy.PARAMETERS).compared
    assert [each.held_out for each in jobs] == [7.0, *[None] * (len(fitted.figures) - 1), second.predicted]
    assert [each.seen for each in jobs] == [True] * len(fitted.figures) + [False]


def test_parameters_may_stand_in_another_order(fitted, tmp_path):
    covariance = tuple(tuple(0.01 * (row + 1) * (row == column) for column in range(4)) for row in range(4))
    turned = fitted.model_copy(
        update={
            "parameters": dict(reversed(fitted.parameters.items())),
            "covariance": tuple(reversed([tuple(reversed(row)) for row in covariance])),
        }
    )
    draw = tuple(each.value for each in toy.PARAMETERS.free())
    turned = turned.model_copy(update={"draws": (tuple(reversed(draw)),)})
    write(turned, tmp_path / "own.json")
    parameters = refitted(toy.TOY, tmp_path / "own.json").parameters
    assert (parameters.covariance, parameters.draws) == (covariance, (draw,))


@pytest.mark.parametrize(
    ("update", "changed"),
    [
        ({"definitions": "0"}, "definitions of parameters changed since this fit"),
        ({"version": "0.0.9"}, f"stacksim, from 0.0.9 to {version('stacksim')}, changed since this fit"),
        ({"warnings": ("3 figures for 4 parameters",)}, "3 figures for 4 parameters"),
    ],
)
def test_every_prediction_warns_of_a_fit_that_is_stale_or_not_to_be_trusted(fitted, tmp_path, update, changed):
    path = tmp_path / "own.json"
    write(fitted.model_copy(update=update), path)
    (warning,) = predict(refitted(toy.TOY, path), {}).result.warnings
    assert str(path) in warning
    assert changed in warning
    write(fitted, path)
    assert predict(refitted(toy.TOY, path), {}).result.warnings == ()


def test_a_fit_to_other_storage_is_warned_of(fitted, tmp_path):
    """The title of a measured stack names file system and device; parameters of two such stacks are alike."""
    path = tmp_path / "own.json"
    write(fitted.model_copy(update={"title": "files on ext4 over sda"}), path)
    (warning,) = refitted(replace(toy.TOY, title="files on ext4 over sdb"), path).parameters.warnings
    assert warning.endswith("was fitted to 'files on ext4 over sda', and this is 'files on ext4 over sdb'")
    assert refitted(replace(toy.TOY, title="files on ext4 over sda"), path).parameters.warnings == ()


def test_a_fit_of_a_stack_with_other_parameters_is_refused_by_title(fitted, tmp_path):
    path = tmp_path / "own.json"
    write(fitted.model_copy(update={"title": "files in memory"}), path)
    others = replace(toy.TOY.parameters, entries=toy.TOY.parameters.entries[:1])
    with pytest.raises(InputError, match="is a fit of 'files in memory', not of 'files on ext4'"):
        refitted(replace(toy.TOY, title="files on ext4", parameters=others), path)


def test_figures_that_changed_since_the_fit_are_warned_of(fitted, tmp_path, monkeypatch):
    class Package:
        def __init__(self, _folder):
            pass

        def names(self):
            return ("toys", "others")

        def read(self, name):
            assert name == "toys"
            return TOYS.model_copy(update={"measurements": TOYS.measurements[1:]})

    monkeypatch.setattr("sim.data.packages.DataPackage", Package)
    (tmp_path / "datapackage.json").touch()
    write(fitted, tmp_path / "own.json")
    (warning,) = refitted(replace(toy.TOY, data_package=tmp_path), tmp_path / "own.json").parameters.warnings
    assert "own.json: figures of dataset 'toys' changed since this fit; fit again" in warning


def test_shipped_fit_of_a_system_is_checked(fitted, tmp_path):
    path = path_in(tmp_path, "toy")
    assert loaded(toy.PARAMETERS, tmp_path, "toy") is toy.PARAMETERS
    write(fitted, path)
    assert loaded(toy.PARAMETERS, tmp_path, "toy")["fixed_s"] == 2 * toy.PARAMETERS["fixed_s"]
    write(fitted.model_copy(update={"covariance": ()}), path)
    with pytest.raises(InputError, match="covariance has 0 rows"):
        loaded(toy.PARAMETERS, tmp_path, "toy")
