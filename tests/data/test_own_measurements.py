"""Our own measurements: tables are what the raw results say, and what is fitted is what was to be fitted."""

from __future__ import annotations

import csv
from statistics import median

import pytest

from benchmarks.own_machine import RESULTS
from benchmarks.own_tables import FITTED, foretold, main

MACHINES = [each for each in sorted(RESULTS.iterdir()) if each.is_dir()]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_tables_are_what_the_raw_results_say(machine, tmp_path):
    (copy := tmp_path / machine.name).mkdir()
    for part in (*machine.glob("round-*"), *machine.glob("contended.csv")):
        (copy / part.name).symlink_to(part)
    main(copy)
    made = {file.name: file.read_text() for file in copy.glob("*.csv")}
    assert made == {file.name: file.read_text() for file in machine.glob("*.csv")}


def test_the_page_says_how_far_off_what_was_predicted_before_it_was_measured():
    page = (RESULTS.parents[1] / "docs" / "own-machine.md").read_text()
    for machine in MACHINES:
        for name, errors in foretold(machine):
            sizes = sorted(map(abs, errors))
            row = f"| `{name}` | {len(sizes)} | {100 * median(sizes):.1f} % | {100 * sizes[-1]:.0f} % |"
            assert row in page


def test_what_is_fitted_was_decided_before():
    text = (RESULTS / "README.md").read_text()
    assert all(f"`{name}`" in text for names in FITTED.values() for name in names)
    assert {f"{row['op']}-{row['block'].removesuffix('iB').lower()}-{row['users']}" for row in rows("fuse")} == (
        FITTED["fuse"]
    )
    assert all(row["users"] == "1" for part in ("file", "buffered") for row in rows(part))


def rows(part):
    """What is fitted of one part."""
    with (RESULTS / "vm-2-cores" / f"{part}-fitted.csv").open() as file:
        return list(csv.DictReader(file))
