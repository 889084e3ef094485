"""Every refusal: the right error, one line, and it names the place, the workload or the value."""

from __future__ import annotations

import math
import re

import pytest

from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Custom,
    DeadlockError,
    Delay,
    Empirical,
    Erlang,
    Exponential,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    IfAny,
    InputError,
    Lock,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    NoSteadyStateError,
    Open,
    Periodic,
    PerItem,
    Poisson,
    Pool,
    Put,
    RecordedGaps,
    Repeat,
    Replayed,
    ReplayedTimes,
    Sequential,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
    simulate,
)

DISK, LOCK, POOL = Station("disk"), Lock("latch"), Pool("threads", 4)
LOG, COMMIT, PAGES = Buffer("log", 8), Gate("commit"), Cache("pages", 4)
FINE = Use(DISK, 1e-3)
BUSY = Closed("busy", clients=1, path=FINE)
MODEL = Model([BUSY])


def closed(*path, name="w", **more):
    return Closed(name, clients=1, path=path, **more)


def model_of(*path):
    return Model([closed(*path)])


def closed_model(*path, **more):
    return Model([closed(*path, **more)])


def offered(*path, per_second=1e3):
    return Model([Open("w", arrivals=Poisson(per_second), path=path)])


VALUES = {
    "constant below zero": (lambda: Constant(-1.0), "constant time is -1.0"),
    "constant not finite": (lambda: Constant(math.nan), "constant time is nan"),
    "constant of text": (lambda: Constant("5"), "constant time is '5'"),
    "constant of a flag": (lambda: Constant(True), "constant time is True"),  # noqa: FBT003
    "constant of 200 years": (lambda: Constant(6.3e9), "6300000000.0; allowed: from 0 to 4e+09 seconds"),
    "exponential of zero": (lambda: Exponential(0.0), "exponential time is 0.0; allowed: from 1e-09"),
    "exponential not finite": (lambda: Exponential(math.inf), "exponential time is inf"),
    "gamma of zero": (lambda: Gamma(0, 1.0), "the mean of a gamma time is 0"),
    "gamma too narrow": (lambda: Gamma(1.0, 0.001), "variation of a gamma time is 0.001"),
    "gamma too wide": (lambda: Gamma(1.0, 101.0), "variation of a gamma time is 101.0"),
    "no Erlang stages": (lambda: Erlang(1.0, 0), "Erlang stages is 0"),
    "half an Erlang stage": (lambda: Erlang(1.0, 1.5), "Erlang stages is 1.5"),
    "Erlang of negative mean": (lambda: Erlang(-2.0, 2), "-2.0"),
    "lognormal of zero": (lambda: Lognormal(0.0, 1.0), "the mean of a lognormal time is 0.0"),
    "lognormal without spread": (lambda: Lognormal(1.0, 0.0), "variation of a lognormal time is 0.0"),
    "empirical of nothing": (lambda: Empirical([]), "empirical time has no values"),
    "empirical below zero": (lambda: Empirical([1.0, -3.0]), "a value of an empirical time is -3.0"),
    "fixed part below zero": (lambda: PerItem(-1.0, 1.0), "the fixed part of a time per item is -1.0"),
    "time for each below zero": (lambda: PerItem(1.0, -7.0), "the time for each item is -7.0"),
    "uniform over nothing": (lambda: Uniform(0), "extent of uniform addresses is 0"),
    "uniform over a part": (lambda: Uniform(2.5), "extent of uniform addresses is 2.5"),
    "Zipf over nothing": (lambda: Zipf(0, 1.0), "extent of Zipf addresses is 0"),
    "Zipf exponent below zero": (lambda: Zipf(9, -0.5), "exponent of Zipf addresses is -0.5"),
    "Zipf exponent too large": (lambda: Zipf(9, 21.0), "exponent of Zipf addresses is 21.0"),
    "sequential over nothing": (lambda: Sequential(0), "extent of sequential addresses is 0"),
    "sequential from below": (lambda: Sequential(5, -1), "start of sequential addresses is -1"),
    "replayed nothing": (lambda: Replayed([]), "replayed addresses are empty"),
    "replayed below zero": (lambda: Replayed([3, -4]), "a replayed address is -4"),
    "Poisson of zero": (lambda: Poisson(0.0), "Poisson arrival rate is 0.0"),
    "Poisson too often": (lambda: Poisson(1e13), "Poisson arrival rate is 10000000000000.0"),
    "Poisson not finite": (lambda: Poisson(math.inf), "Poisson arrival rate is inf"),
    "periodic of zero": (lambda: Periodic(0.0), "interval of periodic arrivals is 0.0"),
    "periodic below the clock": (lambda: Periodic(1e-10), "interval of periodic arrivals is 1e-10"),
    "recorded gaps of numbers": (lambda: RecordedGaps([1], 1), "recorded gaps are [1]; allowed: a source of"),
    "recorded gaps of nothing": (lambda: RecordedGaps(Uniform(9), 0), "the number of recorded gaps is 0"),
    "replayed times of nothing": (lambda: ReplayedTimes([]), "replayed arrival times are empty"),
    "replayed time below zero": (lambda: ReplayedTimes([-1.0]), "a replayed arrival time is -1.0"),
    "replayed times not in order": (lambda: ReplayedTimes([2.0, 1.0]), "time 1.0 comes after 2.0"),
}

