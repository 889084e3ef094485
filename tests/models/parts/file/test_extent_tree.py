"""Writers of blocks never written before change the extents of the file, one after the other."""

from __future__ import annotations

import pytest

from layers import Below, model_of, per_second
from models.io import FileIO
from models.parts.file.extent_tree import ExtentTree
from models.parts.file.lock_rules import EXTENTS
from sim import Station


def rate(extents, op="write", processes=8):
    tree = ExtentTree(Station("extent tree"), extents, 0.5e-3, Below())
    return per_second(model_of(tree, lambda number: FileIO(op, 4096, process=number), processes))


@pytest.mark.parametrize("extents", EXTENTS)
def test_only_writes_of_written_blocks_and_reads_leave_the_extents_alone(extents):
    assert rate(extents, "read") == pytest.approx(8000, rel=0.01)
    assert rate(extents) == pytest.approx(8000 if extents == "written" else 2000, rel=0.01)
    assert rate(extents, processes=1) == pytest.approx(1000 if extents == "written" else 1 / 1.5e-3, rel=0.01)
