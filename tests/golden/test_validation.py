"""`docs/validation.md` is made from a report. Run as a script, this file brings it up to date, in some minutes.

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
from sim.files import write_atomically
from sim.prediction import contribution
from sim.prediction.misses import misses_of
from sim.prediction.prediction import predict_case
from sim.prediction.report import case_of, datasets, report, system_of
from sim.prediction.roles import ROLES, role_of
from sim.prediction.validation import BAD, validation
from sim.simulation.options import RunOptions
from sim.units.text import figure_text

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"

HEAD = """# How far off the models are

Made by `python tests/golden/test_validation.py` from what `stacksim report` computes, failures first. What the
roles mean is in the [glossary](glossary.md#role). The same as a page with every figure, also for measurements of
your own: `stacksim report --html FILE.html`.
"""

FAILED = """## What fails

{count} figures are missed by more than 20 %, or lie outside the band in which nine of ten measurements should.
Bands are [those of `stacksim predict`](intervals.md#where-a-measurement-would-lie), as if the figure's own miss
were not known, and its rounding. Only figures that test the models have one here: {inside} of {banded} lie in
theirs. What is known of the causes stands in the pages of the systems.
"""

ALL = """## Every dataset

Errors are those of predicted / published - 1, without their sign. *In band*: so many of those that have one.
"""

CHECKED = """## Contributions

{contributions} What `stacksim data check` finds wrong with the data:
"""

SIMULATED = 0.01
"""What two versions of a model may differ by."""


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
    about = datasets(())
    found = report(about, RunOptions())
    return validation(found, about, dict(bands(about, found.cells)))


def table(*rows):
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *others, ""])


def percent(share):
    return f"{100.0 * share:.1f} %"


def failure(each):
    cell = each.cell
    shown = [figure_text(value, cell.unit) for value in (cell.published, cell.predicted)]
    band = " … ".join(figure_text(end, cell.unit) for end in each.band) if each.band else ""
    return (cell.dataset, f"{cell.row}, {cell.column}", cell.role, *shown, f"{100.0 * cell.error:+.1f} %", band)


def line(each):
    shares = map(percent, (each.summary.median, each.summary.p95, each.summary.worst))
    inside, banded = each.inside
    return (
        *(each.dataset, each.role, str(each.summary.cells), *shares),
        f"{inside} of {banded}" if banded else "",
        each.sources,
    )


def page(found):
    """The whole page."""
    added = [each.name for each in contributions(data_folder())]
    problems = [f"- {problem}" for problem in contribution.check(data_folder()).problems]
    brought = f"Added: {', '.join(added)}." if added else "None was added yet."
    failures = [
        ("dataset", "figure", "role", "published", "predicted", "error", "band"),
        *map(failure, found.failures),
    ]
    inside, banded = map(sum, zip(*(each.inside for each in found.lines), strict=True))
    heads = ("dataset", "role", "figures", "median", "95th", "worst", "in band", "published or measured by")
    return "\n".join(
        [
            *(HEAD, FAILED.format(count=len(found.failures), inside=inside, banded=banded), table(*failures)),
            *(ALL, table(heads, *map(line, found.lines))),
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
        found = [role_of(system, dataset, each) for each in dataset.predicted()]
        found += ["restated" for each in dataset.measurements if dataset.comparison(each)]
        expected += [[dataset.name, role, str(found.count(role))] for role in ROLES if role in found]
    assert [row[:3] for row in rows("## Every dataset")] == expected, "python tests/golden/test_validation.py"


def test_the_page_names_every_predicted_figure_that_is_missed_by_far():
    told = {(row[0], row[1]) for row in rows("## What fails") if row[2] == "predicted"}
    for each in misses.lines(data_folder() / misses.FILE):
        error = 2.718281828 ** float(each["miss"]) - 1.0
        if abs(error) > BAD + SIMULATED:
            assert (each["dataset"], f"{each['row']}, {each['column']}") in told


def test_the_page_says_who_published_each_dataset():
    sources = {dataset.name: "; ".join(dataset.sources) for dataset in datasets(())}
    assert {row[0]: row[-1] for row in rows("## Every dataset")} == sources


def test_the_page_says_what_the_check_says():
    said = PAGE.read_text("utf-8").partition("## Contributions")[2]
    problems = contribution.check(data_folder()).problems
    assert all(f"- {problem}" in said for problem in problems)
    assert bool(problems) != said.endswith("nothing.\n")


@pytest.mark.slow
def test_the_page_is_that_of_a_report():
    found = made()
    assert len(found.lines) == len(rows("## Every dataset"))
    for each, row in zip(found.lines, rows("## Every dataset"), strict=True):
        expected = (each.summary.median, each.summary.p95, each.summary.worst)
        assert [share(text) for text in row[3:6]] == pytest.approx(expected, abs=SIMULATED), row
    told = {(row[0], row[1]) for row in rows("## What fails")}
    clear = {(row[0], row[1]) for row in map(failure, found.failures) if abs(share(row[5])) > BAD + SIMULATED}
    assert clear <= told


if __name__ == "__main__":
    write_atomically(PAGE, page(made()).encode())