PLACES = {
    "name empty": (lambda: Station(""), "station: the name ''"),
    "name of blanks": (lambda: Lock("  "), "lock: the name '  '"),
    "name of two lines": (lambda: Gate("a\nb"), "gate: the name 'a\\nb'"),
    "name not text": (lambda: Pool(7), "pool: the name 7"),
    "no servers": (lambda: Station("disk", 0), "servers of station 'disk' is 0"),
    "one and a half servers": (lambda: Station("disk", 1.5), "servers of station 'disk' is 1.5"),
    "no tokens": (lambda: Pool("threads", 0), "tokens of pool 'threads' is 0"),
    "tokens of a flag": (lambda: Pool("threads", True), "tokens of pool 'threads' is True"),  # noqa: FBT003
    "buffer without room": (lambda: Buffer("log", 0), "capacity of buffer 'log' is 0"),
    "buffer below empty": (lambda: Buffer("log", 4, -1), "initial level of buffer 'log' is -1"),
    "buffer more than full": (lambda: Buffer("log", 4, 5), "buffer 'log' starts at level 5; allowed: at most its"),
    "low watermark below zero": (lambda: Buffer("log", 4, low=-1), "low watermark of buffer 'log' is -1"),
    "low watermark not below high": (lambda: Buffer("log", 4, low=2, high=2), "buffer 'log' are 2 and 2; allowed"),
    "high watermark above all": (lambda: Buffer("log", 4, high=5), "at most its capacity 4"),
    "cache without room": (lambda: Cache("pages", 0), "capacity of cache 'pages' is 0"),
    "unknown policy": (lambda: Cache("pages", 4, "lrv"), "'lrv'; did you mean 'lru'?"),
}

