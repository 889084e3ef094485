"""A fit of a stack to figures of one block size finds the time of that size."""

from __future__ import annotations

import pytest

from sim.calibration.calibrate import calibrate
from sim.data import fitted as fits
from sim.data.importers import read
from sim.system.installed import find
from tool_files import FOLDER


@pytest.fixture(scope="module")
def fitted():
    system = find("nvme-xfs")
    dataset = read(FOLDER / "iostat-8k.json", system, {"jobs": "1", "depth": "1"})
    return calibrate(
        [dataset],
        first_guesses=1,
        cross_validated=False,
        workers=None,
        command="fit",
        on_stage=lambda _stage: None,
        system=system,
    ).fitted


def test_one_process_at_depth_one_gives_the_time_of_its_size_by_littles_law(fitted):
    """14,080 I/Os a second, one at a time, take 71.0 us each, and that is the sum of what is on the way."""
    values = {name: each.value for name, each in fitted.parameters.items()}
    assert sum(values[name] for name in ("submit", "interrupt", "read_latency_8k")) == pytest.approx(
        1 / 14080, rel=0.005
    )
    assert not fitted.parameters["read_latency_8k"].at_prior
    assert fitted.parameters["read_latency"].at_prior
    assert abs(fitted.figures[0].error) < 0.005
    assert not any("bad fit" in each for each in fitted.warnings)


def test_such_a_fit_is_read_again(fitted, tmp_path):
    path = tmp_path / "fit.json"
    fits.write(fitted, path)
    system = fits.refitted(find("nvme-xfs"), path)
    assert system.parameters["read_latency_8k"] == pytest.approx(fitted.parameters["read_latency_8k"].value)
    assert not any("changed" in each for each in system.parameters.warnings)
    assert len(system.parameters.covariance) == len(fitted.parameters)
