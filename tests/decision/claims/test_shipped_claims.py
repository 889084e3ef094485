"""The claim files that come along: each verdict is the one decided by hand, with the cause that is right."""

import tomllib
from pathlib import Path

import pytest

from sim.engine.simulation.options import RunOptions
from stacksim.claims.claim_file import read
from stacksim.claims.judge import judge

FOLDER = Path(__file__).parents[3] / "calibration-data" / "claims"
FILES = ("sources", "present-day")
FIRST = 3


def shipped(name):
    path = FOLDER / f"{name}.toml"
    entries = tomllib.loads(path.read_text())["claim"]
    return list(zip(read(path), entries, strict=True))


def modelled(claim):
    return bool(claim.subject.modelled or (claim.comparison and claim.comparison.subject.modelled))


def misjudged(name, of_models):
    """The claims whose verdict, or cause, is not the one that was decided by hand."""
    for claim, entry in shipped(name):
        if modelled(claim) is of_models:
            verdict = judge(claim, RunOptions(precision=0.02))
            causes = [each.cause for each in verdict.explanations[:FIRST]]
            right = verdict.verdict == entry["expect"] and entry.get("cause") in {None, *causes}
            if not right:
                yield claim.where, claim.text, verdict.verdict, verdict.why, causes, entry["expect"]


@pytest.mark.parametrize("name", FILES)
def test_each_claim_has_a_source_an_expected_verdict_and_a_reason(name):
    for _, entry in shipped(name):
        assert entry["text"]
        assert entry["source"]
        assert entry["expect"]
        assert entry["reason"]


def test_claims_of_our_time_are_many_cited_and_some_of_them_honest():
    entries = [entry for _, entry in shipped("present-day")]
    assert len(entries) >= 25
    assert all("https://" in entry["source"] or "http://" in entry["source"] for entry in entries)
    assert sum(entry["expect"] == "plausible" for entry in entries) >= len(entries) / 3
    assert sum(entry["expect"] == "undecidable" for entry in entries) <= 5


@pytest.mark.parametrize("name", FILES)
def test_verdicts_without_a_model_are_those_decided_by_hand(name):
    assert not list(misjudged(name, of_models=False))


@pytest.mark.slow
def test_verdicts_with_a_model_are_those_decided_by_hand():
    assert not list(misjudged("sources", of_models=True))


def test_a_reviewers_verdict_does_not_sway_the_programs(tmp_path):
    text = (FOLDER / "present-day.toml").read_text()
    path = tmp_path / "claims.toml"
    path.write_text(text.replace('expect = "plausible"', 'expect = "impossible"'))
    claims = read(path)[:3]
    assert [judge(each, RunOptions()).verdict for each in claims] == [
        judge(each, RunOptions()).verdict for each, _ in shipped("present-day")[:3]
    ]
