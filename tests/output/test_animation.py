"""The animation's data: what is drawn where adds up to what the engine counts; and its page needs nothing else."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import pairwise

import pytest

from sim import (
    Await,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Model,
    Pool,
    Repeat,
    Station,
    Use,
    Wake,
)
from sim.engine.errors import InputError
from sim.engine.events.registry import engine
from sim.engine.model.identical import common_names
from sim.engine.simulation.latency_breakdown import break_down
from sim.engine.simulation.options import RunOptions
from sim.engine.simulation.simulate import simulate
from sim.engine.simulation.window import window
from sim.prediction.prediction import predict
from stacksim.animation import film as filming
from stacksim.animation import filmed, page
from stacksim.animation.dots import BRANCHES, TIME
from stacksim.animation.film import Film, film_of

US = 1e-6

SHOWN = {
    "path": ("nvme-xfs", {"depth": "8"}),
    "forks": ("dbfs", {"users": "4"}),
    "lock": ("shared-file", {"writers": "8", "filesystem": "ufs", "mount": "buffered"}),
    "log writer": ("redo", {}),
    "leader": ("postgresql", {}),
}
"""An I/O's path, without forks and with them; a lock; and both ways to commit in groups."""

ACTIVITIES = {"wait": "wait", "gathered": "wait", "idle": "wait", "serve": "serve", "delay": "delay"}


@cache
def prediction(kind):
    system, settings = SHOWN[kind]
    return predict(system, settings, RunOptions(precision=0.5), intervals=False)


@cache
def shown(kind):
    return filmed(prediction(kind), 100)


def filmed_model(model, requests=50):
    result = simulate(model, precision=0.5)
    return film_of(window(model, result, requests), model, {"system": "made up"}, requests)


def inside(begin_ns, end_ns, whole):
    """Part of that time within the film."""
    return max(0, min(end_ns, whole.end_ns) - max(begin_ns, whole.begin_ns))


def areas(whole, places):
    """By place: how long all together are served there or hold it, and how long they wait."""
    busy, queue = Counter(), Counter()
    kinds = {place.name: type(place).__name__ for place in places}
    locks = {}
    for dot in whole.dots:
        for stay in dot.stays:
            length = inside(stay.begin_ns, stay.end_ns, whole)
            if stay.state == "wait":
                queue[stay.place] += length
            elif stay.state in ("serve", "gathered"):
                busy[stay.place] += length
        for begin_ns, end_ns, held in ((each.begin_ns, each.end_ns, each.held) for each in dot.holdings):
            if kinds[held.place] == "Pool":
                busy[held.place] += held.amount * inside(begin_ns, end_ns, whole)
            elif kinds[held.place] == "Lock":
                locks.setdefault(held.place, []).append((begin_ns, end_ns))
    for lock, held in locks.items():
        busy[lock] = sum(inside(*each, whole) for each in union(held))
    return busy, queue


def union(times):
    """The times, where they overlap, as one."""
    joined = []
    for begin, end in sorted(times):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined


def counted(model, seed, whole):
    """By place, what the engine counts in the time of the film: in use, and waiting."""
    run = engine("auto")(model, seed)
    snapshots = []
    for until_ns in (whole.begin_ns, whole.end_ns):
        run.advance(until_ns)
        snapshots.append(run.snapshot())
    places = snapshots[1].since(snapshots[0]).places
    return {place.name: (int(row[1]), int(row[2])) for place, row in zip(model.places, places, strict=True)}


@pytest.mark.parametrize("kind", SHOWN)
def test_drawn_requests_add_up_to_the_counts_of_the_engine(kind):
    """So nobody is missing, nobody is twice, and the gathered are told from those who are still to be."""
    model, whole = prediction(kind).case.scenario.model, shown(kind)
    busy, queue = areas(whole, model.places)
    assert sum(busy.values())
    for place in model.places:
        expected = counted(model, prediction(kind).result.seed, whole)[place.name]
        level_of_a_buffer = type(place).__name__ in ("Buffer", "Cache")
        drawn = busy[place.name], queue[place.name]
        assert drawn[level_of_a_buffer:] == expected[level_of_a_buffer:], place


