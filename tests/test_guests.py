"""Without a guest all else works: its folder is taken away, and its entry points with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMANDS = {"claims": "claim", "measuring": "measure", "explorer": "explore"}
TESTS = {
    "claims": ("tests/decision/claims", "tests/cli/test_claim.py"),
    "measuring": ("tests/calibration/measure", "tests/cli/test_measure.py"),
    "explorer": ("tests/output/explorer",),
    "animation": ("tests/output/test_animation.py",),
    "notebook": ("tests/notebooks",),
}
"""Tests of the guest itself, which go with it."""


@pytest.fixture(params=["animation", "claims", "explorer", "measuring", "notebook"])
def without(request, tmp_path):
    """Runs Python in an installation that lacks one guest; has its name."""
    for package in ("sim", "models", "stacksim"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    for folder in ("calibration-data", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    shutil.rmtree(tmp_path / "stacksim" / request.param)
    points = distribution("stacksim").read_text("entry_points.txt")
    kept = [line for line in points.splitlines() if not re.search(rf"= stacksim\.{request.param}\b", line)]
    metadata = tmp_path / "stacksim-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stacksim\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text("\n".join(kept) + "\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*words):
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    run.guest = request.param
    return run


def test_rest_works_without_a_guest_and_the_guest_is_one_line(without):
    answered = without("-m", "sim.cli", "predict", "gp3", "-q", "--precision", "10%")
    assert answered.returncode == 0, answered.stderr
    shown = without("-m", "sim.cli", "-h")
    assert shown.returncode == 0, shown.stderr
    starred = without(
        "-c", "from stacksim import *; print(predict.__name__, 'claim' in globals(), 'measure' in globals())"
    )
    expected = f"predict {without.guest != 'claims'} {without.guest != 'measuring'}\n"
    assert (starred.stdout, starred.stderr) == (expected, "")
    if command := COMMANDS.get(without.guest):
        refused = without("-m", "sim.cli", command, "x")
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert command in refused.stderr
        asked = without("-c", f"import stacksim; stacksim.{command}")
        assert "Traceback" in asked.stderr or command == "explore"
    if without.guest == "animation":
        drawn = without("-m", "sim.cli", "trace", "gp3", "--animate", "x.html", "-q")
        assert drawn.stderr.startswith("stacksim: --animate needs stacksim.animation")


@pytest.mark.slow
def test_tests_of_the_rest_pass_without_a_guest(without, tmp_path):
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for own in TESTS[without.guest]:
        path = tmp_path / own
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    rest = ["tests/engine", "tests/system", "tests/prediction", "tests/models/parts", "tests/statistics"]
    here = "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)  # fixtures of a folder stay in it
    quick = "-q", "-x", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"  # as `make slow`
    ran = without("-m", "pytest", *quick, *here, *rest)
    assert ran.returncode == 0, ran.stdout[-2000:]
