"""The stack over checkpoints, against pgbench second by second: runs predicted before they were measured."""

from __future__ import annotations

import csv
import doctest
from pathlib import Path

import numpy as np
import pytest

from benchmarks.own_checkpoints_model import (
    FOLDER,
    by_model,
    figures,
    first_checkpoint,
    measured,
    nearest,
    runs,
    table,
)

PAGE = Path(__file__).parents[3] / "docs" / "stacks" / "postgresql-oltp.md"

UNSEEN = {row["run"]: row for row in runs("predicted")}
WITHOUT_CHECKPOINT = "8"
"""Ever fewer images are written, so that the busy cores limit and not the volume: the model is 21 % high."""


def test_page_shows_the_figures_predicted_measured_and_of_the_nearest_run():
    text = PAGE.read_text("utf-8")
    assert [line for line in table() if line not in text] == []


def test_example_of_the_page():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 0) == (0, True)


def test_predictions_were_written_for_every_unseen_run_and_figure():
    with (FOLDER / "before" / "predicted.csv").open() as file:
        found = {(row["run"], row["figure"]) for row in csv.DictReader(file)}
    assert found == {(run, name) for run in UNSEEN for name in figures(np.ones(20))}


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, marks=[] if run == "7" else [pytest.mark.slow])
        for run in sorted({*UNSEEN} - {WITHOUT_CHECKPOINT}, key=int)
    ],
)
def test_model_replays_the_unseen_runs(run):
    rates, touched = by_model(UNSEEN[run])
    seen = measured(run)
    begins = int(np.flatnonzero(np.diff(touched) < 0.0)[0])
    assert begins == pytest.approx(first_checkpoint(seen), rel=0.25)
    assert rates[:begins].mean() == pytest.approx(seen["tps"][: first_checkpoint(seen)].mean(), rel=0.15)
    assert rates[begins:].mean() == pytest.approx(seen["tps"][first_checkpoint(seen) :].mean(), rel=0.15)
    assert figures(rates)["stalled"] == pytest.approx(figures(seen["tps"])["stalled"], abs=0.1)


def test_log_per_transaction_falls_since_the_checkpoint_as_measured():
    """Run 8 touches more and more pages in its 130 s: images become fewer."""
    seen = measured("8")
    transactions = np.cumsum(seen["tps"])
    pages = 36352
    touched = pages * -np.expm1(-transactions / pages)
    expected = 895 * transactions + 6690 * touched
    for first, last in ((5, 25), (50, 70), (100, 125)):
        log = (seen["wal_bytes"][last] - seen["wal_bytes"][first]) / (transactions[last] - transactions[first])
        told = (expected[last] - expected[first]) / (transactions[last] - transactions[first])
        assert told == pytest.approx(log, rel=0.12)


@pytest.mark.slow
def test_model_is_nearer_than_the_nearest_run():
    errors = {"model": [], "nearest": []}
    for run, row in UNSEEN.items():
        seen = figures(measured(run)["tps"])
        for name, rates in (("model", by_model(row)[0]), ("nearest", measured(nearest(row))["tps"])):
            errors[name] += [abs(np.log(figures(rates)[each] / seen[each])) for each in ("burst", "sustained")]
    assert np.mean(errors["model"]) < np.mean(errors["nearest"])
