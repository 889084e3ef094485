"""Which requests of a window are known, on spans written by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.simulation.window import _ended, _last_ns, _unseen, _unwaited


def span(
    end_ns=None, until_ns=0, begin_ns=0, branches=(), doing=None, parent=None, workload="a", *, background=False
):
    made = SimpleNamespace(**locals())
    for branch in made.branches:
        branch.parent = made
    return made


def test_requests_have_ended_after_the_window_began():
    spans = [span(end_ns=each) for each in (None, 9, 10, 11, 12)] + [span(end_ns=99, workload="b")]
    assert _ended(SimpleNamespace(requests=spans), {"a"}, 10) == 2


def test_a_request_is_in_flight_as_long_as_the_last_of_its_branches():
    doing = SimpleNamespace(end_ns=70)
    assert _last_ns(span(until_ns=50)) == 50
    assert _last_ns(span(until_ns=50, doing=doing)) == 70
    assert _last_ns(span(until_ns=50, branches=[span(until_ns=20), span(until_ns=90, doing=doing)])) == 70


@pytest.mark.parametrize(
    ("background", "end_ns", "until_ns", "unwaited"),
    [(True, None, 5, True), (False, None, 5, False), (False, None, 6, True), (False, 4, 4, True)],
)
def test_branch_is_unwaited_in_the_background_or_after_its_request(background, end_ns, until_ns, unwaited):
    assert _unwaited(span(begin_ns=5, background=background), span(end_ns=end_ns, until_ns=until_ns)) is unwaited


def test_unseen_requests_are_counted_but_not_traced():
    """Of nine requests started three are completed, and four branches are behind; one ended, one is waited for."""
    counters = np.zeros((2, len(WORKLOAD_COLUMNS)), dtype=np.int64)
    for column, values in (("started", (5, 4)), ("completed", (1, 2)), ("background", (3, 1))):
        counters[:, WORKLOAD_COLUMNS.index(column)] = values
    run = SimpleNamespace(snapshot=lambda: SimpleNamespace(workloads=counters))
    branches = [span(background=True), span(begin_ns=5), span(end_ns=9, background=True)]
    requests = [span(until_ns=5, branches=branches), span(), span(end_ns=7)]
    assert _unseen(run, SimpleNamespace(requests=requests)) == 10 - 3