STEPS = {
    "Use of a pool": (lambda: Use(POOL, 1.0), "Use is given Pool(name='threads'"),
    "Use below zero": (lambda: Use(DISK, -1.0), "the time at station 'disk' is -1.0"),
    "Use of text": (lambda: Use(DISK, "1 ms"), "the time at station 'disk' is '1 ms'"),
    "Delay below zero": (lambda: Delay(-2.0), "a delay is -2.0"),
    "Delay of nothing": (lambda: Delay(None), "a delay is None"),
    "Hold without mode": (lambda: Hold(LOCK, FINE), "lock 'latch' without a mode"),
    "Hold of a station": (lambda: Hold(DISK, FINE), "Hold is given Station(name='disk'"),
    "Hold of no tokens": (lambda: Hold(POOL, FINE, tokens=0), "tokens to hold of pool 'threads' is 0"),
    "Hold of too many": (lambda: Hold(POOL, FINE, tokens=5), "wants 5 tokens of pool 'threads', which has 4"),
    "Hold of two locks' worth": (lambda: Hold(LOCK.shared, FINE, tokens=2), "wants 2 tokens of lock 'latch'"),
    "Hold around no step": (lambda: Hold(POOL, "work"), "Hold of pool 'threads' contains 'work'"),
    "Put into a pool": (lambda: Put(POOL), "Put is given Pool(name='threads'"),
    "Put of nothing": (lambda: Put(LOG, 0), "Put into buffer 'log' is 0"),
    "Put of too much": (lambda: Put(LOG, 9), "Put of 9 at buffer 'log', capacity 8"),
    "Take from a gate": (lambda: Take(COMMIT), "Take is given Gate(name='commit'"),
    "Take of too much": (lambda: Take(LOG, 9), "Take of 9 at buffer 'log', capacity 8"),
    "Fork into nothing": (Fork, "Fork has no branches"),
    "Fork into a number": (lambda: Fork(5), "a branch of Fork is 5"),
    "Fork into numbers": (lambda: Fork([FINE, 5]), "a branch of Fork contains 5"),
    "Fork that needs too many": (lambda: Fork(FINE, FINE, needed=3), "Fork needs 3 branches of 2"),
    "Fork that needs none": (lambda: Fork(FINE, needed=0), "branches that Fork needs is 0"),
    "Fork that needs and leaves": (
        lambda: Fork(FINE, wait=False, needed=1),
        "needs 1 branches and waits for none",
    ),
    "Await at a buffer": (lambda: Await(LOG), "Await is given Buffer(name='log'"),
    "Gather at a station": (lambda: Gather(DISK), "Gather is given Station(name='disk'"),
    "Wake at a lock": (lambda: Wake(LOCK), "Wake is given Lock(name='latch'"),
    "Choose of nothing": (Choose, "Choose has no options"),
    "Choose of too little": (lambda: Choose((0.5, FINE), (0.4, FINE)), "Choose add up to 0.9"),
    "Choose of too much": (lambda: Choose((1.0, FINE), (0.25, FINE)), "Choose add up to 1.25"),
    "probability below zero": (lambda: Choose((-0.5, FINE), (1.5, FINE)), "a probability of Choose is -0.5"),
    "probability of text": (lambda: Choose(("half", FINE)), "a probability of Choose is 'half'"),
    "Choose without path": (lambda: Choose((1.0, 3)), "Choose is 3"),
    "Lookup in a buffer": (lambda: Lookup(LOG, Uniform(9)), "Lookup is given Buffer(name='log'"),
    "Lookup of numbers": (lambda: Lookup(PAGES, [1, 2]), "cache 'pages' is given addresses [1, 2]"),
    "hit without path": (lambda: Lookup(PAGES, Uniform(9), hit=1), "the hit path of cache 'pages' is 1"),
    "miss without path": (
        lambda: Lookup(PAGES, Uniform(9), miss=[2]),
        "the miss path of cache 'pages' contains 2",
    ),
    "IfAny at a station": (lambda: IfAny(DISK), "IfAny is given Station(name='disk'"),
    "IfAny without path": (lambda: IfAny(LOG, some=1), "the path for some at buffer 'log' is 1"),
    "Repeat never": (lambda: Repeat(0, FINE), "times of Repeat is 0"),
    "Repeat of text": (lambda: Repeat(2, "work"), "Repeat contains 'work'"),
    "Custom without name": (lambda: Custom("", print), "a custom step: the name ''"),
    "Custom without process": (lambda: Custom("mine", 5), "custom step 'mine' has process 5"),
}

