"""Times by size of a stack: which of them figures of a block size and operation measure."""

from __future__ import annotations

import pytest

from sim.system.installed import find
from sim.system.stack.sizes import times_measured

KIB = 1024


@pytest.mark.parametrize(
    ("block", "op", "names"),
    [
        (4 * KIB, "read", {"read_latency"}),
        (8 * KIB, "read", {"read_latency_8k"}),
        (16 * KIB, "read", {"read_latency_8k", "read_latency_64k"}),
        (1024 * KIB, "read", {"read_latency_64k"}),
        (4 * KIB, "write", {"write_latency"}),
        (64 * KIB, "mixed", {"read_latency_64k", "write_latency_64k"}),
    ],
)
def test_the_times_at_and_around_a_size_are_measured(block, op, names):
    assert times_measured(find("nvme-xfs"), {"block": block, "op": op}) == names


def test_a_stack_without_a_setting_for_the_operation_measures_that_of_its_load():
    assert times_measured(find("shared-ext4"), {"block": 4 * KIB}) == {"write_latency"}


def test_a_system_of_python_has_none():
    assert times_measured(find("nvme"), {"block": 4 * KIB, "op": "read"}) == set()
