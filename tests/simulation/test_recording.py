"""Length of a recording of requests, and breakdowns of them, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim import Closed, Delay, Model
from sim.engine.errors import InputError
from sim.engine.simulation import recording, window
from sim.engine.simulation.latency_breakdown import Breakdown, Share, break_down
from sim.engine.simulation.recording import part_ns, recorded
from sim.engine.statistics.estimates import point


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
        SimpleNamespace(activity="".join(a), place=p, begin_ns=b, end_ns=e, duration_ns=e - b)
        for a, p, b, e in intervals
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


LOADS = Model([Closed(name, 1, Delay(1.0), group=name[0]) for name in ("a1", "a2", "b")])


class Ticking:
    """An engine that ends a request of each workload every 100 ms after a warm-up of a second."""

    def __init__(self, until_ns=10**12, most=10**9):
        self.now_ns, self.until_ns, self.most, self.stops, self.requests = 0, until_ns, most, [], []

    def __call__(self, model, seed, trace):
        assert (model, seed, trace._since_ns) == (LOADS, 7, self.since_ns)  # noqa: SLF001
        self.trace = trace
        return self

    def advance(self, until_ns):
        self.now_ns = until_ns
        self.stops.append(until_ns // 10**6)
        tick, begin = 10**8, self.since_ns
        self.trace.requests[:] = [
            SimpleNamespace(workload=name, begin_ns=at, end_ns=end, until_ns=min(at + tick, until_ns), doing=None,
                            parent=None, background=False, branches=())
            for at in range(begin, until_ns, tick) for name in ("a1", "a2", "b")
            for end in (at + tick if at + tick <= until_ns else None,)
        ]  # fmt: skip
        if len(self.trace.requests) >= self.most:
            self.trace._left = 0  # noqa: SLF001

    stuck = False
    since_ns = 10**9

    @property
    def finished(self):
        return self.now_ns >= self.until_ns

    def look(self):
        self.stops.append("look")


RESULT = SimpleNamespace(elapsed=None, warmup_s=1.0, throughput=point(20.0), watched="a", seed=7)


@pytest.mark.parametrize(
    ("requests", "limits", "stops"),
    [
        (16, {}, [1000, *range(1016, 1801, 16)]),
        (1000, {"until_ns": 2_500_000_000}, [1000, 2000, 3000]),
        (1000, {"most": 60}, [1000, 2000, 3000]),
    ],
)
def test_requested_number_of_requests_is_recorded(requests, limits, stops, monkeypatch):
    """Twenty a second: sixteen of two workloads take 0.8 s; or as many as there are, or as can be kept."""
    run = Ticking(**limits)
    monkeypatch.setattr(recording, "engine", lambda _name: run)
    found = recorded(LOADS, RESULT, requests)
    assert run.stops == stops
    assert {group: {each.workload for each in spans} for group, spans in found.items()} == {
        "a": {"a1", "a2"},
        "b": {"b"},
    }
    assert sum(len(spans) for spans in found.values()) == len(run.trace.requests)


@pytest.mark.parametrize(
    ("unseen", "limits", "begins", "left", "stops"),
    [
        ([(1200, 0), (1100, 1), (1000, 3)], {}, 1208, 0, [*range(1000, 2009, 16), "look"]),
        (
            [(1500, 9), (1100, 1), (1000, 3)],
            {"until_ns": 2 * 10**9},
            1112,
            1,
            [*range(1000, 2001, 16), 2008, "look"],
        ),
        ([(1000, 3)], {}, 1000, 3, [*range(1000, 4201, 16), "look"]),
        ([(1000, 3)], {"most": 24}, 1000, 3, [*range(1000, 1713, 16), "look"]),
    ],
)
def test_window_begins_where_most_requests_are_known_and_has_the_requested_number(
    unseen, limits, begins, left, stops, monkeypatch
):
    """All are known from 1.2 s on; or fewer from 1.1 s on; or none is ever seen, for four times the time asked."""
    run = Ticking(**limits)
    monkeypatch.setattr(window, "engine", lambda _name: run)
    monkeypatch.setattr(
        window, "_unseen", lambda run, _trace: next(n for ms, n in unseen if run.now_ns >= ms * 10**6)
    )
    found = window.window(LOADS, RESULT, 16)
    assert (run.stops, found.begin_ns, found.end_ns) == (stops, begins * 10**6, run.now_ns)
    assert (found.unseen, found.watched, list(found.requests)) == (left, "a", ["a", "b"])
    first = begins * 10**6 // 10**8 * 10**8
    assert min(each.begin_ns for each in found.requests["b"]) == first
    assert {each.workload for each in found.requests["a"]} == {"a1", "a2"}


def test_job_is_recorded_from_its_beginning(monkeypatch):
    for module, record in ((recording, recorded), (window, window.window)):
        run = Ticking(until_ns=0)
        run.since_ns = 0
        monkeypatch.setattr(module, "engine", lambda _name, run=run: run)
        monkeypatch.setattr(window, "_unseen", lambda *_: 0)
        record(LOADS, SimpleNamespace(**{**vars(RESULT), "elapsed": point(3.0)}), 16)
        assert run.stops[0] == 0