WORKLOADS = {
    "closed without name": (lambda: closed(FINE, name=""), "workload: the name ''"),
    "closed without clients": (lambda: Closed("w", clients=0, path=FINE), "clients of workload 'w' is 0"),
    "closed without path": (closed, "the path of workload 'w' is empty"),
    "path of text": (lambda: Closed("w", clients=1, path=7), "the path of workload 'w' is 7"),
    "path of texts": (lambda: closed("read"), "the path of workload 'w' contains 'read'"),
    "all before it begins": (lambda: closed(FINE, begins=1), "steps before a request of workload 'w' are 1 of 1"),
    "begins below zero": (lambda: closed(FINE, begins=-1), "steps before a request of workload 'w' is -1"),
    "think below zero": (lambda: closed(FINE, think=-1.0), "the think time of workload 'w' is -1.0"),
    "think by the item": (lambda: closed(FINE, think=PerItem(1.0, 1.0)), "think time of workload 'w' is PerItem"),
    "starts before zero": (lambda: closed(FINE, start_s=-1.0), "the start of workload 'w' is -1.0"),
    "stops before it starts": (
        lambda: closed(FINE, start_s=2.0, stop_s=1.0),
        "'w' stops at 1 s; allowed: after its",
    ),
    "stops and counts": (lambda: closed(FINE, stop_s=1.0, count=3), "workload 'w' has a count and a stop"),
    "no walks": (lambda: closed(FINE, count=0), "count of workload 'w' is 0"),
    "half a walk": (lambda: closed(FINE, count=0.5), "count of workload 'w' is 0.5"),
    "group without name": (lambda: closed(FINE, group=""), "the group of workload 'w': the name ''"),
    "open without arrivals": (lambda: Open("w", arrivals=5.0, path=FINE), "workload 'w' has arrivals 5.0"),
    "open without path": (lambda: Open("w", arrivals=Poisson(1.0), path=[]), "the path of workload 'w' is empty"),
    "open without walks": (
        lambda: Open("w", arrivals=ReplayedTimes([1.0]), path=FINE, count=0),
        "count of workload 'w' is 0",
    ),
}

