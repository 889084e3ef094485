"""What a command does not need is not loaded: somebody waits for each of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("numpy", "pydantic", "llvmlite", "scipy", "pandas", "matplotlib", "sqlite3")

SCRIPT = """
import sys
from sim.cli import main
sys.argv = {words}
try:
    main()
finally:
    print("loaded:", *(name for name in {slow} if name in sys.modules), file=sys.stderr)
"""


def loaded(*words: str) -> list[str]:
    script = SCRIPT.format(words=["stacksim", *words], slow=SLOW)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stderr.partition("loaded:")[2].split()


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["predict", "--help"], ["stack", "--help"]])
def test_help_loads_nothing_slow(words):
    assert set(loaded(*words)) <= {"pydantic"}, "typer reads the arguments of a command with it"


def test_a_prediction_loads_what_it_needs_alone():
    words = ["predict", "san", "--precision", "10%", "--watch", "throughput", "--json"]
    assert set(loaded(*words)) <= {"numpy", "pydantic", "llvmlite"}
