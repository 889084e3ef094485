"""A fit that is moved to another machine knows its kind from the others, and its size from its anchors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import toy
from sim import Closed, Model, Station, Use
from sim.calibration.cross_validation import Held
from sim.calibration.machines import ASSUMED_MACHINES, ASSUMED_SPREADS, learnt, to_machines
from sim.calibration.problem import Problem
from sim.data.baselines.ratio_of_anchors import RatioOfAnchors
from sim.data.dataset import Dataset, Machines
from sim.data.shape import Shape
from sim.system import Parameters, Scenario, Settings, System, choice, count

TRUTH = {"old": (2.0e-3, 0.4e-3), "mid": (2.2e-3, 0.36e-3), "new": (2.1e-3, 0.39e-3)}
"""Of each machine: seconds of a request, and of each item."""


@dataclass(frozen=True)
class _Settings:
    machine: str = choice("old", "whose", tuple(TRUTH))
    items: int = count(1, "items of a request", high=64)


@dataclass(frozen=True)
class _Parameters:
    """A request takes twice what was thought, on each machine, and an item two fifths."""

    old_fixed_s: float = toy.prior(1e-3)
    old_each_s: float = toy.prior(1e-3)
    mid_fixed_s: float = toy.prior(1e-3)
    mid_each_s: float = toy.prior(1e-3)
    new_fixed_s: float = toy.prior(1e-3)
    new_each_s: float = toy.prior(1e-3)


def build(settings, parameters):
    own = {name: getattr(parameters, f"{settings.machine}_{name}_s") for name in ("fixed", "each")}
    path = [Use(Station("server"), own["fixed"] + settings.items * own["each"])]
    return Scenario(Model([Closed("load", clients=1, path=path)]), watch="load", amount=1.0, unit="1/s")


SYSTEM = System("machines", "a toy", Settings.of(_Settings), Parameters.of(_Parameters), build)
ITEMS = (1, 4, 16)
FIGURES = [
    toy.figure(number, 1.0 / (fixed_s + items * each_s), machine=machine, items=items)
    for number, (machine, items, (fixed_s, each_s)) in enumerate(
        (machine, items, times) for machine, times in TRUTH.items() for items in ITEMS
    )
]
MACHINES = Machines(setting="machine", left_out=("new",), anchors=({"items": "1"},))


def test_other_machines_divide_a_sum_that_anchors_leave_open():
    """One figure of the new machine: the sum of two times, of which the others say how it is divided."""
    dataset = Dataset.model_construct(machines=MACHINES)
    stages = []
    (moved,) = to_machines(Problem(SYSTEM, FIGURES), dataset, stages.append)
    assert stages == [moved.split.name] == ["to another machine: new"]
    assert [FIGURES[each].conditions for each in moved.split.held_out] == [
        (("machine", "new"), ("items", "4")),
        (("machine", "new"), ("items", "16")),
    ]
    published = np.array([each.value for each in FIGURES])
    assert moved.predicted == pytest.approx(published[list(moved.split.held_out)], rel=0.35)
    assert Held.of([moved]).coverage(published) == 1.0
    halves_s = 2.49e-3 / 2.0  # as the guesses are equal
    assert moved.predicted[1] > 1.5 / (halves_s + 16 * halves_s)


def test_a_prior_learns_where_others_lie_and_how_far_apart():
    """By hand, of two at half of their centres: the guess counts like one machine, its spread like two."""
    entry = SYSTEM.parameters.entries[-1]
    deviation, shifts = math.log(16.0) / 4.0, [math.log(0.5)] * 2
    assert (ASSUMED_MACHINES, ASSUMED_SPREADS) == (1.0, 2.0)
    shift = 2 * math.log(0.5) / 3
    spread = math.sqrt((2 * deviation**2 + 2 * (math.log(0.5) - shift) ** 2) / 4 * (1 + 1 / 3))
    found = learnt(entry, shifts)
    assert found.centre == pytest.approx(1e-3 * math.exp(shift))
    assert found.high == pytest.approx(found.centre * math.exp(2 * spread))
    assert found.low == pytest.approx(found.centre / math.exp(2 * spread))
    alone = learnt(entry, [])
    assert (alone.centre, alone.low, alone.high) == pytest.approx((entry.centre, entry.low, entry.high))


def test_ratio_of_anchors_scales_the_figures_of_other_machines():
    curve = RatioOfAnchors(Shape("items", ((),)), "machine")
    seen = [each for each in FIGURES if MACHINES.of(each) != "new" or MACHINES.anchor(each)]
    settings = [{"machine": MACHINES.of(each), "items": int(dict(each.conditions)["items"])} for each in seen]
    by_hand = {
        items: math.prod(
            (2.49e-3 / sum_of(machine, 1)) ** -0.5 * sum_of(machine, items) ** -0.5 for machine in ("old", "mid")
        )
        for items in ITEMS
    }
    predict = curve.fit(settings, np.array([each.value for each in seen]))
    for items, value in by_hand.items():
        assert predict({"machine": "new", "items": items}) == pytest.approx(value)


def sum_of(machine, items):
    fixed_s, each_s = TRUTH[machine]
    return fixed_s + items * each_s


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"setting": "machin"}, "names setting 'machin', which no figure has; did you mean 'machine'?"),
        ({"left_out": ("newer",)}, "names machine 'newer', which no figure has; did you mean 'new'?"),
        ({"anchors": ({"items": "3"},)}, "has no anchors of 'new'"),
        ({"anchors": ({},)}, "has nothing but anchors of 'new'"),
    ],
)
def test_machines_that_no_figure_is_of_are_refused(changed, fault):
    assert MACHINES.fault(FIGURES) is None
    assert MACHINES.model_copy(update=changed).fault(FIGURES).startswith(fault)
