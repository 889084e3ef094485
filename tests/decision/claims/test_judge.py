"""The order of solving, the verdicts, and three questions that are not the same for all."""

from __future__ import annotations

import json
import math

import pytest

from claims import claim_of
from sim.engine.simulation.options import RunOptions
from stacksim.claims import judge as judging
from stacksim.claims.expected import Expected
from stacksim.claims.judge import judge
from stacksim.claims.likelihood import Likely
from stacksim.claims.record import record
from stacksim.claims.verdict import Bound, Explanation

FC = {"hardware": ["2 x fc-2"], "op": "read"}
OPTIONS = RunOptions()


@pytest.fixture(autouse=True)
def _no_suspects(monkeypatch):
    monkeypatch.setattr(judging, "explanations", lambda *_: ())


@pytest.fixture
def model(monkeypatch):
    """Let a model say this, and nothing else."""

    def says(low, high, probability=0.5, bound=None, unit="bytes/s", warnings=()):
        value = (low + high) / 2.0
        told = Expected(value, low, high, unit, probability, bound, warnings, "throughput")
        monkeypatch.setattr(judging, "expected", lambda *_: told)

    return says


def word(**entries):
    return judge(claim_of(**entries), OPTIONS).verdict


def test_own_numbers_come_before_hardware_and_hardware_before_the_model(model):
    model(1e6, 2e6, 0.0)
    broken = {"throughput": "900. MB/s", "iops": "1.00k", "block": "128KiB"}
    assert word(**broken, **FC) == "contradiction"
    assert word(throughput="900. MB/s", **FC) == "impossible"
    assert word(throughput="300. MB/s", **FC) == "implausible"
    model(290e6, 310e6)
    assert word(throughput="300. MB/s", **FC) == "plausible"


@pytest.mark.parametrize(("probability", "doubtful"), [(0.051, False), (0.049, True), (0.0011, True)])
def test_claim_beyond_nineteen_of_twenty_measurements_is_plausible_but_doubtful(model, probability, doubtful):
    model(290e6, 310e6, probability)
    verdict = judge(claim_of(throughput="300. MB/s", **FC), OPTIONS)
    assert verdict.verdict == "plausible"
    assert ("is claimed, which is doubtful (19 of 20 measurements lie nearer), read as" in verdict.why) == doubtful
    assert record([verdict])["claims"][0]["doubtful"] is doubtful
    assert record([verdict])["claims"][0]["likelihood"] == probability


def test_the_bound_is_that_of_the_verdict():
    verdict = judge(claim_of(throughput="900. MB/s", **FC), OPTIONS)
    most = 425e6 * 2112 / 2172
    assert verdict.bound == Bound("2 x fc-2", pytest.approx(most), "bytes/s", pytest.approx(900e6 / most))
    assert verdict.why == "2 x fc-2: 2 × 212.5 MB/s × 2112/2172 in frames = 413.3 MB/s < 900. MB/s (2.18 times)"


def test_claim_in_powers_of_1024_is_also_shown_in_units_of_the_prediction(model):
    model(290e6, 310e6)
    assert judge(claim_of(throughput="290. MiB/s", **FC), OPTIONS).why.endswith(
        "290. MiB/s (304.1 MB/s) is claimed, read as 289.5 MiB/s to 290.5 MiB/s"
    )


def test_derived_number_of_an_undecidable_claim_is_reported():
    verdict = judge(claim_of(iops="1.2M", latency="80 us"), OPTIONS)
    assert verdict.verdict == "undecidable"
    assert verdict.why == (
        "1.2M/s × 80 us = 96 requests in flight follow from it; to decide it: the requests in flight"
    )


def test_a_bound_of_the_model_is_a_bound(model):
    model(1e6, 2e6, 0.0, Bound("node link", 2.5e6, "bytes/s", 4.0))
    verdict = judge(claim_of(throughput="10.0 MB/s"), OPTIONS)
    assert verdict.verdict == "impossible"
    assert (
        verdict.why
        == "node link: 2.5 MB/s in the model, 10.0 MB/s is claimed (4 times), read as 9.95 MB/s to 10.05 MB/s"
    )


