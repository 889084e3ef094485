"""Workers on other machines: a cluster of Dask on this one, of which a worker is killed midway."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import pytest

import own_system
from sim import InputError
from sim.prediction import Case, RunOptions
from sim.prediction.cluster import cluster
from sim.prediction.store import Store
from sim.prediction.work import outcomes_of

HOW = RunOptions(precision=0.01)
POINTS = 40


def cases():
    return [Case.of(own_system.OWN, {"clients": clients}) for clients in range(1, POINTS + 1)]


@pytest.fixture
def local():
    """A scheduler and two workers, each a process of one thread."""
    distributed = pytest.importorskip("distributed", reason="needs dask.distributed: pip install '.[cluster]'")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as started:
        yield started


@pytest.mark.filterwarnings("default")  # those of Dask are its own
def test_a_sweep_goes_on_when_a_worker_is_killed(local, tmp_path):
    alone = dict(outcomes_of(cases(), HOW))
    killed = False
    with cluster(local.scheduler_address) as executor, Store(tmp_path / "a.sqlite") as store:
        found = {}
        for number, outcome in outcomes_of(cases(), HOW, executor=executor, store=store):
            found[number] = outcome
            if len(found) >= POINTS // 4 and not killed:
                os.kill(next(iter(local.workers.values())).pid, signal.SIGKILL)
                killed = True
        assert store.count() == POINTS
    assert killed
    assert {each.known.status for each in found.values()} == {"done"}
    for number, outcome in found.items():
        assert json.dumps(outcome.prediction.record()) == json.dumps(alone[number].prediction.record())


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_does_not_answer_is_one_line(monkeypatch):
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install '.[cluster]'")
    monkeypatch.setattr("sim.prediction.cluster._PATIENCE_S", 1)
    begun = time.monotonic()
    with (
        pytest.raises(InputError, match=r"no Dask cluster answers at 'tcp://127\.0\.0\.1:1' "),
        cluster("tcp://127.0.0.1:1"),
    ):
        pass
    assert time.monotonic() - begun < 60.0


def test_without_dask_there_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'stacksim\[cluster\]'"), cluster("tcp://127.0.0.1:1"):
        pass
