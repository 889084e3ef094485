"""Parts of a stack lost, slow or rebuilt: those left carry the load, and nothing else changes."""

from __future__ import annotations

import pytest

from layered import latency, rate
from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.flash import Flash
from models.parts.host.nodes import Nodes
from models.parts.link.link import Link
from models.parts.rebuild import BLOCK_BYTES
from models.parts.replicas import Replicas
from models.parts.stripe import Stripe
from sim import InputError, Station, Use, simulate
from sim.engine.analytic.solve import solve
from sim.system.quantities import Table

KIB, MB = 1024, 1e6
DISK_BYTES_PER_S = 100 * MB


class Disk:
    """Bytes of reads and writes one after the other, as many times as long as the I/O says."""

    def __init__(self, name):
        self.station = Station(f"{name}disk")

    def path(self, io):
        return (Use(self.station, io.slow * max(io.size_bytes, 1) / DISK_BYTES_PER_S),)


def on_disks(kind, **fields):
    return kind(**fields).layer(kind.__name__.lower(), Disk)


def read(number):
    return FileIO("read", 64 * KIB, process=number)


def write(number):
    return FileIO("write", 64 * KIB, process=number)


def load_and_rebuild(io, processes=12, **fields):
    """Bytes a second of the load and of the rebuild, and the result."""
    result = simulate(model_of(on_disks(Replicas, **fields), io, processes), watch="all", precision=0.02)
    rebuilt = result.groups["replicas rebuild"].throughput.value * BLOCK_BYTES
    return result.throughput.value * 64 * KIB, rebuilt, result


@pytest.mark.parametrize("reads", ["process", "random"])
@pytest.mark.parametrize(("copies", "lost"), [(3, 1), (4, 2)])
def test_reads_are_limited_by_the_remaining_copies(reads, copies, lost):
    def fast(**fields):
        return per_second(model_of(on_disks(Replicas, copies=copies, reads=reads, **fields), read, 120))

    assert fast(lost=lost) / fast() == pytest.approx((copies - lost) / copies, rel=0.02)


def test_processes_of_a_lost_copy_alone_are_redistributed():
    intact, less = (on_disks(Replicas, reads="process", lost=lost) for lost in (0, 1))
    names = [[each.path(read(number))[0].station.name for number in range(9)] for each in (intact, less)]
    moved = [(number, new) for number, (old, new) in enumerate(zip(*names, strict=True)) if old != new]
    assert moved == [(2, "copy 1 disk"), (5, "copy 2 disk"), (8, "copy 1 disk")]


@pytest.mark.parametrize("writes", ["parallel", "chain"])
def test_writes_go_to_all_remaining_copies_alone(writes):
    result = simulate(model_of(on_disks(Replicas, writes=writes, lost=1), write, 4), precision=0.02)
    assert set(result.places) == {"copy 1 disk", "copy 2 disk"}
    for place in result.places.values():
        assert place.visits == pytest.approx(result.throughput.value, rel=0.01)


def test_rebuild_reads_from_the_remaining_members():
    """One copy left, always busy: what the rebuild reads of it, the load does not."""
    load, rebuilt, result = load_and_rebuild(read, copies=2, lost=1, rebuild=25 * MB)
    assert rebuilt == pytest.approx(25 * MB, rel=0.01)
    assert load == pytest.approx(75 * MB, rel=0.01)
    assert result.places["copy 2 disk"].utilisation == pytest.approx(0.25, rel=0.02)


def test_a_replacement_has_all_writes_beside_the_rebuild():
    load, rebuilt, result = load_and_rebuild(write, copies=2, lost=1, rebuild=25 * MB)
    assert load + rebuilt == pytest.approx(DISK_BYTES_PER_S, rel=0.01)  # on either copy
    assert [place.utilisation for name, place in result.places.items() if name.endswith("disk")] == pytest.approx(
        [1.0, 1.0], rel=0.01
    )


def test_rebuild_is_limited_by_disks():
    _, rebuilt, _ = load_and_rebuild(read, 1, copies=2, lost=1, rebuild=1000 * MB)
    assert rebuilt == pytest.approx(DISK_BYTES_PER_S * 32 / 33, rel=0.02)  # 32 blocks and one read take turns


def test_nothing_is_read_from_a_replacement():
    result = simulate(
        model_of(on_disks(Replicas, reads="random", lost=1, rebuild=1 * MB), read, 12), watch="all", precision=0.1
    )
    assert result.places["copy 3 disk"].utilisation == pytest.approx(0.01, rel=0.2)


def test_rebuild_rate_is_reported():
    layer = on_disks(Replicas, copies=2, lost=1, rebuild=25 * MB)
    (name, measure) = next(iter(layer.measures().items()))
    assert (name, measure.unit) == ("replicas_rebuild", "MB/s")
    result = simulate(model_of(layer, read, 2), watch="all", precision=0.02)
    assert measure.read(result).value == pytest.approx(25.0, rel=0.02)
    assert not on_disks(Replicas, lost=1).measures()


