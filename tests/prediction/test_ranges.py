"""Ranges of assumed and derived parameters carry into every answer."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import toy
from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Fork,
    InputError,
    Model,
    ModelError,
    Open,
    Poisson,
    Put,
    Station,
    Take,
    Use,
)
from sim.prediction import RunOptions, predict
from sim.prediction.uncertainty import DRAWS, PredictionInterval
from sim.system import Parameter, Parameters, Scenario

QUICK = RunOptions(precision=0.05, answers=("throughput",))


def ranged(**likely):
    """The toy with ranges of some parameters, and a server that is always in use."""
    entries = tuple(
        replace(each, basis="assumed", likely=likely.get(each.name)) for each in toy.PARAMETERS.entries
    )
    return replace(toy.TOY, parameters=Parameters(entries, record=toy.PARAMETERS.record))


def interval(system, **settings) -> PredictionInterval:
    """Uncertainty of throughput by parameters; model errors come on top of it."""
    return predict(system, {"clients": 64, "items": 64, **settings}, QUICK).opened["throughput"]


def values_of(name, system):
    """The values of a parameter in all models that an interval takes."""
    drawn = []

    def build(settings, parameters):
        drawn.append(getattr(parameters, name))
        return toy.build(settings, parameters)

    interval(replace(system, build=build))
    return drawn


def test_an_answer_in_proportion_to_a_parameter_is_as_uncertain_as_it():
    found = interval(ranged(each_s=(0.5e-3, 2e-3)))
    assert found.ranges == pytest.approx(math.log(2.0) / 1.645, rel=0.05)
    middle = predict(ranged(), {"clients": 64, "items": 64}, QUICK).throughput.value
    assert found.low == pytest.approx(middle / 2, rel=0.1)
    assert (found.parameters, found.scatter, found.known) == (0.0, 0.0, True)


def test_a_range_to_one_side_moves_the_answer_to_one_side_only():
    drawn = values_of("each_s", ranged(each_s=(1e-3, 4e-3)))
    assert len(drawn) == 1 + DRAWS
    assert min(drawn) == 1e-3
    assert sum(each > 1e-3 for each in drawn) == DRAWS // 2


def test_the_interval_lies_on_that_side_only():
    found = interval(ranged(each_s=(1e-3, 4e-3)))
    middle = predict(ranged(), {"clients": 64, "items": 64}, QUICK).throughput.value
    assert found.high == pytest.approx(middle, rel=0.02)
    assert found.low == pytest.approx(middle / 4, rel=0.15)


@pytest.mark.parametrize(("unit", "whole"), [("s", False), ("bytes/s", False), ("cores", True), ("bytes", True)])
def test_only_counts_are_rounded(unit, whole):
    entry = Parameter("p", 1.0, unit, 0.1, 100.0, "assumed", "a", likely=(1.0, 2.0))
    assert float(entry.moved({"p": 0.5})).is_integer() == whole


def test_whole_numbers_stay_whole():
    drawn = values_of("cores", ranged(cores=(1.0, 4.0)))
    assert {float(each).is_integer() for each in drawn} == {True}
    assert len(set(drawn)) > 1


def test_without_ranges_parameters_leave_nothing_open():
    assert interval(ranged()).ranges == 0.0
    assert interval(ranged(each_s=(0.9e-3, 1.1e-3))).ranges > 0.0


@pytest.mark.parametrize("error", [ModelError, InputError])
def test_a_draw_that_cannot_be_built_leaves_the_interval_unknown(error):
    system = ranged(cores=(1.0, 8.0))

    def build(settings, parameters):
        if parameters.cores > 2:
            raise error("no room")
        return toy.build(settings, parameters)

    assert not interval(replace(system, build=build)).known


def test_a_draw_without_a_steady_state_leaves_the_interval_unknown():
    """Of the service times that are likely, some ask more of the server than it can do."""

    def build(_settings, parameters):
        path = Use(Station("server"), Exponential(parameters.each_s))
        load = Open("load", arrivals=Poisson(800.0), path=path)
        return Scenario(Model([load]), watch="load", amount=1.0, unit="1/s")

    assert interval(replace(ranged(each_s=(0.9e-3, 1.1e-3)), build=build)).known
    assert not interval(replace(ranged(each_s=(0.7e-3, 1.3e-3)), build=build)).known


def test_a_draw_that_does_not_settle_is_given_up():
    """In some draws the drive is slower than the writes, and the cache fills for weeks."""
    cache = Buffer("cache", 10**9)

    def build(_settings, parameters):
        behind = Fork((Use(Station("drive"), parameters.each_s), Take(cache)), wait=False)
        write = Closed("write", clients=1, path=[Delay(Exponential(2e-3)), Put(cache), behind])
        return Scenario(Model([write]), watch="write", amount=1.0, unit="1/s")

    assert interval(replace(ranged(each_s=(0.9e-3, 1.1e-3)), build=build)).known
    assert not interval(replace(ranged(each_s=(0.4e-3, 2.5e-3)), build=build)).known


@pytest.mark.parametrize("likely", [(0.0, 2.0), (1.5, 2.0), (0.5, 0.9), (0.05, 2.0), (0.5, 20.0)])
def test_a_range_that_cannot_be_is_refused(likely):
    with pytest.raises(InputError, match=r"range of parameter 'x' is .*; allowed: above 0, around its value 1"):
        Parameter("x", 1.0, "s", 0.1, 10.0, "assumed", "made up", likely=likely)


def test_draws_may_lie_outside_the_range():
    drawn = [each for each in values_of("each_s", ranged(each_s=(0.9e-3, 1.1e-3), fixed_s=(0.5e-3, 2e-3))) if each]
    assert min(drawn) < 0.9e-3
    assert max(drawn) > 1.1e-3
