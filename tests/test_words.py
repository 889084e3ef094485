"""The mechanical part of plain English: docstrings and names of tests begin with the thing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RIDDLES = re.compile(r"(What|Whether|How|That|The same|Of)\b")
"""Openings that make a reader guess what is talked about."""
RIDDLES_OF_TESTS = re.compile(r"(What|Whether|How|That|The same|Whoever)\b")
"""A docstring of a test may begin with a share: "Of nine clients two …"."""
NAMED_RIDDLES = re.compile(
    r"^def (test_(?:what|that|the_same|who|whom|whose|whoever|of|nor|so|but)_\w*|test_\w*whoever\w*)",
    re.MULTILINE,
)
"""Names of tests that do so."""


def riddles(source, openings=RIDDLES):
    """First lines of docstrings that begin so."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, documented))
    return [text.splitlines()[0] for text in found if text and openings.match(text)]


@pytest.mark.parametrize(
    ("package", "openings"),
    [("sim", RIDDLES), ("models", RIDDLES), ("stacksim", RIDDLES), ("tests", RIDDLES_OF_TESTS)],
)
def test_docstrings_begin_with_the_thing(package, openings):
    files = [path for path in (ROOT / package).rglob("*.py") if not path.match("*/app.py")]
    assert files
    found = {str(path.relative_to(ROOT)): riddles(path.read_text("utf-8"), openings) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_names_of_tests_begin_with_the_thing():
    files = [*(ROOT / "tests").rglob("test_*.py")]
    assert files
    names = {path.name: NAMED_RIDDLES.findall(path.read_text("utf-8")) for path in files}
    assert {name: found for name, found in names.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('"""What it does."""', 1),
        ('def f():\n    """Whether it is so."""', 1),
        ('class A:\n    """The same for many."""', 1),
        ('"""The sum of all."""', 0),
        ('"""Offsets of all."""', 0),
    ],
)
def test_riddles_are_seen(source, count):
    assert len(riddles(source)) == count


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("def test_what_is_cut_short_is_refused():", True),
        ("def test_the_same_seed_gives_the_same():", True),
        ("def test_that_it_works(run):", True),
        ("def test_a_file_of_whoever_asks():", True),
        ("def test_truncated_file_is_refused():", False),
        ("def test_offsets_are_kept():", False),
    ],
)
def test_named_riddles_are_seen(source, seen):
    assert bool(NAMED_RIDDLES.findall(source)) is seen
