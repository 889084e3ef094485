"""How long requests are recorded, and what a breakdown says of them, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.errors import InputError
from sim.simulation.latency_breakdown import Breakdown, Share
from sim.simulation.recording import part_ns
from sim.statistics.estimates import point


@pytest.mark.parametrize(("rate", "expected_ns"), [(100.0, 50_000_000), (1e12, 1), (3.0, 1_666_666_667)])
def test_a_part_is_an_equal_share_of_the_time_that_requests_are_expected_to_take(rate, expected_ns):
    assert part_ns(SimpleNamespace(throughput=point(rate)), 50, 10) == expected_ns


def test_where_nothing_is_completed_nothing_can_be_recorded():
    with pytest.raises(InputError, match="nothing of 'load' is completed"):
        part_ns(SimpleNamespace(throughput=point(0.0), watched="load"), 50, 10)


def test_a_breakdown_is_of_a_mean_request():
    serve, wait = Share("serve", "disk *", 6_000_000_000, 8), Share("wait", "disk *", 2_000_000_000, 4)
    found = Breakdown(4, 8_000_000_000, (serve, wait))
    assert (found.latency_s, found.mean_s(serve), found.mean_s(wait)) == (2.0, 1.5, 0.5)
    assert (found.fraction(serve), found.visits(serve), found.visits(wait)) == (0.75, 2.0, 1.0)
    assert (found.part("serve", "disk"), found.part("serve", "log"), found.part("wait")) == (0.75, 0.0, 0.25)
    assert Breakdown(1, 0, (Share("wait", "", 0, 1),)).part("wait") == 0.0
