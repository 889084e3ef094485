"""Loads that come to a standstill, and some that only look so: told before it happens, or answered."""

from __future__ import annotations

import re
from functools import partial

import pytest

from recorded import snapshots_of
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    ModelError,
    NoSteadyStateError,
    Open,
    Periodic,
    Poisson,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    simulate,
)
from sim.engine.analytic.solve import solve
from sim.engine.errors import DeadlockError
from sim.engine.model.standstill import ends
from sim.engine.model.standstill_causes import cause
from sim.engine.simulation.standstill import Standstill, _shown

SLOTS = Buffer("slots", 10_000, initial=10_000)
LOG = Buffer("log", 10_000)
LOST = Buffer("lost", 10_000)
HALF = Buffer("half", 10_000, initial=5_000)
GATE = Gate("gate")
PAUSE = Delay(1e-5)


def at_times(share, *steps):
    """Now and then, some steps."""
    return Choose((share, steps), (1.0 - share, ()))


def closed(name, *path, clients=8):
    return Closed(name, clients=clients, path=path)


def leaking(share):
    """A slot is put back but for a share of requests."""
    return [closed("c", Take(SLOTS), PAUSE, at_times(1.0 - share, Put(SLOTS)))]


def filling(share):
    return [closed("c", Put(LOG), PAUSE, at_times(1.0 - share, Take(LOG)))]


def never_gathered(share):
    """A gathering client takes from a store that nothing fills up."""
    store = Buffer("store", 1_000, initial=1_000)
    gatherer = closed("w", Gather(GATE), Take(store), PAUSE, Wake(GATE), at_times(0.5, Put(store)), clients=1)
    return [closed("c", PAUSE, at_times(share, Await(GATE))), gatherer]


def returned(share, back):
    """Slots that get lost, of which another client returns a share."""
    found = closed("finder", Take(LOST), PAUSE, at_times(back, Put(SLOTS)), clients=1)
    return [closed("c", Take(SLOTS), PAUSE, Choose((1.0 - share, Put(SLOTS)), (share, Put(LOST)))), found]


def even(amount, clients):
    """Units taken come back on average."""
    draw = Choose((0.5, Take(HALF, amount)), (0.5, Put(HALF, amount)))
    return [Closed("c", clients=clients, path=[draw, PAUSE])]


def branched(share, *, wait):
    """Slots that a branch puts back, or does not."""
    back = [PAUSE, at_times(1.0 - share, Put(SLOTS))]
    return [closed("c", Take(SLOTS), PAUSE, Fork(back, wait=wait))]


def repeated(share, times):
    return [closed("c", Repeat(times, Take(SLOTS), PAUSE, at_times(1.0 - share, Put(SLOTS))))]


def of_two(share):
    """The loss in one of two stores that are passed between two clients."""
    back = closed("d", Take(LOG), PAUSE, at_times(1.0 - share, Put(SLOTS)))
    return [closed("c", Take(SLOTS), PAUSE, Put(LOG)), back]


def held(share):
    inside = Hold(Pool("threads", 4), Use(Station("cpu", 2), Exponential(1e-5)))
    return [closed("c", Take(SLOTS), inside, at_times(1.0 - share, Put(SLOTS)))]


def arriving(share):
    path = [Take(SLOTS), PAUSE, at_times(1.0 - share, Put(SLOTS))]
    return [Open("c", Poisson(1e5), path=path)]


def mismatched(rate):
    return [Open("c", Poisson(1e4), path=[PAUSE, Put(LOG)]), Open("d", Poisson(rate), path=[PAUSE, Take(LOG)])]


def decided_by_the_run(share):
    """A loss that comes whichever way a busy lock sends a request."""
    lock = Lock("lock")
    lost = at_times(1.0 - share, Put(SLOTS))
    either = IfAny(lock, [PAUSE, lost], [lost])
    return [closed("c", Take(SLOTS), either, Hold(lock.exclusive, Delay(1e-6)))]


SHARES = (0.0049, 0.001, 1e-4, 1e-6)

STANDING = {
    **{f"leak {share:g}": leaking(share) for share in SHARES},
    **{f"log {share:g}": filling(share) for share in SHARES},
    **{f"gate {share:g}": never_gathered(share) for share in SHARES},
    **{
        f"returned {back:g} of {share:g}": returned(share, back) for share in (0.01, 1e-4) for back in (0.9, 0.999)
    },
    **{f"even {amount} of {clients}": even(amount, clients) for amount in (1, 100) for clients in (1, 8)},
    **{
        f"branch {share:g}, {wait}": branched(share, wait=wait) for share in (1e-3, 1e-6) for wait in (True, False)
    },
    **{f"repeated {share:g}": repeated(share, 10) for share in SHARES},
    **{f"of two {share:g}": of_two(share) for share in SHARES},
    **{f"held {share:g}": held(share) for share in SHARES},
    **{f"arriving {share:g}": arriving(share) for share in (0.0049, 1e-4, 1e-6)},
    **{f"mismatched {rate:g}": mismatched(rate) for rate in (9.9e3, 9.99e3, 1.001e4)},
    **{f"either way {share:g}": decided_by_the_run(share) for share in (1e-3, 1e-6)},
}
"""Models that come to a standstill: 44."""


