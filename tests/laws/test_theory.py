"""The closed forms against published numbers and against computations made another way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import textbook
from sim import InputError, NoSteadyStateError
from sim.engine.analytic import closed_forms

EXACT = 1e-9
"""Relative error left to rounding."""

times_s = st.floats(1e-6, 1e3)
utilisations = st.floats(0.001, 0.98)
server_counts = st.integers(1, 60)
small_fractions = st.fractions(min_value=Fraction(1, 20), max_value=20, max_denominator=20)


def near(value: float) -> Any:
    return pytest.approx(value, rel=EXACT, abs=1e-12)


def obeys_littles_law(steady: closed_forms.Steady, service_s: float, servers: int) -> None:
    assert steady.queue == near(steady.throughput * steady.waiting_s)
    assert steady.population == near(steady.throughput * steady.response_s)
    assert steady.population - steady.queue == near(steady.utilisation * servers)
    assert steady.response_s - steady.waiting_s == pytest.approx(service_s, rel=1e-6)


# Published numbers, each to the digits printed.


def test_gateway_of_the_textbook() -> None:
    """Jain, The Art of Computer Systems Performance Analysis, example 31.1: 125 packets/s, 2 ms each."""
    gateway = textbook.mm1(125.0, 0.002)
    assert gateway.utilisation == pytest.approx(0.25, abs=0.005)
    assert gateway.population == pytest.approx(0.33, abs=0.005)
    assert gateway.response_s == pytest.approx(0.00266, abs=0.00001)


def test_terminals_of_the_textbook() -> None:
    """Jain, example 31.2: 10 students an hour stay 20 minutes each at one of five terminals."""
    terminals = textbook.mmc(10 / 3600, 1200.0, 5)
    assert closed_forms.erlang_c(10 / 3, 5) == pytest.approx(0.33, abs=0.005)
    assert terminals.utilisation == pytest.approx(0.67, abs=0.005)
    assert terminals.population == pytest.approx(4.0, abs=0.05)
    assert terminals.queue == pytest.approx(0.65, abs=0.005)
    assert terminals.response_s / 60 == pytest.approx(24, abs=0.5)


def test_timesharing_system_of_the_textbook() -> None:
    """Jain, example 34.2: 16, 10 and 5 visits of 0.125, 0.3 and 0.2 s, think time 4 s."""
    demands_s = [16 * 0.125, 10 * 0.3, 5 * 0.2]
    one = textbook.mva(demands_s, 1, think_s=4.0)
    assert (one.response_s, one.throughput) == (near(6.0), near(0.1))
    assert one.queue_length == (near(0.2), near(0.3), near(0.1))
    two = textbook.mva(demands_s, 2, think_s=4.0)
    assert two.residence_s == (near(2.4), near(3.9), near(1.1))
    assert two.response_s == near(7.4)
    assert two.throughput == pytest.approx(0.175, abs=0.0005)


@pytest.mark.parametrize(
    ("load", "servers", "blocked"), [(1.0, 1, "1/2"), (1.0, 2, "1/5"), (2.0, 2, "2/5"), (10.0, 10, "0.2146")]
)
def test_erlang_b_tables(load: float, servers: int, blocked: str) -> None:
    assert closed_forms.erlang_b(load, servers) == pytest.approx(float(Fraction(blocked)), abs=0.00005)


# Open queues.


@given(times_s, utilisations)
def test_mm1_is_its_geometric_distribution(service_s: float, utilisation: float) -> None:
    steady = textbook.mm1(utilisation / service_s, service_s)
    jobs = np.arange(20_000)
    shares = (1 - utilisation) * utilisation**jobs
    assert steady.population == pytest.approx(float(shares @ jobs), rel=1e-6)
    assert steady.queue == pytest.approx(float(shares @ np.maximum(jobs - 1, 0)), rel=1e-6)
    obeys_littles_law(steady, service_s, 1)


@given(times_s, utilisations)
def test_constant_service_halves_the_wait_of_random_service(service_s: float, utilisation: float) -> None:
    rate = utilisation / service_s
    assert textbook.md1(rate, service_s).waiting_s == near(textbook.mm1(rate, service_s).waiting_s / 2)


def embedded_md1_population(utilisation: float, states: int = 400) -> float:
    """Mean number left behind in M/D/1: its embedded chain, in which Poisson arrivals come per service."""
    arrivals = [math.exp(j * math.log(utilisation) - utilisation - math.lgamma(j + 1)) for j in range(states)]
    chain = np.zeros((states, states))
    for left in range(states):
        first = max(left - 1, 0)
        chain[left, first:] = arrivals[: states - first]
    chain[:, -1] += 1.0 - chain.sum(axis=1)
    return float(stationary(chain - np.eye(states)) @ np.arange(states))


def stationary(generator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distribution, shape (states,), that balances ``generator``, whose rows add up to 0."""
    equations = generator.T.copy()
    equations[-1] = 1.0
    right = np.zeros(len(generator))
    right[-1] = 1.0
    return np.asarray(np.linalg.solve(equations, right), dtype=np.float64)


