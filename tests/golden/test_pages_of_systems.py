"""Pages of systems and stacks are short, ordered, and quote parameters as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.system import find

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [path for folder in ("systems", "stacks") for path in sorted((DOCS / folder).glob("*.md"))]
PAGES.remove(DOCS / "systems" / "README.md")
LINES = 120
SECTIONS = ["Questions", "Published against predicted", "Limits", "Mechanisms", "Parameters"]
QUOTED = re.compile(r"`(\w+)` \(([\d.]+) ([nµm]?)(s|GB/s)\)")
SCALES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "GB/s": 1e9}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def sections(page):
    """Headings of the second level that all pages share, in order."""
    return [each for each in re.findall(r"^## (.*)$", page.read_text("utf-8"), re.MULTILINE) if each in SECTIONS]


def quoted(page):
    """Parameters named with a value in brackets: name, value in SI units, half of the last digit shown."""
    for name, digits, prefix, unit in QUOTED.findall(page.read_text("utf-8")):
        scale = SCALES[prefix or ("GB/s" if unit == "GB/s" else "")]
        decimals = len(digits.partition(".")[2])
        yield name, float(digits) * scale, 0.5 * 10**-decimals * scale


@pages
def test_a_page_is_short(page):
    assert len(page.read_text("utf-8").splitlines()) <= LINES


@pages
def test_a_page_answers_before_it_explains(page):
    found = sections(page)
    assert found == [each for each in SECTIONS if each in found]
    assert {"Questions", "Limits", "Mechanisms"} <= {*found}


@pages
def test_a_quoted_parameter_has_that_value(page):
    parameters = find(page.stem).parameters
    for name, value, half in quoted(page):
        assert parameters[name] == pytest.approx(value, abs=1.001 * half), name


def test_some_parameters_are_quoted():
    assert sum(len([*quoted(page)]) for page in PAGES) >= 5
