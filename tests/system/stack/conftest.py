"""Writing stack files."""

from __future__ import annotations

import pytest

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
