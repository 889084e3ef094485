"""A system in a Python file is found by FILE.py:NAME."""

from __future__ import annotations

import pytest

from sim import InputError
from sim.prediction import RunOptions, predict
from sim.system import find

DISK = """\
from dataclasses import dataclass

from sim import Closed, Delay, Model
from sim.system import Parameters, Scenario, Settings, System, count


@dataclass(frozen=True)
class DelaySettings:
    users: int = count(2, "users")


@dataclass(frozen=True)
class Nothing:
    pass


def build(settings, parameters):
    return Scenario(Model([Closed("user", clients=settings.users, path=Delay(1e-3))]), "user", 1.0, "1/s")


DELAY = System("delay", "a delay", Settings.of(DelaySettings), Parameters.of(Nothing), build)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "delay_for_a_test.py"
    path.write_text(DISK)
    return path


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_system_from_python_is_predicted(file, engine):
    options = RunOptions(engine=engine, precision=0.1, answers=("throughput",))
    assert predict(f"{file}:DELAY", {"users": 3}, options).throughput.value == pytest.approx(3000.0)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (DISK, ":DELAI", "no system 'DELAI' in .*; did you mean 'DELAY'"),
        (DISK, "", "no system '' in .*; .*DELAY"),
        ("x = 3", ":x", "no system 'x' in .*; it has none"),
        ("import no_such_module", ":x", "fails: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def", ":x", "fails: SyntaxError"),
    ],
)
def test_unusable_python_file_is_refused_in_one_line(file, text, name, message):
    file.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        find(f"{file}{name}")
    assert len(str(refused.value).splitlines()) == 1


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no file '.*none\.py'"):
        find(f"{tmp_path / 'none.py'}:X")
