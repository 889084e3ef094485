"""Errors of users of the Python API: one line with the value given and those allowed, at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from models.systems.dbfs import DBFS
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Empirical,
    Exponential,
    Fork,
    Lookup,
    Model,
    Open,
    Poisson,
    Repeat,
    Replayed,
    ReplayedTimes,
    StacksimError,
    Station,
    TooLongError,
    Uniform,
    Use,
    Zipf,
    simulate,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model import memory
from sim.prediction import RunOptions, predict
from sim.system.installed import find

DISK = Station("disk")
FINE = Use(DISK, 1e-3)
MODEL = Model([Closed("w", 1, FINE)])
LARGE = 10**5000
"""Python does not write it out."""


def nested(times, step=FINE):
    for _ in range(times):
        step = Repeat(1, step)
    return step


def doubled(times, step=FINE):
    for _ in range(times):
        step = Repeat(1, step, step)
    return step


def run(*path, clients=1, **more):
    return simulate(Model([Closed("w", clients, path)]), **more)


VALUES = {
    "simulate nothing": (lambda: simulate(None), "simulate is given None; allowed: a Model"),
    "simulate workloads": (lambda: simulate([Closed("w", 1, FINE)]), "simulate is given [Closed("),
    "simulate a path too deep to write": (lambda: simulate([nested(5000)]), "is given a list too long to show"),
    "no engine": (lambda: simulate(MODEL, engine=None), "no engine None; allowed: auto, compiled, reference"),
    "a list of engines": (lambda: simulate(MODEL, engine=["auto"]), "no engine ['auto']"),
    "watch a number": (lambda: simulate(MODEL, watch=3), "no group to watch 3; allowed: w"),
    "progress to a number": (lambda: simulate(MODEL, progress=3), "progress is 3; allowed: a function"),
    "no completions": (
        lambda: simulate(MODEL, max_completed=0),
        "max_completed is 0; allowed: a whole number of at",
    ),
    "a seed of text": (lambda: simulate(MODEL, seed="1"), "seed is '1'; allowed: a whole number of at least 0"),
    "a seed of thousands of digits": (lambda: simulate(MODEL, seed=LARGE), "seed is a int too long to show"),
    "find a number": (lambda: find(3), "no system 3; "),
    "find another name": (lambda: find("dbsf"), "no system 'dbsf'; did you mean 'dbfs'?"),
    "predict with a list": (lambda: predict(DBFS, [1]), "settings are [1]; allowed: a mapping, such as {'nodes'"),
    "predict a number": (lambda: predict(3, {}), "system is 3; allowed: a System, or the name of one"),
    "predict another name": (lambda: predict("dbsf", {}), "did you mean 'dbfs'?"),
    "predict a numbered setting": (lambda: predict(DBFS, {3: 4}), "no setting '3'"),
    "predict with a number": (lambda: predict(DBFS, {}, 3), "options are 3; allowed: RunOptions("),
    "empirical of nothing": (lambda: Empirical(None), "values of an empirical time are None; allowed: a list"),
    "empirical of a number": (lambda: Empirical(5), "values of an empirical time are 5"),
    "empirical of a text": (lambda: Empirical("12"), "values of an empirical time are '12'"),
    "replayed number": (lambda: Replayed(7), "replayed addresses are 7; allowed: a list"),
    "replayed address beyond 63 bits": (lambda: Replayed([1 << 64]), "a replayed address is 18446744073709551616"),
    "replayed time": (lambda: ReplayedTimes(2.0), "replayed arrival times are 2.0; allowed: a list"),
    "Choose of numbers": (lambda: Choose(1, 2), "Choose is given 1; allowed: (probability, steps) pairs"),
    "Choose of half pairs": (lambda: Choose((1.0,)), "Choose is given (1.0,)"),
    "Repeat beyond 63 bits": (lambda: Repeat(1 << 64, FINE), "times of Repeat is 18446744073709551616; allowed"),
    "wait of text": (lambda: Fork(FINE, wait="no"), "wait of Fork is 'no'; allowed: True or False"),
    "write of a number": (lambda: Lookup(Cache("c", 1), Uniform(2), write=1), "write of Lookup is 1"),
    "a policy of a list": (
        lambda: Cache("pages", 4, ["lru"]),
        "policy of cache 'pages' is ['lru']; did you mean 'lru'?",
    ),
    "a name of half a character": (lambda: Station("a\ud800"), "the name 'a\\ud800' is not usable"),
    "a name with an escape": (lambda: Station("a\x1b[2J"), "the name 'a\\x1b[2J' is not usable"),
    "a name of digits": (lambda: Station(LARGE), "the name a int too long to show is not usable"),
    "a time beyond floats": (lambda: Delay(10**400), "a delay is 1000"),
    "count of text": (lambda: Open("w", ReplayedTimes([1]), FINE, count="2"), "count of workload 'w' is '2'"),
    "places of a number": (lambda: Model([Closed("w", 1, FINE)], 5), "the places of the model are 5"),
    "places of lists": (lambda: Model([Closed("w", 1, FINE)], [[]]), "the places of the model contain []"),
    "workloads of nothing": (lambda: Model(None), "the model is given None, which is no list"),
    "steps inside steps": (lambda: Model([Closed("w", 1, nested(5000))]), "steps inside steps 5001 deep; allowed"),
    "steps that double": (lambda: Model([Closed("w", 1, doubled(70))]), "'w' have 2.36e+21 steps"),
}

ENGINES = ("compiled", "reference")

ENDLESS = {
    "a loop": Repeat(10**12, Delay(1e-9)),
    "a loop in a loop": Repeat(10**6, Repeat(10**6, Delay(1e-9))),
    "a loop in no time": Repeat(10**18, Choose((1.0, ()))),
}


def one_line(call):
    with pytest.raises(StacksimError) as caught:
        call()
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 400
    return line


@pytest.mark.parametrize("what", VALUES)
def test_invalid_value_is_refused_in_one_line(what):
    call, says = VALUES[what]
    assert says in one_line(call)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", ENDLESS)
def test_endless_model_is_stopped_and_named(what, engine):
    with pytest.raises(
        TooLongError, match=r"stopped after [\d,]+ steps at .*: workload 'w' took [\d,]+ of them and compl"
    ):
        run(ENDLESS[what], Delay(1e-6), engine=engine, max_steps=5_000)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_empty_loop_takes_no_time(engine):
    assert run(Repeat(1 << 60), Delay(1e-3), engine=engine).throughput.value == pytest.approx(1000.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_times_beyond_the_clock_are_refused_at_once(engine):
    with pytest.raises(TooLongError, match=r"go on until 4e\+10 simulated seconds; allowed: up to 4\.61e\+09"):
        run(Repeat(10**18, Delay(1e-9)), engine=engine)


@pytest.mark.parametrize("engine", [CompiledEngine, ReferenceEngine])
@pytest.mark.parametrize("path", [[Delay(1e-9)], [Repeat(3, Delay(1e-9), Delay(1e-9))]])
def test_an_engine_stops_soon_after_the_steps_that_it_may_take(engine, path):
    running = engine(Model([Closed("w", 2, path), Open("o", Poisson(1e8), path)]), 1, max_steps=20_000)
    running.advance(3_000)
    with pytest.raises(TooLongError):
        running.advance(10**9)
    steps = running.snapshot().workloads[:, -1].sum()
    assert 20_000 <= steps <= 45_000


@pytest.mark.parametrize(
    "body",
    [[Delay(1e-6)] * 100, [Choose(*[(0.01, Delay(1e-6))] * 100)]],
    ids=["steps", "options"],  # of which one is taken, but all are jumped back over
)
def test_a_loop_with_more_code_than_steps_are_allowed_goes_round_all_the_same(monkeypatch, body):
    """Before each round it is asked whether it is time for a look; after a look it never is."""
    running = CompiledEngine(Model([Closed("w", 1, Repeat(1000, *body))]), 1, max_steps=150)
    looks, look_up = [], vars(CompiledEngine)["_check_limits"]

    def counted(engine):
        looks.append(engine.now_ns)
        assert len(looks) < 1000, "it is looked again and again, and nothing happens between"
        look_up(engine)

    monkeypatch.setattr(CompiledEngine, "_check_limits", counted)
    with pytest.raises(TooLongError):
        running.advance(10**9)


@pytest.mark.parametrize("engine", [CompiledEngine, ReferenceEngine])
def test_times_beyond_the_clock_never_end(engine):
    """Drawn times of hundreds of years would wrap round in 63 bits, and come first."""
    rare, busy = Closed("rare", 50, Delay(Exponential(4e9))), Closed("busy", 1, Delay(1e8))
    running = engine(Model([rare, busy]), 1)
    running.advance(2 * 10**18)
    started, completed, *_ = running.snapshot().workloads[0].tolist()
    assert (started - completed, running.stuck) == (50, False)
    assert 5 <= completed <= 50


def test_both_engines_stop_at_the_same_end_of_the_clock():
    for engine in (CompiledEngine, ReferenceEngine):
        with pytest.raises(TooLongError, match="146 years"):
            engine(MODEL, 1).advance(1 << 62)
        with pytest.raises(TooLongError, match="146 years"):
            engine(MODEL, 1).intervals(1 << 60, 4)


MEMORY = {
    "clients": (lambda engine: run(FINE, clients=10**9, engine=engine), "workload 'w'", ENGINES),
    "Zipf": (
        lambda engine: run(Delay(1e-6), Lookup(Cache("c", 9), Zipf(10**12, 1.0)), engine=engine),
        "the table of Zipf addresses among 1000000000000 blocks would take",
        ENGINES,
    ),
    "cache": (
        lambda engine: run(Delay(1e-6), Lookup(Cache("pages", 10**15), Uniform(9)), engine=engine),
        "cache 'pages' of 1000000000000000 blocks would take",
        ("compiled",),
    ),
    "branches": (
        lambda engine: run(Repeat(10**9, Fork(FINE, wait=False)), Delay(1.0), engine=engine),
        "room for 2097152 clients and branches on their way (1048576 of workload 'w') would take",
        ("compiled",),
    ),
}


@pytest.mark.parametrize(("what", "engine"), [(what, engine) for what in MEMORY for engine in MEMORY[what][2]])
def test_models_too_large_for_memory_are_refused_by_name(what, engine, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: float(1 << 30))
    call, says, _ = MEMORY[what]
    assert says in one_line(lambda: call(engine))


LIMITED = """
import resource
from sim import Cache, Closed, Delay, Lookup, Model, StacksimError, Uniform, simulate
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
try:
    simulate(Model([Closed("w", 1, [Delay(1e-6), Lookup(Cache("pages", 1 << 29), Uniform(9))])]))
