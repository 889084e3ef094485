"""The guides to a system and a layer of one's own: what they show happens, in Python and on the command line."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import stacksim.layers as stacksim_layers
from sim import Closed, Delay
from stacksim.testing import check_layer

DOCS = Path(__file__).parents[2] / "docs"
SYSTEM, LAYER = DOCS / "your-own-system.md", DOCS / "your-own-layer.md"
CACHED = """
title = "an array"
[load]
op = "read"
[[layer]]
kind = "array cache"
memory = "8MiB"
policy = "clock"
[[layer]]
kind = "ssd"
"""
BLOCK = re.compile(r"^```(python|pycon|toml|csv)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(*kinds, guide=SYSTEM):
    return [text for kind, text in BLOCK.findall(guide.read_text("utf-8")) if kind in kinds]


@pytest.mark.parametrize(("guide", "module"), [(SYSTEM, "disk"), (LAYER, "compress")])
def test_examples_print_the_output_in_the_guide(guide, module, monkeypatch):
    known, runner = {"__name__": module}, doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    for number, text in enumerate(blocks("python", "pycon", guide=guide)):
        if text.startswith(">>>"):
            examples = doctest.DocTestParser().get_doctest(text, known, f"block {number}", guide.name, 0)
            examples.globs = known  # not a copy: what one block imports, the next one uses
            assert runner.run(examples, clear_globs=False).failed == 0
        else:
            exec(compile(text, f"block {number}", "exec", dont_inherit=True), known)  # noqa: S102  (the guide's own code)


def installed(folder, name, points):
    """Metadata left by an installation of a package of that name."""
    metadata = folder / f"{name}-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n", "utf-8")
    (metadata / "entry_points.txt").write_text(points, "utf-8")
    return folder


@pytest.fixture
def package(tmp_path):
    """The guide's file, its table, and what an installation leaves behind."""
    (tmp_path / "disk.py").write_text("\n".join(blocks("python")), "utf-8")
    (tmp_path / "own.csv").write_text("".join(blocks("csv")), "utf-8")
    return installed(tmp_path, "my_stacks", "[stacksim.systems]\ndisk = disk:DISK\n")


def stacksim(package, line):
    path = os.pathsep.join((str(package), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-m", "sim.cli", *line.split()]
    done = subprocess.run(
        command, cwd=package, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_command_finds_the_system(package):
    assert 'disk = "disk:DISK"' in "".join(blocks("toml"))
    assert "assumed       tags" in stacksim(package, "predict disk users=4")


@pytest.mark.slow
def test_the_command_fits_the_system(package):
    assert "access_s" in stacksim(package, "fit own.csv --system disk --output own.json --quiet")
    assert "measured" in stacksim(package, "predict disk users=4 block=128KiB --fitted own.json")


@pytest.fixture
def layers(tmp_path):
    """Installation of the guide to layers: a layer, a policy and a command."""
    project, stack = blocks("toml", guide=LAYER)
    read = tomllib.loads(project)
    files = read["tool"]["setuptools"]["py-modules"]
    for name, text in zip(files, blocks("python", guide=LAYER), strict=True):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    (tmp_path / "packed.toml").write_text(stack, "utf-8")
    (tmp_path / "cached.toml").write_text(CACHED, "utf-8")
    groups = read["project"]["entry-points"].items()
    points = (f"[{group}]\n{name} = {value}\n" for group, each in groups for name, value in each.items())
    return installed(tmp_path, "my_layers", "".join(points))


def test_a_stack_file_finds_the_layer(layers):
    plain, packed = (
        json.loads(stacksim(layers, f"predict packed.toml --set ratio={ratio} --json -q"))["throughput"]["value"]
        for ratio in (1.0, 0.5)
    )
    assert plain == pytest.approx(125 * 1024 * 1024 / 1e6, rel=0.01)
    assert packed == pytest.approx(3000 * 65536 / 1e6, rel=0.01)


def test_a_layer_that_declares_that_it_resizes_is_not_warned_of(layers):
    checked = stacksim(layers, "stack check packed.toml")
    assert "bytes of a request: compress 64KiB, limits 32KiB" in checked
    assert "that compress is asked for" not in checked


def test_a_stack_file_finds_the_policy(layers):
    predicted = json.loads(stacksim(layers, "predict cached.toml --precision 10% --json -q"))
    assert predicted["engine"] == "reference"


def test_the_command_of_the_guide_prints_what_limits(layers):
    assert stacksim(layers, "limit packed.toml") == "limits IOPS\n"
    assert "stacksim limit redo" in stacksim(layers, "limit -h")


def test_the_examples_of_optional_functions_are_right():
    known = {"Closed": Closed, "Delay": Delay} | vars(stacksim_layers)
    rows = re.findall(r"^\| `(\w+)\((.*)\)` \|.*\| `(.*)` \|$", LAYER.read_text("utf-8"), re.MULTILINE)
    assert [name for name, *_ in rows] == ["gives", "needs", "refuses", "notes", "background"]
    made = {name: eval(f"lambda {given}: {example}", known) for name, given, example in rows}  # noqa: S307  (the guide's own code)
    layer = type("Layer", (), {"background": made.pop("background"), "path": lambda self, io: self.below.path(io)})

    def below_it(_kind, _name, below):
        made_layer = layer()
        made_layer.below = below("")
        return made_layer

    check_layer(dataclass(frozen=True)(type("Kind", (), {"__doc__": "A kind.", "layer": below_it, **made})))
