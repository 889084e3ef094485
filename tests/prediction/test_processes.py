"""Whoever works for a process ends with it, even where it is killed: a fit, as people run it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROC = Path("/proc")
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(not (PROC / "self" / "task").is_dir(), reason="needs /proc to see processes")

TABLE = "users,block,op,value,unit\n1,8KiB,write,200,MB/s\n4,8KiB,write,600,MB/s\n"


def descendants(pid: int) -> set[int]:
    """Of a process: those that it started, and those that they did."""
    found: set[int] = set()
    for task in (PROC / str(pid) / "task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | descendants(child)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet asked after does not."""
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_fit_that_is_stopped_leaves_nobody_behind(tmp_path, number):
    (tmp_path / "own.csv").write_text(TABLE, encoding="utf-8")
    command = [sys.executable, "-m", "sim.cli", "fit", "own.csv", "--system", "dbfs", "--output", "own.json"]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as fit:
        assert wait_for(lambda: len(descendants(fit.pid)) >= 2 or fit.poll() is not None)
        time.sleep(1.0)  # workers are on their way into their first runs
        workers = descendants(fit.pid)
        assert fit.poll() is None
        fit.send_signal(number)
        assert fit.wait(PATIENCE_S) != 0
    assert len(workers) >= 2
    assert wait_for(lambda: not any(map(alive, workers))), f"still there: {[*filter(alive, workers)]}"
    assert [each.name for each in tmp_path.iterdir()] == ["own.csv"]
