"""The tree is the architecture: imports point one way, files and functions are short, names are listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import sim

ENGINE = (
    "errors",
    "checks",
    "units",
    "files",
    "extensions",
    "display",
    "statistics",
    "result",
    "model",
    "events",
    "analytic",
    "simulation",
)
"""The rooms of ``sim.engine``, low to high: each may import those before it, and nothing else of the project."""

LAYERS = ("engine", "system", "data", "prediction", "calibration", "decision", "output", "cli")
"""The rooms of ``sim``, low to high: each may import those before it; ``sim`` itself, the engine."""

GUESTS = ("animation", "claims", "explorer", "measuring", "notebook")
"""Packages of ``stacksim`` that nothing else imports: entry points find them, and any of them may be absent."""

CHECKS = "testing"
"""The package of ``stacksim`` for tests of those who extend it."""

HOSTS = {"notebook": ("animation", "claims")}
"""Guests that use others, each in a module of its own that is loaded when it is needed."""

BELOW_PARTS = ("models.io", "models.layer", "models.paths", "models.popularity", "models.tpcc")
"""Shared by parts; they may know one another, one way, and nothing else of ``models``."""

SHARED = ("models.workloads.directory_tree",)
"""Shared by the other layers of ``models`` beside parts; only ``models.systems`` knows the layers themselves."""

MAX_ENTRIES = {"sim": 10, "sim/engine": 13, "stacksim": 12, "models": 13}
"""On the top shelf of a package: files and folders."""

FUNCTION_LINES = 70
FILE_LINES = 400

ROOT = Path(__file__).parents[1]
VOCABULARY = ROOT / "docs" / "dev" / "vocabulary.md"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


SOURCES = {
    module_of(path): path.read_text(encoding="utf-8")
    for package in ("sim", "models", "stacksim")
    for path in sorted((ROOT / package).rglob("*.py"))
}


def layer_of(module: str) -> str:
    """The second part of the name; empty for a package itself."""
    return module.partition(".")[2].partition(".")[0]


def height_of(module: str) -> tuple[int, int]:
    """Where the room of a module of ``sim`` stands; ``sim`` itself, and the face of the engine, highest."""
    room, inner = (*module.split(".")[1:], "", "")[:2]
    if room == "engine":
        return (0, ENGINE.index(inner) if inner in ENGINE else len(ENGINE))
    return (LAYERS.index(room) if room in LAYERS else len(LAYERS), 0)


def may_import(module: str, other: str) -> bool:
    ours, theirs = (name.partition(".")[0] for name in (module, other))
    if theirs not in ("sim", "models", "stacksim"):
        return True
    if ours == "stacksim":
        mine, its = layer_of(module), layer_of(other)
        return theirs != "stacksim" or its not in GUESTS or its == mine or its in HOSTS.get(mine, ())
    if theirs == "stacksim":
        return False
    if ours == "models":
        same_folder = other.count(".") > 2 and module.split(".")[:3] == other.split(".")[:3]
        part = other in BELOW_PARTS or layer_of(other) == "parts"
        shared = part or (other in SHARED and layer_of(module) != "parts")
        return theirs == "sim" or same_folder or shared or layer_of(module) == "systems"
    if theirs == "models":
        return False
    same_room = height_of(other) == height_of(module)
    return same_room or height_of(other) < height_of(module)


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
        (wrong_imports, "sim.engine.model.steps", "from sim.engine.model.places import Place", 0),
        (wrong_imports, "sim.engine.events.protocol", "from sim.engine.events.trace import Trace", 0),
        (wrong_imports, "sim", "from sim.cli import main", 0),
        (wrong_imports, "sim.engine.model.places", "from sim.engine import checks", 0),
        (wrong_imports, "sim.engine.model.places", "from sim.engine import events", 1),
        (wrong_imports, "sim.engine.model.places", "import numpy, sim.engine.simulation.simulate", 1),
        (wrong_imports, "sim.engine.model.steps", "from sim import Place", 1),
        (
            wrong_imports,
            "sim.engine.model.steps",
            "if TYPE_CHECKING:\n    from sim.engine.events.trace import Journey",
            1,
        ),
        (wrong_imports, "sim.cli.show", "import models", 1),
        (wrong_imports, "sim.cli.show", "import stacksim", 1),
        (wrong_imports, "models.parts.cell", "from stacksim.layers import IO", 1),
        (wrong_imports, "stacksim.asking", "from stacksim.claims.judge import judge", 1),
        (wrong_imports, "stacksim.claims.page", "from stacksim.measuring.work import run", 1),
        (wrong_imports, "stacksim.claims.page", "from stacksim.claims.verdict import Verdict", 0),
        (wrong_imports, "stacksim.notebook.claiming", "from stacksim.claims.asking import claim", 0),
        (wrong_imports, "models.parts.cell", "from models.layer import Layer\nimport sim", 0),
        (wrong_imports, "models.parts.cell", "from models.cache import Cache", 1),
        (wrong_imports, "models.parts.cell", "from models.parts.host.asleep import Threads", 0),
        (wrong_imports, "models.parts.fuse.request", "from models.parts.host.asleep import Threads", 0),
        (wrong_imports, "models.parts.fuse.request", "from models.workloads.dd import dd", 1),
        (wrong_imports, "models.workloads.fio.load", "from models.workloads.fio.job import Job", 0),
        (wrong_imports, "models.workloads.fio.load", "from models.workloads.dd import dd", 1),
        (wrong_imports, "models.systems.dbfs.dd", "from models.cache import Cache", 0),
        (hidden_imports, "sim.output.perfetto", "def show():\n    import matplotlib", 1),
        (
            hidden_imports,
            "sim.output.perfetto",
            "def show():\n    import matplotlib  # lazily: it is slow",
            0,
        ),
        (hidden_imports, "sim.cli.show", "def show():\n    import matplotlib", 0),
        (excess_lines, "sim.output.perfetto", "def show():\n" + "    pass\n" * (FUNCTION_LINES - 1), 0),
        (excess_lines, "sim.output.perfetto", "def show():\n" + "    pass\n" * FUNCTION_LINES, 1),
        (excess_lines, "sim.output.perfetto", "pass\n" * (FILE_LINES + 1), 1),
    ],
)
def test_rules_detect_violations(rule, module, source, broken):
    assert len(list(rule(module, source))) == broken


def test_every_module_has_its_room():
    rooms = {layer_of(module) for module in SOURCES if module.startswith("sim.")}
    assert rooms == set(LAYERS), "LAYERS names every room of sim once, above all that it imports"
    inner = {module.split(".")[2] for module in SOURCES if module.startswith("sim.engine.")}
    assert inner == set(ENGINE), "ENGINE names every room of sim.engine once, above all that it imports"
    packages = {layer_of(module) for module in SOURCES if module.startswith("stacksim.") and module.count(".") > 1}
    assert packages == {*GUESTS, CHECKS}, "GUESTS names every package of stacksim but the checks"


@pytest.mark.parametrize("package", MAX_ENTRIES)
def test_the_top_shelf_is_short(package):
    kept = (path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix != ".pyc")
    entries = {path.relative_to(ROOT / package).parts[0] for path in kept}
    assert len(entries) <= MAX_ENTRIES[package], f"{package} has {', '.join(sorted(entries))}: open a room"


def circles(sources: Mapping[str, str]) -> str | None:
    """The first circle of modules that import each other, imports for types alone among them."""
    graph = {
        module: {other for _, other in imports_of(ast.parse(source)) if other in sources and other != module}
        for module, source in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(error.args[1])
    return None


def test_no_modules_import_each_other():
    assert circles(SOURCES) is None


def test_a_circle_is_seen_though_it_is_for_types_alone():
    names = {
        "sim.engine.result": "if TYPE_CHECKING:\n    from sim.engine.units import unit",
        "sim.engine.units": "def unit():\n    from sim.engine.result import Result",
    }
    assert circles(names)
    assert circles({**names, "sim.engine.units": ""}) is None


def test_public_names_are_sorted_and_exist():
    assert list(sim.__all__) == sorted(set(sim.__all__))
    missing = [name for name in sim.__all__ if not hasattr(sim, name)]
    assert not missing, f"sim has no {', '.join(missing)}"


@pytest.mark.skipif(not VOCABULARY.exists(), reason="the vocabulary is not written yet")
def test_the_vocabulary_lists_the_public_names():
    documented = re.findall(r"^\|[^`\n]*`(\w+)", VOCABULARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(documented) == list(sim.__all__)
