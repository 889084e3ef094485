"""Workers of a process end with it, even where it is killed: fits and sweeps, as people run them."""

from __future__ import annotations

import gc
import math
import signal
import subprocess
import sys
import threading
import time
from itertools import repeat
from multiprocessing import active_children
from pathlib import Path

import pytest

from sim.prediction.processes import in_order, leaving

PROC = Path("/proc")
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(not (PROC / "self" / "task").is_dir(), reason="needs /proc to see processes")

MAIN = """
from sim.cli import main
main()
"""

TABLE = "users,block,op,value,unit\n1,8KiB,write,200,MB/s\n4,8KiB,write,600,MB/s\n"


def descendants(pid: int) -> set[int]:
    """Of a process: those that it started, and those that they did."""
    found: set[int] = set()
    for task in (PROC / str(pid) / "task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | descendants(child)
    return found


def alive(pid: int) -> bool:
    """True if a process runs; one that is dead and not yet waited for does not."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_terminated_pool_ends_silently(monkeypatch):
    """So it is after SIGTERM: the processes first, then whoever waits for their answers leaves."""
    said = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    with leaving(2) as executor:
        answers = in_order(executor, time.sleep, [0.0, *[PATIENCE_S] * 8])
        assert next(answers) is None
        for child in active_children():
            child.terminate()
        answers.close()
        time.sleep(0.5)  # the thread of the pool learns of it
    assert not said, said[0].exc_value


def test_processes_look_for_rings_of_objects_as_seldom_as_their_parent():
    own = gc.get_threshold()
    gc.set_threshold(123_456)
    try:
        with leaving(1) as executor:
            assert executor.submit(gc.get_threshold).result()[0] == 123_456
    finally:
        gc.set_threshold(*own)


def test_answers_come_in_order_and_an_error_cancels_pending_tasks():
    with leaving(1) as executor:
        assert [*in_order(executor, math.sqrt, [4.0, 9.0, 16.0], [])] == []
        assert [*in_order(executor, divmod, [7, 9], repeat(4))] == [(1, 3), (2, 1)]
    begun = time.monotonic()
    with pytest.raises(TypeError), leaving(1) as executor:
        for _ in in_order(executor, time.sleep, ["long", *[2.0] * 20]):
            pass
    assert time.monotonic() - begun < 20.0


FIT = ["fit", "own.csv", "--system", "dbfs", "--output", "own.json"]
SWEEP = ["sweep", "dbfs", f"cells={','.join(map(str, range(1, 101)))}", "--precision", "0.02%", "--csv", "new.csv"]
"""Of a hundred points, which are done by processes, each for seconds."""


@pytest.mark.parametrize(
    ("words", "number"),
    [
        pytest.param(FIT, signal.SIGTERM, id="fit-terminated"),
        pytest.param(FIT, signal.SIGKILL, id="fit-killed"),
        pytest.param(SWEEP, signal.SIGTERM, id="sweep-terminated"),
        pytest.param(SWEEP, signal.SIGKILL, id="sweep-killed"),
        pytest.param(SWEEP, signal.SIGINT, id="sweep-interrupted"),
    ],
)
def test_stopped_command_leaves_no_processes(tmp_path, words, number):
    (tmp_path / "own.csv").write_text(TABLE, encoding="utf-8")
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())}
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as command:
        assert wait_for(lambda: len(descendants(command.pid)) >= 2 or command.poll() is not None)
        time.sleep(1.0)  # workers are on their way into their first runs
        workers = descendants(command.pid)
        assert command.poll() is None
        command.send_signal(number)
        assert command.wait(PATIENCE_S) != 0
        told = command.stderr.read()
    assert len(workers) >= 2
    assert wait_for(lambda: not any(map(alive, workers))), f"still there: {[*filter(alive, workers)]}"
    assert [each.name for each in tmp_path.iterdir()] == ["own.csv"]
    assert "Traceback" not in told, told


def test_worker_processes_have_the_garbage_collection_threshold_of_their_parent():
    before = gc.get_threshold()
    gc.set_threshold(70_000, 7, 8)
    try:
        with leaving(1) as executor:
            assert executor.submit(gc.get_threshold).result() == (70_000, 7, 8)
    finally:
        gc.set_threshold(*before)
