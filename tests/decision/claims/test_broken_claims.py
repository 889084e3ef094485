"""Claims of known truth: broken ones are noticed, with the cause, and true ones are left alone."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

from benchmarks.broken_claims.made import LEAST, MOST, TRUE, Made
from benchmarks.broken_claims.of_tables import claims_of, names, rows_of
from benchmarks.claims import CLAIMS, claims, met, study, table
from sim.prediction.report import datasets

WAYS = {
    "cached-on-host",
    "cached-in-array",
    "short-run",
    "both-directions",
    "compressible",
    "merged-requests",
    "burst",
    "second-cap",
    "other-date",
    "miscounted",
}


@pytest.fixture(scope="module")
def few():
    """A true claim, and a broken one of each cause, about hardware alone."""
    return list({each.cause or each.way: each for each in claims(3, 300, of_models=0.0)}.values())


def test_claims_are_broken_in_ten_ways_by_factors_of_one_and_a_half_to_ten():
    made = claims(1, 300, of_models=0.0)
    assert {each.way for each in made} == {TRUE, *WAYS}
    assert all(LEAST <= each.factor <= MOST for each in made if each.way != TRUE)


def test_broken_claims_of_each_kind_are_caught_and_true_ones_are_not(few):
    outcomes = study(few)
    assert len({each.made.cause for each in outcomes}) >= 12
    for each in outcomes:
        assert each.caught is (each.made.way != TRUE), each
        assert each.explained is (each.made.way != TRUE), each


def test_figures_of_a_clean_table_are_plausible():
    (dataset,) = datasets(["cached-read"])
    outcomes = study(list(claims_of(dataset)))
    assert [each.verdict for each in outcomes] == ["plausible"] * 3


@pytest.mark.parametrize("name", names())
def test_no_row_of_a_published_table_contradicts_itself_nor_does_the_table(name):
    """Every run as one claim of all its numbers as printed, and the whole table as one file."""
    (dataset,) = datasets([name])
    outcomes = study(list(rows_of(dataset)))
    assert outcomes
    assert [(each.made.table, each.verdict) for each in outcomes if each.caught] == []


@pytest.mark.parametrize(
    ("name", "runs"),
    [("cubefs", 64), ("cubefs-anchors", 8), ("nvme", 45), ("nvme-blocks", 72), ("ext4-exclusive", 3)],
)
def test_numbers_of_a_row_are_held_against_each_other(name, runs):
    """Or nothing could contradict: a row of these tables has its rate, and its latency or its bandwidth."""
    (dataset,) = datasets([name])
    made = list(rows_of(dataset))
    assert sum(each.verdict == "plausible" for each in study(made)) == runs
    broken = [
        Made(
            each.kind,
            each.way,
            "",
            1.0,
            {**each.table, "requests_in_flight": each.table["requests_in_flight"] * 2},
        )
        for each in made
        if "latency" in each.table
    ]
    assert all(each.caught for each in study(broken))


@pytest.mark.slow
def test_broken_ones_of_a_thousand_claims_are_caught_with_their_cause():
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = study(claims(1, CLAIMS), partial(pool.map, chunksize=8))
    assert met(outcomes), "\n".join(table(outcomes))


@pytest.mark.slow
def test_no_figure_of_the_clean_tables_raises_an_alarm():
    made = [each for dataset in datasets(names()) for each in claims_of(dataset)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = study(made, partial(pool.map, chunksize=4))
    assert [each.made.table["text"] for each in outcomes if each.caught] == []
