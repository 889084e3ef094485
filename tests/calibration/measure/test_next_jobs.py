"""Next jobs to measure are next to the worst misses, and never measured already."""

from __future__ import annotations

import pytest

import measured_machine
from sim.system.stack.build import stack_system
from stacksim.measuring.jobs import Job
from stacksim.measuring.next_jobs import Beside, next_jobs

KIB = 1024
ONE, TWO, FAR = Job("read", 4 * KIB, 2, 1), Job("read", 64 * KIB, 2, 1), Job("read", 1024 * KIB, 8, 1)


@pytest.fixture
def system(tmp_path):
    path = tmp_path / "stack.toml"
    path.write_text(measured_machine.STACK)
    return stack_system(path)


def test_next_jobs_are_the_nearest_unmeasured_ones_worst_first(system):
    """A factor of two too low is as bad as one too high, and worse than a half more."""
    measured = (ONE, TWO, FAR, Job("read", 4 * KIB, 1, 1))
    found = list(next_jobs(system, {ONE: 0.5, TWO: -0.5}, measured, 3))
    assert found == [
        Beside(Job("read", 64 * KIB, 1, 1), TWO, -0.5),
        Beside(Job("read", 4 * KIB, 4, 1), ONE, 0.5),
    ]


def test_no_job_is_proposed_twice(system):
    near = Job("read", 4 * KIB, 4, 1)
    found = list(next_jobs(system, {ONE: 1.0, near: 0.9, TWO: 0.8, FAR: 0.1}, (ONE, near, TWO, FAR), 3))
    assert [each.measured for each in found] == [ONE, near, TWO]
    assert len({each.job for each in found} - {ONE, near, TWO, FAR}) == 3


def test_a_job_without_neighbours_takes_no_place(system):
    alone = Job("write", 4 * KIB, 1, 1, "all")
    (found,) = next_jobs(system, {alone: 3.0, ONE: 0.5}, (ONE, alone), 1)
    assert found.measured == ONE


def test_where_nothing_was_missed_there_is_nothing(system):
    assert list(next_jobs(system, {}, (ONE,), 3)) == []