def produced(clients, capacity):
    """Units that one puts another takes: the faster one waits."""
    buffer = Buffer("b", capacity)
    return [
        closed("c", Delay(1e-5), Put(buffer), clients=clients),
        closed("d", Take(buffer), Delay(2e-6), clients=1),
    ]


def credited(refill):
    purse = Buffer("purse", 100, initial=100)
    return [closed("c", Take(purse), PAUSE, clients=1), closed("refill", Delay(refill), Put(purse), clients=1)]


def packed(amount):
    """Small pieces in, large ones out."""
    buffer = Buffer("b", 10 * amount)
    return [closed("c", PAUSE, Put(buffer)), closed("d", Take(buffer, amount), PAUSE, clients=1)]


def written_behind(clients):
    dirty = Buffer("dirty", 100)
    behind = Fork([Use(Station("disk"), Exponential(1e-5)), Take(dirty)], wait=False)
    return [closed("c", Delay(1e-4), Put(dirty), behind, clients=clients)]


def committed(clients):
    writer = closed("w", Gather(GATE), Use(Station("log"), Exponential(2e-5)), Wake(GATE), clients=1)
    return [closed("c", Delay(Exponential(1e-4)), Await(GATE), clients=clients), writer]


def lent(share):
    """A slot comes back one way or the other."""
    return [closed("c", Take(SLOTS), PAUSE, Choose((share, [PAUSE, Put(SLOTS)]), (1.0 - share, Put(SLOTS))))]


def in_parts(amount):
    return [closed("c", Take(SLOTS, amount), PAUSE, Repeat(amount, Put(SLOTS)))]


def slept(clients):
    """A thread that sleeps is woken if there is one, and sleeps if nothing is to be done."""
    asleep, work = Buffer("asleep", 4, initial=4), Buffer("work", 1000)
    ask = [
        PAUSE,
        Put(work),
        IfAny(asleep, [Take(asleep), Fork([Take(work), PAUSE, Put(asleep)], wait=False)], Take(work)),
    ]
    return [closed("c", *ask, clients=clients)]


STABLE = {
    **{f"returned, all of {share:g}": returned(share, 1.0) for share in (0.1, 0.01, 1e-3)},
    **{
        f"produced by {clients} of {size}": produced(clients, size)
        for clients in (1, 4, 8)
        for size in (1, 10, 100)
    },
    **{f"credited every {refill:g} s": credited(refill) for refill in (1e-6, 9e-6, 1.1e-5, 5e-5, 1e-3)},
    **{f"packed by {amount}": packed(amount) for amount in (2, 3, 7, 10, 64)},
    **{f"written behind {clients}": written_behind(clients) for clients in (1, 4, 8, 16)},
    **{f"committed {clients}": committed(clients) for clients in (1, 2, 8, 32)},
    **{f"lent {share:g}": lent(share) for share in (0.1, 1 / 3, 0.7)},
    **{f"in parts {amount}": in_parts(amount) for amount in (2, 3, 10)},
    **{f"slept {clients}": slept(clients) for clients in (1, 3)},
    "matched": [Open("c", Poisson(1e4), path=[PAUSE, Put(LOG)]), closed("d", Take(LOG), PAUSE, clients=1)],
    "thirds": [closed("c", Take(SLOTS, 3), PAUSE, Choose(*((1 / 3, Put(SLOTS, 3)) for _ in range(3))))],
}
"""Models that look so and do not: 40."""


@pytest.mark.parametrize("workloads", STANDING.values(), ids=STANDING)
def test_standstill_is_detected_before_the_run(workloads):
    with pytest.raises((NoSteadyStateError, DeadlockError), match=r"buffer|pile up"):
        simulate(Model(workloads), max_steps=3_000_000)


@pytest.mark.parametrize("workloads", STANDING.values(), ids=STANDING)
def test_the_analytic_engine_refuses_it_in_the_same_words(workloads):
    model = Model(workloads)
    with pytest.raises(NoSteadyStateError, match=r"no steady state: .*, and then") as caught:
        solve(model)
    assert any(cause(model, end) in str(caught.value) for end in ends(model).values())


