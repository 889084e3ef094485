"""CubeFS: what limits each corner, what each mechanism explains, and how far off the published figures it is."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from layers import engines_agree
from models import data_folder
from models.systems.cubefs import CUBEFS
from models.systems.cubefs.parameters import PARAMETERS as DEFINED
from sim import InputError
from sim.data.fitted import path_in, read
from sim.data.package import DataPackage
from sim.prediction import RunOptions, predict
from sim.system.settings import complete
from whole_system import changed, idle_parameters, idle_settings

PARAMETERS = CUBEFS.parameters
FITTED = read(path_in(data_folder(), "cubefs"))
MIB = 1 << 20
QUICK = RunOptions(precision=0.03, answers=("throughput",))
SEQUENTIAL = {"order": "sequential", "block": "128KiB"}
NEWER = {
    "nic": "50Gb/s",
    "data_nodes": 5,
    "ssds_per_node": 4,
    "cpus_per_node": 80,
    "follower_read": "no",
    "hardware": "newer",
}
MOVED = {"payload": 1.01, "newer_ssd_at_once": 2.0, "newer_wake": 0.8}
CARD = PARAMETERS["payload"] * 10e9 / 8 / MIB


def least(*names):
    """The system where these parameters have the lowest values that they may have."""
    return changed(CUBEFS, **{each.name: each.low for each in PARAMETERS.entries if each.name in names})


def rate(system=CUBEFS, **settings):
    """MiB/s."""
    return predict(system, settings, QUICK, intervals=False).throughput.value


def latency_us(system=CUBEFS, **settings):
    """Microseconds of a request, from the processes in flight."""
    chosen = complete(system.settings, settings)
    in_flight = chosen["clients"] * chosen["processes"] * chosen["block"]
    return in_flight / MIB / rate(system, **settings) * 1e6


def scenario(**settings):
    """Simulated answers of these settings."""
    return CUBEFS.scenario(complete(CUBEFS.settings, settings), PARAMETERS)


def errors(name, **conditions):
    """Relative errors of the predicted bandwidths of a dataset, of those figures that have the ``conditions``."""
    found = []
    for figure in DataPackage(data_folder()).read(name).measurements:
        asked = dict(figure.conditions)
        if figure.measure == "throughput" and all(asked[key] == value for key, value in conditions.items()):
            found.append(rate(**asked) / figure.value - 1.0)
    return found


def mean(values):
    return sum(map(abs, values)) / len(values)


@pytest.mark.parametrize("op", ["read", "write"])
def test_work_of_the_nodes_is_built_once_for_all_clients(op):
    """A second client has its own messages to every node; were their work its own, too, steps would double."""
    models = (scenario(op=op, order="random", clients=clients).model for clients in (1, 2))
    one, two = (len(list(model.steps())) for model in models)
    assert two - one < one / 2


def test_a_clients_card_limits_its_sequential_reads():
    assert rate(op="read", processes=64, **SEQUENTIAL) == pytest.approx(CARD, rel=0.005)
    assert rate(op="read", processes=64, nic="20Gb/s", **SEQUENTIAL) > 1.1 * CARD


def test_three_copies_fill_the_data_nodes_cards():
    found = rate(op="write", clients=8, processes=64, **SEQUENTIAL)
    assert 0.85 * 10 * CARD / 3 < found < 10 * CARD / 3
    assert rate(op="write", clients=8, processes=64, replicas=2, **SEQUENTIAL) > 1.3 * found


def test_latency_falls_with_load_and_without_sleep_it_does_not():
    sleepless = least("wake_s", "deep_wake_s")
    for op in ("read", "write"):
        one, sixteen = (latency_us(op=op, processes=processes) for processes in (1, 16))
        assert one > 1.7 * sixteen
        one, sixteen = (latency_us(sleepless, op=op, processes=processes) for processes in (1, 16))
        assert one < 1.4 * sixteen


def test_more_data_nodes_sleep_deeper_under_one_process():
    assert latency_us(data_nodes=30) > 1.02 * latency_us(data_nodes=10) > 1.1 * latency_us(data_nodes=3)


def test_one_queue_of_a_mount_limits_the_requests_of_a_client():
    most = 4096 / PARAMETERS["fuse_queue_s"] / MIB
    assert 0.85 * most < rate(processes=64) <= 1.02 * most
    assert rate(least("fuse_queue_s"), processes=64) > 1.1 * rate(processes=64)


def test_ssds_limit_random_writes_of_all_clients():
    most = 160 / 3 / PARAMETERS["write_access_s"] * 4096 / MIB
    assert 0.75 * most < rate(op="write", clients=8, processes=64) < most
    assert rate(op="write", clients=8, processes=64, ssds_per_node=32) > 1.2 * most


def test_followers_that_may_be_read_spread_reads_of_one_stream():
    """One file: three nodes take turns, and so sleep more."""
    follower, leader = (latency_us(op="read", follower_read=each, **SEQUENTIAL) for each in ("yes", "no"))
    assert follower > 1.01 * leader


def test_twice_the_speed_of_processors_helps_where_they_are_waited_for():
    assert rate(processes=64, cpu_speed=2.0) > 1.2 * rate(processes=64)
    assert rate(op="read", processes=64, cpu_speed=2.0, **SEQUENTIAL) == pytest.approx(CARD, rel=0.005)


def test_appends_wait_for_all_copies_and_for_the_metadata():
    """The new end of the file is a logged write of its own, whose work is done on the leader and on a follower."""
    plain = latency_us(op="write", **SEQUENTIAL)
    assert plain - latency_us(least("commit_s"), op="write", **SEQUENTIAL) > 80
    assert plain > 1.1 * latency_us(op="write", replicas=1, **SEQUENTIAL)


def test_a_majority_of_three_is_quicker_than_both_of_two():
    """Of two copies both are waited for, of three the quicker follower; with nobody asleep, too."""
    for system in (CUBEFS, least("wake_s", "deep_wake_s")):
        two, three = (latency_us(system, op="write", replicas=replicas) for replicas in (2, 3))
        assert two > 1.1 * three


def test_random_reads_go_to_all_nodes_whichever_copies_may_be_read():
    model = {each: scenario(follower_read=each).model for each in (True, False)}
    assert model[True] == model[False]
    model = {each: scenario(follower_read=each, order="sequential").model for each in (True, False)}
    assert model[True] != model[False]


def test_memory_copies_limit_sixteen_appending_processes_of_the_newer_cluster():
    settings = {"op": "write", "processes": 16, **SEQUENTIAL, **NEWER}
    assert rate(least("client_write_byte_s"), **settings) > 1.15 * rate(**settings)


def test_newer_processors_are_as_much_faster_as_processors_get():
    (defined,) = (each for each in DEFINED.free() if each.name == "newer_cpu")
    assert (defined.low, defined.high) == pytest.approx((1.28, 2.0))
    assert not FITTED.parameters["newer_cpu"].at_bound


def test_fewer_nodes_than_copies_are_refused_in_one_line():
    with pytest.raises(InputError, match="replicas is 3 on 2 data nodes; allowed: at most one on each node"):
        rate(data_nodes=2)


def test_the_shipped_fit_is_that_of_these_parameters_and_figures():
    package = DataPackage(data_folder())
    assert FITTED.stale(DEFINED, [package.read(name) for name in ("cubefs", "cubefs-anchors")]) is None
    assert {each.name: FITTED.parameters[each.name].value for each in DEFINED.free()} == {
        each.name: PARAMETERS[each.name] for each in DEFINED.free()
    }


def test_the_fit_is_as_good_as_the_page_says_in_sample_and_cross_validated():
    older = [abs(each.error) for each in FITTED.figures if each.cell.startswith("cubefs/")]
    assert len(older) == 64
    assert statistics.median(older) <= 0.04
    assert sorted(older)[60] <= 0.125
    assert FITTED.errors["cross-validated"].system.median <= 0.05
    assert FITTED.coverage >= 0.9


@pytest.mark.parametrize(
    ("load", "clients", "at", "processes"),
    [("sequential read 128k", 2, 2, 16), ("random read 4k", 1, 1, 4), ("random write 4k", 4, 0, 1)],
)
def test_page_shows_predictions_of_the_newer_cluster(load, clients, at, processes):
    text = (Path(__file__).parents[2] / "benchmarks" / "unseen" / "cubefs.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {load} \| {clients} \| (.*….*) \|$", text, re.MULTILINE)
    shown = float(re.split(r" \| ", row)[at].lstrip("*").split()[0].replace(",", ""))
    order, op, block = load.split()
    settings = {"clients": clients, "processes": processes, "op": op, "order": order, "block": f"{block[:-1]}KiB"}
    assert rate(**settings, **NEWER) == pytest.approx(shown, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "order", "most"),
    [
        ("read", "sequential", 0.03),
        ("write", "sequential", 0.06),
        ("read", "random", 0.09),
        ("write", "random", 0.08),
    ],
)
def test_published_bandwidths_of_the_older_cluster_are_met_in_the_mean(op, order, most):
    assert mean(errors("cubefs", op=op, order=order)) <= most


def test_a_few_published_bandwidths_are_met():
    assert mean(errors("cubefs", clients="4", processes="4")) <= 0.09
    assert mean(errors("cubefs", clients="1", processes="1")) <= 0.09


def test_the_anchors_of_the_newer_cluster_are_met():
    found = errors("cubefs-anchors")
    assert len(found) == 8
    assert mean(found) <= 0.05


def test_every_setting_has_an_effect_on_the_model():
    start = {"clients": 2, "processes": 2, "order": "sequential"}
    other = {
        "clients": 1,
        "processes": 1,
        "op": "write",
        "block": 8192,
        "order": "random",
        "nic": 1e9,
        "data_nodes": 4,
        "ssds_per_node": 4,
        "cpus_per_node": 8,
        "cpu_speed": 2.0,
        "replicas": 2,
        "follower_read": False,
        "hardware": "newer",
    }
    assert set(other) == {each.name for each in CUBEFS.settings}
    assert idle_settings(CUBEFS, other, start) == []


def test_every_parameter_has_an_effect_on_some_model():
    cases = [
        {"op": op, "order": order, "hardware": hardware}
        for op, order in (("read", "random"), ("write", "random"), ("write", "sequential"))
        for hardware in ("older", "newer")
    ]
    assert idle_parameters(CUBEFS, cases, lambda each: each.value * MOVED.get(each.name, 1.25)) == []


@pytest.mark.parametrize(("op", "order"), [("read", "random"), ("write", "random"), ("write", "sequential")])
def test_engines_agree(op, order):
    settings = {"clients": 2, "processes": 3, "op": op, "order": order, "data_nodes": 4, "ssds_per_node": 2}
    model = CUBEFS.scenario(complete(CUBEFS.settings, settings), PARAMETERS).model
    assert engines_agree(model, (10**6, 10**7, 2 * 10**7))
