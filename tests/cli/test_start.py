"""Nothing that a command does not need is loaded, started or tidied up: somebody waits for each of them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sim.cli import BLAS_THREADS
from sim.cli.app import app
from sim.engine.extensions import registered

SLOW = (
    "numpy",
    "pydantic",
    "llvmlite",
    "rich",
    "scipy",
    "pandas",
    "matplotlib",
    "sqlite3",
    "sim.system.stack.document",
)

SCRIPT = """
import atexit, gc, os, sys

def tell():
    names = [name for name in {slow} if name in sys.modules]
    print("loaded:", *names, file=sys.stderr)
    print("threads:", len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)
    print("left:", gc.get_freeze_count() > len(gc.get_objects()), file=sys.stderr)

atexit.register(tell)
from sim.cli import main
sys.argv = {words}
main()
"""

ANALYTIC = ("predict", "san", "--engine", "analytic", "--json")


def told(words: tuple[str, ...], what: str, **variables: str) -> list[str]:
    """Report of the process of a command on itself when it ends."""
    script = SCRIPT.format(words=["stacksim", *words], slow=SLOW)
    environment = {name: value for name, value in os.environ.items() if name not in BLAS_THREADS} | variables
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return next(line.split()[1:] for line in done.stderr.splitlines() if line.startswith(what))


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("predict", "--help"), ("stack", "--help")])
def test_help_loads_nothing_slow(words):
    assert set(told(words, "loaded")) <= {"pydantic"}, "typer reads the arguments of a command with it"


ROUGHLY = ("--precision", "10%", "--watch", "throughput", "--json")


def test_prediction_loads_only_needed_modules():
    assert set(told(("predict", "san", *ROUGHLY), "loaded")) <= {"numpy", "pydantic", "llvmlite"}


def test_a_printed_prediction_loads_neither_curves_nor_stack_files():
    loaded = set(told(("predict", "dbfs", "--precision", "10%"), "loaded"))
    assert loaded <= {"numpy", "pydantic", "llvmlite", "rich"}


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "san", "streams=1,2", *ROUGHLY),
        ("compare", "san", "san", "--precision", "10%", "--json"),
        ("report", "exadata-v1", "--json"),
    ],
    ids=lambda words: words[0],
)
def test_json_does_without_tables(words):
    assert "rich" not in told(words, "loaded")


def test_processes_that_work_for_a_command_load_none_of_it():
    """Each of them imports the file that Python was started with, and so ``main``."""
    script = "import sys; from sim.cli import main; assert 'typer' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_annotations_of_commands_are_read_once():
    apps = (app, *(point.load() for point in registered("stacksim.commands").values()))
    commands = [command for each in apps for command in each.registered_commands]
    annotations = [each for command in commands for each in command.callback.__annotations__.values()]
    assert len(annotations) > 100
    assert not [each for each in annotations if isinstance(each, str)]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_linear_algebra_uses_one_thread():
    assert told(ANALYTIC, "threads") == ["1", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize("variable", BLAS_THREADS)
def test_number_of_threads_can_be_raised(variable):
    threads, ours = told(ANALYTIC, "threads", **{variable: "2"})
    assert int(threads) == min(2, len(os.sched_getaffinity(0)))
    assert ours == ("2" if variable == "OPENBLAS_NUM_THREADS" else "None")


def test_objects_are_left_to_the_end_of_the_process():
    assert told(ANALYTIC, "left") == ["True"]
