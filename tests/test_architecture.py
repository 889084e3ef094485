"""The tree is the architecture: imports point one way, files and functions are short, names are listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sim

LAYERS = (
    "errors",
    "checks",
    "memory",
    "files",
    "complaints",
    "processes",
    "units",
    "alike",
    "distributions",
    "addresses",
    "policies",
    "places",
    "steps",
    "workloads",
    "demand",
    "model",
    "symmetry",
    "answers",
    "streams",
    "histogram",
    "measures",
    "budget",
    "journeys",
    "ledger",
    "theory",
    "student",
    "estimates",
    "intervals",
    "history",
    "reference",
    "compiled",
    "engines",
    "wish",
    "result",
    "limits",
    "usage",
    "bounds",
    "analytic",
    "summary",
    "tails",
    "judgement",
    "settling",
    "seldom",
    "crowds",
    "bursts",
    "verdict",
    "steady",
    "replications",
    "twin",
    "simulate",
    "parameters",
    "settings",
    "baselines",
    "system",
    "solvers",
    "stretch",
    "uncertainty",
    "recording",
    "prediction",
    "sensitivity",
    "explanation",
    "timeline",
    "data",
    "fitted",
    "measured",
    "splits",
    "sweep",
    "report",
    "plot",
    "page",
    "fit",
    "cli",
)
"""The modules and folders of ``sim``, low to high: each may import those before it; ``sim`` itself, all."""

SHARED = ("models.io", "models.layer", "models.processor", "models.tree")
"""What the layers of ``models`` share; only ``models.systems`` knows the layers themselves."""

FUNCTION_LINES = 70
FILE_LINES = 400

ROOT = Path(__file__).parents[1]
VOCABULARY = ROOT / "docs" / "vocabulary.md"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


SOURCES = {
    module_of(path): path.read_text(encoding="utf-8")
    for package in ("sim", "models")
    for path in sorted((ROOT / package).rglob("*.py"))
}


def layer_of(module: str) -> str:
    """The second part of the name; empty for a package itself."""
    return module.partition(".")[2].partition(".")[0]


def height_of(module: str) -> int:
    layer = layer_of(module)
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)


def may_import(module: str, other: str) -> bool:
    ours, theirs = (name.partition(".")[0] for name in (module, other))
    if theirs not in ("sim", "models"):
        return True
    if ours == "models":
        return theirs == "sim" or other in SHARED or layer_of(module) == "systems"
    same_layer = layer_of(other) == layer_of(module)
    return theirs == "sim" and (same_layer or height_of(other) < height_of(module))


def imports_of(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield node, inner if inner in SOURCES else f"{node.module}"


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def wrong_imports(module: str, source: str) -> Iterator[str]:
    for node, other in imports_of(ast.parse(source, module)):
        if not may_import(module, other):
            yield f"{module}, line {node.lineno}: imports {other}"


def hidden_imports(module: str, source: str) -> Iterator[str]:
    if module.startswith("sim.cli"):
        return
    lines = source.splitlines()
    for function in functions_of(ast.parse(source, module)):
        for node, other in imports_of(function):
            if not re.search(r"#.*\blazily\b", lines[node.lineno - 1]):
                yield f"{module}, line {node.lineno}: imports {other} inside a function"


def excess_lines(module: str, source: str) -> Iterator[str]:
    length = len(source.splitlines())
    if length > FILE_LINES:
        yield f"{module} has {length} lines; allowed: {FILE_LINES}"
    for function in functions_of(ast.parse(source, module)):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > FUNCTION_LINES:
            where = f"{module}, line {function.lineno}: {function.name}"
            yield f"{where} has {length} lines; allowed: {FUNCTION_LINES}"


@pytest.mark.parametrize("rule", [wrong_imports, hidden_imports, excess_lines])
def test_every_file_keeps_the_rule(rule):
    broken = [line for module, source in SOURCES.items() for line in rule(module, source)]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    ("rule", "module", "source", "broken"),
    [
        (wrong_imports, "sim.steps", "from sim.places import Place", 0),
        (wrong_imports, "sim.reference.walker", "from sim.reference.engine import Engine", 0),
        (wrong_imports, "sim", "from sim.cli import main", 0),
        (wrong_imports, "sim.places", "from sim import checks", 0),
        (wrong_imports, "sim.places", "from sim import steps", 1),
        (wrong_imports, "sim.places", "import numpy, sim.steps", 1),
        (wrong_imports, "sim.steps", "from sim import Place", 1),
        (wrong_imports, "sim.cli.show", "import models", 1),
        (wrong_imports, "models.disk", "from models.layer import Layer\nimport sim", 0),
        (wrong_imports, "models.disk", "from models.cache import Cache", 1),
        (wrong_imports, "models.systems.dbfs", "from models.cache import Cache", 0),
        (hidden_imports, "sim.plot", "def show():\n    import matplotlib", 1),
        (hidden_imports, "sim.plot", "def show():\n    import matplotlib  # lazily: it is slow", 0),
        (hidden_imports, "sim.cli.show", "def show():\n    import matplotlib", 0),
        (excess_lines, "sim.plot", "def show():\n" + "    pass\n" * (FUNCTION_LINES - 1), 0),
        (excess_lines, "sim.plot", "def show():\n" + "    pass\n" * FUNCTION_LINES, 1),
        (excess_lines, "sim.plot", "pass\n" * (FILE_LINES + 1), 1),
    ],
)
def test_the_rule_sees(rule, module, source, broken):
    assert len(list(rule(module, source))) == broken


def test_every_module_of_sim_has_its_layer():
    unlisted = {layer_of(module) for module in SOURCES if module.startswith("sim.")} - set(LAYERS)
    assert not unlisted, f"give {', '.join(sorted(unlisted))} a place in LAYERS, above all that it imports"


def test_public_names_are_sorted_and_exist():
    assert list(sim.__all__) == sorted(set(sim.__all__))
    missing = [name for name in sim.__all__ if not hasattr(sim, name)]
    assert not missing, f"sim has no {', '.join(missing)}"


@pytest.mark.skipif(not VOCABULARY.exists(), reason="the vocabulary is not written yet")
def test_the_vocabulary_lists_the_public_names():
    documented = re.findall(r"^\|[^`\n]*`(\w+)", VOCABULARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(documented) == list(sim.__all__)
