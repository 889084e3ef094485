"""Stacks that come along: each is in order, says where its numbers come from, and is alike on both engines."""

from __future__ import annotations

import tomllib

import jsonschema
import pytest

from models.stacks import FOLDER
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.system import find
from sim.system.case import Case
from sim.system.installed import installed
from sim.system.settings import Choice
from sim.system.stack.schema import schema

FILES = sorted(FOLDER.glob("*.toml"))
NAMES = [file.stem for file in FILES]


@pytest.fixture(scope="module")
def validator():
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_each_is_known_by_its_name():
    assert set(NAMES) <= set(installed())
    assert [find(name).name for name in NAMES] == NAMES


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_an_editor_that_knows_the_schema_accepts_it(file, validator):
    validator.validate(tomllib.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_every_number_says_where_it_comes_from(name):
    for each in find(name).parameters.entries:
        assert each.source, each.name
        left_out = each.value == 0.0 and each.source.endswith("percentiles are not known until it is set")
        assert each.basis != "assumed" or each.likely or left_out, f"{each.name} is assumed: say where it lies"


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_builds_a_model(name):
    system = find(name)
    assert Case.of(system, {}).scenario.model.workloads
    for setting in system.settings:
        for option in setting.options if isinstance(setting, Choice) else ():
            assert Case.of(system, {setting.name: option}).scenario.model.workloads


@pytest.mark.parametrize("name", NAMES)
def test_both_engines_agree(name):
    scenario = Case.of(find(name), {}).scenario
    reference, compiled = (engine(scenario.model, 1) for engine in (ReferenceEngine, CompiledEngine))
    for engine in (reference, compiled):
        engine.advance(5_000_000)
    assert compiled.snapshot().workloads.tolist() == reference.snapshot().workloads.tolist()
    assert compiled.snapshot().places.tolist() == reference.snapshot().places.tolist()
    assert (compiled.snapshot().histograms == reference.snapshot().histograms).all()
