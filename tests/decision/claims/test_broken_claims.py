"""Claims of known truth: broken ones are noticed, with the cause, and true ones are left alone."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

from benchmarks.broken_claims.made import LEAST, MOST, TRUE
from benchmarks.broken_claims.of_tables import claims_of, names
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


def test_a_broken_claim_of_each_way_is_caught_and_true_ones_are_not(few):
    outcomes = study(few)
    assert len({each.made.cause for each in outcomes}) >= 12
    for each in outcomes:
        assert each.caught is (each.made.way != TRUE), each
        assert each.explained is (each.made.way != TRUE), each


def test_figures_of_a_clean_table_are_plausible():
    (dataset,) = datasets(["cached-read"])
    outcomes = study(list(claims_of(dataset)))
    assert [each.verdict for each in outcomes] == ["plausible"] * 3


@pytest.mark.slow
def test_of_a_thousand_claims_broken_ones_are_caught_with_their_cause():
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = study(claims(1, CLAIMS), partial(pool.map, chunksize=8))
    assert met(outcomes), "\n".join(table(outcomes))


@pytest.mark.slow
def test_no_figure_of_the_clean_tables_raises_an_alarm():
    made = [each for dataset in datasets(names()) for each in claims_of(dataset)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = study(made, partial(pool.map, chunksize=4))
    assert [each.made.table["text"] for each in outcomes if each.caught] == []
