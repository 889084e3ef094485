"""The block store: by hand what the parts of a request take, what limits it, and how far off the figures it is."""

from __future__ import annotations

import statistics

import pytest

from models import data_folder
from models.systems.block_store import BLOCK_STORE
from models.systems.block_store.parameters import PARAMETERS as DEFINED
from sim import InputError
from sim.data.fitted import path_in, read
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system.case import Case
from whole_system import changed

P = BLOCK_STORE.parameters
QUICK = RunOptions(precision=0.02, answers=("throughput",))
BYTES, HEADER = 4096, 128
SATURATED = {"jobs": 12, "depth": 128}
LARGE = {"jobs": 6, "depth": 16, "block": "4MiB"}
OLDER = {"study": "2021", "nodes": 4, "drives": 6, "nic": "25Gb/s"}


def answers(system=BLOCK_STORE, **settings):
    found = predict(system, settings, QUICK, intervals=False).answers
    return {name: each.estimate.value for name, each in found.items()}


def rate(*args, **settings):
    return answers(*args, **settings)["throughput"]


def message_s(data_bytes, nic=50e9 / 8):
    return (HEADER + data_bytes) / (nic * P["payload"])


def hop_s(data_bytes):
    """There with so much, and back."""
    return P["round_trip_s"] + message_s(data_bytes) + message_s(0)


def served_s(op):
    return P[f"server_{op}_s"] + BYTES * P[f"server_{op}_byte_s"]


def test_a_read_at_depth_1_is_the_sum_of_its_parts():
    """Its data go out through the server's card, and come in through the client's."""
    client_s = P["client_s"] + BYTES * P["client_byte_s"]
    expected_s = client_s + hop_s(BYTES) + hop_s(BYTES) - P["round_trip_s"] + served_s("read") + P["nvme_read_s"]
    assert rate() == pytest.approx(1 / expected_s, rel=1e-3)


def test_a_write_at_depth_1_has_a_hop_and_a_server_more():
    to_leader_s = hop_s(BYTES) + hop_s(BYTES) - P["round_trip_s"]
    to_copy_s = hop_s(BYTES) + served_s("write")
    expected_s = P["client_s"] + to_leader_s + served_s("write") + to_copy_s + P["nvme_write_s"]
    assert rate(op="write") == pytest.approx(1 / expected_s, rel=0.01)


@pytest.mark.parametrize(("op", "published"), [("read", 9_800), ("write", 27_000)])
def test_raw_drive_at_depth_1_equals_its_source(op, published):
    assert rate(study="2021", client="raw", op=op) == pytest.approx(published, rel=0.015)


def test_clients_limit_small_reads():
    a_client = 1 / (P["client_s"] + BYTES * P["client_byte_s"])
    assert rate(**SATURATED) == pytest.approx(12 * a_client, rel=0.01)
    assert rate(changed(BLOCK_STORE, client_s=P["client_s"] / 2), **SATURATED) > 1.3 * rate(**SATURATED)


def test_servers_limit_small_writes_and_their_processor_is_full():
    found = answers(op="write", **SATURATED)
    assert found["throughput"] == pytest.approx(24 * 2 / (2 * served_s("write")), rel=0.02)
    assert found["server_cpu"] == pytest.approx(200, rel=0.02)
    third = rate(op="write", scheme="3-replicas", **SATURATED)
    assert third == pytest.approx(found["throughput"] * 2 / 3, rel=0.02)


def test_processor_time_is_proportional_to_requests():
    found = answers(**SATURATED)
    assert found["server_cpu"] == pytest.approx(100 * found["throughput"] / 24 * served_s("read"), rel=0.01)


def test_sata_drives_limit_small_writes_by_all_that_each_copy_makes_them_write():
    found = rate(op="write", jobs=8, depth=64, **OLDER)
    assert found == pytest.approx(24 * P["sata_write_iops"] / P["drive_writes"] / 2, rel=0.03)
    assert rate(changed(BLOCK_STORE, drive_writes=2.0), op="write", jobs=8, depth=64, **OLDER) > 1.5 * found


def test_cards_of_the_machines_limit_large_writes():
    """Each byte comes in twice; six clients could send twice as much."""
    card = 50e9 / 8 * P["payload"] / 1e6
    assert answers(op="write", **LARGE)["bandwidth"] == pytest.approx(3 * card / 2, rel=0.03)


def test_a_card_limits_one_client_that_writes():
    found = answers(op="write", jobs=1, depth=32, block="4MiB", **OLDER)["bandwidth"]
    assert found == pytest.approx(25e9 / 8 * P["payload"] / 1e6, rel=0.02)


def test_nbd_adds_a_wait_and_a_copy():
    plain, nbd = (rate(client=each, **OLDER) for each in ("library", "nbd"))
    assert 1 / nbd - 1 / plain == pytest.approx(P["nbd_s"] + BYTES * P["nbd_byte_s"], rel=0.01)


def test_a_small_write_with_parity_takes_a_read_of_another_drive_more():
    copies, parity = (rate(op="write", scheme=each) for each in ("2-replicas", "ec-2-1"))
    assert 1 / parity - 1 / copies == pytest.approx(
        hop_s(0) + message_s(BYTES) - message_s(0) + served_s("read") + P["nvme_read_s"], rel=0.02
    )
    assert rate(scheme="ec-2-1") == rate(scheme="2-replicas")


def test_whole_stripes_are_refused():
    with pytest.raises(InputError, match=r"block is 4194304 bytes with scheme=ec-2-1; allowed of writes: up to"):
        Case.of(BLOCK_STORE, {"op": "write", "scheme": "ec-2-1", "block": "4MiB"}).scenario  # noqa: B018


def test_rdma_saves_time_on_the_way_and_on_processors():
    saved_s = 2 * (P["round_trip_s"] - P["rdma_round_trip_s"])
    work_s = (1 - P["rdma_work"]) * (P["client_s"] + 2 * served_s("write"))
    tcp, rdma = (rate(op="write", network=each) for each in ("tcp", "rdma"))
    assert 1 / tcp - 1 / rdma == pytest.approx(saved_s + work_s, rel=0.02)


def test_the_fit_has_many_more_figures_than_parameters():
    fitted = read(path_in(data_folder(), "block-store"))
    assert len(DEFINED.free()) == len(fitted.parameters) == 10
    assert len(fitted.figures) == 36


def test_published_figures_are_within_the_errors_of_the_fit():
    errors = [abs(cell.error) for cell in report(datasets(["block-store"]), QUICK).cells]
    assert len(errors) == 36
    assert statistics.median(errors) < 0.03
    assert sum(error > 0.1 for error in errors) == 5
    assert max(errors) < 0.55
