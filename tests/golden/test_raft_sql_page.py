"""The predictions of benchmarks/unseen/raft-sql.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.systems.raft_sql import RAFT_SQL
from page_tables import banded, between, head, row, write, written
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "raft-sql.md"
MARKS = ("<!-- tables of 600 to 1,500 threads -->\n", "<!-- end of the tables -->\n")

TESTS = ("point_select", "update_non_index", "update_index", "read_write")
RELEASES = (("v4-v3", "3.0"), ("v4-v3", "4.0"), ("v5-v4", "4.0"), ("v5-v4", "5.0"), ("v6", "6.0"), ("v6", "6.1"))
THREADS = (600, 900, 1200, 1500)
MEASURES = {"throughput": ("transactions a second", 1.0), "p95": ("95th percentile, ms", 1e-3)}
OPTIONS = RunOptions(precision=0.02, answers=("throughput", "p95"))


def tables():
    """A table for each test and measure, a line for each version of each study."""
    for test in TESTS:
        found = {release: predicted(test, *release) for release in RELEASES}
        for measure, (title, scale) in MEASURES.items():
            yield from (f"{test}, {title}:", "")
            yield from head("study", "version", *(f"{threads:,} threads" for threads in THREADS))
            for (study, version), predictions in found.items():
                yield row(study, version, *(banded(each, measure, scale) for each in predictions))
            yield ""


def predicted(test, study, version, numbers=THREADS):
    settings = {"test": test, "study": study, "version": version}
    return [predict(RAFT_SQL, {**settings, "threads": threads}, OPTIONS) for threads in numbers]


@pytest.mark.parametrize("test", TESTS)
def test_the_page_has_each_version_for_both_measures(test):
    lines = written(PAGE, MARKS).splitlines()
    for title, _ in MEASURES.values():
        first = lines.index(f"{test}, {title}:") + 4
        found = [line.split(" | ")[:2] for line in lines[first : first + len(RELEASES)]]
        assert found == [[f"| {study}", version] for study, version in RELEASES]


def test_cell_equals_the_prediction():
    (found,) = predicted("update_index", "v5-v4", "5.0", THREADS[:1])
    for measure, (_, scale) in MEASURES.items():
        assert f"| v5-v4 | 5.0 | {banded(found, measure, scale)} |" in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_rows_equal_predictions():
    assert written(PAGE, MARKS) == between(tables())


if __name__ == "__main__":
    write(PAGE, MARKS, tables())
