"""Questions of lessons on designs, growth, failures and claims; of one server all answers are known."""

from __future__ import annotations

import pytest

from one_server import SERVER
from sim.engine.errors import InputError
from stacksim.notebook import claim, fail, find, growth

EXACT = {"engine": "analytic"}
"""For one server it is: the mean latency is 1 / (100 speed - rate)."""


@pytest.mark.parametrize("speeds", ["1..8", range(1, 9), [1, 2, 3, 4]])
def test_the_smallest_design_is_found(speeds):
    assert find(SERVER, "mean<=10ms", rate=150, speed=speeds, **EXACT).design == {"speed": 3}


def test_the_largest_value_is_found():
    finding = find(SERVER, "mean<=1s", rate=0, clients="1..200", largest="clients", **EXACT)
    assert finding.design == {"clients": 100}


def test_impossible_goal_gives_no_design():
    assert find(SERVER, "mean<=1ms", rate=150, speed="1..4", **EXACT).design is None


def test_a_growing_load_breaks_its_goal():
    (breaking,) = growth(SERVER, "mean<=20ms", load="rate", by=0.1, months=12, rate=40, **EXACT).breakings
    assert breaking.month == 3  # 40 x 1.1^3 = 53.2, and 50 keeps it just so


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rate": None}, "'rate' has no value.*rate=…"),
        ({"by": 0.0}, "by is 0.0"),
        ({"months": 0}, "months is 0"),
        ({"load": "speeed"}, "'speeed' has no value"),
    ],
)
def test_load_that_cannot_grow_is_refused(changed, told):
    words = {"load": "rate", "by": 0.1, "months": 12, "rate": 40} | changed
    with pytest.raises(InputError, match=told):
        growth(SERVER, "mean<=20ms", **{name: value for name, value in words.items() if value is not None})


def test_prediction_without_a_part_is_reported():
    left = fail(SERVER, rate=50, speed=2, **EXACT)
    assert left.before.answers["mean"].estimate.value == pytest.approx(1 / 150)
    assert left.without("half of the server").answers["mean"].estimate.value == pytest.approx(1 / 50)
    with pytest.raises(InputError, match="no part 'half'; allowed: half of the server"):
        left.without("half")


def test_a_claim_is_judged():
    verdict = claim("450 MB/s", "somebody", throughput="450 MB/s", op="read", hardware=["2 x fc-2"])
    assert verdict.verdict == "impossible"
    assert verdict.claim.source == "somebody"


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"throughputt": "450 MB/s"}, "throughputt"),
        ({"throughput": "450 MB/s", "hardware": ["fc-3"]}, "fc-3"),
        ({"ratio": "2", "of": "throughput", "than": {"hardware": ["fc-3"]}}, "fc-3"),
    ],
)
def test_a_claim_that_cannot_be_read_is_refused_in_one_line(entries, told):
    with pytest.raises(InputError, match=told) as refused:
        claim("a claim", "somebody", **entries)
    assert "\n" not in str(refused.value)
