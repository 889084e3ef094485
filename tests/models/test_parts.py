"""Each physical thing is one part: one class, in `models/parts`, which the systems wire."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

MODELS = Path(__file__).parents[2] / "models"
PARTS = {
    "a flash device": "parts/flash/device.py",
    "a disk": "parts/disk/disk.py",
    "a link": "parts/link/link.py",
    "a journal": "parts/journal.py",
    "a page cache": "parts/page_cache/cache.py",
    "a host": "parts/host/host.py",
}
"""The file in which each of these is, which no other file stands in for."""

DEVICES = ("platter", "spindle", "flash", "ssd", "hdd", "arm ", "rpm", "nand", "raid")
"""Words of which a class of its own in a system would be a device beside the parts."""


def classes(path):
    """(name, docstring) of each class of a file."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, ast.get_docstring(node) or ""


@pytest.mark.parametrize("file", PARTS.values())
def test_each_part_is_there(file):
    assert (MODELS / file).exists()


def test_systems_have_no_device_of_their_own():
    """A class with a path of its own that says it is a device; those of settings and parameters have none."""
    own = [
        f"{path.relative_to(MODELS)}: {name}"
        for path in sorted((MODELS / "systems").rglob("*.py"))
        for name, text in classes(path)
        if "def path(" in path.read_text("utf-8") and any(word in text.casefold() for word in DEVICES)
    ]
    assert not own, own
