"""Derived parameters follow the numbers that they were derived from, and move together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pytest

from sim import InputError
from sim.system import Parameter, Parameters, parameter
from sim.system.derivation import REPEATS, assumed, follows, measured, moves, moves_of, outcomes, rounded
from sim.system.parameters import DEVIATIONS


@dataclass(frozen=True)
class Figures:
    """Two rates, rounded to tens, of which one was measured; and a guess."""

    one: float = rounded(100.0, 5.0)
    other: float = measured(200.0, 5.0)
    guess_s: float = assumed(1.0, (0.5, 2.0))


MOVED = moves(Figures())


def test_a_rounded_figure_lies_anywhere_within_its_rounding():
    lower, upper = (each.one for each in MOVED["one"])
    assert (lower, upper) == pytest.approx((100 - 5 / math.sqrt(3), 100 + 5 / math.sqrt(3)))


def test_a_measured_figure_would_be_another_one_in_the_next_run():
    assert MOVED["other"][1].other == pytest.approx(200 + math.hypot(5 / math.sqrt(3), REPEATS * 200))


def test_an_assumption_lies_in_its_range_in_nine_of_ten_cases():
    assert MOVED["guess_s"][1].guess_s ** DEVIATIONS == pytest.approx(2.0)


def test_only_one_number_is_moved_at_a_time():
    assert all(each.one == 100.0 and each.guess_s == 1.0 for each in MOVED["other"])


def test_a_difference_is_more_uncertain_than_either_number():
    effects = follows(lambda figures: figures.other - figures.one, MOVED)
    assert set(effects) == {"one", "other"}
    assert effects["one"] == pytest.approx(-0.029, abs=0.001)
    spread = math.hypot(*effects.values())
    kept = parameter(100.0, "s", 1.0, 1e4, "derived", "other less one", follows=effects)
    entry = replace(kept.metadata["stacksim"], name="x")
    assert entry.likely == pytest.approx(
        (100 * math.exp(-DEVIATIONS * spread), 100 * math.exp(DEVIATIONS * spread))
    )


def test_a_range_ends_at_the_bounds():
    entry = Parameter("x", 100.0, "s", 99.0, 101.0, "derived", "a").following({"one": 0.5})
    assert entry.likely == (99.0, 101.0)
    assert entry.moved({"one": 3.0}) == 101.0


def test_parameters_that_follow_one_number_move_together():
    more = Parameter("x", 60.0, "s", 1.0, 1e3, "derived", "a").following({"one": 0.05})
    less = Parameter("y", 40.0, "s", 1.0, 1e3, "derived", "b").following({"one": -0.075})
    steps = {"one": 1.0}
    assert more.moved(steps) + less.moved(steps) == pytest.approx(100.0, rel=2e-3)
    assert more.causes == less.causes == ("one",)


def test_derived_values_move_with_their_inputs():
    @dataclass(frozen=True)
    class Known:
        call_s: float = parameter(1.0, "s", 0.01, 100.0, "assumed", "a guess", likely=(0.5, 2.0))
        cores: float = parameter(4.0, "cores", 1.0, 8.0, "published", "a data sheet")

    known = Parameters.of(Known)
    assert list(moves_of(known)) == ["call_s"]

    def derive(values, figures):
        return {"rest_s": figures.one - 10.0 * values.call_s}

    rest = outcomes(derive, known, Figures())["rest_s"]
    assert rest.value == 90.0
    assert rest.follows["call_s"] < 0 < rest.follows["one"]
    assert "other" not in rest.follows


def test_input_fields_need_units():
    @dataclass(frozen=True)
    class Bare:
        one: float = 1.0

    with pytest.raises(InputError, match=r"field 'one' of Bare is no input; write such as elapsed_s"):
        moves(Bare())