MODELS = {
    "no workloads": (lambda: Model([]), "the model has no workloads"),
    "no list of workloads": (
        lambda: Model(Closed("x", clients=1, path=[Use(DISK, 1e-3)])),
        "given workload 'x', which is no list; give it a list of workloads",
    ),
    "a path as workload": (lambda: Model([FINE]), "the model is given workload Use("),
    "workloads of one name": (lambda: Model([BUSY, BUSY]), "2 workloads are named 'busy'"),
    "place of no path": (lambda: Model([BUSY], [DISK, LOCK]), "lock 'latch' is used by no path"),
    "place not listed": (lambda: Model([BUSY], []), "station 'disk' is used by a path but not listed"),
    "asked about nothing": (lambda: model_of(FINE, IfAny(LOG, FINE)), "nothing ever comes to buffer 'log'"),
    "asked about a lock of nobody": (
        lambda: model_of(FINE, IfAny(LOCK, FINE)),
        "nothing ever comes to lock 'latch'",
    ),
    "no time on one of two ways": (
        lambda: model_of(IfAny(LOG, FINE), Put(LOG), Take(LOG)),
        "workload 'w' goes round in no time",
    ),
    "places of one name": (
        lambda: model_of(FINE, Use(Station("disk", 2), 1.0)),
        "2 different places are named 'disk' (station 'disk' and station 'disk')",
    ),
    "kinds of one name": (lambda: model_of(FINE, Hold(Pool("disk"))), "(station 'disk' and pool 'disk')"),
    "a lock in itself": (
        lambda: model_of(Hold(LOCK.shared, Hold(LOCK.exclusive, FINE))),
        "workload 'w' holds lock 'latch' inside a hold of it",
    ),
    "a pool in itself, deep": (
        lambda: model_of(Hold(POOL, Fork([Repeat(2, Choose((1.0, Hold(POOL, FINE))))]))),
        "workload 'w' holds pool 'threads' inside",
    ),
    "gathered twice": (
        lambda: model_of(Gather(COMMIT), Gather(COMMIT), Wake(COMMIT)),
        "workload 'w' gathers gate 'commit' twice",
    ),
    "woken first": (lambda: model_of(Wake(COMMIT), Gather(COMMIT)), "workload 'w' wakes gate 'commit' without"),
    "never woken": (
        lambda: model_of(FINE, Gather(COMMIT)),
        "workload 'w' gathers gate 'commit' and never wakes it",
    ),
    "woken by a branch": (
        lambda: model_of(FINE, Gather(COMMIT), Fork(Wake(COMMIT))),
        "workload 'w' wakes gate 'commit' without a Gather before it on the same branch",
    ),
    "gathered on one of two ways": (
        lambda: model_of(FINE, Choose((0.5, Gather(COMMIT)), (0.5, FINE)), Wake(COMMIT)),
        "workload 'w' gathers gate 'commit' and never wakes it on the same branch",
    ),
    "gathered in a loop, woken behind it": (
        lambda: model_of(FINE, Repeat(2, Gather(COMMIT)), Wake(COMMIT)),
        "workload 'w' gathers gate 'commit' and never wakes it on the same branch",
    ),
    "times that the clock cannot tell from none": (
        lambda: Model([Closed("w", clients=1, path=Delay(1e-10))]),
        "workload 'w' goes round in no time at all",
    ),
    "arrivals faster than the clock": (lambda: Poisson(1e12), "Poisson arrival rate is 1000000000000.0"),
    "a job without time": (
        lambda: simulate(Model([Closed("w", clients=1, path=Delay(0.0), count=3)])),
        "the job took no time at all",
    ),
    "never woken in a branch": (
        lambda: model_of(FINE, Fork(Repeat(2, Fork(Gather(COMMIT)))), Await(COMMIT)),
        "workload 'w' gathers gate 'commit' and never",
    ),
    "no time": (lambda: model_of(Use(DISK, 0.0)), "workload 'w' goes round in no time"),
    "no time on a hit": (
        lambda: model_of(Lookup(PAGES, Uniform(9), miss=FINE)),
        "workload 'w' goes round in no time",
    ),
    "no time but behind": (lambda: model_of(Fork(FINE, wait=False)), "workload 'w' goes round in no time"),
    "no time for those needed": (
        lambda: model_of(Fork(Use(DISK, 0.0), FINE, FINE, needed=1)),
        "workload 'w' goes round in no time",
    ),
    "no time, others elsewhere": (
        lambda: Model([closed(Use(DISK, 0.0)), closed(Use(DISK, 1.0), name="other")]),
        "workload 'w' goes round in no time",
    ),
    "gathered again inside": (
        lambda: model_of(
            FINE, Await(COMMIT), Gather(COMMIT), Repeat(1, Gather(COMMIT), Wake(COMMIT)), Wake(COMMIT)
        ),
        "workload 'w' gathers gate 'commit' twice",
    ),
    "no time on the clock": (
        lambda: model_of(Delay(Empirical([1e-10, 4e-10]))),
        "workload 'w' goes round in no time",
    ),
    "no time to think": (lambda: closed_model(Delay(0.0), think=1e-10), "workload 'w' goes round in no time"),
    "no time, and waiting for oneself only": (
        lambda: Model([closed(Put(LOG), Take(LOG)), closed(Put(LOG), FINE, Take(LOG), name="other")]),
        "workload 'w' goes round in no time",
    ),
    "no time, and waiting for each other": (
        lambda: Model([closed(Put(LOG)), closed(Take(LOG), name="v"), closed(FINE, Put(LOG), name="other")]),
        "workload 'w' goes round in no time",
    ),
    "no time, though another waits": (
        lambda: Model([closed(Put(LOG), name="v"), closed(Delay(0.0)), closed(FINE, Take(LOG), name="other")]),
        "workload 'w' goes round in no time",
    ),
    "no time, and others wait behind": (
        lambda: Model([closed(Fork(Put(LOG), wait=False)), closed(FINE, Take(LOG), name="other")]),
        "workload 'w' goes round in no time",
    ),
    "nobody gathers": (lambda: model_of(FINE, Await(COMMIT)), "nobody ever gathers gate 'commit'"),
    "nobody awaits": (lambda: model_of(FINE, Gather(COMMIT), Wake(COMMIT)), "nobody ever awaits gate 'commit'"),
    "nobody takes": (lambda: model_of(FINE, Put(LOG)), "nobody ever takes from buffer 'log'"),
    "nobody puts": (lambda: model_of(FINE, Take(LOG)), "nobody ever puts into buffer 'log'"),
}

