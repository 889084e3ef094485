"""Lines of memory that another processor changed last."""

import pytest

from models.parts.host.shared_lines import shared_lines


@pytest.mark.parametrize(("processes", "seconds"), [(1, 0.0), (2, 2e-6), (4, 3e-6), (1000, 4e-6)])
def test_share_of_remote_cache_lines_grows_to_one(processes, seconds):
    assert shared_lines(4e-6, processes) == pytest.approx(seconds, rel=0.01)


def test_jobs_without_shared_lines_do_not_slow_each_other():
    assert shared_lines(4e-6, 64, sharers=2) == pytest.approx(2e-6)
