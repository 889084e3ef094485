"""Programs made from a template are those that a model would have been lowered to."""

from __future__ import annotations

import copy
import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Delay,
    Empirical,
    Exponential,
    Gamma,
    Hold,
    Lookup,
    Model,
    Open,
    PerItem,
    Poisson,
    Pool,
    Put,
    Repeat,
    Replayed,
    Station,
    Take,
    Use,
    Zipf,
)
from sim.engine.events.compiled import CompiledEngine, lowering
from sim.engine.events.compiled.changes import changes
from sim.engine.events.compiled.templates import KEPT, Templates
from sim.engine.model.distributions import Distribution
from sim.prediction import predict
from strategies import models

DISK, LINK = Station("disk"), Station("link")


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(lowering, "KEPT", Templates())


@pytest.fixture
def lowered(monkeypatch):
    """Number of times a model was lowered."""
    times, template = [], lowering.Lowering.template
    monkeypatch.setattr(lowering.Lowering, "template", lambda self: times.append(self.model) or template(self))
    return times


def completions(model, seed, until_ns=200_000):
    engine = CompiledEngine(model, seed, record=True)
    engine.advance(until_ns)
    return engine.completions, engine.snapshot().places.tolist()


def fresh(model, seed):
    """By a program of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lowering, "KEPT", Templates())
        return completions(model, seed)


def slower(thing, factor):
    """Path with every time ``factor`` times as long, wherever a distribution has a mean to say so."""
    if isinstance(thing, PerItem):
        return PerItem(slower(thing.fixed, factor), thing.each * factor)
    if isinstance(thing, Distribution):
        fields = {each.name for each in dataclasses.fields(thing)}
        return dataclasses.replace(thing, mean=thing.mean * factor) if "mean" in fields else thing
    if isinstance(thing, tuple):
        return tuple(slower(each, factor) for each in thing)
    if hasattr(thing, "inner") or isinstance(thing, Closed | Open):
        made = copy.copy(thing)
        for name in ("time", "think", "path", "steps", "branches", "options", "hit", "miss", "some", "none"):
            if getattr(thing, name, None) is not None and name in {
                each.name for each in dataclasses.fields(thing)
            }:
                object.__setattr__(made, name, slower(getattr(thing, name), factor))
        return made
    return thing


@pytest.mark.long
@settings(max_examples=examples(60), derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models(custom=False), st.sampled_from([0.5, 1.0, 3.0]))
def test_random_models_with_other_times_do_the_same_by_a_template(model, factor):
    other = Model(slower(model.workloads, factor), model.places)
    completions(model, 1)
    assert completions(other, 2) == fresh(other, 2)


def of(path, **more):
    return Model([Closed("c", clients=2, path=path, **more)])


def test_another_seed_and_other_times_are_numbers_in_a_copy(lowered):
    path = [Use(DISK, Exponential(1e-5)), Delay(2e-6), Use(LINK, PerItem(Gamma(1e-6, 0.5), 1e-7))]
    model, other = of(path, think=Exponential(3e-6)), of(slower(tuple(path), 2.0), think=Exponential(1e-6))
    first = completions(model, 1)
    found = [completions(model, 2), completions(other, 1), completions(model, 1)]
    assert lowered == [model]
    assert found == [fresh(model, 2), fresh(other, 1), first]
    assert len({str(each) for each in found}) == 3


PATH = [Use(DISK, Exponential(1e-5)), Use(LINK, Exponential(1e-5)), Choose((0.5, Delay(1e-6)), (0.5, ()))]


@pytest.mark.parametrize(
    "other",
    [
        of([Use(DISK, Exponential(1e-5)), Use(LINK, Constant(1e-5)), PATH[2]]),
        of([Use(DISK, Exponential(1e-5)), Use(LINK, Gamma(1e-5, 0.5)), PATH[2]]),
        of([*PATH[:2], Choose((0.6, Delay(1e-6)), (0.4, ()))]),
        of([*PATH, Delay(1e-6)]),
        of([*PATH[:2], Repeat(2, Delay(1e-6))]),
        of(PATH, think=Exponential(1e-6)),
        Model([Closed("c", clients=3, path=PATH)]),
        Model([Closed("d", clients=2, path=PATH)]),
        Model([Open("c", arrivals=Poisson(1e3), path=PATH)]),
        Model([Closed("c", clients=2, path=PATH), Closed("d", clients=1, path=PATH)]),
        of([Use(Station("drive"), Exponential(1e-5)), *PATH[1:]]),
    ],
)
def test_models_that_differ_in_structure_are_lowered_anew(other):
    assert changes(of(PATH), other) is None
    assert not changes(of(PATH), of(PATH))


def roomy(more):
    """A model with a station, a pool and a buffer, each with so much ``more`` room."""
    buffer = Buffer("buffer", 3 + more, initial=1, low=1, high=2 + more)
    held = Hold(Pool("pool", 1 + more), Use(Station("disk", servers=1 + more), Exponential(1e-5)))
    write = Closed("write", clients=5, path=[held, Put(buffer)])
    return Model([write, Closed("read", clients=3, path=[Take(buffer), Use(LINK, Exponential(9e-6))])])


def test_the_room_of_places_is_a_number_in_a_copy(lowered):
    found = [completions(roomy(more), 1) for more in (0, 1, 2, 0)]
    assert len(lowered) == 1
    assert found == [fresh(roomy(more), 1) for more in (0, 1, 2, 0)]
    assert len({str(each) for each in found}) == 3


def test_a_cache_with_other_room_is_lowered_anew():
    caches = [of(Lookup(Cache("k", blocks), Zipf(9, 1.0), Delay(1e-6), Delay(2e-6))) for blocks in (3, 4)]
    assert changes(*caches) is None


def test_one_time_that_becomes_two_is_lowered_anew():
    """Both uses of a place share a sampler; so do an arrival and a delay that are equally long."""
    twice = [Use(DISK, Exponential(1e-5)), Delay(1e-6), Use(DISK, Exponential(1e-5))]
    assert changes(of(twice), of([*twice[:2], Use(DISK, Exponential(2e-5))])) is None
    both = slower(tuple(twice), 2.0)
    assert len(changes(of(twice), of(both)).times) == 2
    arrivals = Poisson(1e5)
    open_load, later = (Model([Open("o", arrivals, path=Delay(Exponential(time)))]) for time in (1e-5, 2e-5))
    assert changes(open_load, later) is None


def test_number_and_size_of_kept_templates_are_limited(monkeypatch):
    kept = Templates()
    monkeypatch.setattr("sim.engine.events.compiled.templates.MAX_TEMPLATES", 2)
    all_of_them = [of(Repeat(times, Delay(1e-6))) for times in (1, 2, 3)]
    for model in all_of_them:
        kept.keep(lowering.Lowering(model).template())
    assert [kept.program(model, 1) is None for model in all_of_them] == [True, False, False]
    monkeypatch.setattr("sim.engine.events.compiled.templates.MAX_BYTES", 10)
    kept.keep(lowering.Lowering(all_of_them[0]).template())
    assert kept.program(all_of_them[0], 1) is None


def test_model_with_a_trace_is_not_kept():
    kept = Templates()
    replayed = of(Lookup(Cache("k", 9), Replayed(range(9)), Delay(1e-6), Delay(1e-6)))
    kept.keep(lowering.Lowering(replayed).template())
    assert kept.program(replayed, 1) is None


def test_only_the_last_model_of_another_shape_is_compared(monkeypatch):
    kept, compared = Templates(), []
    models = [of(Repeat(times, Delay(1e-6))) for times in (1, 2, 3)]
    for model in models:
        kept.keep(lowering.Lowering(model).template())
    monkeypatch.setattr("sim.engine.events.compiled.templates.changes", lambda old, _: compared.append(old))
    assert kept.program(of(Repeat(4, Delay(1e-6))), 1) is None
    assert [id(model) for model in compared] == [id(models[-1])]


def test_the_shape_of_a_draw_is_not_read(monkeypatch):
    kept = Templates()
    kept.keep(lowering.Lowering(of(Delay(1e-6))).template())
    monkeypatch.setattr("sim.engine.events.compiled.templates.shape_of", lambda _: pytest.fail("read"))
    assert kept.program(of(Delay(2e-6)), 1) is not None
    assert kept.program(of(Delay(3e-6)), 1) is not None


def test_a_model_that_is_run_again_is_not_compared_again(monkeypatch):
    kept = Templates()
    kept.keep(lowering.Lowering(of(Delay(1e-6))).template())
    slow = of(Delay(2e-6))
    first = kept.program(slow, 1)
    monkeypatch.setattr("sim.engine.events.compiled.templates.changes", lambda *_: pytest.fail("compared"))
    again = kept.program(slow, 2)
    assert (again.memory == first.memory).all()


def test_zero_is_written_without_a_sign():
    assert repr(Zipf(50, -0.0)) == repr(Zipf(50, 0.0))
    assert repr(Empirical([-0.0])) == repr(Empirical([0.0]))


def test_a_prediction_with_its_interval_lowers_its_model_once(lowered):
    prediction = predict("dbfs", {"users": 2, "block": 4096})
    assert prediction.intervals
    assert len(lowered) == 1
    assert KEPT is not lowering.KEPT
