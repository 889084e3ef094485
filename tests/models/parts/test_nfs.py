"""The kinds ``nfs`` and ``nfsd``: slots, threads, requests of a call, stable writes."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.nfs import Nfs, Nfsd

KIB = 1024


def io(op, size=4 * KIB, **more):
    return lambda number: FileIO(op, size, process=number, **more)


def test_a_client_has_no_more_in_flight_than_slots():
    rate = per_second(model_of(layer_of(Nfs, Below(1e-3), slots=3), io("read"), 10))
    assert rate == pytest.approx(3 / 1e-3, rel=0.01)


def test_a_call_is_cut_into_requests_at_once():
    below = Below(1e-3)
    rate = per_second(model_of(layer_of(Nfs, below, transfer="64KiB"), io("read", 160 * KIB)))
    assert rate == pytest.approx(1 / 1e-3, rel=0.01)
    assert [each.size_bytes // KIB for each in below.seen] == [64, 64, 32]


def test_each_host_has_slots_of_its_own():
    layer = layer_of(Nfs, Below(1e-3), slots=1)
    rate = per_second(model_of(layer, lambda number: FileIO("read", 4 * KIB, host=number), 4))
    assert rate == pytest.approx(4 / 1e-3, rel=0.01)


def test_a_thread_serves_one_request_until_it_is_answered():
    rate = per_second(model_of(layer_of(Nfsd, Below(1e-3), threads=2), io("read"), 8))
    assert rate == pytest.approx(2 / (1e-3 + 25e-6), rel=0.01)


@pytest.mark.parametrize(("export", "durable"), [("sync", "all"), ("async", "no")])
def test_writes_of_a_synchronous_export_are_durable_below(export, durable):
    below = Below()
    layer_of(Nfsd, below, export=export).path(FileIO("write", 4 * KIB))
    assert [each.durable for each in below.seen] == [durable]


@pytest.mark.parametrize("kind", [Nfs, Nfsd])
def test_the_engines_agree(kind):
    assert engines_agree(model_of(layer_of(kind, Below(1e-4)), io("write"), 5))
