"""Reach of the score: errors of all fits together, and curves by what files have of them."""

from __future__ import annotations

import dataclasses
import statistics

import pytest

from models import data_folder
from sim.data.fitted import CROSSED, Errors, path_in, read
from sim.engine.statistics.estimates import percentile_95
from sim.prediction.reach import reach, spread
from sim.prediction.transfers import fit_of
from sim.system import find
from sim.system.installed import systems

FILE_SYNC = read(path_in(data_folder(), "file-sync"))


def errors_of(fitted, predicted):
    measured = {each.cell: each.measured for each in fitted.figures}
    return [abs(value / measured[cell] - 1.0) for cell, value in predicted.items()]


def moved(fitted, names):
    return [
        error
        for name in names
        for error in errors_of(fitted, {cell: each.predicted for cell, each in fitted.errors[name].moved.items()})
    ]


def test_figures_are_pooled_by_how_far_the_fit_was_moved():
    inside, along, elsewhere = reach([find("file-sync")])
    assert (inside.where, along.where, elsewhere.where) == ("inside", "along", "elsewhere")
    for each, errors in (
        (inside, errors_of(FILE_SYNC, FILE_SYNC.held_out)),
        (along, moved(FILE_SYNC, FILE_SYNC.along())),
        (elsewhere, moved(FILE_SYNC, FILE_SYNC.elsewhere())),
    ):
        assert (each.figures, each.median, each.worst) == (len(errors), statistics.median(errors), max(errors))
        assert each.p95 == percentile_95(sorted(errors))
        assert each.better == each.splits
    assert inside.inside == pytest.approx(FILE_SYNC.coverage)
    assert elsewhere.splits == 5


def test_fits_count_by_their_figures():
    both, one, other = ({each.where: each for each in reach(map(find, names))} for names in (
        ("file-sync", "nvme"), ("file-sync",), ("nvme",)
    ))  # fmt: skip
    for where, each in both.items():
        parts = [part[where] for part in (one, other) if where in part]
        assert each.figures == sum(part.figures for part in parts)
        assert each.inside == pytest.approx(sum(part.inside * part.figures for part in parts) / each.figures)
        assert each.worst == max(part.worst for part in parts)
        assert min(part.median for part in parts) <= each.median <= max(part.median for part in parts)


def test_another_structure_of_a_system_is_not_counted_twice():
    assert list(reach([find("dbfs"), find("dbfs-cells")])) == list(reach([find("dbfs")]))


def test_a_system_without_a_fit_reaches_nowhere():
    assert not list(reach([find("zfs-ufs")]))


def test_figures_of_a_file_that_has_summaries_alone_are_reported():
    found = {each.where: each for each in reach([find("dbfs")])}
    transfers, axis = fit_of(find("dbfs")).along(), "each value left out of block"
    assert (found["inside"].by_summary, found["along"].by_summary, found["along"].figures) == (0, 84, 84 + 72)
    assert found["along"].splits == len(transfers) + 1
    errors = fit_of(find("dbfs")).errors
    assert found["along"].worst == max(errors[name].system.worst for name in (*transfers, axis))


def test_bands_do_not_count_values_that_lie_between_others():
    for name in ("dbfs", "nvme", "block-store"):
        fitted = fit_of(find(name))
        assert fitted.axes()
        assert not set(fitted.axes()) & set(fitted.along())
        for axis in fitted.axes():
            assert len(fitted.errors[axis].moved) == len(fitted.figures)


def test_the_best_curve_of_one_split_has_the_errors_of_its_file():
    along = next(each for each in reach([find("file-sync")]) if each.where == "along")
    best = min(FILE_SYNC.errors["one job to two"].baselines.values(), key=lambda each: each.median)
    assert along.baseline_p95 == pytest.approx(best.p95)
    assert along.baseline_median == pytest.approx(best.median, rel=0.01)


@pytest.mark.parametrize("figures", [1, 2, 5, 19, 20, 21, 100])
def test_a_summary_is_spread_over_as_many_errors_that_have_it(figures):
    one = figures == 1
    errors = Errors(figures=figures, mean=0.1, median=0.1, p95=0.1 if one else 0.3, worst=0.1 if one else 0.5)
    if figures < 20:
        errors = errors.model_copy(update={"p95": errors.worst})
    made = spread(errors)
    assert (len(made), made) == (figures, sorted(made))
    assert (percentile_95(made), made[-1]) == pytest.approx((errors.p95, errors.worst))
    if figures % 2:
        assert statistics.median(made) == pytest.approx(errors.median)


def test_a_curve_that_meets_most_figures_exactly_is_spread_all_the_same():
    assert spread(Errors(figures=4, mean=0.1, median=0.0, p95=0.5, worst=0.5)) == pytest.approx(
        [0.0, 0.0, 0.0, 0.5], abs=0.01
    )


def test_summaries_pooled_come_near_to_figures_pooled():
    """Of all fits whose files have both: medians within a tenth, 95th percentiles within three."""
    fits = [each for system in systems().values() if not system.rival_of and (each := fit_of(system))]
    for names in (lambda fitted: fitted.along(), lambda fitted: fitted.elsewhere()):
        true, summed = [], []
        for fitted in fits:
            for name in names(fitted):
                if fitted.errors[name].moved:
                    true += moved(fitted, [name])
                    summed += spread(fitted.errors[name].system)
        assert statistics.median(summed) == pytest.approx(statistics.median(true), rel=0.1)
        assert percentile_95(sorted(summed)) == pytest.approx(percentile_95(sorted(true)), rel=0.3)


def test_a_curve_that_is_better_is_counted_as_that():
    inside = next(reach([find("raft-sql")]))
    errors = fit_of(find("raft-sql")).errors[CROSSED]
    assert min(each.median for each in errors.baselines.values()) < errors.system.median
    assert (inside.better, inside.splits) == (0, 1)
    assert "better" in {field.name for field in dataclasses.fields(inside)}
