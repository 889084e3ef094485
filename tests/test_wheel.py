"""The wheel holds what it should, and runs from a folder that is not the checkout."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]


ON_LINUX = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="machine code is prepared for these"
)


def run_python(*arguments, cwd, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_under(folder):
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run_python("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    run_python("-m", "pip", "install", "--no-deps", "--no-index", "--target", folder, wheel, cwd=folder)
    return folder


def test_the_wheel_holds_the_packages_and_the_data_and_nothing_else(wheel):
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    packages = {
        f"{package}/{name}" for package in ("sim", "models", "stacksim") for name in files_under(ROOT / package)
    }
    names = {name for name in files_under(ROOT / "calibration-data") if not name.startswith("own-rounds")}
    data = {f"models/calibration-data/{name}" for name in names}
    assert {
        "sim/py.typed",
        "models/py.typed",
        "stacksim/py.typed",
        "models/calibration-data/datapackage.json",
    } < held
    assert held == packages | data | prepared_in(held)


def prepared_in(held):
    return {name for name in held if name.startswith("sim/engine/events/compiled/prepared_code/")}


SIMULATED = """
import sys
from sim import Closed, Model, Station, Use, simulate
from sim.engine.events.compiled import CompiledEngine, jit
print(jit.is_stored())
print(simulate(Model([Closed("x", clients=1, path=[Use(Station("disk"), 1e-3)])])).throughput.value)
"""


def simulated(installed, tmp_path):
    """True if there was machine code before; the output; and the files that were compiled."""
    cache = tmp_path / "cache"
    printed = run_python("-c", SIMULATED, cwd=tmp_path, PYTHONPATH=str(installed), XDG_CACHE_HOME=str(cache))
    return *printed.split(), len(list(cache.rglob("*.o")))


@ON_LINUX
def test_the_installed_wheel_simulates_without_compiling(installed, tmp_path):
    assert simulated(installed, tmp_path) == ("True", "1000.0", 0)


@ON_LINUX
def test_without_code_that_fits_it_compiles(installed, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    (file,) = copy.glob("sim/engine/events/compiled/prepared_code/*")
    file.rename(file.with_name(file.name.replace(file.stem[-16:], "0" * 16)))  # that of other sources
    assert simulated(copy, tmp_path) == ("False", "1000.0", 1)


def test_the_wheel_announces_the_command_and_the_systems(installed):
    (written,) = installed.glob("stacksim-*.dist-info/entry_points.txt")
    entry_points = ConfigParser()
    entry_points.read(written)
    assert entry_points["console_scripts"]["stacksim"] == "sim.cli:process"
    assert entry_points["stacksim.systems"]["dbfs"] == "models.systems.dbfs:DBFS"


def test_the_installed_wheel_finds_its_own_files(installed, tmp_path):
    code = "import models, sim; print(sim.__file__, models.data_folder(), sep='\\n')"
    engine, data = map(Path, run_python("-c", code, cwd=tmp_path, PYTHONPATH=str(installed)).splitlines())
    assert engine == installed / "sim" / "__init__.py"
    assert data.is_relative_to(installed)
    assert (data / "datapackage.json").is_file()


def test_the_installed_wheel_lists_its_systems(installed, tmp_path):
    assert "dbfs" in run_python("-m", "sim.cli", "systems", cwd=tmp_path, PYTHONPATH=str(installed))


def test_the_installed_wheel_knows_its_hardware(installed, tmp_path):
    out = run_python("-m", "sim.cli", "hardware", "fc-2", cwd=tmp_path, PYTHONPATH=str(installed))
    assert "212.5 MB/s" in out
