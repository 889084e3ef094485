"""docs/dev/validation.md is made from a report. Run as a script, this file brings it up to date, in some minutes.

The gate looks whether it has every dataset, and every figure that is far off in `calibration-data/misses.csv`;
`make slow` compares it with a report.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import bands as held
from models import data_folder
from sim.data import misses
from sim.data.packages import contributions
from sim.engine.files import write_atomically
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import figure_text
from sim.prediction import contribution
from sim.prediction.cells import summarise
from sim.prediction.misses import misses_of
from sim.prediction.prediction import predict_case
from sim.prediction.reach import REACHES, reach
from sim.prediction.report import case_of, datasets, report, system_of
from sim.prediction.roles import COUNTED_AS, RESTATED_BY_FIT, SATURATED, figures_per_parameter, role_of
from sim.prediction.totals import as_first_predicted
from sim.prediction.validation import BAD, validation
from sim.system.installed import systems

PAGE = Path(__file__).parents[2] / "docs" / "dev" / "validation.md"

HEAD = """# How far off the models are

Errors of all models against published figures, failures first. Every figure, also of your own measurements:
`stacksim report --html FILE.html`. [Roles](../glossary.md#role) are in the glossary; `python
tests/golden/test_validation.py` writes this page.
"""

FAILED = """## What fails

{count} figures are missed by more than 20 %, or lie outside their 90 % band
([of a measurement](../how-far-to-trust-it.md#where-a-measurement-would-lie), without the figure's own error). Only
figures that test the models have a band: {inside} of {banded} lie in theirs. The
pages of the systems name likely causes.
"""

REACHED = """## How far the score reaches

Errors of all fits for figures held out: in folds, by values of a setting, and by machines, of which only
anchors were given. *Best curve*: median and 95th percentile of the best curve without mechanism of each split,
pooled by interpolation (`sim/prediction/reach.py`), as are {by_summary} of the figures along an axis.
"""

ALL = """## Every dataset

Absolute errors, predicted / published - 1. *A parameter*: figures for each parameter derived from them or
fitted to them, over all datasets that share it; at most 4/3 means that the fit
[restates](../glossary.md#restated-by-fit) them.
"""

FIRST = """## As first predicted

A figure that is predicted today may have influenced a rule of its model. `first-predictions.csv` records the
errors when each figure was first predicted, since {since}, but not trials before that. By this record {cells}
figures were missed by {median} in the median, and 95 % of them by up to {p95}; today by {now}, and 95 % by up to
{now_p95}. {same} are predicted as then, to 1 %.
"""

NOISE = """## What no model could foretell

Differences between repeats of the same run, over their mean.
"""

CHECKED = """## Contributions

{contributions} `stacksim data check` finds wrong with the data:
"""

SIMULATED = 0.01
"""Tolerance between two versions of a model."""


def bands(about, cells):
    """Of every figure that tests a model, as if its own miss were not known; none where nothing is open."""
    tests = {(cell.dataset, cell.row, cell.column) for cell in cells if cell.role == "predicted"}
    for dataset in about:
        system, predictions = system_of(dataset, None), {}
        for figure in dataset.predicted():
            name = (dataset.name, figure.row, figure.column)
            if name in tests:
                case = case_of(system, figure)
                if case not in predictions:
                    predictions[case] = predict_case(case, RunOptions(answers=("throughput",)), intervals=True)
                each = held.Tested(figure, predictions[case], "predicted", shift=1.0)
                if band := held.band_of(each, held.without(misses_of(system), [each]), system.parameters.scatter):
                    yield name, (band.low - figure.half_width, band.high + figure.half_width)


def made():
    """A report, and what it says of the datasets."""
    about = datasets(())
    found = report(about, RunOptions())
    return found, validation(found, about, dict(bands(about, found.cells)))


def table(*rows):
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *others, ""])


def percent(share):
    return f"{100.0 * share:.1f} %"


def failure(each):
    cell = each.cell
    shown = [figure_text(value, cell.unit) for value in (cell.published, cell.predicted)]
    inside = ("yes" if each.band[0] <= cell.published <= each.band[1] else "**no**") if each.band else ""
    figure, error = f"{cell.row}, {cell.column}", f"{100.0 * cell.error:+.1f} %"
    return (cell.dataset, figure, cell.counted_as, *shown, error, inside)


def line(each, told):
    """The cells of a line; ``told``: figures a parameter of each dataset."""
    fitted = each.role in ("fitted", RESTATED_BY_FIT) and told[each.dataset]
    shares = map(percent, (each.summary.median, each.summary.p95, each.summary.worst))
    inside, banded = each.inside
    return (
        *(each.dataset, each.role, str(each.summary.cells), *shares),
        f"{inside} of {banded}" if banded else "",
        f"{fitted:.1f}" if fitted else "",
        each.sources,
    )


def lines(found, told):
    """The cells of all lines; the sources of a dataset stand in its first one."""
    last = None
    for each in found.lines:
        cells = line(each, told)
        yield cells if each.dataset != last else (*cells[:-1], "")
        last = each.dataset


def reached(each):
    """The cells of a line on how far the score reaches."""
    shares = map(percent, (each.median, each.p95, each.worst, each.inside))
    curve = " / ".join(map(percent, (each.baseline_median, each.baseline_p95)))
    return (REACHES[each.where], str(each.figures), *shares, curve, f"{each.better} of {each.splits}")


def reach_table(found):
    errors = ("figures", "median", "95th", "worst", "in 90 % bands", "best curve", "better in")
    return table(("what the fits never saw", *errors), *map(reached, found))


def noise(found):
    known = [(each.name, each.repeats) for each in found.summary if each.repeats]
    rows = [(name, str(each.pairs), percent(each.median), percent(each.p95)) for name, each in known]
    return table(("dataset", "pairs", "median", "95th"), *rows)


def first(found):
    errors, same = as_first_predicted(found)
    known = [cell for cell in found.cells if cell.first]
    now, since = summarise("now", known), min(cell.first.date for cell in known)
    shares = {"median": errors.median, "p95": errors.p95, "now": now.median, "now_p95": now.p95}
    told = {name: percent(each) for name, each in shares.items()}
    return FIRST.format(since=since, cells=errors.cells, same=same, **told)


def page(reported, found):
    """The whole page."""
    added = [each.name for each in contributions(data_folder())]
    problems = [f"- {problem}" for problem in contribution.check(data_folder()).problems]
    brought = f"Added: {', '.join(added)}." if added else "None was added yet."
    failures = [
        ("dataset", "figure", "role", "published", "predicted", "error", "in band"),
        *map(failure, found.failures),
    ]
    inside, banded = map(sum, zip(*(each.inside for each in found.lines), strict=True))
    errors = ("median", "95th", "worst", "in band", "a parameter")
    heads = ("dataset", "role", "figures", *errors, "published or measured by")
    told = {each.name: each.figures_per_parameter for each in reported.summary}
    summed = sum(each.by_summary for each in reported.reach)
    return "\n".join(
        [
            *(HEAD, FAILED.format(count=len(found.failures), inside=inside, banded=banded), table(*failures)),
            *(REACHED.format(by_summary=summed), reach_table(reported.reach), first(reported)),
            *(NOISE, noise(reported)),
            *(ALL, table(heads, *lines(found, told))),
            *(CHECKED.format(contributions=brought), *(problems or ["nothing."]), ""),
        ]
    )


def rows(heading):
    """The cells of the table below ``heading``, as they stand on the page."""
    section = PAGE.read_text("utf-8").partition(heading)[2].partition("\n## ")[0]
    _, _, *lines = re.findall(r"^\| (.*) \|$|^\|---.*$", section, re.MULTILINE)
    return [[cell.strip() for cell in each.split(" | ")] for each in lines]


def share(text):
    return float(text.removesuffix(" %")) / 100.0


def test_the_page_has_every_dataset_with_its_figures_by_role():
    expected = []
    for dataset in datasets(()):
        system = system_of(dataset, None)
        told = figures_per_parameter(system.parameters, dataset.name)
        fitted = RESTATED_BY_FIT if told and told <= SATURATED else "fitted"
        found = [role_of(system, dataset, each) for each in dataset.predicted()]
        found += ["restated" for each in dataset.measurements if dataset.comparison(each)]
        found = [fitted if role == "fitted" else role for role in found]
        expected += [[dataset.name, role, str(found.count(role))] for role in COUNTED_AS if role in found]
    assert [row[:3] for row in rows("## Every dataset")] == expected, "python tests/golden/test_validation.py"


def test_the_page_names_every_predicted_figure_that_is_missed_by_far():
    told = {(row[0], row[1]) for row in rows("## What fails") if row[2] == "predicted"}
    for each in misses.lines(data_folder() / misses.FILE):
        error = 2.718281828 ** float(each["miss"]) - 1.0
        if abs(error) > BAD + SIMULATED:
            assert (each["dataset"], f"{each['row']}, {each['column']}") in told


def test_the_page_says_who_published_each_dataset():
    sources = {dataset.name: "; ".join(dataset.sources) for dataset in datasets(())}
    assert {row[0]: row[-1] for row in rows("## Every dataset") if row[-1]} == sources


def test_the_page_says_how_far_the_score_reaches():
    assert reach_table(reach(systems().values())) in PAGE.read_text("utf-8")


def test_page_states_the_problems_of_the_check():
    said = PAGE.read_text("utf-8").partition("## Contributions")[2]
    problems = contribution.check(data_folder()).problems
    assert all(f"- {problem}" in said for problem in problems)
    assert bool(problems) != said.endswith("nothing.\n")


def test_page_for_users_quotes_this_page():
    quoted = (PAGE.parents[1] / "how-far-to-trust-it.md").read_text("utf-8")
    for row in rows("## How far the score reaches"):
        assert f"| {row[2]} | {row[3]} |" in quoted
        assert row[6].partition(" / ")[0] in quoted
    inside, banded = re.search(r"(\d+) of (\d+) lie in theirs", PAGE.read_text("utf-8")).groups()
    assert f"Of the {banded}\nfigures that test the models, {inside} lie in their" in quoted


@pytest.mark.slow
def test_the_page_is_that_of_a_report():
    _, found = made()
    assert len(found.lines) == len(rows("## Every dataset"))
    for each, row in zip(found.lines, rows("## Every dataset"), strict=True):
        expected = (each.summary.median, each.summary.p95, each.summary.worst)
        assert [share(text) for text in row[3:6]] == pytest.approx(expected, abs=SIMULATED), row
    told = {(row[0], row[1]) for row in rows("## What fails")}
    clear = {(row[0], row[1]) for row in map(failure, found.failures) if abs(share(row[5])) > BAD + SIMULATED}
    assert clear <= told


if __name__ == "__main__":
    write_atomically(PAGE, page(*made()).encode())
