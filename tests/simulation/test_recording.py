"""How long requests are recorded, and what a breakdown says of them, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.errors import InputError
from sim.simulation.latency_breakdown import Breakdown, Share, break_down
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


def span(*intervals, end_ns=None, branches=(), background=False):
    """A span of intervals of activity, place, and the times at which they begin and end."""
    made = [
        SimpleNamespace(activity=a, place=p, begin_ns=b, end_ns=e, duration_ns=e - b) for a, p, b, e in intervals
    ]
    begin_ns, until_ns = (made[0].begin_ns, made[-1].end_ns) if made else (0, 0)
    times = {"begin_ns": begin_ns, "until_ns": until_ns, "end_ns": end_ns}
    return SimpleNamespace(**times, intervals=made, branches=list(branches), background=background)


def test_requests_are_added_up_along_their_critical_paths():
    """Of two branches the later one counts, and of two that end at once the one forked last; numbers fall away."""
    short = span(("serve", "disk 1", 10, 20), end_ns=20)
    first, last = (span(("serve", name, 10, 40), end_ns=40) for name in ("disk 8", "disk 2"))
    aside = span(("serve", "log", 10, 40), end_ns=40, background=True)
    joined = span(("wait", "cpu", 0, 10), ("join", "", 10, 40), end_ns=40, branches=[short, first, last, aside])
    plain, begun = span(("serve", "disk 1", 5, 10), end_ns=10), span(("serve", "disk 1", 90, 99))
    found = break_down([joined, plain, begun])
    assert (found.requests, found.latency_ns) == (2, 45)
    assert [(each.activity, each.place, each.total_ns, each.intervals) for each in found.shares] == [
        ("serve", "disk *", 35, 2),
        ("wait", "cpu", 10, 1),
    ]
    assert (break_down([begun]).requests, break_down([begun]).latency_ns) == (1, 9)
