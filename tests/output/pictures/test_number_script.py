"""Numbers in pages are those of the command: `number.js` writes what `sim.engine.units.text` does."""

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

from sim.engine.units.text import number_text

NODE = shutil.which("node")

VALUES = [0.0, 0.72, 3.21e-5, 1e-8, 999.96, 1000.0, 8137.4, 9999.6, 44612.0, -44612.0, 1.2345678e7, 9.9999e8, 2e12]


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("digits", [4, 10])
def test_pages_write_numbers_as_the_command_does(tmp_path, digits):
    script = tmp_path / "number.mjs"
    text = files("sim.output.pictures").joinpath("number.js").read_text("utf-8")
    told = f"console.log(JSON.stringify({json.dumps(VALUES)}.map(value => numberText(value, {digits}))))"
    script.write_text(f"{text}\n{told}\n")
    done = subprocess.run([NODE, script], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == [number_text(value, digits) for value in VALUES]
