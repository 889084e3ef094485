"""The loop's machine code: kept whole or not at all, and loaded without Numba."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sim import Closed, InputError, Model, Station, Use
from sim.engine.events.compiled import CompiledEngine, jit, object_code

if not jit.AVAILABLE:
    pytest.skip("nothing is compiled without Numba", allow_module_level=True)


FRESH = """
import sys
from sim import Closed, Model, Station, Use, simulate
print(simulate(Model([Closed("x", clients=1, path=[Use(Station("disk"), 1e-3)])])).throughput.value)
print("numba" in sys.modules)
"""


def test_stored_object_code_is_read_back(tmp_path):
    file = tmp_path / "new folder" / "code.o"
    object_code.store(file, b"code")
    assert object_code.stored(file) == b"code"


@pytest.mark.parametrize("bytes_left", [0, 3, 17, 19])
def test_a_file_cut_short_is_no_code(tmp_path, bytes_left):
    file = tmp_path / "code.o"
    object_code.store(file, b"code")
    file.write_bytes(file.read_bytes()[:bytes_left])
    assert object_code.stored(file) is None


def test_stored_object_code_is_private_to_the_user(tmp_path):
    file = tmp_path / "cache" / "stacksim" / "code.o"
    object_code.store(file, b"code")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_code_that_others_can_write_is_not_loaded(tmp_path, mode):
    file = tmp_path / "stacksim" / "code.o"
    object_code.store(file, b"code")
    file.chmod(mode)
    assert object_code.stored(file) is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_code_in_a_folder_writable_by_others_is_not_loaded_until_stored_anew(tmp_path, mode):
    file = tmp_path / "stacksim" / "code.o"
    object_code.store(file, b"code")
    file.parent.chmod(mode)
    assert object_code.stored(file) is None
    object_code.store(file, b"code")
    assert object_code.stored(file) == b"code"


def test_code_of_another_user_is_not_loaded(tmp_path, monkeypatch):
    file = tmp_path / "stacksim" / "code.o"
    object_code.store(file, b"code")
    monkeypatch.setattr(object_code.os, "geteuid", lambda: file.stat().st_uid + 1)
    assert object_code.stored(file) is None


def test_an_unwritable_cache_stores_nothing():
    object_code.store(Path("/dev/null/code.o"), b"code")
    assert object_code.stored(Path("/dev/null/code.o")) is None


def test_another_process_loads_the_code_without_numba():
    engine = CompiledEngine(Model([Closed("x", clients=1, path=[Use(Station("disk"), 1e-3)])]), 1)
    engine.advance(10**9)
    assert object_code.stored(jit.PLACE)
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split() == ["1000.0", "False"], done.stderr


@pytest.mark.parametrize("text", ["0.61.0", "0.61.2", "0.68.1", "0.68.0rc1"])
def test_versions_of_numba_that_were_tried_are_taken(text):
    jit.check_version(text)


@pytest.mark.parametrize("text", ["0.60.0", "0.69.0", "0.69.0dev0", "1.0", "2.61"])
def test_another_numba_is_refused(text):
    with pytest.raises(InputError, match=rf"Numba is of version {text}; allowed: from 0\.61 to below 0\.69; `pip"):
        jit.check_version(text)


def test_the_versions_are_those_of_the_package():
    tried = f"numba>={'.'.join(map(str, jit.OLDEST))},<{'.'.join(map(str, jit.TOO_NEW))}"
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert tried in project["dependencies"]


def test_above_them_the_command_says_so_in_one_line_and_the_reference_engine_answers(tmp_path):
    """Told by a package that claims to be another version."""
    told = tmp_path / "numba-9.9.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 9.9\n", encoding="utf-8")
    beside = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"}
    predict = [sys.executable, "-m", "sim.cli", "predict", "redo", "--precision", "30%", "--watch", "throughput"]
    refused = subprocess.run(predict, env=beside, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("stacksim: Numba is of version 9.9; allowed: from 0.61 to below 0.69")
    answered = subprocess.run([*predict, "--engine", "reference"], env=beside, capture_output=True, check=False)
    assert answered.returncode == 0