def test_claim_of_less_than_one_in_a_thousand_is_implausible(model):
    model(90e6, 104e6, probability=0.0009)
    assert word(throughput="110 MB/s") == "implausible"
    model(90e6, 104e6, probability=0.0011)
    assert word(throughput="110 MB/s") == "plausible"


def test_the_likelihood_is_that_of_the_model(model):
    model(90e6, 104e6, 0.012)
    assert judge(claim_of(throughput="120. MB/s"), OPTIONS).likelihood == 0.012
    model(math.nan, math.nan, math.nan, warnings=("takes too long",))
    assert judge(claim_of(throughput="120. MB/s"), OPTIONS).likelihood is None


def test_a_model_without_an_answer_does_not_decide(model):
    model(math.nan, math.nan, math.nan, warnings=("takes too long",))
    verdict = judge(claim_of(throughput="300. MB/s"), OPTIONS)
    assert verdict.verdict == "undecidable"
    assert verdict.why.startswith("takes too long")
    assert word(throughput="300. MB/s", **FC) == "plausible"


def test_a_ratio_is_compared_with_the_ratio_of_the_model(model):
    model(3.6, 3.8, unit="")
    compared = {"ratio": "3.7", "of": "throughput", "throughput": "1500 MB/s", "than": {"throughput": "405 MB/s"}}
    assert word(**compared) == "plausible"
    model(1.6, 1.8, 0.0001, unit="")
    assert word(**compared) == "implausible"


def test_without_the_direction_it_is_not_decided():
    verdict = judge(claim_of(throughput="450. MB/s", hardware=["2 x fc-2"]), OPTIONS)
    assert verdict.verdict == "undecidable"
    assert verdict.why.endswith("in one direction; to decide it: whether it was read, written, or both")
    assert verdict.questions[0] == "Is 450. MB/s read, written, or both added up?"
    assert word(throughput="400. MB/s", hardware=["2 x fc-2"]) == "plausible"
    assert word(throughput="900. MB/s", hardware=["2 x fc-2"]) == "impossible"


def test_numbers_that_agree_are_plausible_and_those_that_stand_alone_undecidable():
    assert word(iops="1.00k", block="128KiB", throughput="131. MB/s") == "plausible"
    assert word(throughput="131. MB/s") == "undecidable"


@pytest.mark.parametrize(
    ("date", "verdict"), [("2019", "contradiction"), ("2022-07-31", "contradiction"), ("2022", "plausible")]
)
def test_a_claim_is_not_older_than_its_hardware(date, verdict):
    entries = {"throughput": "7 GB/s", "op": "read", "date": date}
    found = judge(claim_of(hardware=["samsung-990-pro"], **entries), OPTIONS)
    assert found.verdict == verdict
    if verdict == "contradiction":
        assert found.why == f"samsung-990-pro is of 2022-08, the claim of {date}"
    than = {"throughput": "3.5 GB/s", "hardware": ["samsung-990-pro"]}
    compared = {"ratio": "2.0", "of": "throughput", "than": than}
    assert word(**entries, **compared) == verdict


@pytest.mark.parametrize(
    ("throughput", "verdict"), [("3 GB/s", "undecidable"), ("3.00 GB/s", "undecidable"), ("2 GB/s", "plausible")]
)
def test_a_verdict_does_not_depend_on_trailing_zeros(throughput, verdict):
    assert word(throughput=throughput, hardware=["2 x 10gbe"]) == verdict


def test_a_job_of_round_numbers_is_checked_against_its_link():
    job = {"bytes": "1 TB", "elapsed": "8 min", "op": "read"}
    assert word(hardware=["10gbe"], **job) == "impossible"


def test_slips_explain_a_contradiction_before_the_suspects(monkeypatch):
    suspects = (Explanation("x", "units", 1.0, "s", 0.0), Explanation("y", "burst", 1.0, "s", 0.0))
    monkeypatch.setattr(judging, "explanations", lambda *_: suspects)
    claim = claim_of(iops="1.000k", block="128KiB", throughput="262.1 MB/s")
    causes = [each.cause for each in judge(claim, OPTIONS).explanations]
    assert causes[0] == "both-directions"
    assert causes[-2:] == ["units", "burst"]


