"""A disk by the figures of its data sheet: seeks, turns, zones, its cache, and whose sequence is broken."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from layers import engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.disk.hard_disk import SORTED, HardDisk
from models.parts.disk.mechanics import Mechanics
from models.parts.mirror import Mirror
from sim import Closed, InputError, Model
from sim.engine.simulation.allowances import allowed

KIB, MIB = 1 << 10, 1 << 20
TURN_S = 60 / 7200
POSITION_S = 8.5e-3 + TURN_S / 2
RATE = 125e6 / math.log(2)
"""Bytes a second of the default disk on average: from 250 MB/s outside down to half as many."""


def at_random(op="read", size=4 * KIB, **more):
    return lambda number: FileIO(op, size, process=number, **more)


def test_the_mean_of_seeks_between_places_at_random_is_that_of_the_data_sheet():
    """Numbers of a thousand by a thousand places on a grid, by equation (1)."""
    mechanics = Mechanics(8e-3, 1e-3, TURN_S, 1.0, 1.0)
    places = [(each + 0.5) / 400 for each in range(400)]
    full_s = 1e-3 + (8e-3 - 1e-3) * 15 / 8
    seeks = [1e-3 + (full_s - 1e-3) * math.sqrt(abs(a - b)) for a in places for b in places]
    mean = sum(seeks) / len(seeks)
    variance = sum((each - mean) ** 2 for each in seeks) / len(seeks) + TURN_S**2 / 12
    assert mechanics.seek_s == pytest.approx(mean, rel=0.002)
    assert mechanics.position_cv == pytest.approx(math.sqrt(variance) / (mean + TURN_S / 2), rel=0.002)


def test_data_on_a_quarter_of_the_platter_have_half_as_long_seeks():
    whole, quarter = (Mechanics(8e-3, 0.0, TURN_S, 200e6, 100e6, span) for span in (1.0, 0.25))
    assert quarter.seek_s == pytest.approx(whole.seek_s / 2)
    assert quarter.bytes_per_s == pytest.approx(25e6 / math.log(200 / 175))


def test_the_time_of_a_byte_is_that_of_its_zone_on_average():
    mechanics = Mechanics(8e-3, 0.0, TURN_S, 200e6, 100e6)
    steps = [(each + 0.5) / 1000 for each in range(1000)]
    byte_s = sum(1 / (200e6 - 100e6 * x) for x in steps) / 1000
    assert mechanics.bytes_per_s == pytest.approx(1 / byte_s, rel=1e-5)


def test_reads_at_random_take_a_seek_half_a_turn_and_their_bytes():
    rate = per_second(model_of(layer_of(HardDisk), at_random(size=64 * KIB), 4))
    assert rate == pytest.approx(1 / (POSITION_S + 64 * KIB / RATE), rel=0.02)


def test_random_ios_are_limited_by_the_arm_and_sequential_ones_by_the_platter():
    """A request at another place has to position; of a run it depends on what comes between."""
    for sequential, position_s in ((False, POSITION_S), (True, 0.0)):
        model = model_of(layer_of(HardDisk), at_random(size=64 * KIB, sequential=sequential), 4)
        (arm,) = (each for each in allowed(model, model.groups[0], 0.0) if each.place.endswith("arm"))
        assert arm.throughput == pytest.approx(1 / (position_s + 64 * KIB / RATE))


def test_a_sequential_read_has_the_platter_rate_and_two_interfere():
    run = at_random(size=MIB, sequential=True)
    assert per_second(model_of(layer_of(HardDisk), run)) == pytest.approx(RATE / MIB, rel=0.01)
    both = per_second(model_of(layer_of(HardDisk), run, 2))
    assert both == pytest.approx(1 / (POSITION_S + MIB / RATE), rel=0.02)


def test_a_read_at_random_ends_the_sequence_of_its_own_process():
    """One after the other: both wait for the arm."""
    layer = layer_of(HardDisk)
    kinds = [FileIO("read", 4 * KIB), FileIO("write", 64 * KIB, sequential=True)]
    path = [step for io in kinds for step in layer.path(io)]
    both_s = 2 * POSITION_S + 68 * KIB / RATE
    rate = per_second(Model([Closed("all", 1, path)]), precision=0.02)
    assert rate == pytest.approx(1 / both_s, rel=0.02)


def test_writes_into_the_cache_end_at_the_rate_at_which_they_are_sorted_out_of_it():
    rate = per_second(model_of(layer_of(HardDisk, cache="1MiB"), at_random("write"), 4))
    full_s = 1e-3 + 7.5e-3 * 15 / 8
    sorted_s = 1e-3 + (full_s - 1e-3) / math.sqrt(SORTED + 1) + TURN_S / 2
    assert rate == pytest.approx(1 / (sorted_s + 4 * KIB / RATE), rel=0.03)


def test_a_durable_write_and_a_flush_wait_for_the_platter():
    alone_s = 20e-6 + 4 * KIB / 600e6 + POSITION_S + 4 * KIB / RATE
    rate = per_second(model_of(layer_of(HardDisk, cache="1MiB"), at_random("write", durable="data")))
    assert rate == pytest.approx(1 / alone_s, rel=0.02)
    assert layer_of(HardDisk).path(FileIO("flush", 0)) == ()
    assert layer_of(HardDisk, cache="1MiB").path(FileIO("flush", 0))


def test_a_degraded_disk_is_slower_by_its_factor():
    rate = per_second(model_of(layer_of(HardDisk), at_random(slow=3.0)))
    assert rate == pytest.approx(1 / (3 * (POSITION_S + 4 * KIB / RATE)), rel=0.02)


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_mirror_reads_from_either_and_writes_to_both(op):
    """Many readers keep both disks busy; of two writes at a time the longer one counts."""
    mirror = Mirror().layer("mirror", lambda name: HardDisk().layer(f"{name}disk", None))
    one = 1 / (POSITION_S + 4 * KIB / RATE)
    rate = per_second(model_of(mirror, at_random(op), 64))
    assert rate == pytest.approx(2 * one if op == "read" else one, rel=0.05)


def test_remaining_mirror_member_takes_all_ios():
    mirror = Mirror(lost=1).layer("mirror", lambda name: HardDisk().layer(f"{name}disk", None))
    assert per_second(model_of(mirror, at_random(), 16)) == pytest.approx(
        1 / (POSITION_S + 4 * KIB / RATE), rel=0.02
    )


@pytest.mark.parametrize("fields", [{"track": "9ms"}, {"inner": "300MB/s"}])
def test_an_impossible_disk_is_refused(fields):
    with pytest.raises(InputError, match="is more than"):
        layer_of(HardDisk, **fields)


@pytest.mark.parametrize("fields", [{}, {"cache": "64KiB"}])
def test_the_engines_agree(fields):
    assert engines_agree(model_of(layer_of(HardDisk, **fields), at_random("write"), 3), (10**7, 10**9))


def test_sequential_log_writes_wait_a_revolution():
    """Each write goes on where the last ended, and is asked for when that place has passed; one log for all."""
    layer, log = layer_of(HardDisk), FileIO("write", 4 * KIB, file=3, sequential=True, durable="data")
    path = [step for number in (0, 1) for step in layer.path(replace(log, process=number))]
    rate = per_second(Model([Closed("all", 1, path)]))
    assert rate == pytest.approx(1 / (2 * (TURN_S + 4 * KIB / RATE)), rel=0.01)


def test_flush_after_a_log_write_waits_a_revolution():
    layer, record = layer_of(HardDisk), FileIO("write", 4 * KIB, file=3, sequential=True, synced="data")
    path = [*layer.path(record), *layer.path(replace(record, op="flush", size_bytes=0))]
    rate = per_second(Model([Closed("all", 1, path)]))
    assert rate == pytest.approx(1 / (TURN_S + 4 * KIB / RATE), rel=0.01)