@pytest.mark.parametrize("utilisation", [0.1, 0.5, 0.8])
def test_md1_is_its_embedded_chain(utilisation: float) -> None:
    population = textbook.md1(utilisation / 3.0, 3.0).population
    assert population == pytest.approx(embedded_md1_population(utilisation), rel=1e-8)


def hyperexponential_population(rate: float, means_s: tuple[float, float], states: int = 400) -> float:
    """Mean number in M/H2/1, either mean equally likely, by solving a truncated two-phase chain."""
    chain = np.zeros((2 * states + 1, 2 * states + 1))  # 0: empty; 1 + 2·(jobs − 1) + phase otherwise
    chain[0, 1:3] = rate / 2
    for jobs in range(1, states + 1):
        for phase, mean_s in enumerate(means_s):
            here = 2 * jobs - 1 + phase
            chain[here, [0] if jobs == 1 else [2 * jobs - 3, 2 * jobs - 2]] = 1 / mean_s / min(jobs, 2)
            if jobs < states:
                chain[here, here + 2] = rate
    np.fill_diagonal(chain, -chain.sum(axis=1))
    return float(stationary(chain) @ np.r_[0, np.repeat(np.arange(1, states + 1), 2)])


def test_mg1_is_a_chain_of_hyperexponential_service() -> None:
    means_s = (0.2, 1.8)
    second_moment = sum(2 * mean_s**2 for mean_s in means_s) / 2
    steady = textbook.mg1(0.6, 1.0, cv=math.sqrt(second_moment - 1.0))
    assert steady.population == pytest.approx(hyperexponential_population(0.6, means_s), rel=1e-6)


@given(times_s, utilisations, st.floats(0, 10))
def test_mg1_waits_in_proportion_to_the_second_moment(service_s: float, utilisation: float, cv: float) -> None:
    rate = utilisation / service_s
    steady = textbook.mg1(rate, service_s, cv)
    # Kleinrock, volume 1, chapter 5: the mean residual work over the idle share.
    assert steady.waiting_s == near(rate * service_s**2 * (1 + cv**2) / 2 / (1 - rate * service_s))
    obeys_littles_law(steady, service_s, 1)


@given(times_s, utilisations, st.floats(0.01, 0.999))
def test_percentile_inverts_the_exponential(service_s: float, utilisation: float, share: float) -> None:
    rate = utilisation / service_s
    within_s = textbook.mm1_response_percentile(rate, service_s, share)
    assert 1 - math.exp(-(1 / service_s - rate) * within_s) == pytest.approx(share, rel=1e-6)


def test_ninety_percent_are_done_in_2_3_mean_responses() -> None:
    assert textbook.mm1_response_percentile(0.5, 1.0, 0.9) == near(2 * math.log(10))


def loss_by_definition(load: Fraction, servers: int) -> Fraction:
    terms = [load**n / math.factorial(n) for n in range(servers + 1)]
    return terms[-1] / sum(terms)


def delay_by_definition(load: Fraction, servers: int) -> Fraction:
    below = sum(load**n / math.factorial(n) for n in range(servers))
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    return full / (below + full)


@given(small_fractions, server_counts)
def test_erlang_b_is_the_sum_of_factorials(load: Fraction, servers: int) -> None:
    expected = float(loss_by_definition(load, servers))
    assert closed_forms.erlang_b(float(load), servers) == pytest.approx(expected, rel=EXACT)


@given(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), server_counts)
def test_erlang_c_is_the_sum_of_factorials(utilisation: Fraction, servers: int) -> None:
    load = utilisation * servers
    expected = float(delay_by_definition(load, servers))
    assert closed_forms.erlang_c(float(load), servers) == pytest.approx(expected, rel=EXACT)


def test_erlang_formulas_reach_thousands_of_servers() -> None:
    # With load = servers, blocking tends to sqrt(2 / (pi servers)): Stirling's formula.
    assert closed_forms.erlang_b(10_000.0, 10_000) == pytest.approx(math.sqrt(2 / (math.pi * 10_000)), rel=0.01)
    assert 0.0 < closed_forms.erlang_c(9_900.0, 10_000) < 1.0


@given(times_s, utilisations, server_counts)
def test_mmc_obeys_littles_law(service_s: float, utilisation: float, servers: int) -> None:
    steady = textbook.mmc(utilisation * servers / service_s, service_s, servers)
    assert steady.utilisation == near(utilisation)
    obeys_littles_law(steady, service_s, servers)


