"""Think times of which a few make up most: what a run has met of them by luck is not called known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim import Closed, Empirical, Exponential, Lognormal, Model, Station, Use, simulate
from sim.engine.errors import LawError
from sim.engine.simulation.operational_laws import checked

MS = 1e-3


def thinking(think, clients=10, service_s=0.05 * MS):
    path = Use(Station("disk"), Exponential(service_s))
    return Model([Closed("all", clients=clients, think=think, path=path)])


ONE_IN_A_THOUSAND = Empirical([100 * MS] + [0.1 * MS] * 999)


@pytest.mark.parametrize(
    ("think", "left_s"),
    [(ONE_IN_A_THOUSAND, 0.025), (Lognormal(10 * MS, 10.0), 0.505)],
    ids=["recorded", "lognormal"],
)
def test_run_lasts_ten_residual_think_times(think, left_s):
    """E[T²] / 2 E[T], by hand."""
    result = simulate(thinking(think), precision=0.05)
    assert result.warmup_s + result.measured_s >= 10 * left_s


def test_intervals_hold_where_one_think_in_a_thousand_is_long():
    """The machine repairman knows no distribution of thinks, only its mean: ten clients, thinks of 0.2 ms."""
    from sim.engine.analytic.closed_forms import machine_repairman

    think = ONE_IN_A_THOUSAND
    exact = machine_repairman(10, think.mean, 0.05 * MS).throughput
    runs = [simulate(thinking(think), seed=seed).throughput for seed in range(60)]
    assert sum(run.low <= exact <= run.high for run in runs) >= 52


def test_excess_throughput_is_chance_with_random_thinks_and_else_an_error():
    for think, internal in ((Exponential(10 * MS), False), (10 * MS, True)):
        model = thinking(think)
        result = simulate(model, precision=0.05)
        group = result.groups["all"]
        much = group.changed(lambda name, answer: answer.scaled(2.0) if name == "throughput" else answer)
        doubled = replace(result, groups={"all": much})
        if internal:
            with pytest.raises(LawError):
                checked(model, doubled)
        else:
            found = checked(model, doubled)
            assert not found.throughput.known
            assert "their longest thinks have come too seldom" in found.warnings[0]
