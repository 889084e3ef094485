"""Fits as lessons ask for them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sim.engine.errors import InputError
from sim.system import find
from stacksim.notebook import fitting, predict
from stacksim.notebook.fitting import determined, errors, fit, fitted, made_up, picture, trade_offs
from toy import TOY, TRUTH


@pytest.fixture(scope="module")
def figures():
    return made_up(TOY, TRUTH, clients=[1, 2, 30], items=[1, 4])


@pytest.fixture(scope="module")
def calibration(figures):
    return fit(figures, TOY)


def test_figures_are_made_up_with_three_digits_and_their_settings(figures):
    first = figures.measurements[0]
    alone_s = TRUTH["think_s"] + TRUTH["fixed_s"] + TRUTH["each_s"]
    assert first.value == pytest.approx(1 / alone_s, rel=0.005)
    assert first.value == float(f"{first.value:.3g}")
    assert (first.row, first.unit, dict(first.conditions)) == (
        "clients=1 items=1",
        "1/s",
        {"clients": "1", "items": "1"},
    )
    assert len(figures.measurements) == 6
    assert figures.own


def test_fit_recovers_the_true_parameters(calibration):
    found = calibration.fitted.parameters
    for name, value in TRUTH.items():
        assert found[name].low < value < found[name].high
        assert not found[name].at_prior
    assert found["unseen_s"].at_prior


def test_fit_is_tabled_and_drawn(calibration):
    table = determined(calibration.fitted)
    assert table.loc["each_s", "value"] == calibration.fitted.parameters["each_s"].value
    assert list(table.index[table["mostly its prior"]]) == ["unseen_s"]
    assert set(errors(calibration.fitted).index) == {"in sample", "cross-validated"}
    assert errors(calibration.fitted).loc["in sample", "toy"] < 0.02
    assert picture(calibration)._repr_png_().startswith(b"\x89PNG")


def test_least_identifiable_pairs_come_first():
    """Of clients that never queue only the sum of think time and service shows."""
    alone = fit(made_up(TOY, TRUTH, clients=[1, 2], items=1), TOY).fitted
    pairs = trade_offs(alone)
    assert {pairs.loc[0, "parameter"], pairs.loc[0, "and"]} <= {"think_s", "fixed_s", "each_s"}
    assert pairs.loc[0, "correlation"] < -0.5
    assert alone.correlation("think_s", "think_s") == pytest.approx(1)
    assert alone.correlation("fixed_s", "think_s") == pytest.approx(alone.correlation("think_s", "fixed_s"))


def test_the_shipped_fit_is_found_and_a_missing_one_refused():
    assert fitted("dbfs").system == "dbfs"
    assert list(errors(fitted("dbfs")).columns)[:2] == ["dbfs", "smooth minimum"]
    with pytest.raises(InputError, match="'toy' has no fit"):
        fitted(TOY)
    with pytest.raises(InputError, match="'nvme-xfs' has no fit"):
        fitted("nvme-xfs")
    with pytest.raises(InputError, match="'elsewhere' has no fit"):
        fitted(replace(TOY, name="elsewhere"))


def test_a_system_with_a_fit_from_a_file_predicts_with_it(tmp_path):
    content = json.loads((find("dbfs").data_package / "fitted/dbfs.json").read_text("utf-8"))
    for name in ("value", "low", "high"):
        content["parameters"]["dispatch_s"][name] *= 1.3
    (tmp_path / "fit.json").write_text(json.dumps(content), "utf-8")
    small = {"users": 8, "block": "1KiB"}
    slower = fitting.with_fit("dbfs", tmp_path / "fit.json")
    assert predict(slower, **small).throughput.value < 0.95 * predict("dbfs", **small).throughput.value
