"""What is met along paths, and how often: a step that paths share counts wherever it stands, and is read once."""

from __future__ import annotations

import numpy as np
import pytest

from sim import Choose, Delay, Exponential, Fork, Model, ModelError, Repeat, Station, Use
from sim.model import model
from sim.model.along import Along, HowOften
from sim.model.steps import places_of
from sim.model.workloads import Closed
from sim.system.installed import find
from sim.system.settings import complete

A, B = Station("a"), Station("b")
LEAF = Use(A, 1e-6)
OFTEN_IN = Repeat(3, LEAF)
CHOICE = Choose((0.25, OFTEN_IN), (0.75, [LEAF, Use(B, 1e-6)]))
PATHS = [(CHOICE, LEAF), (Fork([CHOICE], [LEAF]), Delay(1e-6)), (Use(B, 2e-6),)]


def test_steps_are_counted_along_all_ways_that_lead_to_them():
    often = HowOften(PATHS)
    taken = dict(zip(map(id, often.steps), often.of(np.array([4.0, 8.0, 1.0])), strict=True))
    assert taken[id(CHOICE)] == 12.0
    assert taken[id(OFTEN_IN)] == 3.0
    assert taken[id(LEAF)] == 4.0 + 8.0 + 3 * 3.0 + 0.75 * 12.0


def test_outer_steps_come_before_what_is_inside_of_them():
    order = {id(step): number for number, step in enumerate(HowOften(PATHS).steps)}
    assert order[id(CHOICE)] < order[id(OFTEN_IN)] < order[id(LEAF)]


def test_the_owner_of_a_step_is_the_one_path_that_has_it():
    often = HowOften(PATHS)
    owners = dict(zip(map(id, often.steps), often.owners, strict=True))
    assert (owners[id(PATHS[2][0])], owners[id(PATHS[1][0])]) == (2, 1)
    assert owners[id(CHOICE)] is owners[id(LEAF)] is owners[id(OFTEN_IN)] is None


def test_places_along_paths_are_those_of_all_steps():
    along = Along(lambda step: () if step.place is None else (step.place,))
    assert [along.of(path) for path in PATHS] == [places_of(path) for path in PATHS]


def test_options_that_all_have_alike_count_once_however_many_paths_have_them(monkeypatch):
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