def test_a_job_that_stands_still_before_its_end_says_why():
    """Of 100,000 requests 30,000 lose a slot, of which there are 10,000; of 100 requests 30 do."""
    path = [Take(SLOTS), PAUSE, at_times(0.7, Put(SLOTS))]
    long, short = (Model([Closed("c", clients=8, path=path, count=count)]) for count in (100_000, 100))
    with pytest.raises(
        DeadlockError, match=r"takes 0\.3 more from buffer 'slots' on average than anything puts back"
    ):
        simulate(long)
    assert simulate(short).elapsed.known
    for model in (long, short):
        with pytest.raises(ModelError, match="whether the job ends before that, only a simulation tells"):
            solve(model)


@pytest.mark.parametrize("workloads", STABLE.values(), ids=STABLE)
def test_models_that_only_look_like_deadlock_are_answered(workloads):
    assert not ends(Model(workloads))
    assert simulate(Model(workloads), answers=("throughput",)).throughput.known


def test_forty_models_of_both_kinds_are_covered():
    assert min(len(STANDING), len(STABLE)) >= 40


def test_error_states_cause_time_and_rate_until_then():
    with pytest.raises(NoSteadyStateError) as caught:
        simulate(Model(leaking(0.001)))
    assert str(caught.value) == (
        "no steady state: every request of workload 'c' takes 0.001 more from buffer 'slots' on average than "
        "anything puts back; it is empty after about 13 s, and then 'c' stands still; "
        "until then 800,000 requests a second"
    )


def two_rates(puts, takes, buffer=LOG, arrivals=Poisson):
    """One arrives and puts, another arrives and takes, so many of each a second."""
    return [
        Open("c", arrivals(puts), path=[PAUSE, Put(buffer)]),
        Open("d", arrivals(takes), path=[PAUSE, Take(buffer)]),
    ]


def every(rate):
    return Periodic(1 / rate)


def moved(puts, takes, of="log", back=""):
    """Verdict on one who puts into a buffer and one who takes from it, or from the one that is ``back``."""
    return (
        f"'c' puts {puts} a second into buffer '{of}' and 'd' takes {takes} a second from buffer '{back or of}', "
    )


def waiting(name):
    return f"give '{name}' clients who wait (closed) instead of arrivals"


LEAKS = "'c' takes 100 a second more from buffer 'slots' than it puts back, so that it is empty "

OPEN = {
    "what is taken more slowly": (
        two_rates(1e4, 9e3),
        moved("10,000", "9000"),
        "so that it is full after about 10 s, and then clients of 'c' pile up; " + waiting("d"),
    ),
    "what is put in more slowly": (
        two_rates(9e3, 1e4, SLOTS),
        moved("9000", "10,000", "slots"),
        "so that it is empty after about 10 s, and then clients of 'd' pile up; " + waiting("c"),
    ),
    "an empty one": (
        two_rates(9e3, 1e4),
        moved("9000", "10,000"),
        "so that it is empty from the start, and then clients of 'd' pile up; " + waiting("c"),
    ),
    "even but for chance": (
        two_rates(1e4, 1e4),
        moved("10,000", "10,000"),
        "which is even on average only: it is full or empty in the end, and then clients of 'c' or 'd' pile up; "
        + waiting("d"),
    ),
    "a leak": (
        arriving(0.001),
        LEAKS,
        "after about 100 s, and then clients of 'c' pile up; let as much be put back",
    ),
    "a leak that others have as well": (
        [*arriving(0.001), Closed("d", clients=2, path=leaking(0.001)[0].path)],
        LEAKS,
        "within about 100 s, and then 'd' stands still and clients of 'c' pile up; let as much be put back",
    ),
    "by way of another": (
        [
            Open("c", Poisson(1e4), path=[PAUSE, Put(LOG)]),
            closed("m", Take(LOG), PAUSE, Put(LOST)),
            Open("d", Poisson(9e3), path=Take(LOST)),
        ],
        moved("10,000", "9000", back="lost"),
        "so that they are full after about 20 s, and then clients of 'c' pile up; " + waiting("d"),
    ),
}
"""Loads that arrive at rates that do not go together, and the whole of what is said of them."""


@pytest.mark.parametrize(("workloads", "why", "told"), OPEN.values(), ids=OPEN)
def test_rates_of_arrivals_that_do_not_go_together_are_read_before_anything_runs(workloads, why, told):
    model = Model(workloads)
    for engine in (partial(simulate, max_steps=1), solve):
        with pytest.raises(NoSteadyStateError) as caught:
            engine(model)
        assert str(caught.value) == f"no steady state: {why}{told}"


def test_matching_periodic_arrivals_do_not_stop():
    assert not ends(Model(two_rates(1e4, 1e4, arrivals=every)))
    assert ends(Model(two_rates(1e4, 9e3, arrivals=every)))


