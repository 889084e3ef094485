"""Utilisation of each place: equal ones together, levels apart from servers, no share above the whole."""

from __future__ import annotations

import math
import re

import pytest

from sim import (
    Await,
    Buffer,
    Cache,
    Closed,
    Delay,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    simulate,
)
from sim.cli.console import out_parts
from sim.engine.simulation.allowances import internals
from sim.output.views.prediction import details
from sim.prediction import RunOptions, predict
from sim.prediction.usage import share, usages
from sim.system.installed import find
from sim.system.settings import pairs

MS = 1e-3


def stored(number, think_s):
    path = [Use(Station(f"node {number} disk"), 1 * MS), Delay(think_s)]
    return Closed(f"w{number}", clients=1, path=path, group="w")


def test_places_that_differ_by_number_share_a_row_with_the_busiest():
    loads = [stored(1, 1 * MS), stored(2, 3 * MS), Closed("v", clients=2, path=[Use(Station("card"), 5 * MS)])]
    card, disks = usages(simulate(Model(loads)), 6)
    assert (card.name, card.count, card.mean, card.busiest) == ("card", 1, 1.0, 1.0)
    assert card.waiting == pytest.approx(1.0, abs=0.01)
    assert (disks.name, disks.kind, disks.count) == ("node * disk", "station", 2)
    assert disks.mean == pytest.approx((0.5 + 0.25) / 2, abs=0.005)
    assert disks.busiest == pytest.approx(0.5, abs=0.005)
    assert disks.words(disks.busiest) == "50.0% in use"


def test_requested_number_of_places_is_listed_busiest_first():
    loads = [
        Closed(f"w{n}", clients=1, path=[Use(Station(chr(97 + n)), n * MS), Delay(1 * MS)]) for n in (1, 2, 3)
    ]
    assert [each.name for each in usages(simulate(Model(loads)), 2)] == ["d", "c"]


def test_a_buffer_and_a_cache_are_filled():
    box, cache = Buffer("box", 4, 3), Cache("pages", 2)
    path = [Delay(1 * MS), Put(box), Take(box), Lookup(cache, Uniform(8))]
    found = {each.kind: each for each in usages(simulate(Model([Closed("w", clients=1, path=path)])), 6)}
    assert found["buffer"].words(found["buffer"].mean) == "75.0% filled"
    assert found["cache"].words(found["cache"].mean) == "100.0% filled"


def test_a_gate_has_batches_and_no_share():
    gate = Gate("commit")
    keeper = Closed("keeper", clients=1, path=[Gather(gate), Delay(4 * MS), Wake(gate)])
    result = simulate(Model([Closed("w", clients=6, path=[Await(gate)]), keeper]))
    assert result.places["commit"].utilisation > 5.0
    assert math.isnan(share(result.places["commit"]))
    (found,) = usages(result, 6)
    assert (found.words(found.mean), found.batch) == ("6 a batch", pytest.approx(6.0, abs=0.01))


def test_a_clients_own_lock_and_signals_are_internals_and_left_out():
    own, disk, asleep = Lock("own"), Station("disk"), Buffer("asleep", 1, 1)
    served = IfAny(asleep, (Take(asleep), Use(disk, 1 * MS), Put(asleep)), Use(disk, 1 * MS))
    model = Model([Closed("w", clients=1, path=[Hold(own.exclusive, served)])])
    assert internals(model) == {"own", "asleep"}
    result = simulate(model)
    assert [each.name for each in usages(result, 6, internals(model))] == ["disk"]
    assert {each.name for each in usages(result, 6)} == {"own", "asleep", "disk"}


def test_a_lock_that_two_clients_want_and_a_buffer_of_bytes_are_no_internals():
    lock, pipe = Lock("lock"), Buffer("pipe", 4096)
    path = [Hold(lock.exclusive, Delay(1 * MS)), IfAny(pipe, (), ()), Put(pipe, 4096), Take(pipe, 4096)]
    assert not internals(Model([Closed("w", clients=2, path=path)]))


@pytest.mark.parametrize(
    "words",
    [
        ("redo",),
        ("san", "streams=2", "page_cache=no", "data=20MB"),
        ("dbfs", "nodes=2", "cells=3", "op=read"),
        ("array", "cache=1MiB", "data=10MiB"),
        ("exadata-ctas", "statements=1", "table=64MiB", "hosts=2"),
        ("shared-file", "file=1MiB", "mount=buffered"),
    ],
)
def test_utilisation_is_at_most_one_and_equal_places_share_a_row(words, capsys):
    system = find(words[0])
    out_parts(details(predict(system, pairs(words[1:]), RunOptions(precision=0.3), intervals=False)))
    table = capsys.readouterr().out.split("resource ")[1].partition("\n\n")[0].splitlines()[1:]
    names = [line.partition("  ")[0] for line in table]
    assert len({re.sub(r"\d+", "*", name) for name in names}) == len(names)
    shares = [float(each) for each in re.findall(r"([\d.]+)% (?:in use|filled)", "\n".join(table))]
    assert shares
    assert max(shares) <= 100.0


def test_a_lock_that_readers_share_is_held_and_not_in_use():
    """Readers hold it all the time, and a second of them need not wait."""
    lock = Lock("inode")
    readers = Closed("readers", clients=4, path=Hold(lock.shared, Delay(1 * MS)))
    writer = Closed("writer", clients=1, path=[Hold(lock.exclusive, Delay(1 * MS)), Delay(50 * MS)])
    (inode,) = usages(simulate(Model([readers, writer]), max_steps=20_000), 6)
    assert inode.busiest > 0.97
    assert inode.words(1.0) == "100.0% held"
