"""Files as other tools write them, small, made for the tests; and what is asked of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim import InputError
from sim.data.importers import tools

FOLDER = Path(__file__).parent / "data" / "told"


def told(name, part=""):
    """Figures of a file, by part, measure and unit."""
    file = name if isinstance(name, Path) else FOLDER / name
    found = tools.told(tools.tool_of(file), file, part)
    return {(each.part, each.measure, each.unit): each for each in found}


def values(name, part=""):
    """The value of each figure."""
    return {key: each.value for key, each in told(name, part).items()}


def changed(folder, name, old, new, count=1):
    """A copy of a file with another text in place of ``old``."""
    text = (FOLDER / name).read_text("utf-8")
    assert old in text
    copy = folder / name
    copy.write_text(text.replace(old, new, count), "utf-8")
    return copy


def refusal(path):
    """The one line with which a file is refused; it names the file."""
    with pytest.raises(InputError) as caught:
        told(path)
    (line,) = str(caught.value).splitlines()
    assert str(path) in line
    return line
