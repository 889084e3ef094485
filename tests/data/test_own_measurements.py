"""Our own measurements: tables are what the raw results say, and what is fitted is what was to be fitted."""

from __future__ import annotations

import csv
import hashlib
import lzma
from statistics import median

import pytest

from benchmarks.own_rounds import ARCHIVE, RESULTS, tar, unpack
from benchmarks.own_tables import FITTED, foretold, main

MACHINES = [each for each in sorted(RESULTS.iterdir()) if each.is_dir()]


@pytest.fixture(scope="session")
def rounds(tmp_path_factory):
    unpack(folder := tmp_path_factory.mktemp("rounds"))
    return folder


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_tables_equal_the_raw_results(machine, rounds, tmp_path):
    for file in machine.glob("contended.csv"):
        (tmp_path / file.name).symlink_to(file)
    main(tmp_path, rounds / machine.name)
    made = {file.name: file.read_text() for file in tmp_path.glob("*.csv")}
    assert made == {file.name: file.read_text() for file in machine.glob("*.csv")}


def test_the_archive_is_the_one_that_the_tables_state():
    assert f"`{hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()}`" in (RESULTS / "README.md").read_text()


def test_archive_is_reproducible(rounds):
    assert lzma.decompress(ARCHIVE.read_bytes()) == tar(rounds)


def test_page_states_errors_of_predictions_made_before_measuring():
    page = (RESULTS.parents[1] / "docs" / "dev" / "own-machine.md").read_text()
    for machine in MACHINES:
        for name, errors in foretold(machine):
            sizes = sorted(map(abs, errors))
            row = f"| `{name}` | {len(sizes)} | {100 * median(sizes):.1f} % | {100 * sizes[-1]:.0f} % |"
            assert row in page


def test_fitted_figures_were_named_before_the_measurement():
    text = (RESULTS / "README.md").read_text()
    assert all(f"`{name}`" in text for names in FITTED.values() for name in names)
    assert {f"{row['op']}-{row['block'].removesuffix('iB').lower()}-{row['users']}" for row in rows("fuse")} == (
        FITTED["fuse"]
    )
    assert all(row["users"] == "1" for part in ("file", "buffered") for row in rows(part))


def rows(part):
    """Fitted figures of one part."""
    with (RESULTS / "vm-2-cores" / f"{part}-fitted.csv").open() as file:
        return list(csv.DictReader(file))