def test_everyone_who_stops_is_named():
    """Two who leak the same slots, and three more; of the five, three."""
    names = ["c", "d", "e", "f", "g"]
    loads = [Closed(name, clients=1, path=leaking(0.01)[0].path) for name in names]
    for some, told in ((2, "then 'c' and 'd' stand still"), (5, "then 'c', 'd', 'e' and 2 more stand still")):
        with pytest.raises(NoSteadyStateError, match=told):
            simulate(Model(loads[:some]))


@pytest.mark.parametrize(
    ("path", "requests"),
    [
        # those who wait in vain, eight clients, put five each once the 60 that are left are full
        ([Put(Buffer("b", 100, 40), 5), PAUSE, Take(Buffer("b", 100, 40), 4)], 100),
        ([Take(Buffer("b", 100, 30)), PAUSE, at_times(0.5, Put(Buffer("b", 100, 30)))], 76),
        # until a walk of steps of two has gone 86 up or 46 down, room and those who wait: 86 x 46 / 2 x 2
        (
            [Choose((0.5, Take(Buffer("b", 100, 30), 2)), (0.5, Put(Buffer("b", 100, 30), 2))), PAUSE],
            86 * 46 / 4,
        ),
    ],
    ids=["full", "empty", "by chance"],
)
def test_time_of_a_standstill_is_the_rest_over_the_loss(path, requests):
    """Ten requests in a microsecond of the latter half, none in the first."""
    model = Model([closed("c", *path), closed("aside", PAUSE)])
    snapshots = snapshots_of(model, 8, workloads={"c": {"completed": [0, 0, 0, 0, 10, 10, 10, 10]}})
    why = Standstill(model, [0], [0]).why(snapshots, 0)
    assert f"after about {requests * 1e-7:.2g} s, and then 'c' stands still" in why


def test_times_are_shown_without_a_power_of_ten_as_long_as_people_read_them():
    assert [_shown(each, 2) for each in (1e-5, 1.24e-3, 1234.0, 9.9e11, 1e12)] == [
        "1e-05",
        "0.0012",
        "1,200",
        "990,000,000,000",
        "1e+12",
    ]


def test_a_buffer_that_runs_dry_slowly_is_no_steady_state_of_the_first_seconds():
    """A slot in a thousand gets lost, 800 a second; one comes back each second."""
    large = Buffer("slots", 1_000_000, initial=900_000)
    back = closed("back", Delay(1.0), Put(large), clients=1)
    result = simulate(
        Model([closed("c", Take(large), PAUSE, at_times(0.999, Put(large))), back]), max_steps=4_000_000
    )
    assert not result.throughput.known
    assert "buffer 'slots' still runs dry" in result.warnings[0]


def test_workloads_without_influence_are_named():
    """The watched ones only share a station with those that come to a standstill."""
    cpu = Station("cpu")
    watched = closed("fine", Use(cpu, Exponential(1e-5)))
    leak = closed("c", Take(SLOTS), Use(cpu, Exponential(1e-5)), at_times(0.9999, Put(SLOTS)))
    result = simulate(Model([watched, leak]), max_steps=1_000_000)
    assert not result.throughput.known
    assert "and then 'c' stands still" in result.warnings[0]


def test_a_cache_that_makes_requests_a_hundred_thousand_times_as_quick_is_named():
    look_up = Lookup(Cache("k", 9_999), Uniform(10_000), Delay(1e-8), Delay(0.1))
    result = simulate(Model([Closed("c", clients=1, path=look_up)]), max_steps=100_000)
    assert not result.throughput.known
    (warning,) = result.warnings
    assert warning.startswith("not known well enough: cache 'k' still fills (")
    steps = float(
        re.search(r"as many simulated seconds again would take about ([\d,]+) steps", warning)[1].replace(",", "")
    )
    assert 1e6 < steps < 1e8  # 1,000 s of misses until it is full, and then 10 µs a request of two steps


def test_an_endless_load_beside_a_job_says_that_it_is_of_that_time():
    job = Closed("job", clients=1, path=Delay(1e-3), count=1000)
    beside = Closed("beside", clients=1, path=Delay(1e-4))
    result = simulate(Model([job, beside]), watch="beside")
    assert "'beside' has no end: its answers are those of the time that the job beside it takes" in result.warnings
    assert not any("has no end" in each for each in simulate(Model([job, beside])).warnings)


def test_a_token_returned_later_is_not_lost():
    """One request in a thousand gives it back on a branch left behind, so that shares add up but for rounding."""
    later = Fork([Delay(0.2), Put(SLOTS)], wait=False)
    path = [Take(SLOTS), Use(Station("disk"), Exponential(1e-3)), Choose((0.999, Put(SLOTS)), (0.001, later))]
    result = simulate(Model([Closed("w", clients=4, path=path)]), precision=0.02, answers=("throughput",))
    assert result.throughput.known
    assert result.warnings == ()