@pytest.mark.parametrize("servers", [1, 2, 5])
def test_mmc_is_its_birth_death_process(servers: int) -> None:
    rate, service_s = 0.75 * servers / 2.0, 2.0
    jobs = np.arange(400)
    births, deaths = np.full(399, rate), np.minimum(jobs[1:], servers) / service_s
    shares = birth_death(births, deaths)
    steady = textbook.mmc(rate, service_s, servers)
    assert steady.population == pytest.approx(float(shares @ jobs), rel=1e-8)
    assert steady.queue == pytest.approx(float(shares @ np.maximum(jobs - servers, 0)), rel=1e-8)


def birth_death(births: NDArray[np.float64], deaths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Stationary distribution, shape (states,), from the rates up and down, both of shape (states - 1,)."""
    generator = np.diag(births, 1) + np.diag(deaths, -1)
    np.fill_diagonal(generator, -generator.sum(axis=1))
    return stationary(generator)


@given(times_s, utilisations)
def test_one_server_is_mm1(service_s: float, utilisation: float) -> None:
    rate = utilisation / service_s
    many, one = textbook.mmc(rate, service_s, 1), textbook.mm1(rate, service_s)
    assert vars(many) == {field: near(value) for field, value in vars(one).items()}


# Closed systems.


@given(st.integers(1, 25), st.floats(0.1, 50), st.floats(0.1, 50), st.integers(1, 6))
def test_repairman_is_its_balance_equations(machines: int, think_s: float, service_s: float, servers: int) -> None:
    down = np.arange(machines + 1)
    shares = birth_death((machines - down[:-1]) / think_s, np.minimum(down[1:], servers) / service_s)
    steady = closed_forms.machine_repairman(machines, think_s, service_s, servers)
    assert steady.population == pytest.approx(float(shares @ down), rel=1e-7)
    assert steady.queue == pytest.approx(float(shares @ np.maximum(down - servers, 0)), rel=1e-7, abs=1e-9)
    assert steady.throughput == pytest.approx(float(shares @ (machines - down)) / think_s, rel=1e-7)
    obeys_littles_law(steady, service_s, servers)


@given(st.integers(1, 400), times_s, times_s, st.integers(1, 20))
def test_repairman_returns_every_machine(machines: int, think_s: float, service_s: float, servers: int) -> None:
    steady = closed_forms.machine_repairman(machines, think_s, service_s, servers)
    assert steady.throughput * (think_s + steady.response_s) == near(machines)
    assert 0.0 < steady.utilisation <= 1.0 + EXACT


@given(st.integers(1, 20), times_s, times_s)
def test_enough_repairmen_never_keep_a_machine_waiting(machines: int, think_s: float, service_s: float) -> None:
    steady = closed_forms.machine_repairman(machines, think_s, service_s, servers=machines)
    assert steady.waiting_s == 0.0
    assert steady.throughput == near(machines / (think_s + service_s))


@given(st.integers(1, 120), st.floats(0.01, 100), st.floats(0.01, 100))
def test_mva_of_one_station_is_the_repairman(clients: int, think_s: float, service_s: float) -> None:
    network = textbook.mva([service_s], clients, think_s)
    repairman = closed_forms.machine_repairman(clients, think_s, service_s)
    assert network.throughput == pytest.approx(repairman.throughput, rel=1e-8)
    assert network.response_s == pytest.approx(repairman.response_s, rel=1e-8)
    assert network.queue_length == pytest.approx((repairman.population,), rel=1e-8)
    assert network.utilisation == pytest.approx((repairman.utilisation,), rel=1e-8)


def compositions(jobs: int, places: int) -> Iterator[tuple[int, ...]]:
    """Every way to spread ``jobs`` over ``places``."""
    if places == 1:
        yield (jobs,)
        return
    for here in range(jobs + 1):
        for rest in compositions(jobs - here, places - 1):
            yield (here, *rest)


def product_form(demands: list[Fraction], clients: int, think: Fraction) -> list[tuple[float, float]]:
    """Utilisation and mean queue of each station by enumerating every state, after Gordon and Newell."""
    weights = {
        state: think ** state[0]
        / math.factorial(state[0])
        * math.prod(demand**jobs for demand, jobs in zip(demands, state[1:], strict=True))
        for state in compositions(clients, len(demands) + 1)
    }
    total = sum(weights.values())
    means = []
    for station in range(1, len(demands) + 1):
        busy = sum(weight for state, weight in weights.items() if state[station])
        queue = sum(weight * state[station] for state, weight in weights.items())
        means.append((float(busy / total), float(queue / total)))
    return means


@given(
    st.lists(small_fractions, min_size=1, max_size=3),
    st.integers(1, 6),
    st.just(Fraction(0)) | small_fractions,
)
def test_mva_is_the_product_form(demands: list[Fraction], clients: int, think: Fraction) -> None:
    network = textbook.mva([float(demand) for demand in demands], clients, float(think))
    means = product_form(demands, clients, think)
    assert network.utilisation == tuple(near(busy) for busy, _ in means)
    assert network.queue_length == tuple(near(queue) for _, queue in means)
    assert network.throughput == near(means[0][0] / float(demands[0]))


def buzen_throughput(demands: list[Fraction], clients: int, think: Fraction) -> Fraction:
    """Throughput as the ratio of two normalisation constants, by convolution: Buzen (1973)."""
    constants = [think**jobs / math.factorial(jobs) for jobs in range(clients + 1)]
    for demand in demands:
        for jobs in range(1, clients + 1):
            constants[jobs] += demand * constants[jobs - 1]
    return constants[clients - 1] / constants[clients]


@given(st.lists(small_fractions, min_size=1, max_size=6), st.integers(1, 40), small_fractions)
def test_mva_is_the_convolution(demands: list[Fraction], clients: int, think: Fraction) -> None:
    network = textbook.mva([float(demand) for demand in demands], clients, float(think))
    assert network.throughput == near(float(buzen_throughput(demands, clients, think)))


@given(st.lists(times_s, min_size=1, max_size=6), st.integers(1, 80), st.just(0.0) | times_s)
def test_mva_obeys_the_operational_laws(demands_s: list[float], clients: int, think_s: float) -> None:
    network = textbook.mva(demands_s, clients, think_s)
    assert network.response_s == near(sum(network.residence_s))
    assert network.throughput * (network.response_s + think_s) == near(clients)
    laws = zip(demands_s, network.utilisation, network.queue_length, network.residence_s, strict=True)
    for demand_s, utilisation, queue, residence_s in laws:
        assert utilisation == near(network.throughput * demand_s)
        assert queue == near(network.throughput * residence_s)
        assert utilisation <= 1.0 + EXACT


def test_balanced_network_has_its_closed_form() -> None:
    # K equal stations share N clients evenly: X = N / (D (N + K - 1)).
    assert textbook.mva([0.5] * 4, 7).throughput == near(7 / (0.5 * 10))


# What is refused.

ARGUMENTS: dict[Callable[..., Any], dict[str, Any]] = {
    closed_forms.erlang_b: {"offered_load": 0.5, "servers": 2},
    closed_forms.erlang_c: {"offered_load": 0.5, "servers": 2},
    closed_forms.machine_repairman: {"machines": 3, "think_s": 1.0, "service_s": 1.0, "servers": 2},
}
"""Functions of numbers, with arguments that they take."""

NOT_POSITIVE = (-1, math.nan, math.inf, -math.inf, True, None, "1", 1j)
NOT_COUNTS = (*NOT_POSITIVE, 0, 1.5, 2.0)
NOT_FLOATS = (*NOT_POSITIVE, 0.0, 10**400)


def malformed() -> Iterator[Any]:
    for function, arguments in ARGUMENTS.items():
        for name, good in arguments.items():
            for value in NOT_COUNTS if isinstance(good, int) else NOT_FLOATS:
                yield pytest.param(function, name, value, id=f"{function.__name__}-{name}-{str(value)[:9]}")


@pytest.mark.parametrize(("function", "name", "value"), list(malformed()))
def test_malformed_numbers_are_refused(function: Callable[..., Any], name: str, value: object) -> None:
    with pytest.raises(InputError) as refusal:
        function(**(ARGUMENTS[function] | {name: value}))
    assert str(refusal.value).startswith(f"{name} is {value!r}; allowed: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("function", ARGUMENTS)
def test_the_arguments_of_the_table_are_taken(function: Callable[..., Any]) -> None:
    function(**ARGUMENTS[function])


@pytest.mark.parametrize("load", [1.0, 1.25])
def test_saturation_has_no_steady_state(load: float) -> None:
    with pytest.raises(NoSteadyStateError, match=rf"utilisation is {load:g}, .*below 1.*add servers") as refusal:
        closed_forms.erlang_c(2 * load, 2)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("arguments", [{"servers": 500}, {"machines": 5000, "think_s": 1e3}])
def test_a_closed_system_is_never_saturated(arguments: dict[str, Any]) -> None:
    steady = closed_forms.machine_repairman(**(ARGUMENTS[closed_forms.machine_repairman] | arguments))
    assert 0.0 < steady.utilisation <= 1.0 + EXACT
