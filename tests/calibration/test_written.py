"""Uncertainty of values written into a system: that of a linear problem, by its closed form."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from linear import Linear
from sim import InputError
from sim.calibration import written

FIGURES = {cell: SimpleNamespace(cell=cell) for cell in ("a/1", "a/2", "b/1")}
DATASETS = {
    "a": SimpleNamespace(name="a", system="s", scatter=0.1, fitted=lambda: [FIGURES["a/1"], FIGURES["a/2"]]),
    "b": SimpleNamespace(name="b", system="other", scatter=0.2, fitted=lambda: [FIGURES["b/1"]]),
}


def test_covariance_is_that_of_the_figures_named_by_the_parameters(monkeypatch):
    linear, given = Linear([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]], [0.02, -0.01, 0.03]), []
    monkeypatch.setattr(written, "DataPackage", lambda _: SimpleNamespace(read=DATASETS.get, names=lambda: "ab"))
    monkeypatch.setattr(written, "Problem", lambda *more: given.extend(more) or linear)
    free = [SimpleNamespace(cells=("a/2", "b/1"))]
    system = SimpleNamespace(name="s", data_package="data", parameters=SimpleNamespace(free=lambda: free))
    found = written.covariance_of(system)
    weighted = 25.0 * linear.slopes
    assert found == pytest.approx(np.linalg.inv(weighted.T @ weighted + 0.25 * np.eye(2)))
    assert given == [system, [FIGURES["a/2"]], None, {"a": 0.1}]


def test_without_published_figures_nothing_is_known():
    with pytest.raises(InputError, match="system 's' has no published figures"):
        written.covariance_of(SimpleNamespace(name="s", data_package=None))
