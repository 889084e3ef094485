"""The stack of PostgreSQL: where it was held against a database, and where it was not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sim.prediction.extrapolation import beyond, extrapolated
from sim.system.case import Case

ROOT = Path(__file__).parents[3]
SETTINGS = ("script", "scale", "clients", "synchronous_commit", "drive")


@pytest.mark.parametrize("script", ["insert", "tpcb-like"])
def test_settings_of_the_pgbench_runs_count_as_measured(script):
    table = ROOT / "calibration-data" / "own" / "vm-2-cores-epyc" / "postgresql" / f"pgbench-{script}.csv"
    with table.open(encoding="utf-8") as rows:
        settings = [{name: row[name] for name in SETTINGS} for row in csv.DictReader(rows)]
    assert settings
    assert [each for each in settings if beyond(Case.of("postgresql", each))] == []


def test_plain_transaction_is_untested_with_the_measured_scripts_named():
    found = [str(each) for each in extrapolated(Case.of("postgresql", {}))]
    assert found == ["script=plain (measured: insert, tpcb-like)"]