@pytest.mark.parametrize("io", [read, write])
def test_the_engines_agree_and_the_analytic_engine_is_near(io):
    model = model_of(on_disks(Replicas, reads="process", lost=1, rebuild=20 * MB), io, 4)
    assert engines_agree(model)
    assert solve(model).groups["all"].throughput == pytest.approx(per_second(model), rel=0.13)


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (Replicas, {"lost": 3}, "lost is 3 of 3 copies; allowed: fewer than copies"),
        (Replicas, {"rebuild": 1e6}, "rebuild fills the replacement of a copy, and none is lost; add lost = 1"),
        (Replicas, {"lost": 1, "acknowledged": 3}, "acknowledged is 3, and 2 of 3 copies are left: no write"),
        (Stripe, {"lost": 1}, "lost is 1 of 4 members, and a stripe has no copy of what they held; put replicas"),
        (Nodes, {"count": 2, "lost": 2}, "lost is 2 of 2 hosts; allowed: fewer"),
        (Link, {"lost": 1}, "lost is 1 of 1 links; allowed: fewer"),
    ],
)
def test_unworkable_failures_are_refused_in_one_line(kind, fields, message):
    with pytest.raises(InputError, match=message) as refused:
        on_disks(kind, **fields)
    assert len(str(refused.value).splitlines()) == 1


def test_a_replacement_counts_towards_the_quorum():
    (fork,) = on_disks(Replicas, lost=1, acknowledged=3, rebuild=1e6).path(write(0))
    assert (len(fork.branches), fork.needed) == (3, 3)


def test_remaining_hosts_take_the_processes_of_lost_ones():
    layer = on_disks(Nodes, count=3, lost=1)
    assert [layer.path(read(number))[0].station.name for number in range(4)] == ["node 1 disk", "node 2 disk"] * 2
    assert per_second(model_of(layer, read, 12)) == pytest.approx(2 * DISK_BYTES_PER_S / (64 * KIB), rel=0.01)


def test_remaining_links_carry_the_bytes_of_lost_ones():
    def fast(**fields):
        return per_second(
            model_of(layer_of(Link, Below(0.0), count=4, bandwidth="100MB/s", **fields), read, 48), precision=0.01
        )

    assert fast(lost=2) / fast() == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize(("kind", "places"), [(Replicas, "copy"), (Stripe, "member")])
def test_slow_member_is_slower_by_its_factor_and_the_others_are_unchanged(kind, places):
    layer = on_disks(kind, slow=3.0)
    times = {use.station.name: use.time.mean for use in _uses(layer.path(write(0)))}
    plain = 64 * KIB / DISK_BYTES_PER_S
    assert times.pop(f"{places} 1 disk") == pytest.approx(3.0 * plain)
    assert set(times.values()) == {plain}


def _uses(path):
    for step in path:
        if isinstance(step, Use):
            yield step
        for inner in step.inner:
            yield from _uses(inner)


TABLE = {"read": {"4KiB": "80us", "64KiB": "150us"}, "write": {"4KiB": "20us", "64KiB": "60us"}}


def ssd(**fields):
    latencies = Table("latency", None, "").parse(TABLE)
    return Flash(latency=latencies, **fields).layer("ssd", None)


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("size", [4 * KIB, 64 * KIB])
def test_a_slow_device_takes_its_factor_alone_and_under_load(op, size):
    assert latency(ssd(slow=2.5), op=op, size=size) == pytest.approx(
        2.5 * latency(ssd(), op=op, size=size), abs=5e-9
    )
    fast, slow = (rate(ssd(units=4, slow=factor), 64, op, size, precision=0.02) for factor in (1.0, 2.5))
    assert fast / slow == pytest.approx(2.5, rel=0.03)


def test_the_factors_of_a_device_and_of_a_layer_above_multiply():
    (hold,) = ssd(slow=2.0).path(FileIO("read", 4 * KIB, slow=3.0))
    times = [step.time.mean for step in hold.steps if not step.inner]
    units = next(step for step in hold.steps if step.inner)
    assert sum(times) + units.options[0][1][0].time.mean == pytest.approx(6 * 80e-6)


CACHE = {"cache": 1 << 20, "sustained": 10_000 * MB}


def test_with_its_cache_off_a_write_waits_for_the_flash():
    cached, through = (latency(ssd(write_cache=on, **CACHE), op="write", size=64 * KIB) for on in (True, False))
    assert cached == pytest.approx(60e-6, abs=5e-9)
    assert through == pytest.approx(60e-6 + 64 * KIB / (10_000 * MB), abs=5e-9)


def test_with_its_cache_off_every_write_is_durable_and_a_flush_is_free():
    off = ssd(write_cache=False, flush=450e-6)
    assert latency(off, op="write") == pytest.approx(470e-6, abs=5e-9)
    assert off.path(FileIO("flush", 0)) == ()
    durable, plain = (FileIO("write", 4 * KIB, durable=each) for each in ("data", "no"))
    assert off.path(plain) == off.path(durable) == ssd(flush=450e-6).path(durable)


def test_a_cache_that_is_off_in_front_of_unknown_flash_is_refused():
    with pytest.raises(InputError, match="write_cache is off: flush, or cache and sustained, is required"):
        ssd(write_cache=False)


def test_engines_agree_on_a_device_without_its_cache():
    model = model_of(ssd(write_cache=False, volatile=True, **CACHE), write, 3)
    assert engines_agree(model)
