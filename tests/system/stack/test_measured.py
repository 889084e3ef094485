"""Measured settings of a stack file: those beyond are untested, and their band is wider."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sim.prediction.caveats import caveats_of
from sim.prediction.extrapolation import apart, extrapolated
from sim.prediction.misses import BEYOND, expected_miss
from sim.system import find
from sim.system.case import Case

MEASURED = '[[measured]]\nusers = [1, 4]\n\n[[measured]]\nblock = "8KiB"\n\n[[layer]]'


def words(case):
    return [str(each) for each in (*extrapolated(case), *apart(case))]


def test_settings_beyond_the_measurements_are_untested_with_a_wider_band(replaced):
    system = find(str(replaced("[[layer]]", MEASURED)))
    within, beyond = (Case.of(system, {"users": users}) for users in (2, 5))
    assert words(within) == []
    assert words(beyond) == ["users=5 (measured: 1 … 4)"]
    assert expected_miss(beyond, "throughput") == pytest.approx(BEYOND * expected_miss(within, "throughput"))


def test_settings_never_measured_together_are_named(replaced):
    system = find(str(replaced("[[layer]]", MEASURED)))
    assert words(Case.of(system, {"users": 1, "block": "8KiB"})) == ["users=1 and block=8KiB together"]


def test_file_without_measurements_is_unmeasured(replaced):
    case = Case.of(find(str(replaced("[[layer]]", "[[layer]]"))), {"users": 5})
    assert words(case) == []
    silent = caveats_of(case, (), None)
    assert silent.untested == (f"no measurement of {case.system.name} is known",)
    assert silent.lines[0] == f"extrapolated: {silent.untested[0]}"
    assert silent.record()["measured"] is False
    told = caveats_of(Case.of(find(str(replaced("[[layer]]", MEASURED))), {"users": 2}), (), None)
    assert (told.untested, told.record()["measured"]) == ((), True)


def test_a_fit_without_settings_of_its_figures_counts_as_measured(replaced):
    system = find(str(replaced("[[layer]]", "[[layer]]")))
    fitted = replace(system, parameters=replace(system.parameters, seen_under=((),)))
    (untested,) = caveats_of(Case.of(fitted, {"users": 5}), (), None).untested
    assert untested == f"the fit of {system.name} does not say under which settings it was measured; fit again"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("users = [1, 4]", "user = 4", r"line \d+: no setting 'user'; did you mean 'users'"),
        ("users = [1, 4]", "users = 0", r"line \d+: users is '0'; allowed"),
        ('"8KiB"', '"none"', r"line \d+: block is 'none'"),
    ],
)
def test_invalid_entry_is_refused_with_its_line(refused, old, new, message):
    line = refused(MEASURED, old, new)
    assert re.search(message, line), line


@pytest.mark.parametrize(
    ("settings", "untested"),
    [
        ({"jobs": 8, "depth": 256}, []),
        ({"jobs": 2, "depth": 128, "scheduler": "bfq"}, []),
        ({"jobs": 64, "depth": 256, "op": "mixed"}, ["jobs=64 (measured: 1 … 8)", "op=mixed (measured: read)"]),
        ({"depth": 512}, ["depth=512 (measured: 1 … 256)"]),
    ],
)
def test_shipped_drive_states_its_measured_settings(settings, untested):
    assert words(Case.of("nvme-xfs", settings)) == untested
