"""``sim.engine`` is a simulator in its own right: alone it needs NumPy, SimPy and Numba, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

ALONE = """
import importlib.abc, sys

ABSENT = {"jinja2", "matplotlib", "pandas", "pint", "pydantic", "rich", "scipy", "typer", "typing_extensions"}

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Wall())
from sim.engine import Closed, Exponential, Hold, Model, Pool, Station, Use, simulate
from sim.engine.analytic.solve import solve
import sim.engine

disk = Use(Station("disk"), Exponential(1e-3))
model = Model([Closed("reader", 8, (Hold(Pool("tags", 4), Use(Station("cpu"), 1e-4), disk),))])
found = [simulate(model, watch="reader", precision=0.02, engine=engine) for engine in ("reference", "compiled")]
assert found[0].groups == found[1].groups
analytic = solve(model).result("reader", seed=1).throughput.value
assert abs(analytic / found[0].throughput.value - 1.0) < 0.05, analytic
print(sim.engine.__file__)
"""


def test_the_engine_is_taken_alone(tmp_path):
    shutil.copytree(ROOT / "sim/engine", tmp_path / "sim/engine", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "sim/__init__.py").touch()
    (tmp_path / "alone.py").write_text(ALONE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "alone.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.stdout == f"{tmp_path / 'sim/engine/__init__.py'}\n", ran.stderr
