"""A large I/O is served by its members together, a small one by any of them; no byte is lost."""

from __future__ import annotations

from collections import Counter

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.parts.stripe import Stripe
from sim import Choose, Exponential, Fork, InputError, Station, Use
from sim.engine.analytic.solve import solve
from sim.system import Settings

KIB = 1024
BYTES_PER_S = 100e6


class Member:
    def __init__(self, name, *, varies=False):
        self.station, self.varies = Station(f"{name}disk"), varies

    def path(self, io):
        time_s = io.size_bytes / BYTES_PER_S
        return (Use(self.station, Exponential(time_s) if self.varies else time_s),)


def stripe(count=4, unit=64 * KIB, **more):
    return Stripe(count=count, unit=unit).layer("stripe", lambda copy: Member(copy, **more))


def write(size):
    return lambda number: FileIO("write", size, process=number)


def parts(size, count=4):
    """Bytes on each member of an I/O that begins at the first."""
    (step,) = stripe(count).path(FileIO("write", size))
    (step,) = step.options[0][1] if isinstance(step, Choose) else (step,)
    branches = step.branches if isinstance(step, Fork) else [(step,)]
    return [(use.station.name, round(use.time.mean * BYTES_PER_S / KIB)) for (use,) in branches]


@pytest.mark.parametrize(
    ("kib", "shares"),
    [
        (4, [4]),
        (64, [64]),
        (100, [64, 36]),
        (256, [64, 64, 64, 64]),
        (300, [108, 64, 64, 64]),
        (640, [192, 192, 128, 128]),
    ],
)
def test_an_io_is_cut_at_every_unit(kib, shares):
    assert parts(kib * KIB) == [(f"member {number} disk", share) for number, share in enumerate(shares, 1)]


def test_every_member_is_as_likely_to_be_the_first():
    (choose,) = stripe().path(FileIO("write", 100 * KIB))
    begun, all_of_them = Counter(), Counter()
    for share, (fork,) in choose.options:
        assert share == 0.25
        begun[fork.branches[0][0].station.name] += 1
        all_of_them.update(branch[0].station.name for branch in fork.branches)
    assert set(begun.values()) == {1}
    assert set(all_of_them.values()) == {2}


def test_alone_a_large_io_is_as_many_times_as_fast_as_there_are_members():
    alone = [per_second(model_of(stripe(count), write(1024 * KIB))) for count in (1, 2, 4)]
    assert alone == pytest.approx([BYTES_PER_S / 1024 / KIB * count for count in (1, 2, 4)], rel=1e-6)


def test_small_ios_of_many_use_all_members():
    """Two that are alone on four disks meet with probability 1/4: they are less than twice as fast."""
    one, two, many = (
        per_second(model_of(stripe(varies=True), write(4 * KIB), n), precision=0.02) for n in (1, 2, 60)
    )
    each = BYTES_PER_S / 4 / KIB
    assert one == pytest.approx(each, rel=0.02)
    # Product form: two exponential visitors among n servers do 2n / (n + 1) services (Buzen 1973).
    assert two == pytest.approx(each * 2 * 4 / 5, rel=0.03)
    assert many == pytest.approx(each * 60 * 4 / 63, rel=0.03)


def test_a_flush_goes_to_all_members():
    (fork,) = stripe(3).path(FileIO("flush", 0))
    assert [branch[0].station.name for branch in fork.branches] == [f"member {n} disk" for n in (1, 2, 3)]


def test_a_wrong_field_is_one_line():
    with pytest.raises(InputError, match=r"unit is '0'; allowed: a whole number of bytes"):
        next(each for each in Settings.of(Stripe) if each.name == "unit").parse("0")


def test_the_engines_agree_and_the_analytic_one_is_near():
    model = model_of(stripe(varies=True), write(100 * KIB), 3)
    assert engines_agree(model)
    assert solve(model).groups["all"].throughput == pytest.approx(per_second(model, precision=0.02), rel=0.13)
