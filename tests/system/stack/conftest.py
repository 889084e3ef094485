"""Writing stack files."""

from __future__ import annotations

import pytest

from sim.engine.errors import StackFileError
from sim.system import find
from stack_files import DISK


@pytest.fixture
def replaced(tmp_path):
    """Writes the file with one text, which it holds, replaced by another; returns its path."""

    def write(old="", new=""):
        assert old in DISK
        path = tmp_path / "disk.toml"
        path.write_text(DISK.replace(old, new, 1))
        return path

    return write


@pytest.fixture
def refused(replaced):
    """Writes the file with a section more, one text of which is replaced; returns the error's one line."""

    def write(section, old, new):
        path = replaced("[[layer]]", section)
        path.write_text(path.read_text().replace(old, new, 1))
        with pytest.raises(StackFileError) as error:
            find(str(path))
        (line,) = str(error.value).splitlines()
        return line

    return write