LOADS = {
    "a station always in use": (lambda: offered(FINE), "100% of station 'disk'"),
    "two servers, three wanted": (lambda: offered(Use(Station("disk", 2), 3e-3)), "150% of station 'disk'"),
    "a pool by its holds": (lambda: offered(Hold(POOL, Delay(3e-3), tokens=2)), "150% of pool 'threads'"),
    "a lock held alone": (lambda: offered(Hold(LOCK.exclusive, Delay(2e-3))), "200% of lock 'latch'"),
    "a loop": (lambda: offered(Repeat(5, Use(DISK, 4e-4))), "200% of station 'disk'"),
    "a choice": (lambda: offered(Choose((0.5, Use(DISK, 4e-3)), (0.5, Delay(1.0)))), "200% of station 'disk'"),
    "hit and miss": (
        lambda: offered(Lookup(PAGES, Uniform(9), hit=Use(DISK, 2e-3), miss=Use(DISK, 3e-3))),
        "200% of station 'disk'",
    ),
    "branches nobody waits for": (lambda: offered(Fork(Use(DISK, 2e-3), wait=False)), "200% of station 'disk'"),
    "evenly spaced": (
        lambda: Model([Open("w", arrivals=Periodic(1e-3), path=Use(DISK, Exponential(4e-3)))]),
        "400% of station 'disk'",
    ),
    "two workloads together": (
        lambda: Model([Open(name, arrivals=Poisson(600.0), path=FINE) for name in "ab"]),
        "120% of station 'disk'",
    ),
}

ARGUMENTS = {
    "seed below zero": (lambda: simulate(MODEL, seed=-1), "seed is -1"),
    "seed of a part": (lambda: simulate(MODEL, seed=1.5), "seed is 1.5"),
    "precision too fine": (lambda: simulate(MODEL, precision=1e-5), "precision is 1e-05"),
    "precision too coarse": (lambda: simulate(MODEL, precision=0.6), "precision is 0.6"),
    "confidence too low": (lambda: simulate(MODEL, confidence=0.4), "confidence is 0.4"),
    "confidence certain": (lambda: simulate(MODEL, confidence=1.0), "confidence is 1.0"),
    "unknown group": (lambda: simulate(MODEL, watch="bussy"), "'bussy'; did you mean 'busy'?"),
    "unknown answer": (lambda: simulate(MODEL, answers=["p9"]), "no answer 'p9' to watch; did you mean 'p99'?"),
    "no answer": (lambda: simulate(MODEL, answers=[]), "no answer to watch is given"),
    "unknown engine": (lambda: simulate(MODEL, engine="compild"), "'compild'; did you mean 'compiled'?"),
    "no steps": (lambda: simulate(MODEL, max_steps=0), "max_steps is 0"),
}


def cases(error, table):
    return [pytest.param(error, build, fragment, id=name) for name, (build, fragment) in table.items()]


REFUSALS = [
    *cases(ModelError, VALUES | PLACES | STEPS | WORKLOADS | MODELS),
    *cases(NoSteadyStateError, LOADS),
    *cases(InputError, ARGUMENTS),
]


@pytest.mark.parametrize(("error", "build", "fragment"), REFUSALS)
def test_invalid_model_is_refused_in_one_line(error, build, fragment):
    with pytest.raises(error, match=re.escape(fragment)) as caught:
        build()
    assert "\n" not in str(caught.value)


ALLOWED = {
    "a pool held whole": lambda: model_of(Hold(POOL, FINE, tokens=4)),
    "a full buffer": lambda: model_of(FINE, Put(Buffer("full", 3, 3)), Take(Buffer("full", 3, 3))),
    "two holds in a row": lambda: model_of(Hold(LOCK.shared, FINE), Hold(LOCK.exclusive, FINE)),
    "gathered and woken twice": lambda: Model(
        [closed(*[FINE, Gather(COMMIT), Wake(COMMIT)] * 2), closed(Await(COMMIT), name="other")]
    ),
    "no time, but it waits for who takes some": lambda: Model(
        [closed(Put(LOG)), closed(FINE, Take(LOG), name="other")]
    ),
    "no time, but it waits for who waits for who takes some": lambda: Model(
        [
            closed(Take(Buffer("far", 3))),
            closed(Take(LOG), Put(Buffer("far", 3)), name="v"),
            closed(FINE, Put(LOG), name="other"),
        ]
    ),
    "gathered by a branch while gathered": lambda: model_of(
        FINE, Fork(Await(COMMIT), wait=False), Gather(COMMIT), Fork([Gather(COMMIT), Wake(COMMIT)]), Wake(COMMIT)
    ),
    "no time, but counted": lambda: Model([closed(Delay(0.0), count=3)]),
    "shared holds that overlap": lambda: offered(Hold(LOCK.shared, Delay(2e-3))),
    "a load of 99 %": lambda: offered(Use(DISK, 0.99e-3)),
    "overloaded, but it ends": lambda: Model([Open("w", arrivals=Poisson(1e9), path=FINE, count=5)]),
}


