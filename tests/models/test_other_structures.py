"""Other structures of redo, exadata-ctas and zfs-ufs: each moves the answer where it should, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from layers import Below
from models.parts.disk import Disk
from models.parts.log_writer import Commits, LogWriter, PostedApart
from models.parts.zfs.arc import SkewedArc
from sim import Closed, Exponential, InputError, Model, Use, simulate
from sim.engine.simulation.options import ANALYTIC
from sim.prediction import RunOptions, predict
from sim.prediction.structures import predicted_misses, structures_of, systems_of, weights
from sim.system.case import Case
from sim.system.installed import find

CTAS = ("exadata-ctas", "exadata-ctas-disks")
ZFS = ("zfs-ufs", "zfs-ufs-loop", "zfs-ufs-skewed")
GIB = 1 << 30
ROUGH = RunOptions(precision=0.02)
WORK_S, WRITE_S, POST_S, SESSIONS = 2e-3, 1e-3, 1e-4, 40


def per_second(kind, sessions=SESSIONS):
    """Commits a second through one worker."""
    writer = LogWriter(cores=256, workers=1, dispatch=1e-6, post=POST_S, wake=0.0)
    commits = kind(writer, "", Below(WRITE_S))
    load = Closed("sessions", sessions, (Use(commits.cpu, Exponential(WORK_S)), *commits.commit(sessions)))
    return simulate(Model([load, *commits.background()]), watch="sessions", precision=0.01).throughput.value


def rate(system, **asked):
    return predict(system, asked, ROUGH, intervals=False).throughput.value


def test_posting_worker_cannot_write_and_separate_poster_lets_it_continue():
    """Writes take time of posts from the one; the other posts nearly all of the time."""
    own, apart = per_second(Commits), per_second(PostedApart)
    assert own < 0.8 / POST_S < 0.9 / POST_S < apart <= 1.0 / POST_S


def test_one_session_alone_does_not_care_who_posts_it():
    own, apart = (per_second(kind, 1) for kind in (Commits, PostedApart))
    assert own == pytest.approx(1.0 / (WORK_S + WRITE_S + POST_S / 2), rel=0.06)
    assert apart == pytest.approx(own, rel=0.06)


def test_many_sessions_are_quicker_where_a_process_of_its_own_posts_them():
    own, apart = (rate(name, sessions=96) for name in ("redo", "redo-poster"))
    assert 1.05 < apart / own < 1.2


def test_disks_apart_are_as_many_as_before_each_with_a_queue():
    disks = Disk("cell disks", 2e-3, 85e6, count=12)
    assert {each.station.servers for each in disks.apart} == {1}
    assert len({each.station for each in disks.apart}) == disks.count


def test_few_cells_are_slower_where_each_io_is_bound_to_a_disk():
    asked = {"table": 4 << 30}
    own, bound = ({cells: rate(name, cells=cells, **asked) for cells in (3, 14)} for name in CTAS)
    assert bound[3] < 0.85 * own[3]
    assert 0.9 * own[14] < bound[14] < own[14]


@pytest.mark.parametrize(("phase", "slower"), [("index", 1.05), ("key", 1.05), ("catalog", 1.0)])
def test_tables_that_do_not_fit_as_a_whole_are_read_again_from_end_to_end(phase, slower):
    little, plenty = ({"phase": phase, "memory": size} for size in (3 * GIB, 4 * GIB))
    own, looped = (elapsed_s(name, **little) for name in ZFS[:2])
    assert looped >= slower * own
    assert elapsed_s("zfs-ufs-loop", **plenty) == elapsed_s("zfs-ufs", **plenty)
    if phase != "catalog":
        assert looped == pytest.approx(elapsed_s("zfs-ufs", phase=phase, memory=GIB), rel=0.02)


def test_blocks_that_are_used_more_often_stay():
    """A fifth of the memory takes four fifths of the uses; a scan is no better off."""
    fifth = SkewedArc(1.0, 5.0)
    assert (fifth.missing, fifth.missing_in_turn) == pytest.approx((0.2, 0.8))
    assert SkewedArc(5.0, 5.0).missing == 0.0
    little = {"phase": "catalog", "memory": GIB}
    assert elapsed_s("zfs-ufs-skewed", **little) < 0.97 * elapsed_s("zfs-ufs", **little)


def elapsed_s(system, **asked):
    return predict(system, asked, ROUGH, intervals=False).answers["elapsed"].estimate.value


@pytest.mark.parametrize(("name", "count"), [("redo", 2), ("exadata-ctas", 2), ("zfs-ufs", 3)])
def test_structures_are_weighed_by_held_out_figures(name, count):
    systems = systems_of(find(name))
    assert len(systems) == count
    likely = weights(systems)
    assert sum(likely) == pytest.approx(1.0)
    assert min(likely) > 0.01
    assert max(likely) > 1.001 / count


@pytest.mark.parametrize("name", ["redo", "exadata-ctas", "zfs-ufs"])
def test_the_page_states_the_present_weights_and_errors(name):
    page = (Path(__file__).parents[2] / "docs" / "systems" / f"{name}.md").read_text("utf-8")
    systems = systems_of(find(name))
    for system, weight in zip(systems, weights(systems), strict=True):
        misses = np.concatenate([*predicted_misses(system).values()])
        error = np.mean(np.abs(np.expm1(misses)))
        (row,) = re.findall(rf"^\| `{system.name}` \|.*\|$", page, re.MULTILINE)
        assert row.endswith(f"| {weight:.0%} | {error:.1%} |")


def test_structures_that_the_analytic_engine_refuses_are_simulated():
    with pytest.raises(InputError, match="IfAny"):
        predict("redo", {"sessions": 96}, RunOptions(engine=ANALYTIC), intervals=False)
    own, other = structures_of(Case.of("redo", {"sessions": 96}))
    assert (own.system, other.system) == ("redo", "redo-poster")
    simulated = rate("redo-poster", sessions=96) / rate("redo", sessions=96)
    assert other.ratios["throughput"] == pytest.approx(simulated, rel=0.02)
    assert other.sides["throughput"].below > 0.0
