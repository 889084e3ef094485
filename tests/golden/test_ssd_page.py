"""The answers over time of docs/stacks/ssd-preconditioned.md. Run as a script, this file writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from page_tables import between, head, number, row, write, written
from sim import over_time
from sim.system import find
from sim.system.case import Case

PAGE = Path(__file__).parents[2] / "docs" / "stacks" / "ssd-preconditioned.md"
MARKS = ("<!-- answers over time -->\n", "<!-- end of the answers -->\n")
BLOCK, HOURS = 64 << 10, 6
ASKED = [{"history": history} for history in ("fresh", "sequential", "random")]
ASKED += [{"history": "fresh", "used": 0.7}]


def lines():
    """A line for each history and share used."""
    yield from head("history", "used", "at first, MB/s", "until", "lowest", "after 1 h, MB/s", "3 h", f"{HOURS} h")
    for settings in ASKED:
        yield row(settings["history"], settings.get("used", 1), *cells(settings))


def cells(settings):
    model = Case.of(find("ssd-preconditioned"), {"block": BLOCK} | settings).scenario.model
    answer = over_time(model, HOURS * 3600.0, resolution_s=10.0)
    rates = answer.rates * BLOCK / 1e6
    yield number(rates[0])
    yield f"{answer.burst.end_s / 60:.0f} min" if settings["history"] != "random" else "–"
    yield number(rates.min())
    for hour in (1, 3, HOURS):
        yield number(rates[hour * 360 - 30 : hour * 360].mean())


@pytest.mark.long
def test_page_has_the_answers_over_time():
    assert written(PAGE, MARKS) == between(list(lines())), (
        "PYTHONPATH=tests:. python tests/golden/test_ssd_page.py"
    )


if __name__ == "__main__":
    write(PAGE, MARKS, list(lines()))