@pytest.mark.parametrize("build", ALLOWED.values(), ids=ALLOWED)
def test_nearest_valid_model_is_accepted(build):
    assert build().workloads


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_deadlock_error_names_waiters_and_holders(engine):
    a, b = Lock("a"), Lock("b")

    def inside_out(name, outer, inner):
        return closed(Hold(outer.exclusive, Delay(1e-3), Hold(inner.exclusive, Delay(1e-3))), name=name)

    with pytest.raises(DeadlockError) as caught:
        simulate(Model([inside_out("x", a, b), inside_out("y", b, a)]), engine=engine)
    told = str(caught.value)
    assert "'x' client 0 waits for lock 'b', held by 'y' client 0" in told
    assert "'y' client 0 waits for lock 'a', held by 'x' client 0" in told
    assert "\n" not in told


def test_overload_error_states_the_largest_arrival_rate():
    """By hand: 300 a second of the first take 0.3 of the disk, and of 2 ms each 350 a second the rest."""
    loads = [Open("a", Poisson(300.0), Use(DISK, 1e-3)), Open("b", Poisson(400.0), Use(DISK, 2e-3))]
    with pytest.raises(NoSteadyStateError, match=r"110% of station 'disk'.*, so of 'b' fewer than 350 a second"):
        Model(loads)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_partial_deadlock_is_no_steady_state(engine):
    a, b = Lock("a"), Lock("b")

    def at_times(name, outer, inner):
        both = Hold(outer.exclusive, Delay(1e-6), Hold(inner.exclusive, Delay(1e-6)))
        return closed(Choose((0.02, both), (0.98, Delay(Exponential(1e-6)))), name=name, group="pair")

    others = closed(Delay(1e-5), name="others")
    with pytest.raises(NoSteadyStateError) as caught:
        simulate(Model([at_times("x", a, b), at_times("y", b, a), others]), engine=engine, max_steps=100_000)
    told = str(caught.value)
    assert re.match(
        r"no steady state: 'pair' completed nothing from [\d.e-]+ to [\d.e-]+ simulated seconds: ", told
    )
    assert "'x' client 0 waits for lock 'b', held by 'y' client 0" in told
    assert "\n" not in told


def readers_and_writers(per_second):
    """Writers ask half of a microsecond a walk, but with the readers between them four walks take three."""
    either = Choose((0.5, Hold(LOCK.shared, Delay(1e-6))), (0.5, Hold(LOCK.exclusive, Delay(1e-6))))
    return Model([Open("crowd", arrivals=Poisson(per_second), path=either)])


def through_a_buffer(per_second):
    return Model(
        [
            Open("crowd", arrivals=Poisson(per_second), path=Put(LOG)),
            Closed("drain", clients=1, path=[Take(LOG), Use(DISK, 1e-6)]),
        ]
    )


@pytest.mark.parametrize(
    ("build", "too_many", "few", "place", "served"),
    [
        (readers_and_writers, 1.8e6, 0.9e6, "lock 'latch'", 4e6 / 3),
        (through_a_buffer, 2e6, 0.5e6, "station 'disk'", 1e6),
    ],
)
def test_overload_visible_only_in_a_run_is_refused(build, too_many, few, place, served):
    overloaded = build(too_many)
    with pytest.raises(
        NoSteadyStateError, match=r"no steady state: clients of 'crowd' pile up \(\d+ on"
    ) as caught:
        simulate(overloaded)
    told = str(caught.value)
    assert "\n" not in told
    assert f"{place} limits them, and about " in told
    rate = re.search(r"about ([\d,]+) a second", told)
    assert rate
    assert float(rate[1].replace(",", "")) == pytest.approx(served, rel=0.02)
    assert simulate(build(few), precision=0.05).throughput.value == pytest.approx(few, rel=0.1)
