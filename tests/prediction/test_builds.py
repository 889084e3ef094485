"""A question is checked once and built once, whichever way it is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

import toy
from sim import Model
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.prediction import Case, RunOptions, predict, predict_case
from sim.prediction.digest import Digest
from sim.prediction.explanation import explain
from sim.prediction.meaning import key_of
from sim.prediction.sweep import predict_all
from sim.prediction.uncertainty import DRAWS
from sim.system import case

QUICK = RunOptions(precision=0.2, answers=("throughput",))
ASKED = {"clients": 3, "items": 2}


@pytest.fixture
def built():
    """The parameters of each model that was built."""
    return []


@pytest.fixture
def system(built):
    def build(settings, parameters):
        built.append(parameters)
        return toy.build(settings, parameters)

    free = [each for each in toy.PARAMETERS.entries if each.basis == "fitted"]
    covariance = tuple(map(tuple, (0.01 * np.eye(len(free))).tolist()))
    return replace(toy.TOY, build=build, parameters=replace(toy.PARAMETERS, covariance=covariance))


@pytest.fixture
def checked(monkeypatch):
    """The settings that were checked, each time."""
    calls, complete = [], case.complete
    monkeypatch.setattr(case, "complete", lambda *both: calls.append(both[1]) or complete(*both))
    return calls


@pytest.mark.parametrize("engine", ["auto", "reference", "analytic"])
def test_a_prediction_is_one_check_and_one_model(system, built, checked, engine):
    predict(system, ASKED, replace(QUICK, engine=engine), intervals=False)
    assert (len(checked), len(built)) == (1, 1)


def test_interval_builds_one_more_model_for_each_draw(system, built, checked):
    assert predict(system, ASKED, QUICK).intervals
    assert (len(checked), len(built)) == (1, 1 + DRAWS)
    assert len(set(built)) == 1 + DRAWS


def test_explanation_builds_one_more_model_for_each_parameter(system, built, checked):
    explain(predict(system, ASKED, QUICK, intervals=False))
    assert (len(checked), len(built)) == (1, 1 + len(toy.PARAMETERS.entries))


def test_points_of_a_sweep_are_built_once_each_and_let_go_of(system, built, checked):
    """Each for itself, and with twice the clients, and with twice the items, which tells what limits it."""
    cases = [Case.of(system, {"clients": clients}) for clients in (1, 2, 3)]
    predict_all(cases, QUICK)
    assert (len(checked), len(built)) == (9, 9)
    predict_case(cases[0], QUICK)
    assert len(built) == 10


@pytest.mark.parametrize("engine", ["auto", "analytic"])
def test_growth_builds_one_model_for_each_load_and_draw(system, built, engine):
    """Two goals are read off each; that of the first load is built once more, to know the units of answers."""
    load = GrowingLoad.of(system.settings, "clients=8", 0.5, 3, date(2026, 12, 1))
    growth = grow(system, {}, ["throughput>=1", "mean<=1h"], load, replace(QUICK, engine=engine))
    draws = DRAWS if engine == "auto" else 0
    assert [month.load for month in growth.months] == [8, 12, 18]
    assert len(built) == 1 + 3 * (1 + draws)


def test_points_that_differ_in_how_many_there_are_share_one_model():
    """Of the analytic engine: users, nodes and cells of `dbfs` multiply the same few parts."""
    few, many = (Case.of("dbfs", {"nodes": n, "users": n, "cells": 7 * n}).folded for n in (1, 3))
    assert few[0].model is many[0].model
    assert [count for _, count in few[1].workloads] == [1, 1]
    assert [count for _, count in many[1].workloads] == [9, 9]
    assert Case.of("dbfs", {"block": "1MiB"}).folded[0].model is not few[0].model


def test_shared_model_is_digested_once(monkeypatch):
    digests, of = [], Digest.of
    monkeypatch.setattr(Digest, "of", lambda self, *values: digests.append(values) or of(self, *values))
    cases = [Case.of("dbfs", {"users": users, "block": "24KiB"}) for users in (2, 3, 4)]
    keys = {key_of(case, RunOptions(engine="analytic")) for case in cases}
    assert len(keys) == 3
    assert sum(isinstance(values[0], Model) for values in digests) == 1
