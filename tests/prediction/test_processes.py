"""Whoever works for a process ends with it, even where it is killed: fits and sweeps, as people run them."""

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

MAIN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
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
def test_a_command_that_is_stopped_leaves_nobody_behind(tmp_path, words, number):
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
