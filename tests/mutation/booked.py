"""A plugin of pytest for a run under coverage: books lines and seconds on the file of the test that takes them."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from time import perf_counter

import coverage
import pytest

SECONDS = "mutation-seconds.json"
_seconds: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Book what one test runs, its fixtures included."""
    file, begun = item.location[0], perf_counter()
    coverage.Coverage.current().switch_context(file)
    done = yield
    _seconds[file] += perf_counter() - begun
    return done


def pytest_sessionfinish():
    """Write down how long each file took."""
    Path(SECONDS).write_text(json.dumps(_seconds), encoding="utf-8")