@pytest.mark.parametrize("kind", SHOWN)
def test_no_station_serves_more_than_it_has_servers_and_no_lock_has_two_writers(kind):
    rooms = {place.name: place for place in prediction(kind).case.scenario.model.places}
    changes = Counter()
    for dot in shown(kind).dots:
        for stay in dot.stays:
            if stay.state == "serve":
                changes[stay.begin_ns, stay.place, "served"] += 1
                changes[stay.end_ns, stay.place, "served"] -= 1
        for each in dot.holdings:
            mode = "exclusive" if each.held.exclusive else "held"
            changes[each.begin_ns, each.held.place, mode] += each.held.amount
            changes[each.end_ns, each.held.place, mode] -= each.held.amount
    now, most = Counter(), Counter()
    for time in sorted({time for time, _, _ in changes}):
        for (at, place, what), by in changes.items():
            if at == time:
                now[place, what] += by
        for key, level in now.items():
            assert not (key[1] == "held" and level and now[key[0], "exclusive"])
            most[key] = max(most[key], level)
    for (place, what), level in most.items():
        room, allowed = rooms[place], 1 if what == "exclusive" else level
        assert level <= getattr(room, "servers", getattr(room, "tokens", allowed)), place
    assert any(what == "served" for _, what in most)


@pytest.mark.parametrize("kind", SHOWN)
def test_stays_follow_one_another_and_make_up_the_latency(kind):
    model, result = prediction(kind).case.scenario.model, prediction(kind).result
    recorded = window(model, result, 100).requests[result.watched]
    whole = shown(kind)
    times_ns, latency_ns = Counter(), 0
    for number, dot in enumerate(whole.dots):
        if dot.open:
            continue
        edges = [dot.begin_ns, *(stay.end_ns for stay in dot.stays)]
        assert [stay.begin_ns for stay in dot.stays] == edges[:-1]
        assert edges[-1] == dot.end_ns
        if dot.group == result.watched and dot.parent is None:
            latency_ns += dot.end_ns - dot.begin_ns
            for stay in critical(whole.dots, number):
                place = "" if stay.state == "delay" else stay.place
                times_ns[ACTIVITIES[stay.state], place] += stay.end_ns - stay.begin_ns
    broken = break_down(recorded)
    assert latency_ns == broken.latency_ns
    names, shares = common_names({place for _, place in times_ns}), Counter()
    for (activity, place), time_ns in times_ns.items():
        shares[activity, names[place]] += time_ns
    assert shares == {(each.activity, each.place): each.total_ns for each in broken.shares}


def critical(dots, number):
    """The stays of a dot, each wait for branches replaced by those of the branch that ended last."""
    for stay in dots[number].stays:
        if stay.state != "join":
            yield stay
            continue
        times = stay.begin_ns, stay.end_ns
        branches = (index for index, dot in enumerate(dots) if dot.parent == number)
        last = [index for index in branches if (dots[index].begin_ns, dots[index].end_ns) == times]
        yield from critical(dots, last[-1])


@pytest.mark.parametrize("kind", ["log writer", "leader"])
def test_a_batch_leaves_together(kind):
    whole = shown(kind)
    members = Counter()
    for dot in whole.dots:
        for stay in dot.stays:
            if stay.state == "gathered":
                batch = whole.batches[stay.batch]
                assert (stay.place, stay.begin_ns, stay.end_ns) == (batch.gate, batch.begin_ns, batch.end_ns)
                members[stay.batch] += 1
    assert max(members.values()) > 1
    assert all(batch.dot < len(whole.dots) for batch in whole.batches)


def test_writers_of_one_file_hold_its_lock_in_turn():
    whole = shown("lock")
    held = [each for dot in whole.dots for each in dot.holdings if each.held.place == "file lock"]
    assert len(held) > 50
    assert all(each.held.exclusive for each in held)
    in_order = sorted((each.begin_ns, each.end_ns) for each in held)
    assert all(before[1] <= after[0] for before, after in pairwise(in_order))
    waits = [stay for dot in whole.dots for stay in dot.stays if (stay.state, stay.place) == ("wait", "file lock")]
    assert len(waits) > 50


def test_a_writer_waits_for_work_and_is_drawn_at_the_lock_that_it_holds():
    gate, lock, cpu = Gate("commits"), Lock("log"), Station("cpu", 2)
    session = Closed("session", clients=3, path=[Use(cpu, Exponential(100 * US)), Await(gate)])
    write = [Gather(gate), Hold(lock.exclusive, Delay(40 * US)), Wake(gate)]
    whole = filmed_model(Model([session, Closed("writer", clients=1, path=write)]))
    stays = {(dot.workload, stay.state, stay.place) for dot in whole.dots for stay in dot.stays}
    assert stays == {
        *(("session", state, "cpu") for state in ("wait", "serve")),
        *(("session", state, "commits") for state in ("wait", "gathered")),
        ("writer", "idle", "commits"),
        ("writer", "delay", "log"),
    }
    assert [row.name for row in whole.rows] == ["cpu", "commits", "log"]
    sizes = Counter(stay.batch for dot in whole.dots for stay in dot.stays if stay.state == "gathered")
    assert {1, 2} <= set(sizes.values()) <= {1, 2, 3}


