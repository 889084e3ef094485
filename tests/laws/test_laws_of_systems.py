"""Laws on every system and stack: more, bigger or faster loses nothing, all in half the time is twice as much."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from sim.engine.errors import StacksimError
from sim.prediction.laws import SEEDS, _Trial, laws_of
from sim.system import find, systems
from sim.system.case import Case
from sim.system.settings import Choice, Flag
from sim.system.stack.build import Stack
from sim.system.stack.passed_bytes import passed_bytes, shrunk
from sim.system.stack.remarks import constants, unused

DOCS = Path(__file__).parents[2] / "docs"

WORSE = {
    ("array", "copies"): "more copies of a page are more work",
    ("array", "read"): "more reads are another load",
    ("innodb-oltp", "accesses"): "more page accesses are more work",
    ("innodb-oltp", "changed"): "more changed pages are more work",
    ("cubefs", "data_nodes"): "streams that are spread over more nodes",
    ("cubefs", "replicas"): "of two copies both are waited for, of three the leader and the quicker follower",
    ("cubefs", "ssds_per_node"): "streams that are spread over more nodes",
    ("cubefs", "node_after_s"): "machines that sleep sooner",
    ("cubefs", "client_after_s"): "machines that sleep sooner",
    ("cubefs", "deep_after_s"): "machines that sleep sooner",
    ("exadata", "flash_hits"): "a scan whose pieces are all in flash leaves the disks idle",
    ("three-replicas", "lost"): "With a replica lost its leader sends a copy less",
    ("dbfs", "cells_lost"): "With a cell lost fewer writes have a second copy to send",
    ("dbfs-files", "cells_lost"): "With a cell lost fewer writes have a second copy to send",
    ("dbfs-files", "directories"): "More directories are more work",
    ("dbfs-files", "levels"): "a deeper tree has fewer names on its first levels",
    ("file-sync", "tick_s"): "a file is stamped once a tick",
    ("file-sync", "commit_s"): "more writes share a commit that takes longer",
    ("rocksdb", "record"): "quicker writes fill the levels sooner",
    ("rocksdb", "write"): "quicker writes fill the levels sooner",
    ("rocksdb", "fanout"): "a larger fan-out merges each file with more of the next level",
    **{
        ("file-sync", f"dell32_{name}"): "a faster drive spreads the jobs less in time"
        for name in ("small_s", "foreign_s", "command_s", "bytes_per_s")
    },
    ("nvme", "devices"): "each read goes to another device, whose lines are not in the cache",
    ("redo", "change_s"): "what lets more commits gather gains",
    ("redo", "log_cpu_s"): "what lets more commits gather gains",
    ("redo", "dispatch_s"): "commits that come while the log writer works on a batch",
    ("redo", "session_s"): "a session that works for less time comes back too early",
    ("redo", "wake_s"): "what lets more commits gather gains",
    ("redo", "writers"): "each of which waits for the lock with a commit of its own",
    ("ssd-preconditioned", "program"): "a program that takes longer has more pages",
    ("zfs-ufs", "checksum_s_per_byte"): "makes loads 0.2 % slower, and so do more cores; the cause is unknown",
    ("zfs-ufs", "cores"): "and so do more cores",
    ("zfs-ufs", "script_commits"): "More commits in a script",
}
"""Where less or more loses, and what the page of the system says why."""

WORSE_IF = {
    ("array", "users", "controllers"): "a short run is slower with two controllers than with one",
    ("dbfs", "cells_lost", "cells"): "With a cell lost fewer writes have a second copy to send",
    ("dbfs-files", "cells_lost", "cells"): "With a cell lost fewer writes have a second copy to send",
    ("dbfs-load", "link", "page_s"): "makes loads 0.3 % slower; the cause is unknown",
    ("exadata", "op", "flash_x3_2_bytes_per_s"): "means slower growth afterwards",
    ("file-sync", "jobs", "dell32_buffer_bytes"): "a faster drive spreads the jobs less in time",
    ("file-sync", "jobs", "dell32_queues"): "a faster drive spreads the jobs less in time",
    ("nvme", "run", "early_s"): "a read that is answered less early takes longer",
    ("raft-sql", "test", "delay_s"): "lowers throughput by 0.2 %; the cause",
}
"""Proportions with another value of a setting, which stands between."""

NAMED = {
    "dbfs": "hardware that a setting names keeps its rates",
    "dbfs-files": "hardware that a setting names keeps its rates",
    "dbfs-load": "hardware that a setting names keeps its rates",
    "exadata": "hardware that a setting names keeps its rates",
    "exadata-ctas": "hardware that a setting names keeps its rates",
    "nvme-xfs": "what a scheduler costs was measured",
    "san": "hardware that a setting names keeps its rates",
    "redo": "The time that a session waits for its block is a figure",
}
"""Where not all times are parameters, and what the page says why."""

LONG = {
    "postgresql-oltp",
    "array",
    "innodb-oltp",
    "zfs-ufs",
    "cubefs",
    "dbfs-files",
    "dbfs-load",
    "exadata-ctas",
    "rocksdb",
}
"""Seconds to minutes of simulation."""

STACKS = [system for system in systems().values() if isinstance(system.build, Stack)]


def page(name):
    (path,) = (path for folder in ("systems", "stacks") if (path := DOCS / folder / f"{name}.md").exists())
    return " ".join(path.read_text(encoding="utf-8").split())


def held(system, **settings):
    laws = laws_of(Case.of(system, settings))
    for loss in laws.losses:
        names = [(system.measured_as, loss.name), *((system.measured_as, each, loss.name) for each in settings)]
        assert WORSE.keys() & names or WORSE_IF.keys() & names, loss
    if system.measured_as not in NAMED:
        assert laws.in_proportion, laws


def parts_lost(system):
    """Parts that may fail and are counted, of which there is more than one by default."""
    for failure in system.failures:
        if all(type(value) is int for value in failure.settings.values()):
            try:
                Case.of(system, failure.settings).scenario  # noqa: B018  (refused where there is one alone)
            except StacksimError:
                continue
            yield dict(failure.settings)


def grid(system):
    """The settings of a case for each word that is not the default, for many who ask, and for a part lost."""
    yield from parts_lost(system)
    for setting in system.settings:
        if isinstance(setting, Choice):
            yield from ({setting.name: word} for word in setting.options if word != setting.default)
        elif isinstance(setting, Flag):
            yield {setting.name: not setting.default}
        elif setting.name in ("jobs", "users", "clients", "sessions"):
            yield from ({setting.name: count} for count in (8, 64))


def test_every_exception_is_documented_on_the_page_of_its_system():
    for (name, *_), why in [*WORSE.items(), *WORSE_IF.items()]:
        assert why in page(find(name).measured_as), (name, why)
    of_all = page("README")
    for name, why in NAMED.items():
        assert why in page(name) or (why in of_all and f"`{name}`" in of_all), (name, why)


@pytest.mark.parametrize("name", sorted(each.name for each in systems().values() if each.measured_as not in LONG))
def test_defaults_keep_the_laws(name):
    held(find(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(systems()))
def test_every_word_of_every_setting_keeps_the_laws(name):
    system = find(name)
    for settings in ({}, *grid(system)):
        try:
            Case.of(system, settings).scenario  # noqa: B018  (words that do not go with the others' defaults)
        except StacksimError:
            continue
        held(system, **settings)


@pytest.mark.parametrize("system", STACKS, ids=[system.name for system in STACKS])
def test_shipped_stacks_use_all_they_name_and_reach_every_time(system):
    names = [*(each.name for each in system.settings), *system.parameters.names()]
    assert not list(unused(system.build, names))
    assert not list(constants(system.build, names))


@pytest.mark.parametrize("system", STACKS, ids=[system.name for system in STACKS])
def test_no_layer_of_a_shipped_stack_swallows_bytes(system):
    for settings in ({}, *grid(system)):
        case = Case.of(system, settings)
        passed = passed_bytes(system.build, system.settings.record(**case.settings), system.parameters.values)
        assert not list(shrunk(passed))


def test_a_time_that_no_parameter_reaches_breaks_the_proportion():
    system = find("fuse-passthrough")
    (ssd,) = [layer for layer in system.build.layers if layer.kind == "ssd"]
    fixed = replace(ssd, fields={**ssd.fields, "bandwidth": "20GB/s"})
    layers = tuple(fixed if layer is ssd else layer for layer in system.build.layers)
    laws = laws_of(Case.of(replace(system, build=replace(system.build, layers=layers)), {}))
    assert math.exp(laws.grown.high) < 1.8 < laws.factor
    assert list(constants(replace(system.build, layers=layers), system.parameters.names()))


def test_known_losses_of_redo_are_detected():
    lost = {
        loss.name for loss in laws_of(Case.of("redo", {"filesystem": "xfs", "writers": 4, "sessions": 8})).losses
    }
    assert {"writers", "session_s"} <= lost


def test_a_loss_has_to_be_confirmed_by_fresh_simulations(monkeypatch):
    """A loss that only the first seeds show is chance; one that all show has the size of the fresh ones."""
    rates = {"worse": lambda _seed: 100.0, "chance": lambda seed: 99.0 if seed <= SEEDS else 100.0 + seed % 2}
    rates["better"] = lambda seed: 98.0 + seed % 2
    monkeypatch.setattr(_Trial, "_simulated", lambda _trial, case, seed: rates[case](seed))
    monkeypatch.setattr(_Trial, "analytic", False)
    trial = _Trial("case")
    assert trial.lost("worse", "chance") == 0.0
    assert trial.lost("worse", "better") == pytest.approx(0.015, rel=0.01)
    assert trial.lost("better", "worse") == 0.0
