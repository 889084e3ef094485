"""A package outside brings a policy, an importer, a suspect and a command by its entry points alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MODULE = '''
from collections import OrderedDict

import typer

from sim.data.importers.told import Told
from sim.data.importers.tools import Tool
from stacksim.claims.suspects.suspicion import Lead
from sim.engine.model.policies import FIFO


class Newest(FIFO):
    """Evicts what came last."""

    def evict(self):
        self._blocks.popitem()


def moon(suspicion):
    yield Lead("the moon was full", suspicion.number.value)


FILE = Tool("moonstat", lambda head: head.startswith("moonstat"), lambda path: iter(()))

app = typer.Typer()


@app.command()
def moonrise(hour: int = 7) -> None:
    """Say when the moon rises."""
    typer.echo(f"at {hour}")
'''
POINTS = """\
[stacksim.policies]
newest = outside:Newest
[stacksim.suspects]
moon = outside:moon
[stacksim.importers]
moonstat = outside:FILE
[stacksim.commands]
moonrise = outside:app
moonset = outside:gone
[stacksim.systems]
gp3 = outside:FILE
"""
ASKED = {
    "policy": """
from sim import Cache, Closed, Delay, Lookup, Model, Sequential, simulate
cache = Cache("c", 2, policy="newest")
path = (Lookup(cache, Sequential(4), hit=(Delay(1e-3),), miss=(Delay(1e-3),)),)
print(simulate(Model([Closed("a", 1, path)]), watch="a", precision=0.05).engine)
""",
    "suspect": """
from pathlib import Path
from stacksim.claims.claim_file import claim_of
from stacksim.claims.judge import judge
from sim.engine.simulation.options import RunOptions
said = {"text": "t", "source": "s", "throughput": "5 GB/s", "hardware": ["fc-2"], "op": "read"}
print([each.cause for each in judge(claim_of(said, Path()), RunOptions()).explanations if each.cause == "moon"])
""",
    "importer": """
from pathlib import Path
from sim.data.importers.tools import tool_of
print(tool_of(Path("moonstat.txt")).name)
""",
}


@pytest.fixture
def outside(tmp_path):
    """Runs words of Python where the package is installed; returns what is printed."""
    (tmp_path / "outside.py").write_text(MODULE)
    (tmp_path / "moonstat.txt").write_text("moonstat 1.0\n")
    metadata = tmp_path / "outside-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(POINTS)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))

    def run(*words):
        command, environment = [sys.executable, *words], {**os.environ, "PYTHONPATH": path}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize(
    ("what", "answer"), [("policy", "reference\n"), ("suspect", "['moon']\n"), ("importer", "moonstat\n")]
)
def test_entry_points_of_a_package_are_used(outside, what, answer):
    assert outside("-c", ASKED[what]).stdout == answer


def test_a_command_of_a_package_is_one_of_stacksim(outside):
    assert outside("-m", "sim.cli", "moonrise", "--hour", "5").stdout == "at 5\n"
    assert "Say when the moon rises." in outside("-m", "sim.cli", "-h").stdout


def test_a_command_that_cannot_be_loaded_names_its_package_and_leaves_the_others(outside):
    refused = outside("-m", "sim.cli", "moonset")
    assert refused.returncode == 2
    assert "the installed package outside registers moonset = outside:gone (stacksim.commands)" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert outside("-m", "sim.cli", "moonrise").stdout == "at 7\n"
    shown = outside("-m", "sim.cli", "-h")
    assert shown.returncode == 0
    assert "cannot be loaded" in shown.stdout


def test_a_name_of_stacksim_stays_its_own(outside):
    asked = "from sim.system.installed import find; print(find('gp3').name)"
    assert outside("-c", asked).stdout == "gp3\n"