except StacksimError as error:
    print(error)
"""


def test_a_limit_of_the_process_is_seen():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False, timeout=120
    )
    assert "cache 'pages' of 536870912 blocks would take 40.0 GiB of memory, and " in done.stdout, done.stderr


def test_control_groups_are_seen(tmp_path, monkeypatch):
    files = {memory.Path("/proc/self/cgroup"): "4:memory:/a/b\n0::/c\n7:cpu:/a\n"}
    for name, text in {
        "memory/a/memory.limit_in_bytes": "5000",
        "memory/a/memory.usage_in_bytes": "1000",
        "c/memory.max": "9000",
        "c/memory.current": "100",
        "memory.max": "max",
    }.items():
        files[tmp_path / name] = f"{text}\n"
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_read", lambda file: files.get(file, ""))
    assert sorted(memory._of_groups()) == [4000.0, 8900.0]  # noqa: SLF001  (what it reads is the machine's)


INTERRUPTED = """
from sim import Closed, Delay, Model, Repeat
from sim.engine.events.compiled import CompiledEngine
engine = CompiledEngine(Model([Closed("w", 1, Repeat(10**15, Delay(1e-9)))]), 1)
engine.advance(1000)
print("runs", flush=True)
engine.advance(10**17)
"""


def test_a_run_can_be_interrupted():
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "runs\n"
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors


def test_a_system_is_predicted_by_its_name():
    quick = RunOptions(engine="analytic")
    assert predict("dbfs", {}, quick).throughput.value == predict(DBFS, {}, quick).throughput.value


def test_workloads_take_their_main_arguments_in_order():
    assert Closed("w", 2, FINE) == Closed("w", clients=2, path=FINE)
    assert Open("w", Poisson(5.0), FINE) == Open("w", arrivals=Poisson(5.0), path=FINE)


HIDDEN = """
from sim import StacksimError
from sim.system import find
try:
    find("dbfs")
except StacksimError as error:
    print(error)
"""


@pytest.mark.parametrize("beside", ["models/__init__.py", "models.py"])
def test_models_beside_the_user_that_hide_ours_are_named(tmp_path, beside):
    file = tmp_path / beside
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine = 1\n")
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    hides = tmp_path / beside.partition("/")[0]
    assert done.stdout.startswith(f"'{hides}' hides the models that came with stacksim, in '"), done.stderr


def test_a_buffer_and_a_count_have_a_largest_value():
    assert "allowed: a whole number from 1 to 4611686018427387904" in one_line(lambda: Buffer("b", 10**19))
