"""Hosts of systems are the record of a machine, or assumed of any host."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from statistics import geometric_mean

import pytest

from models import data_folder
from models.parts.host.record import CALL, KINDS, PRIORS, SWITCH, kind_of_host
from sim.system.installed import systems
from sim.system.priors import kinds
from sim.system.quantities import measured
from sim.system.stack.build import Stack

WAKES = ("wake_s", "*_wake_s", "interrupt_s", "asleep_s", "*_asleep_s", "*_handover_s", "node_after_s")
CALLS = ("call_s", "*_call_s")

OTHERWISE = {
    "array.call_s": "zeroes a block besides",
    "cubefs.deep_wake_s": "a second depth, which the record of a host does not have",
    "file-copy.psfs_call_s": "derived: a cluster's lock is in it",
    "file-copy.ufs_call_s": "as under PSFS, of the same kernel's block layer",
    "file-sync.call_s": "fitted: a sync that finds nothing to do",
    "shared-file.duo_wake_s": "less than a switch: a thread that runs may take the lock before it",
}
"""Of each what makes it another thing."""

MACHINES = " ".join(machine.source for kind in kinds().values() for machine in kind.machines)


def named(patterns):
    """(system, parameter) of all systems in Python."""
    of_python = [each for each in systems().values() if not isinstance(each.build, Stack)]
    return [
        pytest.param(system, entry, id=f"{system.name}.{entry.name}")
        for system in of_python
        for entry in system.parameters.entries
        if any(fnmatch(entry.name, pattern) for pattern in patterns)
        and f"{system.measured_as}.{entry.name}" not in OTHERWISE
    ]


@pytest.mark.parametrize(("system", "entry"), named(WAKES))
def test_a_wake_up_is_that_of_a_machine_or_is_assumed_of_any_host(system, entry):
    if entry.basis == "assumed":
        assert entry.value == SWITCH.value
        assert entry.likely in (None, SWITCH.likely)
    else:
        assert re.search(rf"\b{entry.name}\b", MACHINES), f"put {system.name}.{entry.name} into priors.toml"


@pytest.mark.parametrize(("system", "entry"), named(CALLS))
def test_a_call_is_assumed_of_any_host(system, entry):  # noqa: ARG001  (its name is in that of the test)
    assert (entry.basis, entry.value, entry.likely) == ("assumed", CALL.value, CALL.likely)


FITTED = [
    pytest.param(machine, *found.groups(), id=f"{name} {found[2]}")
    for name, kind in kinds().items()
    for machine in kind.machines
    if (found := re.fullmatch(r"fitted/([\w-]+)\.json: (\w+)", machine.source))
]


@pytest.mark.parametrize(("machine", "system", "parameter"), FITTED)
def test_records_of_a_fit_equal_the_fit(machine, system, parameter):
    fit = json.loads((data_folder() / "fitted" / f"{system}.json").read_text("utf-8"))
    value = measured(machine.machine, machine.value)[1]
    assert value == pytest.approx(fit["parameters"][parameter]["value"], rel=0.015)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_host_is_the_mean_of_its_machines(kind):
    known = kind_of_host(kind)
    machines = [each for each in kinds()["host.halted"].machines if each.like == kind]
    halted = [measured(each.machine, each.value)[1] for each in machines]
    assert known["halted"].value == pytest.approx(geometric_mean(halted) if halted else 0.0, rel=0.005)
    assert (known["awake"].value == 0.0) == (kind == "awake"), "who is awake does not sleep"
    assert known.keys() == PRIORS.keys()
    assert all(each.source for each in known.values())


def test_a_bare_host_is_one_that_is_awake_until_it_sleeps():
    bare, awake = kind_of_host("bare"), kind_of_host("awake")
    assert [bare[each] for each in ("switch", "busy", "line")] == [
        awake[each] for each in ("switch", "busy", "line")
    ]
