"""One file, many writers: what its lock rule and its storage leave of their concurrency."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layers import engines_agree
from models.parts.file import lock_rules
from models.systems.shared_file import SHARED_FILE
from models.systems.shared_file.lun_parameters import LunParameters
from models.systems.shared_file.settings import MOUNTS
from sim import InputError
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system import Parameters
from sim.system.settings import complete
from whole_system import changed, idle_parameters, idle_settings

PARAMETERS = SHARED_FILE.parameters
MIB = 1024 * 1024
LUN_S = PARAMETERS["service_s"] + 4096 / PARAMETERS["bytes_per_s"]
ALONE_S = PARAMETERS["call_s"] + PARAMETERS["host_s"] + LUN_S


def answers(system=SHARED_FILE, **settings):
    """Every answer as a number, for a part of the file that is soon written."""
    prediction = predict(system, {"file": 32 * MIB, **settings}, intervals=False)
    return {name: each.estimate.value for name, each in prediction.answers.items()}


def rate(system=SHARED_FILE, **settings):
    return answers(system, **settings)["throughput"]


@pytest.fixture(scope="module")
def found():
    return report(datasets(["direct-write-lock"]), RunOptions())


def test_every_figure_is_predicted_within_three_per_cent(found):
    assert len(found.cells) == 5
    assert max(abs(cell.error) for cell in found.cells) <= 0.03
    assert sum(cell.role == "predicted" for cell in found.cells) == 1


def test_roles_name_figures_that_exist(found):
    known = {f"{cell.dataset}/{cell.row}/{cell.column}" for cell in found.cells}
    used = {cell for parameter in Parameters.of(LunParameters).entries for cell in parameter.cells}
    assert used
    assert used <= known
    assert all(bool(each.cells) == (each.basis in ("derived", "fitted")) for each in PARAMETERS.entries)


def test_one_writer_is_as_fast_under_any_lock():
    for file_system, mount in (("psfs", "dboptimize"), ("ext3", "direct"), ("nfs", "direct")):
        assert rate(filesystem=file_system, mount=mount) == pytest.approx(1 / ALONE_S, rel=1e-3)


def test_two_writers_are_limited_by_the_lun_under_a_shared_lock_and_else_by_the_lock():
    assert rate(writers=2) == pytest.approx(1 / LUN_S, rel=1e-3)
    locked = rate(writers=2, filesystem="ext3", mount="direct")
    assert locked == pytest.approx(1 / (ALONE_S - PARAMETERS["call_s"]), rel=1e-3)
    assert locked < 1.03 * rate(filesystem="ext3", mount="direct")


def test_if_the_lock_were_exclusive_on_psfs_two_writers_would_gain_nothing(monkeypatch):
    exclusive = lock_rules.lock_rule("ext3", "direct")
    monkeypatch.setattr("models.systems.shared_file.settings.lock_rule", lambda *_asked, **_how: exclusive)
    assert rate(writers=2) < 0.62 * 12_633


def test_with_a_faster_lun_two_writers_are_twice_as_fast_as_one():
    fast = changed(SHARED_FILE, service_s=PARAMETERS["service_s"] / 3)
    assert answers(fast, writers=2)["scale_up"] > 97


@pytest.mark.parametrize(
    ("file_system", "mount", "aligned", "at_once"),
    [
        ("ufs", "direct", True, True),
        ("ufs", "direct-8u2", True, False),
        ("vxfs", "odm", True, True),
        ("vxfs", "direct", True, False),
        ("psfs", "dboptimize", False, True),
        ("ext3", "direct", True, False),
        ("ext4", "direct", True, True),
        ("xfs", "direct", True, True),
        ("xfs", "direct", False, False),
        ("nfs", "direct", True, True),
    ],
)
def test_the_rule_of_each_file_system_decides(file_system, mount, aligned, at_once):
    found = answers(writers=2, filesystem=file_system, mount=mount, aligned=aligned)["scale_up"]
    assert found == pytest.approx(85.2 if at_once else 50.8, abs=0.5)


def test_buffered_writers_are_ordered_and_gain_nothing_from_each_other():
    one, two = (rate(writers=writers, mount="buffered", file=512 * MIB) for writers in (1, 2))
    assert two == pytest.approx(one, rel=0.02)
    assert one > 5 * rate(file=512 * MIB)  # the page cache makes clusters of small writes


def test_readers_hold_up_ordered_writers_and_share_the_lun_with_the_others():
    shared, ordered = (
        answers(writers=1, readers=1, **mount) for mount in ({}, {"filesystem": "ufs", "mount": "direct-8u2"})
    )
    assert shared["throughput"] + shared["reads"] == pytest.approx(1 / LUN_S, rel=0.01)
    assert ordered["throughput"] + ordered["reads"] < 1.02 / (ALONE_S - PARAMETERS["call_s"])


def test_all_writes_are_made():
    for writers in (1, 2, 8):
        found = predict(SHARED_FILE, {"file": 4 * MIB, "writers": writers}, intervals=False).result
        assert found.groups["write"].completed == 1024


def test_the_document_lists_the_lock_rules():
    text = (Path(__file__).parents[2] / "docs" / "systems" / "shared-file.md").read_text(encoding="utf-8")
    listed = {
        (*rule, *mount.split())
        for *rule, mounts in re.findall(r"^\| (\w+) \| (\w+) \| (\w+) \| ([\w, -]+) \|$", text, re.MULTILINE)
        for mount in mounts.split(", ")
    }
    rules = set()
    for name, mounts in lock_rules.FILE_SYSTEMS.items():
        for mount in mounts:
            whole, other = (lock_rules.lock_rule(name, mount, aligned=aligned) for aligned in (True, False))
            rules.add((whole.write, other.write, whole.read, name, mount))
    assert listed == rules


def test_a_mount_that_a_file_system_does_not_know_is_refused():
    with pytest.raises(InputError, match="mount is 'odm'; allowed for psfs: buffered, dboptimize"):
        rate(mount="odm")


def test_every_setting_has_an_effect_on_the_model():
    start = {"filesystem": "xfs", "mount": "direct"}
    other = {
        "filesystem": "ext3",
        "mount": "buffered",
        "writers": 2,
        "readers": 1,
        "block": 512,
        "file": MIB,
        "aligned": False,
        "threads": 2,
        "device": "nvme",
    }
    assert {*other, "kernel", "extents", "depth"} == {each.name for each in SHARED_FILE.settings}
    assert idle_settings(SHARED_FILE, other, start) == []


@pytest.mark.parametrize(
    ("changed", "effect"),
    [
        ({"device": "iodrive-duo", "depth": 2}, {"device": "iodrive-duo"}),
        ({"kernel": (3, 0)}, {"kernel": (3, 6)}),
        ({"extents": "written"}, {"extents": "preallocated"}),
        ({"kernel": (6, 3), "extents": "preallocated"}, {"kernel": (6, 2), "extents": "preallocated"}),
    ],
)
def test_depth_kernel_and_extents_have_an_effect_on_ext4(changed, effect):
    start = complete(SHARED_FILE.settings, {"filesystem": "ext4", "mount": "direct"})
    one, other = (SHARED_FILE.scenario(start | each, PARAMETERS).model for each in (changed, effect))
    assert one != other


def test_every_parameter_has_an_effect_on_some_model():
    flash = [
        {"device": device, "filesystem": "xfs", "mount": "direct", "extents": "extending", "kernel": (3, 0)}
        for device in ("iodrive-duo", "nvme")
    ]
    cases = [
        {"mount": "dboptimize"},
        {"mount": "buffered"},
        *flash,
        *(each | {"aligned": False} for each in flash),
    ]
    factors = {"service_s": 0.75}
    assert idle_parameters(SHARED_FILE, cases, lambda each: each.value * factors.get(each.name, 1.25)) == []


@pytest.mark.parametrize("mount", MOUNTS)
def test_engines_agree(mount):
    file_system = next(name for name, mounts in lock_rules.FILE_SYSTEMS.items() if mount in mounts)
    settings = {"filesystem": file_system, "mount": mount, "writers": 2, "readers": 2, "file": MIB}
    model = SHARED_FILE.scenario(complete(SHARED_FILE.settings, settings), PARAMETERS).model
    assert engines_agree(model, (10**6, 10**7, 10**10), finished=True)
