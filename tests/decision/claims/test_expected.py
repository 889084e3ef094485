"""Expectation of a model for a claim, by value: all answers of the shelf are arithmetic."""

from __future__ import annotations

import math

import pytest

from claims import BUCKET, claim_of
from shelf import SECONDS, SHELF, shelf
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction import predict
from sim.prediction.misses import next_miss
from sim.system.case import Case
from sim.system.derivation import REPEATS
from sim.system.parameters import DEVIATIONS
from stacksim.claims import predicted
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.expected import expected

OPTIONS = RunOptions()
BLOCK = 65536


@pytest.fixture
def of(tmp_path):
    """Expectation of the shelf for a claim with these entries."""
    stack = shelf(tmp_path)
    return lambda **entries: expected(claim_of(stack=stack, **entries), OPTIONS)


@pytest.mark.parametrize(
    ("entries", "value"),
    [
        ({"iops": "2.00k"}, 1 / SECONDS),
        ({"throughput": "131 MB/s"}, BLOCK / SECONDS),
        ({"latency": "500 us"}, SECONDS),
        ({"elapsed": "76 s", "bytes": "10 GB"}, 1e10 / (BLOCK / SECONDS)),
        ({"throughput_each": "131 MB/s", "clients": 2, "links": 2}, BLOCK / SECONDS),
        ({"iops": "5000", "op": "write"}, 1 / (SECONDS - 300e-6)),
        ({"iops": "4000", "requests_in_flight": 2}, 2 / SECONDS),
        ({"iops": "4000", "clients": 2, "requests_in_flight": 2, "links": 2}, 2 / SECONDS),
        ({"iops": "2293", "block": "4KiB"}, 1 / (SECONDS - (BLOCK - 4096) / 1e9)),
        ({"iops": "500", "settings": {"slow": 5}}, 1 / (SECONDS + 1600e-6)),
    ],
)
def test_a_number_is_read_off_the_case_that_is_claimed(of, entries, value):
    assert of(**entries).value == pytest.approx(value, rel=0.02)


@pytest.mark.parametrize(("of_latency", "share"), [("p50", 0.50), ("p99", 0.99)])
def test_a_percentile_is_read_off_a_case_whose_times_vary(tmp_path, of_latency, share):
    """A gamma distribution that varies by its mean is exponential; the link takes always the same."""
    stack = shelf(tmp_path, SHELF.replace('kind = "ssd"', 'kind = "ssd"\nvariation = 1.0\nunit_share = 1.0'))
    found = expected(claim_of(stack=stack, latency={"value": "500 us", "of": of_latency}), OPTIONS)
    assert found.value == pytest.approx(SECONDS - 400e-6 - 400e-6 * math.log(1 - share), rel=0.04)


def test_a_percentile_of_constants_is_not_known_and_says_so(of):
    found = of(latency={"value": "500 us", "of": "p99"})
    assert math.isnan(found.value)
    assert not found.known
    assert found.warnings[-1] == (
        "the model's p99 is not modelled: times of ssd units, delays, link back are constants; give them a "
        "variation, or a measured distribution"
    )


def test_ratio_of_percentiles_of_constants_is_unknown(of):
    found = of(ratio="2.0", of="latency", measure="p99", op="write", than={"op": "read"})
    assert math.isnan(found.probability), "which is no reason to call the claim implausible"
    assert found.warnings[-1].startswith("the model's p99 is not modelled: times of ssd units")


def test_claim_without_a_matching_setting_gets_a_warning(of):
    warnings = of(iops="2.00k", cores=8, data="zeros").warnings
    assert warnings == ("the model of 'shelf' has no data zeros", "the model of 'shelf' has no cores 8")


def test_the_interval_is_of_ranges_models_and_runs(of):
    found = of(iops="2.00k")
    range_ = math.log((SECONDS + 100e-6) / SECONDS) / DEVIATIONS
    half = DEVIATIONS * math.hypot(range_, next_miss({}, 0.0, "throughput"), REPEATS)
    assert math.log(found.value / found.low) == pytest.approx(half, rel=0.1)


@pytest.mark.parametrize("measure", ["throughput", "p99"])
def test_fit_is_judged_by_cross_validated_errors(measure):
    """In the band that is printed; figures of 8 KiB were missed by three times the scatter about the fit."""
    settings = {"block": "8KiB", "depth": "128", "run": "blocks"}
    band = predict("nvme", settings, RunOptions(precision=0.03)).intervals[measure]
    said = {"iops": "100k"} if measure == "throughput" else {"latency": {"value": "1 ms", "of": measure}}
    found = expected(claim_of(system="nvme", settings=settings, **said), OPTIONS)
    ends = math.log(found.value / found.low), math.log(found.high / found.value)
    scale = 1e3 if measure == "throughput" else 1.0
    middle = math.sqrt(band.low * band.high) * scale
    assert ends[0] + ends[1] == pytest.approx(math.log(band.high / band.low), rel=0.1)
    assert math.sqrt(found.low * found.high) == pytest.approx(middle, rel=0.03)


def test_the_probability_is_one_within_rounding_and_falls_with_the_distance(of):
    high = of(iops="2.00k").high
    near, end, far = (of(iops=iops).probability for iops in ("2.00k", f"{high:.0f}", "10000"))
    assert near == 1.0
    assert end == pytest.approx(0.1, abs=0.01), "the end of the interval at 90 %"
    assert far < 1e-6


