"""A search, growth, what is left without a part, and a verdict show themselves; what people wrote is escaped."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from one_server import SERVER
from sim.output.views import degraded, finding
from sim.output.views import growth as growing
from stacksim.claims import view as verdict
from stacksim.notebook import claim, fail, find, growth

EXACT = {"engine": "analytic"}
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def shown():
    """Each record with its view."""
    return {
        "finding": (finding.VIEW, find(SERVER, "mean<=10ms", rate=150, speed="1..8", **EXACT)),
        "growth": (
            growing.VIEW,
            growth(SERVER, "mean<=20ms", load="rate", by=0.1, months=6, rate=40, **EXACT),
        ),
        "degraded": (degraded.VIEW, fail(SERVER, rate=50, speed=2, **EXACT)),
        "verdict": (
            verdict.VIEW,
            claim(HOSTILE, HOSTILE, throughput="450 MB/s", op="read", hardware=["2 x fc-2"]),
        ),
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("finding", ["server  speed=3", "a part fails", "half of the server", "rejected      7 of 8"]),
        ("growth", ["load          rate=40 in", "breaks in", "probably|broken|kept"]),
        ("degraded", ["part that fails", "before", "half of the server", "20 ms"]),
        ("verdict", ["impossible     2 x fc-2: 2 × 212.5", "maybe          both-directions", "ask            "]),
    ],
)
def test_text_states_the_result(shown, name, told):
    view, record = shown[name]
    text = view.text(record)
    assert all(re.search(each, text) for each in told), text


@pytest.mark.parametrize("name", ["finding", "growth", "degraded", "verdict"])
def test_page_is_well_formed_and_escapes_hostile_text(shown, name):
    view, record = shown[name]
    page = view.html(record)
    root = ET.fromstring(re.sub("(<img[^>]*)>", r"\1/>", page))  # noqa: S314  (it is our own)
    assert (HOSTILE in "".join(root.itertext())) is (name == "verdict")
    assert HOSTILE not in page


def test_growth_is_drawn_and_a_search_without_prices_is_not(shown):
    for name, drawn in (("finding", False), ("growth", True), ("degraded", False), ("verdict", False)):
        view, record = shown[name]
        assert ("<img" in view.html(record)) is drawn, name


def test_end_of_a_range_is_warned_of(shown):
    view, _ = shown["finding"]
    record = find(SERVER, "mean<=1s", rate=0, clients="1..8", largest="clients", **EXACT)
    assert "warning: clients=8 is the end of the range" in view.text(record)


def test_views_are_registered_under_the_names_of_their_records(shown):
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    points = pyproject["project"]["entry-points"]["stacksim.views"]
    for name, (_, record) in shown.items():
        home = "stacksim.claims.view" if name == "verdict" else f"sim.output.views.{name}"
        assert points[type(record).__name__] == f"{home}:VIEW"
        assert hasattr(record, "_repr_html_")
