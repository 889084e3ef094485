"""A stack file with fitted values: all else stays as written, and other commands take it."""

from __future__ import annotations

import pytest

import measured_machine
from sim.data.fitted import FittedValue
from sim.engine.errors import InputError
from sim.system.stack.build import stack_system
from stacksim.measuring.fitted_stack import fitted_text

VALUES = {
    "access": FittedValue(value=2.5e-4, low=2e-4, high=3e-4, at_prior=False),
    "command": FittedValue(value=1e-4, low=2e-5, high=1e-4, at_prior=False, at_bound=True),
    "bandwidth": FittedValue(value=3e9, low=2e9, high=1e10, at_prior=True),
}


def systems(tmp_path, text=measured_machine.STACK):
    path = tmp_path / "stack.toml"
    path.write_text(text)
    before = stack_system(path)
    path.write_text(fitted_text(text, before, VALUES, "a measurement"))
    return before, stack_system(path), path.read_text()


def test_values_and_ranges_are_those_of_the_fit(tmp_path):
    _, after, _ = systems(tmp_path)
    access, command, bandwidth = after.parameters.entries
    assert (access.value, command.value, bandwidth.value) == (2.5e-4, 1e-4, 3e9)
    assert access.likely == pytest.approx((2.5e-4 * 0.8**0.8392, 2.5e-4 * 1.2**0.8392), rel=1e-3)
    assert command.likely[1] == command.high == 1e-4
    assert {each.source for each in after.parameters.entries} == {"a measurement"}


def test_rest_of_the_stack_file_is_unchanged(tmp_path):
    before, after, text = systems(tmp_path, measured_machine.STACK.replace("[load]", "# a remark\n[load]"))
    kept = [line for line in text.splitlines() if not line.startswith((*VALUES,))]
    assert "# a remark" in kept
    assert [(each.low, each.high) for each in before.parameters.entries] == [
        (each.low, each.high) for each in after.parameters.entries
    ]


def test_a_parameter_in_a_table_of_its_own_is_refused(tmp_path):
    entry = 'access = { value = "100us", bounds = ["10us", "1ms"], basis = "fitted", source = "a guess" }\n'
    table = (
        '[parameters.access]\nvalue = "100us"\nbounds = ["10us", "1ms"]\nbasis = "fitted"\nsource = "a"\n\n[load]'
    )
    with pytest.raises(InputError, match=r"'access' is not on one line of \[parameters\]"):
        systems(tmp_path, measured_machine.STACK.replace(entry, "").replace("[load]", table))
