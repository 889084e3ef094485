"""A fitted file is written whole, read back, refused when it cannot be used, and known to be stale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import toy
from sim.data import Dataset
from sim.errors import InputError
from sim.fitted import Comparison, Errors, Fitted, FittedValue, data_hash, definitions_hash, read, refitted, write
from sim.parameters import Parameters

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
        version="1",
        command="stacksim fit toys",
        datasets={"toys": data_hash(TOYS)},
        definitions=definitions_hash(toy.PARAMETERS),
        cells=tuple(figure.cell for figure in TOYS.measurements),
        parameters=values,
        covariance=tuple(tuple(0.01 * (row == column) for column in range(4)) for row in range(4)),
        scatter=0.05,
        errors={"in sample": Comparison(system=ERRORS, baselines={"nearest neighbour": ERRORS})},
        held_out={figure.cell: round(figure.value) + 1.0 for figure in TOYS.measurements},
        coverage=0.9,
    )


def test_what_was_written_is_read_back(fitted, tmp_path):
    path = tmp_path / "fitted" / "toy.json"
    write(fitted, path)
    assert read(path) == fitted
    assert list(path.parent.iterdir()) == [path]


def test_before_any_fit_there_is_none(tmp_path):
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
    system = refitted(toy.Toy(), path)
    assert system.parameters["fixed_s"] == 2 * toy.PARAMETERS["fixed_s"]
    assert system.title == "a toy"
    with pytest.raises(InputError, match=r"no file .*nowhere\.json; write one"):
        refitted(toy.Toy(), Path("nowhere.json"))
    with pytest.raises(InputError, match="is a fit of system 'toy', not of 'other'"):
        refitted(toy.Toy(name="other"), path)
