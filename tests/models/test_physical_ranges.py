"""Parameters lie where hardware, kernels and databases do; those that do not are listed, with the reason."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from sim.system import systems

TABLE = tomllib.loads(Path(__file__).with_suffix("").with_name("physical_ranges.toml").read_text(encoding="utf-8"))
PARAMETERS = {
    f"{system.name}.{entry.name}": entry for system in systems().values() for entry in system.parameters.entries
}
OF_SYSTEM = {
    f"{system.name}.{name}": f"{system.measured_as}.{name}"
    for system in systems().values()
    for name in system.parameters.names()
}
"""Names of each in the table: another structure of a system has those of the system."""


def matching(name, of=("kind", "free")):
    return [
        row
        for key in of
        for row in TABLE[key]
        if any(fnmatchcase(OF_SYSTEM[name], each) for each in row["parameters"])
    ]


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_is_of_one_kind_or_free(name):
    assert len(matching(name)) == 1, [row["name"] for row in matching(name)]


@pytest.mark.parametrize("name", [name for name in PARAMETERS if matching(name, ["kind"])])
def test_values_and_ranges_are_physical_unless_listed(name):
    entry, kind = PARAMETERS[name], matching(name, ["kind"])[0]
    low, high = entry.likely or (entry.value, entry.value)
    inside = kind["low"] <= low <= high <= kind["high"]
    assert inside != bool(matching(name, ["outside"])), f"{low:g} to {high:g} {entry.unit}: {kind['name']}"


def test_every_row_is_needed_and_has_a_source():
    for row in TABLE["kind"] + TABLE["free"] + TABLE["outside"]:
        assert row["source"]
        for pattern in row["parameters"]:
            assert any(fnmatchcase(name, pattern) for name in OF_SYSTEM.values()), pattern
