"""Uncertainty of fitted values in systems: `python tests/golden/test_covariances.py` writes it."""

import json

import numpy as np
import pytest

from models import data_folder
from sim.calibration.written import covariance_of
from sim.data.fitted import COVARIANCES, path_in
from sim.engine.files import write_atomically
from sim.system.installed import find, systems
from sim.system.stack.build import Stack

PATH = data_folder() / COVARIANCES
WRITTEN = sorted(
    name
    for name, system in systems().items()
    if system.parameters.free()
    and not system.rival_of
    and not isinstance(system.build, Stack)
    and not path_in(data_folder(), name).exists()
)
"""Systems whose fitted values stand in their parameters; other structures of them have the same."""


def made(name):
    system = find(name)
    rows = [[float(f"{each:.6g}") for each in row] for row in covariance_of(system)]
    return {"parameters": [each.name for each in system.parameters.free()], "covariance": rows}


def test_each_system_with_values_written_into_it_has_its_covariance():
    assert sorted(json.loads(PATH.read_text("utf-8"))) == WRITTEN
    for name in WRITTEN:
        parameters = find(name).parameters
        assert np.all(np.linalg.eigvalsh(np.array(parameters.covariance)) > 0.0)
        assert len(parameters.covariance) == len(parameters.free())


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_covariances_are_those_of_present_figures_and_models(name):
    kept = np.array(find(name).parameters.covariance)
    apart = np.array(made(name)["covariance"]) - kept
    deviations = np.sqrt(np.diag(kept))
    assert np.max(np.abs(apart / np.outer(deviations, deviations))) < 0.01


if __name__ == "__main__":
    kept = {name: made(name) for name in WRITTEN}
    write_atomically(PATH, (json.dumps(kept, indent=1) + "\n").encode())
