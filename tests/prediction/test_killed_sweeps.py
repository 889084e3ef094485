"""A sweep that is killed, at any moment, goes on: nothing recorded is lost, and nothing recorded is run twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.prediction.store import Store

TESTS = Path(__file__).parents[1]
THREADS, PROCESSES = 20, 60
"""Points that are done by threads of the process, and by processes of its own."""


def started(points, *options):
    """The sweep in a process of its own."""
    clients = ",".join(map(str, range(1, points + 1)))
    sweep = ["sweep", "own_system.py:OWN", f"clients={clients}", "--precision", "3%", "--json", "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-m", "sim.cli", *sweep, *options],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def asked(store, query):
    with sqlite3.connect(store, timeout=60.0) as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


@pytest.fixture
def store(tmp_path):
    """A store that counts how often each point is written."""
    path = tmp_path / "own.sqlite"
    Store(path).close()
    asked(path, "CREATE TABLE written (key BLOB)")
    asked(path, "CREATE TRIGGER counted BEFORE INSERT ON point BEGIN INSERT INTO written VALUES (new.key); END")
    return path


def undisturbed(points):
    """Output of the sweep, and its seconds."""
    begun = time.monotonic()
    sweep = started(points)
    out, err = sweep.communicate()
    assert (sweep.returncode, err) == (0, "")
    return json.loads(out), time.monotonic() - begun


@pytest.mark.parametrize(
    ("kills", "points"),
    [
        (3, THREADS),
        pytest.param(30, PROCESSES, marks=pytest.mark.slow),
        pytest.param(300, PROCESSES, marks=pytest.mark.slow),
    ],
)
def test_a_sweep_that_is_killed_at_any_moment_goes_on(store, kills, points):
    expected, seconds = undisturbed(points)
    moments = random.Random(kills)  # noqa: S311  (moments, not secrets)
    recorded = set()
    for _ in range(kills):
        sweep = started(points, "--store", store)
        time.sleep(seconds * moments.uniform(0.2, 1.0))
        sweep.send_signal(signal.SIGKILL)
        sweep.communicate()
        assert asked(store, "PRAGMA integrity_check") == [("ok",)]
        known = set(asked(store, "SELECT key, content FROM record"))
        assert recorded <= known, "what was recorded is lost, or is another"
        recorded = known
        if len(recorded) == points:  # begin again, or the later ones would find nothing to do
            assert len(asked(store, "SELECT key FROM written")) == points
            for table in ("point", "record", "written"):
                asked(store, f"DELETE FROM {table}")  # noqa: S608  (names above)
            recorded = set()
    sweep = started(points, "--store", store)
    out, err = sweep.communicate()
    assert (sweep.returncode, err) == (0, "")
    assert json.loads(out) == expected
    assert len(asked(store, "SELECT DISTINCT key FROM written")) == points
    assert len(asked(store, "SELECT key FROM written")) == points
    assert asked(store, "SELECT * FROM claim") == []
