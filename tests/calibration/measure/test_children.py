"""Programs that a measurement starts end with it, however that comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from stacksim.measuring import children

PATIENCE_S = 20.0

PARENT = """\
import sys, time
from stacksim.measuring import children
process = children.begun([sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(600)"])
process.stdout.readline()
print(process.pid, flush=True)
time.sleep(600)
"""


def gone(number: int) -> bool:
    """True if a process ends soon; one that nobody has waited for is gone, too."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_program_ends_when_its_parent_is_killed():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        number = int(parent.stdout.readline())
        parent.kill()
        assert gone(number)


def test_children_of_a_killed_program_are_ended():
    forking = "import os, time; os.fork(); os.write(1, b'%d\\n' % os.getpid()); time.sleep(600)"
    process = children.begun([sys.executable, "-c", forking])
    numbers = {int(process.stdout.readline()), int(process.stdout.readline())}
    (started,) = numbers - {process.pid}
    os.kill(process.pid, signal.SIGKILL)
    assert gone(process.pid)
    children.ended(process)
    assert gone(started)
