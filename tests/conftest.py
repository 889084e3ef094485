"""For all tests: no random example fails because a machine was slow, no printed table because of COLUMNS.

Tests that take long go first, so that no worker is left with one of them when the others are done.
"""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

# As the command does it: threads of BLAS wait for each other in turns of the processor, and two workers have two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import examples

examples.register()

# A shell that runs the tests in the background ignores SIGINT, and so would their children: they would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]


def pytest_collection_modifyitems(items):
    """Order the tests: those marked ``long`` first, otherwise as they were."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(autouse=True, scope="session")
def _no_further_processes():
    """Sweeps and searches work in the process that tests them; tests of processes make some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.prediction.crew.pool", ThreadPoolExecutor)
        patch.setattr("sim.decision.ahead.ALONE_S", math.inf)
        yield


@pytest.fixture(autouse=True)
def no_edge(monkeypatch):
    """The tests' own tools export the width of their terminal, at which tables would be folded."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def calibration_data() -> Path:
    """The folder of the published measurements."""
    return ROOT / "calibration-data"


@pytest.fixture(scope="session")
def source_text() -> Callable[[str], str]:
    """Read a source by its short name (S0 is the file 000_*.txt); skip the test where it is absent."""
    folder = Path(os.environ.get("STACKSIM_SOURCES", ROOT.parent / "shared" / "seeds"))

    def read(source: str) -> str:
        files = sorted(folder.glob(f"{int(source.removeprefix('S')):03}_*.txt"))
        if not files:
            pytest.skip(f"the source texts are absent from {folder}, so nothing was compared with {source}")
        return files[0].read_text(encoding="utf-8")

    return read


@pytest.fixture(scope="session")
def predictions_of_all(tmp_path_factory) -> Path:
    """The folder of ``tests/memo.py``, which all workers of one run of the tests share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "predictions"
    folder.mkdir(exist_ok=True)
    return folder