def test_published_bounds_are_firm_and_guessed_ones_are_not(of):
    link = of(throughput="1.5 GB/s", requests_in_flight=16).bound
    assert (link.place, link.value) == ("link back", pytest.approx(1e9, rel=1e-6))
    assert link.factor == pytest.approx(1.5)
    assert of(throughput="995 MB/s", requests_in_flight=16).bound is None
    assert of(iops="4000").bound is None, "a read may take 100 us by its bounds, and 200 us in all"
    fastest = of(iops="6000").bound
    assert fastest.value == pytest.approx(1 / (SECONDS - 300e-6), rel=0.01)


def test_background_work_is_no_bound():
    """Four streams write into memory, and end before the drives have it all."""
    settings = {"streams": 4, "op": "write"}
    found = expected(claim_of(system="san", settings=settings, throughput="1791 MB/s"), OPTIONS)
    assert found.bound is None
    assert found.low < 1791e6 < found.high


@pytest.mark.slow
def test_both_sides_of_a_ratio_share_their_uncertainty(of):
    ratio = of(ratio="3.0", of="throughput", op="write", than={"op": "read"})
    expected_ratio = SECONDS / (SECONDS - 300e-6)
    assert ratio.value == pytest.approx(expected_ratio, rel=0.02)
    assert ratio.unit == ""
    doubled = of(ratio="2.00", of="iops", requests_in_flight=2, than={"requests_in_flight": 1})
    assert doubled.value == pytest.approx(2.0, rel=0.01)
    assert math.log(doubled.high / doubled.value) < math.log(ratio.high / ratio.value), "the drive's time cancels"


def test_a_change_of_the_block_is_read_in_bytes(of):
    found = of(change="+80 %", of="throughput", block="128KiB", than={"block": "64KiB"})
    assert found.value == pytest.approx(2.0 * SECONDS / (SECONDS + BLOCK / 1e9), rel=0.02)


@pytest.mark.slow
def test_a_ratio_of_a_measure_of_jobs():
    settings = {"file": "16MiB", "against": "none"}
    sides = {"settings": {**settings, "utility": "cp8M"}, "than": {"settings": {**settings, "utility": "cp"}}}
    found = expected(claim_of(system="file-copy", ratio="0.1", of="elapsed", measure="elapsed", **sides), OPTIONS)
    assert 0.01 < found.value < 0.5


def test_equal_sides_are_no_comparison(of):
    found = of(ratio="2", of="throughput", than={"throughput": "3 MB/s"})
    assert not found.known
    assert "both sides" in found.warnings[-1]


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"latency": {"value": "1 ms", "of": "max"}}, "no answer of 'shelf'"),
        ({"elapsed": "10 s"}, "no answer of 'shelf'"),
    ],
)
def test_answer_missing_from_the_model_is_unknown(of, entries, why):
    found = of(**entries)
    assert not found.known
    assert why in found.warnings[-1]


def test_impossible_case_is_unknown_with_a_reason():
    found = expected(claim_of(system="san", settings={"paths_lost": 2}, throughput="1 GB/s"), OPTIONS)
    assert not found.known
    assert "paths_lost is 2 of 2 paths" in found.warnings[-1]


def test_a_wrong_setting_is_a_slip_of_the_file(of):
    with pytest.raises(InputError, match=r"claims\.toml.*no setting 'blok'.*block"):
        of(iops="2.00k", settings={"blok": 1})


def test_hardware_alone_has_no_model():
    assert expected(claim_of(hardware=["fc-2"], throughput="1 GB/s"), OPTIONS) is None


def test_claims_about_one_case_share_a_prediction(of, monkeypatch):
    of(iops="2.00k")
    monkeypatch.setattr(predicted, "predict_case", None)
    assert of(throughput="1 GB/s").known
    assert of(latency="1 ms").known


def test_a_measurement_that_was_short_sees_the_burst(tmp_path):
    """Of a bucket of 20,000 I/Os at 1,000 a second, spent at 3,000: ten seconds, and then a third."""
    path = tmp_path / "bucket.toml"
    path.write_text(BUCKET, encoding="utf-8")
    long, short, mixed = (
        expected(claim_of(stack=str(path), iops="1000", **time), OPTIONS)
        for time in ({}, {"duration": "5 s"}, {"duration": "20 s"})
    )
    assert long.value == pytest.approx(1000, rel=0.02)
    assert short.value == pytest.approx(3000, rel=0.02)
    assert mixed.value == pytest.approx(2000, rel=0.02)


def test_a_burst_of_hours_is_seen_without_each_of_its_events(tmp_path):
    """Of 40 million I/Os at 1,000 a second, spent at 3,000, a run of eight hours sees five and a half of them."""
    path = tmp_path / "bucket.toml"
    path.write_text(BUCKET.replace("20000", "40000000"), encoding="utf-8")
    hours = expected(claim_of(stack=str(path), iops="1000", duration="8 h"), OPTIONS)
    assert hours.value == pytest.approx((40e6 + 1000 * 8 * 3600) / (8 * 3600), rel=0.02)


def test_a_setting_by_name_is_kept():
    about = ClaimedCase.of(claim_of(system="nvme-xfs", iops="1k", block="8KiB", settings={"block": "4KiB"}))
    assert about.case.settings["block"] == 4096
    assert about.left_out == ("block 8KiB (block is set to something else)",)


def test_the_analytic_engine_gives_the_interval_of_the_simulation():
    """A claim about a system is judged with its own answers to other values of parameters, too."""
    case = Case.of("dbfs", {"users": 8, "block": 131072})
    analytic, simulated = (
        predicted.likely(case, RunOptions(engine=engine), "throughput") for engine in ("analytic", "auto")
    )
    assert analytic.low == pytest.approx(simulated.low, rel=0.05)
    assert analytic.high == pytest.approx(simulated.high, rel=0.05)
