"""The main job: all 72 published figures of the white paper's calibration tables, by simulation."""

from __future__ import annotations

import statistics

import pytest

from examples import PRECISIONS
from models.io import IO
from models.systems.dbfs import DBFS
from models.systems.dbfs.dd_parameters import PARAMETERS
from sim import InputError
from sim.data.fitted import path_in, read
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system.settings import complete
from whole_system import idle_parameters, idle_settings


@pytest.fixture(scope="module", params=PRECISIONS)
def found(request):
    return report(datasets(["dbfs-dd"]), RunOptions(precision=request.param))


def test_every_figure_is_predicted_within_the_stated_errors(found):
    assert len(found.cells) == 72
    assert found.summary[0].mape <= 0.045
    assert found.summary[0].worst <= 0.40


def test_a_link_that_is_no_infiniband_is_refused_with_those_that_are():
    with pytest.raises(InputError, match=r"link is 'gbe-100'; .*allowed: ddr, edr, fdr, qdr, roce-100, sdr"):
        complete(DBFS.settings, {"link": "gbe-100"})


def test_held_out_figures_are_predicted(found):
    held_out = [abs(cell.held_out) for cell in found.cells]
    assert statistics.fmean(held_out) <= 0.06
    assert statistics.median(held_out) <= 0.04


def test_the_fitted_parameters_are_those_of_these_figures_and_of_this_model(found):
    """`stacksim fit dbfs-dd` writes them; whoever changes the data, a prior or the model has to fit again."""
    fitted = read(path_in(DBFS.data_package, "dbfs"))
    assert fitted.stale(PARAMETERS, datasets(["dbfs-dd"])) is None
    assert found.summary[0].mape == pytest.approx(fitted.errors["in sample"].system.mean, abs=0.006)


def test_roles_name_figures_that_exist(found):
    known = {f"{cell.dataset}/{cell.row}/{cell.column}" for cell in found.cells}
    used = {cell for parameter in DBFS.parameters.entries for cell in parameter.cells}
    assert used
    assert used <= known


def test_every_parameter_says_where_it_comes_from():
    for parameter in DBFS.parameters.entries:
        assert parameter.source
        assert bool(parameter.cells) == (parameter.basis in ("derived", "fitted"))


def test_a_cluster_too_large_to_simulate_is_refused_and_computed():
    asked = {"nodes": 1000, "cells": 5000, "users": 8}
    with pytest.raises(
        InputError, match=r"is 40000000; .* up to 2000000; ask for fewer, or choose engine analytic"
    ):
        predict(DBFS, asked, RunOptions(), intervals=False)
    assert predict(DBFS, asked, RunOptions(engine="analytic"), intervals=False).throughput.value > 3000


def test_every_setting_has_an_effect_on_the_model():
    other = {
        "nodes": 2,
        "cells": 4,
        "users": 2,
        "cells_lost": 1,
        "block": 4096,
        "op": "read",
        "direct_io": False,
        "link": "ddr",
        "cell": "v1",
    }
    assert set(other) == {each.name for each in DBFS.settings}
    assert idle_settings(DBFS, other) == []


def test_every_parameter_has_an_effect_on_some_model():
    assert idle_parameters(DBFS, [{"op": op} for op in ("read", "write")]) == []


def test_a_parameter_outside_its_physical_bounds_is_refused():
    with pytest.raises(InputError, match=r"parameter 'cores' is 0 cores; allowed: from 1 to 1024 cores"):
        DBFS.parameters.changed({"cores": 0})
    with pytest.raises(InputError, match="did you mean 'cores'"):
        DBFS.parameters.changed({"core": 3})


def test_one_cell_has_nowhere_to_mirror_to():
    model = DBFS.scenario(complete(DBFS.settings, {"cells": 1}), DBFS.parameters).model
    assert [place.name for place in model.places if place.name.startswith("cell")] == [
        "cell 1 cache",
        "cell 1 disks",
    ]


def test_splitting_keeps_every_byte():
    for size in (1, 4095, 4096, 4097, 10_000_000):
        pieces = list(IO("read", size).split(4096))
        assert sum(times * piece.size_bytes for times, piece in pieces) == size
        assert all(0 < piece.size_bytes <= 4096 for _, piece in pieces)
