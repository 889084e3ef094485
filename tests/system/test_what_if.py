"""Parameters that a user sets: their values count, a fit no longer, and what was thought impossible is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

import toy
from sim import InputError
from sim.engine.units.text import figure_text
from sim.prediction import RunOptions, predict
from sim.prediction.sweep import axes, cases_of, predict_all
from sim.system import Parameter, Parameters
from sim.system.what_if import with_set

QUICK = RunOptions(precision=0.05, answers=("throughput",))
FREE = [each.name for each in toy.PARAMETERS.free()]
COVARIANCE = tuple(tuple(float(10 * row + column) for column in range(len(FREE))) for row in range(len(FREE)))
FITTED = replace(toy.TOY, parameters=replace(toy.PARAMETERS, covariance=COVARIANCE))


def test_a_value_that_is_set_is_the_one_simulated():
    slow, fast = (predict(with_set(toy.TOY, {"each_s": text}), {}, QUICK) for text in ("20ms", "10ms"))
    assert slow.throughput.value < fast.throughput.value
    assert slow.record()["parameters"] == {"each_s": 0.02}
    assert slow.shown["each_s"] == "20ms"
    assert predict(toy.TOY, {}, QUICK).record()["parameters"] == {}


@pytest.mark.parametrize(
    ("unit", "text", "value", "shown"),
    [
        ("byte", "64KiB", 65536.0, "64KiB"),
        ("bytes", "64KiB", 65536.0, "64KiB"),
        ("byte/s", "2GB/s", 2e9, "2GB/s"),
        ("bytes/s", "2GB/s", 2e9, "2GB/s"),
        ("s", "25us", 25e-6, "25µs"),
    ],
)
def test_a_value_is_written_with_any_unit_of_its_kind(unit, text, value, shown):
    entries = (*toy.PARAMETERS.entries[:-1], replace(toy.PARAMETERS.entries[-1], unit=unit, high=1e12))
    system = replace(toy.TOY, parameters=Parameters(entries, record=toy.PARAMETERS.record))
    changed = with_set(system, {"cores": text})
    assert changed.parameters["cores"] == value
    assert predict(changed, {}, intervals=False).shown["cores"] == shown


def test_setting_a_parameter_drops_its_part_of_the_covariance():
    name, *others = FREE
    parameters = with_set(FITTED, {name: 1e-3}).parameters
    assert [each.name for each in parameters.free()] == others
    assert parameters.covariance == tuple(row[1:] for row in COVARIANCE[1:])
    (entry,) = parameters.set()
    assert (entry.name, entry.value, entry.cells, entry.interval) == (name, 1e-3, (), None)


def test_draws_of_a_fit_omit_set_parameters():
    draws = (tuple(range(1, len(FREE) + 1)),)
    fitted = replace(FITTED, parameters=replace(FITTED.parameters, draws=draws))
    assert with_set(fitted, {FREE[0]: 1e-3}).parameters.draws == (draws[0][1:],)


def test_a_system_without_a_fit_can_be_changed():
    assert with_set(toy.TOY, {FREE[0]: "1ms"}).parameters.covariance == ()
    assert with_set(toy.TOY, {}) is toy.TOY


def test_value_outside_the_bounds_is_accepted_with_a_warning():
    entry = toy.PARAMETERS.free()[0]
    inside, outside = (with_set(toy.TOY, {entry.name: value}).parameters for value in (entry.high, 2 * entry.high))
    assert not inside.warnings
    (warning,) = outside.warnings
    assert f"{entry.name} is set to {figure_text(2 * entry.high, 's')}, outside its bounds of" in warning
    assert outside[entry.name] == 2 * entry.high


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("each", "1ms", "no parameter 'each'; did you mean 'each_s'"),
        ("each_s", "-1ms", "each_s is '-1ms'; allowed: a number from 0, in s, such as 25us"),
        ("each_s", "3GB", "each_s is '3GB'; allowed"),
        ("each_s", "nan", "each_s is 'nan'; allowed"),
        ("each_s", float("inf"), "each_s is 'inf'; allowed"),
        ("each_s", True, "each_s is 'True'; allowed"),
        ("each_s", None, "each_s is 'None'; allowed"),
    ],
)
def test_invalid_values_are_refused(name, value, message):
    with pytest.raises(InputError, match=message):
        with_set(toy.TOY, {name: value})


@pytest.mark.parametrize("value", ["0", 0, 0.9])
def test_counted_parameter_is_at_least_one(value):
    queues = Parameter("queues", 4, "queues", 1, 64, "assumed", "a guess")
    system = replace(toy.TOY, parameters=replace(toy.PARAMETERS, entries=(*toy.PARAMETERS.entries, queues)))
    with pytest.raises(InputError, match=f"queues is '{value}'; allowed: a number from 1, in queues"):
        with_set(system, {"queues": value})
    assert with_set(system, {"queues": 1, "each_s": 0}).parameters["queues"] == 1


def test_a_sweep_crosses_parameters_like_settings():
    varied = axes(toy.TOY, ["clients=1,2"], ["each_s=10ms,20ms"])
    assert varied == {"clients": [1, 2], "each_s": [0.01, 0.02]}
    predictions = predict_all(cases_of(toy.TOY, varied), QUICK)
    assert [(each.inputs["clients"], each.inputs["each_s"]) for each in predictions] == [
        (1, 0.01),
        (1, 0.02),
        (2, 0.01),
        (2, 0.02),
    ]


@pytest.mark.parametrize(
    ("words", "set_words", "message"),
    [
        ([], [], "nothing varies"),
        (["clients=1"], ["each_s=1ms,1000us"], "a value of each_s is given twice"),
        (["clients=1"], ["each_s"], "'each_s' is not a parameter; write parameter=value"),
        (["clients=1"], ["each_s=1ms", "each_s=2ms"], "parameter 'each_s' is given twice"),
        (["clients=1"], ["each_s=1ms,x"], "each_s is 'x'; allowed"),
    ],
)
def test_axes_that_cannot_be_are_refused(words, set_words, message):
    with pytest.raises(InputError, match=message):
        axes(toy.TOY, words, set_words)