def test_plausible_claim_needs_no_explanation(monkeypatch):
    monkeypatch.setattr(judging, "explanations", lambda *_: pytest.fail("nobody asked"))
    assert judge(claim_of(throughput="300. MB/s", **FC), OPTIONS).explanations == ()


def test_three_questions_follow_from_the_claim():
    claims = [
        {"throughput": "450. MB/s"},
        {"iops": "100k"},
        {"latency": "3 ms"},
        {"elapsed": "3 s"},
        {"throughput": "450. MB/s", "op": "read", "bytes": "8 GB", "duration": "60 s"},
        {
            "throughput": "450. MB/s",
            "price": "3 EUR",
            "op": "read",
            "bytes": "8 GB",
            "duration": "60 s",
            "links": 2,
        },
        {"change": "-28 %", "of": "elapsed", "than": {"elapsed": "3 s"}},
        {},
    ]
    asked = [judge(claim_of(**claim), OPTIONS).questions for claim in claims]
    assert len(set(asked)) == len(asked)
    assert all(len(set(questions)) == 3 for questions in asked)
    assert all("{" not in question for questions in asked for question in questions)


def test_the_statistic_is_asked_for_once(monkeypatch):
    cause = (Explanation("if it is a percentile", "percentile", 1.0, "s", 0.0),)
    monkeypatch.setattr(judging, "explanations", lambda *_: cause)
    questions = judge(claim_of(throughput="900. MB/s", latency="2 ms", **FC), OPTIONS).questions
    assert [each for each in questions if "percentile" in each] == [
        "Is 2 ms the mean or a percentile, and what are the others?"
    ]


def test_questions_follow_from_the_explanations(monkeypatch):
    cached = (Explanation("from memory", "cached-on-host", 1.0, "s", 0.0),)
    monkeypatch.setattr(judging, "explanations", lambda *_: cached)
    questions = judge(claim_of(throughput="900. MB/s", **FC), OPTIONS).questions
    assert questions[0].startswith("How much memory did the hosts have")
    assert questions[1] == "Did all of it pass 2 x fc-2, or which other way did the data take?"


def test_json_has_its_keys_and_no_nan(model):
    model(1e6, 2e6, 1e-9)
    verdicts = [judge(claim_of(**entries), OPTIONS) for entries in ({"throughput": "300. MB/s", **FC}, {})]
    written = json.loads(json.dumps(record(verdicts), allow_nan=False))
    assert [list(each) for each in written["claims"]] == [
        [
            "text",
            "source",
            "date",
            "verdict",
            "why",
            "bound",
            "likelihood",
            "doubtful",
            "explanations",
            "questions",
            "numbers",
        ]
    ] * 2
    said = written["claims"][0]["numbers"]
    assert said == {"throughput": {"said": "300. MB/s", "low": 299.5e6, "high": 300.5e6, "unit": "bytes/s"}}


@pytest.mark.parametrize(
    ("said", "verdict", "read"),
    [
        ("5 GB/s", "plausible", "4.75 GB/s to 5.25 GB/s"),
        ("5.0 GB/s", "implausible", "4.95 GB/s to 5.05 GB/s"),
        ("~5.0 GB/s", "plausible", "4.5 GB/s to 5.5 GB/s"),
    ],
)
def test_a_verdict_that_hangs_on_digits_says_how_they_were_read(monkeypatch, said, verdict, read):
    """A prediction of 4.3 GB/s, of which 4.75 are 2.5 deviations away and 4.95 are 3.5."""
    claim, likely = claim_of(throughput=said), Likely(4.3e9, 0.04, 0.04)
    probability = likely.probability(claim.numbers["throughput"])
    told = Expected(4.3e9, likely.low, likely.high, "bytes/s", probability, None, (), "throughput")
    monkeypatch.setattr(judging, "expected", lambda *_: told)
    found = judge(claim, OPTIONS)
    assert found.verdict == verdict
    assert found.why.endswith(f", read as {read}")


@pytest.mark.parametrize("said", ["4..5 GB/s", ">= 4 GB/s", "<= 5 GB/s"])
def test_a_number_that_says_its_ends_is_not_read_otherwise(model, said):
    model(4e9, 5e9)
    assert "read as" not in judge(claim_of(throughput=said), OPTIONS).why
