"""Prior knowledge of a part: by value, and from a stack file to a fit of six figures."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import stdev

import pytest

from sim.calibration.calibrate import calibrate
from sim.data.dataset import Dataset
from sim.engine.errors import StackFileError
from sim.prediction import RunOptions, predict
from sim.system import find
from sim.system.parameters import DEVIATIONS
from sim.system.priors import kinds, prior, prior_of, spread
from toy import figure

T95_OF_3 = 2.353363
"""Quantile of Student's t at 95 % with three degrees of freedom, from tables."""


def test_two_machines_say_where_a_third_lies():
    """A factor of 4 between them, and of e between parts of other kinds."""
    found = prior_of({"one": 1e-3, "other": 4e-3}, "work", 1.0)
    deviation = math.sqrt((2 * 1.0**2 + 2 * math.log(2.0) ** 2) / 3 * 1.5)
    assert found.value == pytest.approx(2e-3)
    assert found.likely[1] == pytest.approx(2e-3 * math.exp(T95_OF_3 * deviation), rel=1e-4)
    assert found.likely[0] * found.likely[1] == pytest.approx(found.value**2)
    assert found.high == pytest.approx(2e-3 * math.exp(2 * T95_OF_3 * deviation / DEVIATIONS), rel=1e-4)
    assert found.source == "work: 2 measured (one, other)"


def test_the_spread_of_all_kinds_is_that_within_them():
    logs = ([0.0, 1.0, 2.0], [5.0], [7.0, 8.0])
    assert spread([[math.exp(each) for each in of] for of in logs]) == pytest.approx(math.sqrt((2.0 + 0.5) / 3))
    assert spread([[1.0, math.exp(0.4)]]) == pytest.approx(stdev([0.0, 0.4]))


def test_every_kind_has_values_in_one_unit():
    for name, kind in kinds().items():
        unit, found = prior(name)
        assert found.low < found.likely[0] < found.value < found.likely[1] < found.high, name
        assert {unit} == {type(kind)(about="x", machines=(each,)).unit for each in kind.machines}, name


STACK = """
title = "a drive of its own"

[settings]
jobs = 1
block = "4KiB"
op = { default = "read", options = ["read", "write"] }

[parameters]
submit = { prior = "host.submit", basis = "fitted" }
read = { prior = "ssd.read", basis = "fitted" }
write = { prior = "ssd.write", basis = "fitted" }

[load]
clients = "jobs"
block = "block"
op = "op"

[[layer]]
kind = "cores"
count = 2
time = "submit"
interrupt = 0

[[layer]]
kind = "ssd"
latency = { read = "read", write = "write" }
bandwidth = "unlimited"
"""

TRUTH = {"submit": 4e-6, "read": 85e-6, "write": 22e-6}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ssd.read"', '"ssd.reed"', "line 11: parameter 'read': no prior 'ssd.reed'; did you mean 'ssd.read'"),
        ('prior = "ssd.read"', 'prior = "ssd.read", value = "5us"', "allowed: a value, or a prior"),
        ('prior = "ssd.read", basis = "fitted"', 'basis = "fitted"', "allowed: a value, or a prior"),
        ('prior = "ssd.read"', 'prior = "ssd.read", source = "x"', "allowed with a prior: a basis"),
    ],
)
def test_an_invalid_prior_is_refused_with_its_line(tmp_path, old, new, message):
    path = tmp_path / "own.toml"
    path.write_text(STACK.replace(old, new, 1))
    with pytest.raises(StackFileError) as error:
        find(str(path))
    (line,) = str(error.value).splitlines()
    assert "line 11" in line
    assert message.removeprefix("line 11: parameter 'read': ") in line


def test_six_figures_of_a_users_machine_are_enough(tmp_path):
    """Of one to four processes; of eight the band is ±20 %, where priors alone leave a factor."""
    path = tmp_path / "own.toml"
    path.write_text(STACK)
    system = find(str(path))
    asked = [(jobs, op) for op in ("read", "write") for jobs in (1, 2, 4)]
    figures = []
    for number, (jobs, op) in enumerate(asked):
        own_s = TRUTH["submit"] + TRUTH[op]
        rate = jobs / own_s if jobs <= 2 else min(jobs / own_s, 2 / TRUTH["submit"])
        settings = {"jobs": jobs, "op": op}
        made = figure(number, rate * 4096 / 1e6, **settings)
        figures.append(made.model_copy(update={"unit": "MB/s", "dataset": "own"}))
    dataset = Dataset.model_construct(name="own", title="own", system=system.name, measurements=tuple(figures))
    fit = calibrate(
        [dataset],
        first_guesses=1,
        cross_validated=False,
        workers=None,
        command="",
        on_stage=lambda _stage: None,
        system=system,
    ).fitted
    for name, value in TRUTH.items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.25 if name == "submit" else 0.1)
    unmeasured = {"jobs": 8, "op": "read"}
    before, after = (
        predict(each, unmeasured, RunOptions(precision=0.02, answers=("throughput",))).intervals["throughput"]
        for each in (system, replace(system, parameters=fit.parameters_from(system.parameters)))
    )
    assert after.high / after.low < 1.45
    assert before.high / before.low > 4.0
