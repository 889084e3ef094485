"""Size of the files that are measured, and a lock for one measurement at a time."""

from __future__ import annotations

import math
import time

import pytest

import measured_machine
from sim.engine.errors import InputError
from stacksim.measuring import facts as facts_module
from stacksim.measuring import workplace as workplace_module
from stacksim.measuring.jobs import Job
from stacksim.measuring.workplace import FILE_BYTES, file_bytes, laid_out_bytes

JOBS = (Job("read", 4096, 1, 1), Job("write", 65536, 16, 1))
GIB = 1 << 30


def facts(**changed):
    made = dict.fromkeys(facts_module.Facts.__dataclass_fields__, "")
    room = {"free_bytes": 24 * GIB, "total_bytes": 24 * GIB, "memory_bytes": 24 * GIB, "cache_bytes": 32 << 20}
    return facts_module.Facts(**{**made, "kind": "memory", **room, **changed})


def test_files_in_memory_are_many_times_as_large_as_the_cache():
    assert file_bytes(facts(), JOBS) == 256 << 20
    assert laid_out_bytes(facts(), JOBS) == 4 * GIB


def test_files_on_disk_or_with_a_small_or_unknown_cache_have_the_default_size():
    assert file_bytes(facts(kind="disk"), JOBS) == FILE_BYTES
    assert file_bytes(facts(cache_bytes=0), JOBS) == file_bytes(facts(cache_bytes=1 << 20), JOBS) == FILE_BYTES


@pytest.mark.parametrize(
    ("room", "mebibytes"),
    [({"memory_bytes": 10 * GIB}, 160), ({"free_bytes": 6 * GIB}, 230), ({"free_bytes": 1}, 64)],
)
def test_files_in_memory_leave_memory_to_others(room, mebibytes):
    assert file_bytes(facts(**room), JOBS) == mebibytes << 20


def test_the_largest_cache_is_reported(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    measured_machine.linux(tmp_path / "root", tmp_path)
    assert facts_module.facts_of(folder, tmp_path / "root").cache_bytes == 0
    for index, text in enumerate(("48K", "32768K", "odd", "1024K")):
        size = tmp_path / f"root/sys/devices/system/cpu/cpu0/cache/index{index}/size"
        size.parent.mkdir(parents=True)
        size.write_text(f"{text}\n")
    assert facts_module.facts_of(folder, tmp_path / "root").cache_bytes == 32 << 20


def test_another_measurement_is_waited_for(tmp_path, monkeypatch):
    """Until it has ended, or the time is over."""
    monkeypatch.setattr(workplace_module, "LOOK_SECONDS", 0.01)
    with workplace_module.workplace(tmp_path, (), keep=False):
        with pytest.raises(InputError, match=r"is at work in .* wait until it has ended: --wait 10min"):
            workplace_module.check_alone(tmp_path, until=time.monotonic() + 0.05)
        looks = iter((True, True, False))
        monkeypatch.setattr(workplace_module, "_in_use", lambda _folder: next(looks))
        workplace_module.check_alone(tmp_path, until=math.inf)
    assert next(looks, None) is None
