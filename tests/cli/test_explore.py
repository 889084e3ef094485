"""`stacksim explore` says where it is, answers there, and ends with one line."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest

from refusals import refused


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nowhere",), "no system 'nowhere'"),
        (("nowhere.toml",), "cannot read"),
        (("san", "--port", "70000"), "port is '70000'; allowed: a whole number from 0 to 65535"),
        (("san", "--port", "x"), "port is 'x'"),
        (("san", "--host", "nowhere.invalid"), "cannot listen at nowhere.invalid"),
    ],
)
def test_unservable_arguments_are_reported_in_one_line(run, words, error):
    refused(run("explore", *words, "--no-browser"), error)


def test_explore_serves_until_the_interrupt_key():
    command = [sys.executable, "-m", "sim.cli", "explore", "san", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as explorer:
        line = explorer.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/\S{32}/", line)[0]
        with urlopen(url, timeout=20) as page:  # noqa: S310  (of this machine)
            assert b"stacksim explore" in page.read()
        explorer.send_signal(signal.SIGINT)
        _, told = explorer.communicate(timeout=20)
    assert (explorer.returncode, told) == (0, "stacksim: the explorer has ended\n")
