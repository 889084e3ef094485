"""Records, parameters and functions that a user writes for a system of his own: each error is one line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

import toy
from sim import InputError
from sim.engine.statistics.estimates import point
from sim.prediction import Case, RunOptions, predict
from sim.system import Measure, Parameter, Parameters, Settings, parameter

QUICK = RunOptions(precision=0.2, answers=("throughput",))


def one_parameter(value, *, low=0.0, unit="s", basis="fitted", source="made up", cells=()):
    """The parameters of a record with the field ``each_s``."""

    @dataclass(frozen=True)
    class Own:
        each_s: float = parameter(value, unit, low, 2.0, basis, source, cells)

    return Parameters.of(Own)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Settings.of(None), "None is no dataclass; give a class with @dataclass"),
        (lambda: Parameters.of("x"), "'x' is no dataclass; give a class with @dataclass"),
        (lambda: Settings.of(dict), "dict is no dataclass; give a class with @dataclass"),
        (lambda: Settings.of(toy.ToySettings()), "ToySettings("),
        (lambda: one_parameter("1"), "value of parameter 'each_s' is '1'; allowed: a number, such as 4e-3"),
        (lambda: one_parameter(value=True), "value of parameter 'each_s' is True; allowed: a number"),
        (lambda: one_parameter(9.0), "parameter 'each_s' is 9 s; allowed: from 0 to 2 s"),
        (lambda: one_parameter(1.0, low=None), "low of parameter 'each_s' is None; allowed: a number"),
        (lambda: one_parameter(1.0, unit=7), "unit of parameter 'each_s' is 7; allowed: text"),
        (lambda: one_parameter(1.0, source=None), "source of parameter 'each_s' is None; allowed: text"),
        (lambda: one_parameter(1.0, basis="guess"), "basis of parameter 'each_s' is 'guess'; allowed: published"),
        (lambda: one_parameter(1.0, cells="a/b/c"), "cells of parameter 'each_s' are 'a/b/c'; allowed: a list"),
        (lambda: one_parameter(1.0, cells=3), "cells of parameter 'each_s' are 3; allowed: a list"),
        (lambda: Parameters((Parameter("", 1.0, "s", 0.0, 2.0, "fitted", "made up"),)), "a parameter has no name"),
    ],
)
def test_invalid_records_and_parameters_are_refused_by_name(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_cells_may_be_anything_that_lists_figures():
    assert one_parameter(1.0, cells=(f"a/b/{each}" for each in "cd")).entries[0].cells == ("a/b/c", "a/b/d")


def fails(*_given):
    return {}["disks"]


def fails_below(*_given):
    return int("many disks")


def line_of(function):
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize(("build", "error"), [(fails, KeyError), (fails_below, ValueError)])
def test_an_error_of_a_build_is_one_line_that_says_where(build, error):
    with pytest.raises(InputError) as caught:
        predict(replace(toy.TOY, build=build), {})
    message = str(caught.value)
    assert message.startswith(f"system 'toy', build: {error.__name__}: ")
    assert message.endswith(f" in {build.__name__}, {line_of(build)}; fix that function")
    assert len(message.splitlines()) == 1
    assert isinstance(caught.value.__cause__, error)


def test_build_with_wrong_arguments_is_reported_without_a_line():
    with pytest.raises(InputError, match=r"^system 'toy', build: TypeError: .* were given; fix that"):
        predict(replace(toy.TOY, build=lambda: None), {})


def test_an_error_of_a_record_of_settings_counts_as_one_of_the_build():
    @dataclass(frozen=True)
    class Picky(toy.ToySettings):
        kept: list = field(default_factory=list, init=False)

        def __post_init__(self):
            raise ValueError("twenty at most")

    settings = replace(toy.TOY.settings, record=Picky)
    with pytest.raises(InputError, match=rf"ValueError: twenty at most in __post_init__, {__file__}:\d+"):
        predict(replace(toy.TOY, settings=settings), {})


def measured(read):
    """The toy with one more answer."""

    def build(settings, parameters):
        return replace(toy.build(settings, parameters), measures={"dust": Measure("g", read)})

    return replace(toy.TOY, build=build)


def test_an_error_of_a_measure_or_a_ceiling_names_it():
    with pytest.raises(
        InputError, match=rf"^system 'toy', measure 'dust': KeyError: .* in fails, {line_of(fails)}"
    ):
        predict(measured(fails), {}, QUICK)
    assert predict(measured(lambda _result: point(3.0)), {}, QUICK).answers["dust"].estimate.value == 3.0
    with pytest.raises(InputError, match=r"^system 'toy', ceilings: KeyError: .* in fails, "):
        replace(toy.TOY, ceilings=fails).limits(Case.of(toy.TOY, {}).settings)


def test_a_measure_may_not_take_the_name_of_a_latency():
    with pytest.raises(InputError, match="a measure is named 'p99', as the p99 latency is; rename it"):
        replace(toy.build(toy.ToySettings(), toy.PARAMETERS.values), measures={"p99": Measure("s", point)})


def test_input_errors_and_memory_errors_are_passed_on():
    def refuses(*_given):
        raise InputError("no such rack")

    with pytest.raises(InputError, match=r"^no such rack$"):
        predict(replace(toy.TOY, build=refuses), {})

    def too_large(*_given):
        raise MemoryError

    with pytest.raises(MemoryError):
        predict(replace(toy.TOY, build=too_large), {})


def test_equal_cases_are_one_key():
    case, same, other = (Case.of(toy.TOY, {"clients": clients}) for clients in (2, "2", 3))
    assert case == same
    assert hash(case) == hash(same)
    assert len({case, same, other}) == 2
