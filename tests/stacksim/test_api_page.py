"""`docs/api.md` describes each public name once, all of them have docstrings, and examples in docstrings run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import itertools
import re
from functools import cached_property
from pathlib import Path

import pytest

import stacksim
from sim.engine.extensions import registered

ROOT = Path(__file__).parents[2]
FACES = ("stacksim", "stacksim.layers", "stacksim.testing", "sim", "sim.system", "sim.prediction")
SECTION = re.compile(r"^## `([\w.]+)`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
LEFT_OUT = re.compile(r'"!\^\(?([A-Za-z|]+)\)?\$"')

METHOD = property | cached_property | classmethod | staticmethod

SECTIONS = dict(SECTION.findall((ROOT / "docs" / "api.md").read_text("utf-8")))
EXAMPLES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("sim", "models", "stacksim")
    for file in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


def public(face):
    """Each public name of a package, and the thing."""
    module = importlib.import_module(face)
    return {name: getattr(module, name) for name in module.__all__}


def test_the_page_describes_every_name_of_every_package():
    assert tuple(SECTIONS) == FACES
    for face, text in SECTIONS.items():
        described, *single = DIRECTIVE.findall(text)
        assert importlib.import_module(described).__all__ == importlib.import_module(face).__all__
        guests = registered(stacksim.GROUP) if face == "stacksim" else ()  # no source imports them
        assert [path.rpartition(".")[2] for path in single] == sorted(guests)


def test_a_name_is_left_out_where_an_earlier_package_has_it():
    earlier = set()
    for face, text in SECTIONS.items():
        things = {name: id(thing) for name, thing in public(face).items()}
        left_out = [name for names in LEFT_OUT.findall(text) for name in names.split("|")]
        assert left_out == [name for name in things if things[name] in earlier], face
        earlier |= {*things.values()}


@pytest.mark.parametrize("face", FACES)
def test_every_name_is_described(face):
    assert not [name for name, thing in public(face).items() if not described(face, name, thing)]


@pytest.mark.parametrize("face", FACES)
def test_every_method_is_described(face):
    methods = {
        f"{name}.{method}": member
        for name, thing in public(face).items()
        if inspect.isclass(thing)
        for method, member in vars(thing).items()
        if not method.startswith("_") and (inspect.isfunction(member) or isinstance(member, METHOD))
    }
    assert not [name for name, member in methods.items() if not inspect.getdoc(member)]


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_run(module):
    results = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0
    assert results.failed == 0


def described(face, name, thing):
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return thing.__doc__ and not thing.__doc__.startswith(f"{name}(")  # what dataclasses write themselves
    return name in described_values(home(face, name))


def home(face, name):
    """The module that ``name`` is imported from, also where only types need it."""
    source = inspect.getsource(importlib.import_module("sim.engine" if face == "sim" else face))
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return next(node.module for node in imports if name in {each.name for each in node.names})


def described_values(module):
    """Names of values and types in a module with a docstring below them."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    for one, below in itertools.pairwise(body):
        match one, below:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str())):
                yield name
