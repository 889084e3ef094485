"""The guide to a system of one's own: what it shows is what happens, in Python and on the command line."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "your-own-system.md"
BLOCK = re.compile(r"^```(python|pycon|toml|csv)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(*kinds):
    return [text for kind, text in BLOCK.findall(GUIDE.read_text("utf-8")) if kind in kinds]


def test_the_examples_print_what_the_guide_shows():
    known, runner = {"__name__": "disk"}, doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    for number, text in enumerate(blocks("python", "pycon")):
        if text.startswith(">>>"):
            examples = doctest.DocTestParser().get_doctest(text, known, f"block {number}", GUIDE.name, 0)
            examples.globs = known  # not a copy: what one block imports, the next one uses
            assert runner.run(examples, clear_globs=False).failed == 0
        else:
            exec(compile(text, f"block {number}", "exec", dont_inherit=True), known)  # noqa: S102  (the guide's own code)


@pytest.fixture
def package(tmp_path):
    """The guide's file, its table, and what an installation leaves behind."""
    (tmp_path / "disk.py").write_text("\n".join(blocks("python")), "utf-8")
    (tmp_path / "own.csv").write_text("".join(blocks("csv")), "utf-8")
    metadata = tmp_path / "my_stacks-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-stacks\nVersion: 0.1\n", "utf-8")
    (metadata / "entry_points.txt").write_text("[stacksim.systems]\ndisk = disk:DISK\n", "utf-8")
    return tmp_path


def stacksim(package, line):
    path = os.pathsep.join((str(package), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-m", "sim.cli", *line.split()]
    done = subprocess.run(
        command, cwd=package, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_command_finds_the_system(package):
    assert 'disk = "disk:DISK"' in "".join(blocks("toml"))
    assert "assumed: tags" in stacksim(package, "predict disk users=4")


@pytest.mark.slow
def test_the_command_fits_the_system(package):
    assert "access_s" in stacksim(package, "fit own.csv --system disk --output own.json --quiet")
    assert "measured" in stacksim(package, "predict disk users=4 block=128KiB --fitted own.json")
