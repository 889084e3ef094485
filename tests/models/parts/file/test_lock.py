"""The lock rule decides whether two writers of one file write at once."""

from __future__ import annotations

import pytest

from models.io import IO
from models.parts.file.lock import LockedFile
from models.parts.file.lock_rules import FILE_SYSTEMS, lock_rule
from models.parts.host.asleep import wake_up
from sim import Closed, Delay, InputError, Lock, Model, simulate
from sim.engine.model.demands import demands_s
from sim.engine.model.symmetry import symmetry

WRITE_S = 1e-3


class Device:
    """Takes as many I/Os at once as come."""

    def path(self, _io):
        return (Delay(WRITE_S),)


def per_second(op, file_system, access, *, aligned=True, clients=2):
    file = LockedFile(Lock("file lock"), lock_rule(file_system, access, aligned=aligned), Device())
    model = Model([Closed("io", clients=clients, path=file.path(IO(op, 4096)))])
    return simulate(model, engine="reference").throughput.value


@pytest.mark.parametrize(
    ("file_system", "access", "aligned", "at_once"),
    [
        ("xfs", "direct", True, 2),
        ("xfs", "direct", False, 1),
        ("xfs", "buffered", True, 1),
        ("ext4", "direct", True, 2),
        ("ext4", "direct", False, 2),
        ("ext3", "direct", True, 1),
        ("ufs", "buffered", True, 1),
        ("ufs", "direct", True, 2),
        ("vxfs", "odm", True, 2),
        ("psfs", "dboptimize", True, 2),
    ],
)
def test_two_writers_of_one_file(file_system, access, aligned, at_once):
    assert per_second("write", file_system, access, aligned=aligned) == pytest.approx(at_once / WRITE_S)


@pytest.mark.parametrize(
    ("file_system", "access"), [(name, mode) for name in FILE_SYSTEMS for mode in FILE_SYSTEMS[name]]
)
def test_readers_never_wait_for_one_another_and_every_rule_has_a_source(file_system, access):
    for aligned in (True, False):
        assert per_second("read", file_system, access, aligned=aligned) == pytest.approx(2 / WRITE_S)
        assert lock_rule(file_system, access, aligned=aligned).source


def test_an_exclusive_write_waits_for_reads_in_flight_and_holds_up_later_ones():
    file = LockedFile(Lock("file lock"), lock_rule("ufs", "buffered"), Device())
    both = [Closed(op, clients=1, path=file.path(IO(op, 4096))) for op in ("read", "write")]
    result = simulate(Model(both), watch="read", engine="reference")
    assert result.throughput.value == pytest.approx(0.5 / WRITE_S)


def woken(clients, wake_s):
    file = LockedFile(Lock("file lock"), lock_rule("ext3", "direct"), Device(), wake_up(wake_s))
    model = Model([Closed("io", clients=clients, path=file.path(IO("write", 4096)))])
    return simulate(model, precision=0.005).throughput.value


def test_only_a_writer_that_slept_at_the_lock_has_to_wake_up():
    """The lock is handed to whoever waits, who then takes a while to run; a writer alone never waits."""
    assert woken(1, 0.5e-3) == pytest.approx(1 / WRITE_S, rel=1e-6)
    assert woken(3, 0.5e-3) == pytest.approx(1 / (WRITE_S + 0.5e-3), rel=0.01)


def test_lock_is_a_bound_and_equal_files_are_recognised():
    def writer(number, wake_s):
        file = LockedFile(Lock(f"lock {number}"), lock_rule("ext3", "direct"), Device(), wake_up(wake_s))
        return Closed(f"writer {number}", clients=2, path=file.path(IO("write", 4096)), group="writers")

    alike = Model([writer(1, 1e-3), writer(2, 1e-3)])
    lock = alike.places[0]
    assert demands_s(alike.workloads[0].path) == {lock: pytest.approx(WRITE_S)}
    assert symmetry(alike).copies == {lock: 2}
    assert set(symmetry(Model([writer(1, 1e-3), writer(2, 0.0)])).copies.values()) == {1}


def test_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"no file system 'xf5'; .*did you mean 'xfs'"):
        lock_rule("xf5", "direct")
    with pytest.raises(InputError, match=r"no access 'directio' to xfs; .*did you mean 'direct'"):
        lock_rule("xfs", "directio")
