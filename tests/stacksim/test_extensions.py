"""A package outside brings a policy, an importer, a suspect and a command by its entry points alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

MODULE = '''
from dataclasses import dataclass

import typer

from sim import Delay
from stacksim.layers import count
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

class Empty(FIFO.__base__):
    """No function of a policy."""


@dataclass(frozen=True)
class Beam:
    """A layer with a slip."""

    phase: int = count(1, "of four", high=4)

    def layer(self, name, below):
        return Shining(self, below(""))


@dataclass(frozen=True)
class Shining:
    kind: Beam
    below: object

    def path(self, io):
        return (Delay(self.kind.face), *self.below.path(io)) if self.kind.phase == 1 else Delay(1e-3)


app, eclipse = typer.Typer(), typer.Typer()


@eclipse.command()
def darken() -> None:
    """Fail."""
    int("many moons")


@app.command()
def moonrise(hour: int = 7) -> None:
    """Say when the moon rises."""
    typer.echo(f"at {hour}")
'''
POINTS = """\
[stacksim.policies]
newest = outside:Newest
empty = outside:Empty
lru = outside:Newest
[stacksim.suspects]
moon = outside:moon
sun = outside:gone
[stacksim.importers]
moonstat = outside:FILE
sunstat = outside:app
[stacksim.commands]
moonrise = outside:app
moonset = outside:gone
moonless = outside:moon
eclipse = outside:eclipse
systems = outside:app
[stacksim.systems]
gp3 = outside:FILE
tide = outside:FILE
[stacksim.layers]
crater = outside:FILE
beam = outside:Beam
dust = outside:Newest
[stacksim.layer]
sand = outside:Newest
[stacksim.command]
dawn = outside:app
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
    above = '[[layer]]\nkind = "caller"\n[[layer]]\nkind = "beam"\nphase = 2\n[[layer]]\nkind = "ssd"\n'
    (tmp_path / "half.toml").write_text(f'title = "t"\n{above}')
    (tmp_path / "new.toml").write_text(f'title = "t"\n{above.replace("phase = 2", "phase = 1")}')
    for kind in ("crater", "dust", "sand"):
        (tmp_path / f"{kind}.toml").write_text(f'title = "t"\n[[layer]]\nkind = "{kind}"\n')
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


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("suspect", "sun = outside:gone (stacksim.suspects), which cannot be loaded: AttributeError"),
        ("importer", "sunstat = outside:app (stacksim.importers), which cannot be loaded: it is a Typer; allowed"),
    ],
)
def test_bad_suspects_and_importers_are_named_beside_the_others(outside, asked, line):
    assert f"the installed package outside registers {line}" in outside("-c", ASKED[asked]).stderr


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


WHOSE = "the installed package outside registers"
TAKEN = "and the name is stacksim's; rename it"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "moonless",
            "moonless = outside:moon (stacksim.commands), which cannot be loaded: it is a function; allowed",
        ),
        ("predict tide", "tide = outside:FILE (stacksim.systems), which cannot be loaded: it is a Tool; allowed"),
        ("dawn", "dawn = outside:app (stacksim.command): the group is stacksim.commands"),
        ("predict crater.toml", "crater = outside:FILE (stacksim.layers), which cannot be loaded: Tool("),
        (
            "predict dust.toml",
            "dust = outside:Newest (stacksim.layers), which cannot be loaded: Newest is no datacl",
        ),
        ("predict sand.toml", "sand = outside:Newest (stacksim.layer): the group is stacksim.layers"),
    ],
)
def test_entries_of_the_wrong_type_or_group_are_named_with_their_package(outside, words, line):
    refused = outside("-m", "sim.cli", *words.split())
    assert refused.returncode == 2
    assert f"{WHOSE} {line}" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (
            "new",
            r"AttributeError: 'Beam' object has no attribute 'face' in path, \S+outside.py:\d+; fix that",
        ),
        (
            "half",
            r"stack file 'half.toml' line 4: 'beam': path\(\) of Shining returns Delay\(.*; allowed: a tu",
        ),
    ],
)
def test_an_error_in_a_layer_of_a_package_has_its_line(outside, file, line):
    refused = outside("-m", "sim.cli", "predict", f"{file}.toml", "-q")
    assert re.search(line, refused.stderr)
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "bad"),
    [("systems", {"tide", "gp3", "systems"}), ("stack schema", {"crater", "dust"}), ("-h", {"systems"})],
)
def test_a_list_has_all_others_and_a_line_for_each_bad_one(outside, words, bad):
    listed = outside("-m", "sim.cli", *words.split())
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) > 20
    warned = [line.partition(f"stacksim: warning: {WHOSE} ")[2].split()[0] for line in listed.stderr.splitlines()]
    assert sorted(warned) == sorted(bad)


def test_an_error_of_a_command_of_a_package_is_not_one_of_stacksim(outside):
    failed = outside("-m", "sim.cli", "eclipse")
    assert failed.returncode == 1
    assert "stacksim: error in the installed package outside: ValueError: invalid literal" in failed.stderr
    assert re.search(r"in darken, \S+outside.py:\d+; report it to its authors\n$", failed.stderr)


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        ("empty", "which cannot be loaded: Empty has no __len__, find, insert, evict"),
        ("lru", f"{WHOSE} lru = outside:Newest (stacksim.policies), {TAKEN}"),
    ],
)
def test_a_policy_that_cannot_be_used_is_named_with_its_package(outside, policy, line):
    assert line in outside("-c", ASKED["policy"].replace("newest", policy)).stderr


def test_a_name_of_stacksim_stays_its_own(outside):
    asked = outside("-c", "from sim.system.installed import find; print(find('gp3').name)")
    assert asked.stdout == "gp3\n"
    assert f"{WHOSE} gp3 = outside:FILE (stacksim.systems), {TAKEN}" in asked.stderr
