"""Steps along paths, and how often they are taken: a step shared by paths counts in each, and is read once."""

from __future__ import annotations

import pytest

from sim import Choose, Delay, Exponential, Fork, Model, ModelError, Repeat, Station, Use
from sim.engine.model import model
from sim.engine.model.along import Along, HowOften
from sim.engine.model.steps import distinct_steps, places_of
from sim.engine.model.workloads import Closed
from sim.system.installed import find
from sim.system.settings import complete

A, B = Station("a"), Station("b")
LEAF = Use(A, 1e-6)
OFTEN_IN = Repeat(3, LEAF)
CHOICE = Choose((0.25, OFTEN_IN), (0.75, [LEAF, Use(B, 1e-6)]))
PATHS = [(CHOICE, LEAF), (Fork([CHOICE], [LEAF]), Delay(1e-6)), (Use(B, 2e-6),)]


def taken(path):
    """Mean number of times a request on ``path`` takes each of the three shared steps."""
    often = HowOften(lambda step: step in (CHOICE, OFTEN_IN, LEAF)).of(path)
    return {id(step): count for step, count in often.values()}


def test_steps_are_counted_along_all_ways_that_lead_to_them():
    once = {id(CHOICE): 1.0, id(OFTEN_IN): 0.25, id(LEAF): 0.25 * 3 + 0.75 + 1.0}
    assert taken(PATHS[0]) == taken(PATHS[1]) == once
    assert taken((Repeat(5, *PATHS[0]),)) == {step: 5 * count for step, count in once.items()}
    assert taken(PATHS[2]) == {}


def test_outer_steps_come_before_inner_ones():
    assert list(taken(PATHS[1])) == [id(CHOICE), id(OFTEN_IN), id(LEAF)]


def test_a_step_shared_by_paths_is_visited_once():
    seen = []
    often = HowOften(lambda step: seen.append(id(step)))
    for path in (*PATHS, *PATHS):
        often.of(path)
    assert len(seen) == len(set(seen)) == len(list(distinct_steps(PATHS)))


def test_places_along_paths_are_those_of_all_steps():
    along = Along(lambda step: () if step.place is None else (step.place,))
    assert [along.of(path) for path in PATHS] == [places_of(path) for path in PATHS]


def test_options_shared_by_paths_count_once(monkeypatch):
    monkeypatch.setattr(model, "MAX_STEPS", 1_000)

    def users(*inside):
        cells = Choose(*((0.01, [Use(Station(f"cell {number}"), 1e-6), *inside]) for number in range(100)))
        return [Closed(f"user {number}", clients=1, path=[cells]) for number in range(100)]

    assert len(Model(users()).places) == 100
    with pytest.raises(ModelError, match="steps"):
        Model(users(Delay(Exponential(1e-6))))


def test_a_thousand_nodes_can_be_simulated():
    system = find("dbfs")
    settings = complete(system.settings, {"nodes": 1000, "cells": 1750})
    assert len(system.scenario(settings, system.parameters).model.workloads) == 2000
