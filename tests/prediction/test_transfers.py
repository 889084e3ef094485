"""Transfers of fits: what lies in bands that knew nothing of it, and whether a curve is better."""

from __future__ import annotations

import math

import pytest

from models import data_folder
from sim.data.fitted import path_in, read
from sim.prediction.misses import next_miss
from sim.prediction.transfers import LATENCIES, RATES, placed, transfers
from sim.system import find

FILE_SYNC = read(path_in(data_folder(), "file-sync"))


def test_a_transfer_is_reported_with_shares_within_bands_and_the_best_curve():
    found = {each.to: each for each in transfers([find("file-sync")])}
    assert len(found) == 6
    moved = found["one job to two"]
    errors = FILE_SYNC.errors["one job to two"]
    assert (moved.median, moved.p95) == (errors.system.median, errors.system.p95)
    assert moved.baseline_median == min(each.median for each in errors.baselines.values())
    assert moved.better
    for kind, share in ((RATES, moved.rates_inside), (LATENCIES, moved.latencies_inside)):
        inside = [each.inside for each in placed(FILE_SYNC, "one job to two") if each.kind == kind]
        assert share == pytest.approx(sum(inside) / len(inside))


def test_latencies_that_fits_had_not_seen_lie_in_their_bands_nine_times_of_ten():
    names = (*FILE_SYNC.along(), *FILE_SYNC.elsewhere())
    inside = [each.inside for to in names for each in placed(FILE_SYNC, to) if each.kind == LATENCIES]
    assert len(inside) > 100
    assert 0.85 <= sum(inside) / len(inside) <= 0.95


def test_a_band_knows_of_other_machines_and_not_of_its_own():
    own = "to another machine: hetz"
    others = FILE_SYNC.missed_after([each for each in FILE_SYNC.elsewhere() if each != own])
    first = next(placed(FILE_SYNC, own))
    said = FILE_SYNC.errors[own].moved[first.figure.cell]
    miss = next_miss(FILE_SYNC.missed(), FILE_SYNC.scatter, first.figure.measure, others)
    half = 1.645 * math.sqrt(max(0.0, said.deviation**2 - FILE_SYNC.scatter**2) + miss**2)
    assert (first.low, first.high) == pytest.approx(
        (said.predicted * math.exp(-half), said.predicted * math.exp(half)), rel=1e-3
    )


def test_file_without_predictions_has_the_share_in_its_own_bands():
    old = next(each for each in transfers([find("dbfs")]) if each.to == "quarter rack to half rack")
    assert old.rates_inside == old.inside
    assert old.latencies_inside is None
