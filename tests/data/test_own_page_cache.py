"""The page cache measured over time: the stack's answers beside the kept series, errors as they are."""

from __future__ import annotations

import csv
from dataclasses import asdict

import pytest

from benchmarks.own_page_cache import RUNS
from benchmarks.own_page_cache_answers import Figures, answered, figures_of, measured
from benchmarks.own_rounds import RESULTS

FOLDER = RESULTS / "vm-2-cores-epyc" / "page-cache"
PAGE = RESULTS.parents[1] / "docs" / "stacks" / "buffered-ext4.md"
ASKED = {"burst": 0.15, "knee": 0.25, "sustained": 0.15, "lowest": 0.5, "stalled": 0.1}
"""Largest errors asked for before anything was measured: shares, and of ``stalled`` the difference."""

MISSED: dict[tuple[str, str], float] = {}
"""Errors of unseen figures beyond that, as they are."""

SERIES = measured(FOLDER)
UNSEEN = [each for each in RUNS if each.phase == "unseen" and each.offered]
runs = pytest.mark.parametrize("run", [each for each in RUNS if each.offered], ids=lambda run: run.name)


def figures(run):
    """Figures as measured, and as answered."""
    series = SERIES[run.name], answered(run, FOLDER / "page-cache.toml")
    return [asdict(Figures.of(each, run)) for each in series]


def error(figure, true, found):
    if figure == "stalled":
        return abs(found - true)
    if figure == "lowest":  # a factor either way
        return max(found, true) / min(found, true) - 1.0 if found != true else 0.0
    return abs(found / true - 1.0)


@runs
def test_answers_are_as_far_off_as_asked_for_or_listed(run):
    true, found = figures(run)
    for figure in figures_of(run):
        off = error(figure, true[figure], found[figure])
        if (run.name, figure) in MISSED:
            assert off == pytest.approx(MISSED[run.name, figure], abs=0.02)
        else:
            assert off <= ASKED[figure], (figure, true[figure], found[figure])


def test_every_unseen_figure_was_foretold():
    with (FOLDER / "before" / "unseen.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {(row["run"], row["figure"]) for row in rows} == {
        (run.name, figure) for run in UNSEEN for figure in figures_of(run)
    }
    for row in rows:
        assert float(row["low"]) <= float(row["value"]) <= float(row["high"])


def row(run):
    """The row of a run on the page of the stack; the simple rule is limit / (in - out), and storage alone."""
    true, found = figures(run)
    cells = [f"`{run.name}`", run.phase]
    if "knee" in figures_of(run) and run.storage:
        simple = run.limit / (run.jobs * run.offered - run.storage)
        cells += [f"{each:.1f}" for each in (true["knee"], found["knee"], simple)]
    elif "knee" in figures_of(run):
        simple = run.limit / (run.offered - run.iops / 256)
        cells += [f"{each:.1f}" for each in (true["knee"], found["knee"], simple)]
    else:
        cells += ["–"] * 3
    storage = run.storage or run.iops / 256
    cells += [f"{each:.1f}" for each in (true["sustained"], found["sustained"], storage)]
    cells += [f"{each['lowest']:.1f}" for each in (true, found)]
    return f"| {' | '.join(cells)} |"


@runs
def test_page_has_the_figures(run):
    assert row(run) in PAGE.read_text("utf-8")
