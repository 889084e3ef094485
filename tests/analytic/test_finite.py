"""M/G/1//N against its Markov chain, and what is known at the edges."""

from __future__ import annotations

import math

import pytest
from scipy import special

from analytic_parts import steady_rates
from sim.engine.analytic.finite import _busy_period, _steady, balanced, finite_residual, residual_service


def hyperexponential(sources, calls, variation):
    """Share of time busy and the mean wait of M/H2/1//N, by its Markov chain; a mean service takes 1."""
    part = balanced(variation)
    kinds = ((part, 2 * part), (1 - part, 2 * (1 - part)))
    rates = {}
    for here in range(sources + 1):
        for kind in range(2) if here else (0,):
            coming = (sources - here) * calls
            for new, (share, _) in enumerate(kinds):
                if here < sources and (not here or new == kind):
                    rates[(here, kind), (here + 1, new)] = coming if here else coming * share
                if here == 1:
                    rates[(here, kind), (0, 0)] = kinds[kind][1]
                elif here:
                    rates[(here, kind), (here - 1, new)] = kinds[kind][1] * share
    shares = steady_rates(rates)
    busy = sum(share for (here, _), share in shares.items() if here)
    queue = sum(share * (here - 1) for (here, _), share in shares.items() if here)
    return busy, queue / busy


@pytest.mark.parametrize(("sources", "calls", "variation"), [(2, 0.4, 9.0), (3, 0.7, 4.0), (5, 0.15, 2.5)])
def test_a_server_with_few_sources_is_its_markov_chain(sources, calls, variation):
    assert _steady(float(sources), calls, variation) == pytest.approx(hyperexponential(sources, calls, variation))


@pytest.mark.parametrize(("sources", "calls", "variation"), [(3, 0.7, 4.0), (5, 0.15, 2.5)])
def test_residual_service_is_the_wait_without_the_queue_found(sources, calls, variation):
    """Arrivals find what sources fewer by one leave: busy or not, and so many in the queue."""
    wait = hyperexponential(sources, calls, variation)[1]
    found_busy, found_wait = hyperexponential(sources - 1, calls, variation)
    expected = (wait - found_busy * found_wait) / found_busy
    assert finite_residual(float(sources), calls, variation) == pytest.approx(expected)
    assert residual_service(float(sources), calls, variation) == pytest.approx(expected)


@pytest.mark.parametrize("sources", [1.0, 1.5, 2.0, 2.5, 4.0])
def test_a_busy_period_is_the_sum_of_products(sources):
    """Σ over n < N of C(N - 1, n) Π over i ≤ n of (1 - B(i λ)) / B(i λ); N need not be whole."""
    calls, part = 0.4, balanced(4.0)

    def left(row):
        """B(i λ) of two exponential branches of half the mean each."""
        return sum(one / (1 + row * calls / (2 * one)) for one in (part, 1 - part))

    total = sum(
        special.binom(sources - 1, count) * math.prod((1 - left(row)) / left(row) for row in range(1, count + 1))
        for count in range(math.ceil(sources))
    )
    assert _busy_period(sources, calls, 4.0) == pytest.approx(total)


def test_a_server_that_is_always_busy_is_not_summed_up_to_the_end():
    """1.4 · 10^9 services or more would be 10^600 in the end."""
    assert 1e9 < _busy_period(3000.0, 1.0, 4.0) < 1e12
    assert _steady(3000.0, 1.0, 4.0) == pytest.approx((1.0, 2998.0))


def test_residual_service_at_the_limits():
    assert residual_service(1.0, 0.4, 9.0) == 0.0
    assert residual_service(0.5, 0.4, 9.0) == 0.0
    assert residual_service(2.0, 0.4, 1.0) == 1.0
    assert residual_service(2.0, 0.4, 0.0) == 0.5
    assert residual_service(math.inf, 0.0, 9.0) == 5.0
    assert residual_service(1.5, 0.4, 9.0) == finite_residual(1.5, 0.4, 9.0)


@pytest.mark.parametrize("variation", [1.0, 2.0, 9.0])
def test_two_branches_have_the_given_variation(variation):
    """Σ p · 2 / (2 p)² = 1 + the squared coefficient of variation."""
    part = balanced(variation)
    assert part >= 0.5
    assert sum(each * 2 / (2 * each) ** 2 for each in (part, 1 - part)) == pytest.approx(1 + variation)
