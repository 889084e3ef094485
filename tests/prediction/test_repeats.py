"""The noise floor: repeats of the same run, told by their columns."""

from __future__ import annotations

import pytest

from sim.data.dataset import Measurement
from sim.prediction.repeats import repeats
from sim.prediction.report import datasets


def figure(row, column, value):
    return Measurement(
        dataset="ovens", line=2, source="B1", table="1", row=row, column=column, measure="throughput",
        value=value, unit="MB/s", half_width=0.5, conditions="users=1", quality="A",
    )  # fmt: skip


def test_repeats_of_a_run_differ_over_their_mean():
    found = repeats(
        [
            figure("a", "rolls repeat 1", 90.0),
            figure("a", "rolls repeat 2", 110.0),
            figure("a", "loaves repeat 1", 10.0),
            figure("a", "loaves repeat 2", 10.0),
            figure("b", "rolls repeat 1", 500.0),
            figure("b", "rolls again", 900.0),
        ]
    )
    assert (found.pairs, found.median, found.p95) == (2, pytest.approx(0.1), pytest.approx(0.2))


def test_every_two_of_three_repeats_are_a_pair():
    assert repeats(figure("a", f"rolls repeat {number}", 10.0 + number) for number in range(3)).pairs == 3


def test_a_dataset_without_repeats_has_no_noise_floor():
    assert repeats([figure("a", "rolls", 1.0), figure("b", "rolls", 2.0)]) is None


def test_file_sync_alone_was_repeated():
    found = {each.name: repeats(each.predicted()) for each in datasets(())}
    assert [name for name, each in found.items() if each] == ["file-sync"]
    assert found["file-sync"].pairs > 100
