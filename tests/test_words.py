"""The mechanical part of plain English: docstrings begin with the thing, or with what is done."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RIDDLES = re.compile(r"(What|Whether|How|That|The same|Of)\b")
"""Openings that make a reader guess what is talked about."""


def riddles(source):
    """First lines of docstrings that begin so."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, documented))
    return [text.splitlines()[0] for text in found if text and RIDDLES.match(text)]


@pytest.mark.parametrize("package", ["sim", "models", "stacksim"])
def test_docstrings_begin_with_the_thing(package):
    files = [path for path in (ROOT / package).rglob("*.py") if not path.match("*/app.py")]
    assert files
    assert {
        str(path.relative_to(ROOT)): lines for path in files if (lines := riddles(path.read_text("utf-8")))
    } == {}


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
