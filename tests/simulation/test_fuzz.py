"""Whatever the Python API is given, it works or refuses in one line, and soon."""

from __future__ import annotations

import math
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sim
from examples import examples
from sim import Closed, Delay, Model, StacksimError, Station, Use, simulate
from sim.engine.model import memory

HANGS_S = 120.0

ODD = st.sampled_from(
    (
        *(None, True, False, math.nan, math.inf, -math.inf, -1, 0, -0.0, 1, 2, 3.5, 1e-12, 1e-9, 1e-3, 1e9, 1e300),
        *(10**9, 10**12, 10**18, (1 << 62) + 1, 10**400, -(10**30)),
        *("", "a", "disk", "lru", "arc", "\n", "\ud800", b"a", "x" * 5000, 1j, object(), Station),
        *(
            (),
            (1,),
            [1, 2],
            [None],
            {},
            {"a": 1},
            {1, 2},
            np.array(3),
            np.array([1.0, 2.0]),
            np.int64(7),
            range(5),
        ),
    )
)
"""Values that nobody should give, and a few of those allowed."""

MADE: dict[str, tuple[str, ...]] = {
    "addresses": ("Uniform", "Zipf", "Sequential", "Replayed"),
    "time": ("Constant", "Exponential", "Erlang", "Gamma", "Lognormal", "Empirical", "PerItem"),
    "place": ("Station", "Lock", "Pool", "Buffer", "Gate", "Cache"),
    "arrivals": ("Poisson", "Periodic", "ReplayedTimes", "RecordedGaps"),
    "step": (
        *("Use", "Delay", "Hold", "Put", "Take", "Fork", "Await", "Gather", "Wake", "IfAny", "Choose", "Lookup"),
        *("Repeat", "Custom"),
    ),
    "workload": ("Closed", "Open"),
}
"""The public names, by what they make."""

KEYWORDS = (
    "tokens",
    "wait",
    "sequential",
    "write",
    "count",
    "think",
    "group",
    "start_s",
    "stop_s",
    "low",
    "policy",
)

OF_PYTHON = ("unexpected keyword", "positional argument", "multiple values")

OPTIONS = ("seed", "precision", "confidence", "watch", "engine", "progress")


@st.composite
def made(draw, kind, depth=2):
    """An object of ``kind``, or None where it was refused."""
    make = getattr(sim, draw(st.sampled_from(MADE[kind])))
    return call(make, *draw(arguments(depth)), **draw(keywords(depth)))


@cache  # Hypothesis looks at each new strategy anew
def anything(depth):
    if not depth:
        return ODD
    inner = st.sampled_from(sorted(MADE)).flatmap(lambda kind: made(kind, depth - 1))
    return ODD | inner | inner | st.lists(inner, max_size=3) | st.tuples(st.floats(0, 1), inner)


@cache
def arguments(depth):
    name = st.sampled_from(("a", "b", "c"))
    return st.lists(anything(depth), max_size=4) | st.tuples(name, anything(depth), anything(depth))


@cache
def keywords(depth):
    return st.just({}) | st.dictionaries(st.sampled_from(KEYWORDS), anything(depth), max_size=2)


def call(function, *given, **named):
    """Result of ``function``; None where it refuses, in one line and in time."""
    begun, found, line = time.process_time(), None, ""
    try:
        found = function(*given, **named)
    except (StacksimError, TypeError) as error:
        line = str(error)
        # A TypeError is Python's own, about an argument that a function has not; it says what is allowed.
        if isinstance(error, TypeError) and not any(words in line for words in OF_PYTHON):
            raise
    took = time.process_time() - begun
    assert "\n" not in line
    assert len(line) < 1000
    assert took < HANGS_S
    return found


def fuzz(function):
    relaxed = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
    return settings(max_examples=examples(100), **relaxed)(function)


@pytest.fixture(autouse=True, scope="module")
def _little_memory():
    """No example may take what the machine has, nor its time be that of the compiler."""
    simulate(Model([Closed("w", 1, Use(Station("s"), 1e-3))]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available_bytes", lambda: float(1 << 29))
        yield


@pytest.mark.long
@fuzz
@given(anything(2))
def test_everything_is_made_or_refused(made_by_call):
    del made_by_call  # that it was, or was refused, is all


@st.composite
def nearly_right(draw):
    """Models that often can be run: a workload or two over steps that were made, with a delay of its own."""
    steps = [step for step in draw(st.lists(made("step", 2), max_size=3)) if step is not None]
    extra = [each for each in [draw(made("workload", 3))] if each is not None]
    one = call(Closed, "one", draw(st.sampled_from((1, 2, 10**9))), [*steps, Delay(1e-6)])
    return call(Model, [each for each in (one, *extra) if each is not None])


@pytest.mark.long
@fuzz
@given(
    nearly_right() | anything(1),
    st.dictionaries(st.sampled_from(OPTIONS), ODD, max_size=2),
    st.sampled_from(("compiled", "reference")),
)
def test_simulate_answers_or_refuses(model, options, engine):
    call(simulate, model, **{"engine": engine, "max_steps": 2_000, "precision": 0.3, **options})


@fuzz
@given(st.dictionaries(st.sampled_from((*OPTIONS, "answers")), ODD, max_size=3))
def test_options_are_taken_or_refused(options):
    model = Model([Closed("w", 1, Use(Station("s"), 1e-3))])
    call(simulate, model, **{"max_steps": 2_000, **options})
