"""Limit of a case: a place that all clients share, not one that each brings along."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from models.systems.dbfs import DBFS
from sim import Buffer, Closed, Delay, Hold, Lock, Model, Put, Station, Take, Use
from sim.prediction import RunOptions, limiting, predict
from sim.prediction.prediction_record import limit_record
from sim.system import Parameters, Scenario, Settings, System, choice, count

QUICK = RunOptions(precision=0.1, answers=("throughput",))


@dataclass(frozen=True)
class Files:
    users: int = count(1, "users", high=64)
    files: str = choice("each", "a file for each, or one", ("each", "shared"))


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


def build(settings, _parameters):
    def path(user):
        file = Lock(f"file {user if settings.files == 'each' else 1}")
        return Hold(file.exclusive, Use(Station("disk", 64), 1e-3))

    users = range(1, settings.users + 1)
    loads = [Closed(f"user {user}", clients=4, group="users", path=path(user)) for user in users]
    return Scenario(Model(loads), watch="users", amount=1.0, unit="1/s")


def build_named(settings, _parameters):
    """Files with names that differ by letters alone, and a separate writer for the file of each user."""
    files = [Buffer(f"file {chr(ord('a') + user)}", 1) for user in range(settings.users)]
    disks = [Station(f"disk {chr(ord('a') + user)}") for user in range(settings.users)]
    if settings.files == "shared":
        files, disks = files[:1] * settings.users, disks[:1] * settings.users
    users = [
        Closed(f"user {n}", clients=4, group="users", path=[Put(file), Delay(1e-4)])
        for n, file in enumerate(files)
    ]
    writers = [
        Closed(f"writer {n}", clients=1, path=[Take(file), Use(disk, 1e-3)])
        for n, (file, disk) in enumerate(dict(zip(files, disks, strict=True)).items())
    ]
    return Scenario(Model([*users, *writers]), watch="users", amount=1.0, unit="1/s")


FILES = System("files", "users of files", Settings.of(Files), Parameters.of(Nothing), build)


@pytest.mark.parametrize("users", [1, 2, 64])
def test_a_private_file_is_part_of_the_path_and_a_shared_one_limits(users):
    """Of 64 users no more are allowed: nobody can ask for twice as many."""
    asked = {"users": users}
    own = predict(FILES, asked, QUICK, intervals=False)
    shared = predict(FILES, {**asked, "files": "shared"}, QUICK, intervals=False)
    assert own.throughput.value == pytest.approx(1000.0 * users, rel=0.02)
    assert shared.throughput.value == pytest.approx(1000.0, rel=0.02)
    assert (own.limit.kind, shared.limit.kind) == ("path" if users < 64 else "place", "place")
    assert shared.limit.place == "file 1"


def test_places_with_arbitrary_names_are_distinguished_by_their_users():
    """A file for each user, named by letters, and a writer of each file."""
    asked = {"users": 2, "files": "each"}
    named = System("files", "users of files", FILES.settings, FILES.parameters, build_named)
    assert predict(named, asked, QUICK, intervals=False).limit.kind == "path"
    assert predict(named, {**asked, "files": "shared"}, QUICK, intervals=False).limit.kind == "place"


def test_models_for_more_clients_are_built_when_the_limit_is_read():
    built = []
    counted = replace(FILES, build=lambda *given: built.append(given) or build(*given))
    prediction = predict(counted, {"users": 2, "files": "shared"}, QUICK, intervals=False)
    assert len(built) == 1
    assert (prediction.limit.place, prediction.limit.place) == ("file 1", "file 1")
    assert len(built) == 2  # for twice the users, once


@pytest.mark.parametrize(
    ("asked", "kind", "place"),
    [
        ({"users": 2, "block": 8192}, "path", "node 1 fuse queue"),
        ({"nodes": 4, "users": 8, "op": "read", "cells": 7}, "place", "node 1 serial work"),
    ],
)
def test_a_folded_model_in_which_one_place_stands_for_many_says_the_same(asked, kind, place):
    """Two streams are not as slow as one, and four nodes have four memories however many users come."""
    limit = predict(DBFS, asked, RunOptions(engine="analytic"), intervals=False).limit
    assert (limit.kind, limit.place) == (kind, place)
    assert limit.reached < 0.99


@pytest.mark.parametrize(("links", "own"), [(1, ()), (8, ("clients",))])
def test_a_link_of_its_own_limits_a_client_and_the_next_has_another(links, own):
    """More requests of the same client go over its link; whether another client does is a matter of the links."""
    asked = {"clients": 1, "depth": 16, "links": links, "links_lost": links // 8}
    prediction = predict("nfs-server", asked, QUICK, intervals=False)
    limit = prediction.limit
    assert (limit.kind, limit.brought_by, limit_record(limit)["brought_by"]) == ("place", own, list(own))
    assert limit.helps.startswith("more clients, as each brings its own") is bool(own)


def build_alone(settings, _parameters):
    """Users of a file: two parts of his work each, of which none is more than half of it."""
    work = [Delay(1e-3), Use(Station("disk", 64), 1e-3)]
    loads = [
        Closed(f"user {user}", clients=1, group="users", path=[Hold(Lock(file).exclusive, *work)])
        for user in range(settings.users)
        for file in [f"file {user}" if settings.files == "each" else "file"]
    ]
    return Scenario(Model(loads), watch="users", amount=1.0, unit="1/s")


@pytest.mark.parametrize(("files", "kind"), [("shared", "place"), ("each", "path")])
def test_the_only_user_of_a_file_that_more_would_share_is_limited_by_it(files, kind):
    """Nobody waits for it, but another user would get nothing of his own."""
    alone = System("alone", "users of a file", FILES.settings, FILES.parameters, build_alone)
    limit = predict(alone, {"files": files}, QUICK, intervals=False).limit
    assert limit.kind == kind
    if kind == "place":
        assert limit.words(1.0, "1/s").startswith("saturated: file, 100% held")


def test_half_of_a_flush_gathered_by_one_of_many_is_needed():
    """Each session may lead; what a batch shares is that of one leader at a time."""
    prediction = predict("postgresql", {"clients": 8}, QUICK, intervals=False)
    used = prediction.result.places["ssd flush"].utilisation
    assert used > 0.9
    assert (prediction.limit.kind, prediction.limit.place) == ("path", "ssd flush")
    assert prediction.limit.reached == pytest.approx(used / 2, rel=0.01)


def build_crowded(settings, _parameters):
    """Users who are slower the more of them there are: at a lock, or once their data do not fit in memory."""
    card, lock, disk = Station("card", 4), Lock("lock"), Station("disk")
    if settings.files == "shared":
        path = [Hold(lock.exclusive, Delay(10e-6 * settings.users)), Delay(920e-6)]
    else:
        path = [Use(card, 400e-6), Delay(600e-6) if settings.users <= 2 else Use(disk, 10e-3)]
    return Scenario(Model([Closed("users", settings.users, path)]), watch="users", amount=1.0, unit="1/s")


CROWDED = System("crowded", "users in a crowd", FILES.settings, Parameters.of(Nothing), build_crowded)


@pytest.mark.parametrize(("users", "kind"), [(2, "path"), (8, "place")])
def test_run_of_more_users_finds_a_place_whose_demand_grows_with_them(users, kind):
    """Each of 8 holds it for 80 of 1000 us, and of 16 for 160 of 1080: those need more than all of the time."""
    limit = predict(CROWDED, {"users": users, "files": "shared"}, QUICK, intervals=False).limit
    assert (limit.kind, limit.place) == (kind, "lock")
    if kind == "place":
        assert limit.reached == pytest.approx(0.64, abs=0.02)
        assert limit.words(1.0, "1/s").startswith("saturated: lock, 6")


@pytest.mark.parametrize(
    ("users", "used", "helps"),
    [
        (1, 10, "more users, or a shorter time per request"),
        (2, 20, "a shorter time per request; not more users (up to 64), limited by disk"),
    ],
)
def test_run_of_more_users_finds_a_place_not_needed_by_the_present_ones(users, used, helps):
    limit = predict(CROWDED, {"users": users, "files": "each"}, QUICK, intervals=False).limit
    bound = "latency-bound: each client waits for its own request"
    assert limit.words(1.0, "1/s") == f"{bound}; busiest resource: card, {used}% in use"
    assert limit.helps == helps


@dataclass(frozen=True)
class Threads:
    """Users, and requests of each, which follow each other."""

    users: int = count(1, "users")
    depth: int = count(1, "requests in flight of each")


def build_threads(settings, _parameters):
    loads = [
        Closed(
            f"user {number}", settings.depth, Hold(Lock(f"thread {number}").exclusive, Delay(1e-3)), group="users"
        )
        for number in range(1, settings.users + 1)
    ]
    return Scenario(Model(loads), watch="users", amount=1.0, unit="1/s")


def test_settings_that_would_gain_stand_beside_those_that_would_not():
    """A further request of a user waits for his thread; a further user has a thread of his own."""
    threads = System(
        "threads", "users with a thread each", Settings.of(Threads), Parameters.of(Nothing), build_threads
    )
    limit = predict(threads, {"users": 1}, QUICK, intervals=False).limit
    no_gain = "not more requests in flight (depth up to 64), limited by thread 1"
    assert limit.helps == f"more users, or a shorter time per request; {no_gain}"


def build_dipping(settings, _parameters):
    """Twice as many users get less than 2 do, and four times as many get more."""
    time_s = {2: 1e-3, 4: 2.5e-3, 8: 2e-3}.get(settings.users, 1e-3 * settings.users)
    path = [Use(Station("card"), 1e-6), Delay(time_s)]
    return Scenario(Model([Closed("users", settings.users, path)]), watch="users", amount=1.0, unit="1/s")


@pytest.mark.parametrize(
    ("users", "helps"),
    [
        (2, "more users (from 8), or a shorter time per request; not more users (up to 4), limited by card"),
        (8, "a shorter time per request; not more users (up to 64), limited by card"),
        (32, "a shorter time per request; not more users (up to 64), limited by card"),
    ],
)
def test_more_users_are_tried_over_the_range_of_the_setting(users, helps):
    dipping = System("dipping", "users", FILES.settings, Parameters.of(Nothing), build_dipping)
    assert predict(dipping, {"users": users}, QUICK, intervals=False).limit.helps == helps


def test_users_beyond_what_a_brief_run_decides_are_not_spoken_of(monkeypatch):
    monkeypatch.setattr(limiting, "FURTHER", 0)
    dipping = System("dipping", "users", FILES.settings, Parameters.of(Nothing), build_dipping)
    limit = predict(dipping, {"users": 2}, QUICK, intervals=False).limit
    assert limit.helps == "a shorter time per request; not more users (up to 4), limited by card"


@pytest.mark.parametrize("engine", ["auto", "analytic"])
def test_help_names_the_only_setting_that_adds_clients(engine):
    free = System("free", "users", FILES.settings, Parameters.of(Nothing), build)
    limit = predict(free, {"files": "each"}, replace(QUICK, engine=engine), intervals=False).limit
    assert limit.helps == "more users, or a shorter time per request"


def test_analytic_engine_replaces_too_long_a_run_of_more_users(monkeypatch):
    """It knows the model of these users alone."""
    monkeypatch.setattr(limiting, "FEW", 1)
    limit = predict(CROWDED, {"users": 8, "files": "shared"}, QUICK, intervals=False).limit
    assert (limit.kind, limit.place, limit.beyond) == ("path", "lock", "")


def test_private_place_needs_no_run_of_more_users(monkeypatch):
    monkeypatch.setattr(limiting, "run", None)
    assert predict(FILES, {"users": 2, "files": "each"}, QUICK, intervals=False).limit.kind == "path"