def test_places_are_drawn_in_the_order_of_the_path_and_many_identical_ones_as_one():
    names = [(row.name, row.kind, row.room, len(row.places)) for row in shown("path").rows]
    assert names[:2] == [("cores core 1", "pool", 1, 1), ("file lock 0", "lock", 1, 1)]
    (units,) = (row for row in shown("path").rows if row.name == "ssd unit *")
    assert units.room == len(units.places) > 4
    cells = [row for row in shown("forks").rows if row.band == "cell * disks"]
    assert [row.name for row in cells] == ["cell 1 disks", "cell 2 disks", "cell 3 disks"]


def test_time_passes_and_branches_are_waited_for_at_places_of_their_own():
    disk = Station("disk")
    path = [Use(disk, 5 * US), Delay(3 * US), Fork([Use(disk, 2 * US)], [Hold(Pool("slots", 2), Delay(9 * US))])]
    whole = filmed_model(Model([Closed("w", clients=2, path=path)]))
    assert [row.name for row in whole.rows] == ["disk", BRANCHES, "slots", TIME]
    parents = {dot.parent for dot in whole.dots} - {None}
    assert all(any(stay.state == "join" for stay in whole.dots[number].stays) for number in parents)


def test_a_page_limits_its_steps_and_states_where_it_ends(monkeypatch):
    whole = shown("leader")  # kept from test to test: filmed before the limit is another one
    monkeypatch.setattr(filming, "MAX_STAYS", 120)
    short = filmed(prediction("leader"), 100)
    assert short.end_ns < whole.end_ns
    kept = [stay for dot in short.record()["dots"] for stay in dot["stays"]]
    assert len(kept) - sum(state == "g" for _, state, *_ in kept) <= 120
    begins = f"It ends after {short.completed} of 100 requests: "
    assert short.notes == (begins + "a page holds 120 steps on their way.",)
    assert 0 < short.completed < 100
    assert not whole.notes


def test_requests_begun_long_before_are_reported_as_missing():
    disk = Station("disk", 2)
    scan = Closed("scan", clients=1, path=Repeat(10**6, Use(disk, 20 * US)))
    whole = filmed_model(Model([Closed("read", clients=1, path=Use(disk, Exponential(30 * US))), scan]))
    assert whole.notes == ("1 requests that began before it was recorded are not shown.",)
    assert {dot.group for dot in whole.dots} == {"read"}


def test_permanently_waiting_client_is_always_drawn():
    lock, disk = Lock("lock"), Station("disk")
    reads = Closed("read", clients=1, path=Use(disk, Exponential(30 * US)))
    path = Hold(lock.exclusive, Repeat(10**6, Use(Station("cpu"), 20 * US)))
    whole = filmed_model(Model([reads, Closed("scan", clients=2, path=path, count=2)]))
    waiting = [stay for dot in whole.dots for stay in dot.stays if stay.place == "lock"]
    assert [(stay.state, stay.begin_ns, stay.end_ns) for stay in waiting] == [("wait", 0, whole.end_ns)]


def test_where_nothing_is_completed_there_is_nothing_to_show():
    model = Model([Closed("late", clients=1, path=Delay(5 * US))])
    result = simulate(model, precision=0.5)
    group = result.groups["late"]
    none = replace(group, throughput=group.throughput.scaled(0.0))
    with pytest.raises(InputError, match="nothing of 'late' is completed"):
        window(model, replace(result, groups={"late": none}), 50)


def test_the_speed_lets_a_request_take_some_seconds():
    speeds, first = shown("path").speeds_ns()
    assert speeds == sorted(set(speeds))
    latencies = sorted(dot.end_ns - dot.begin_ns for dot in shown("path").dots if dot.parent is None)
    assert 4 < latencies[len(latencies) // 2] / speeds[first] < 15


@pytest.mark.parametrize("kind", SHOWN)
def test_a_page_is_small_and_needs_no_other(kind):
    text = page(shown(kind))
    assert len(text.encode()) < 2_000_000
    assert not re.search(r"\b(src|href|url|import)\s*[=(]", text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        assert b64encode(sha256(content.encode()).digest()).decode() in policy


def test_a_name_cannot_end_the_script():
    whole = shown("leader")
    named = Film({"system": "</script><b>"}, *(getattr(whole, name) for name in list(vars(whole))[1:]))
    text = page(named)
    assert text.count("</script>") == 2
    film_text = re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(film_text)["heading"]["system"] == "</script><b>"
