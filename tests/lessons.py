"""Lessons as the tests read them: their cells, what a cell needs of those before it, and how they are run."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import nbformat
from IPython.display import display

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
ABLATIONS = ROOT / "tests" / "notebooks" / "ablations"


@dataclass(frozen=True)
class Lesson:
    """A lesson in the file ``path``, or one that a test has made up."""

    path: Path
    notebook: nbformat.NotebookNode

    @classmethod
    def of(cls, path: Path) -> Lesson:
        return cls(path, nbformat.read(path, as_version=nbformat.NO_CONVERT))

    @property
    def cells(self) -> list[nbformat.NotebookNode]:
        return self.notebook.cells

    @property
    def code(self) -> list[nbformat.NotebookNode]:
        return [cell for cell in self.cells if cell.cell_type == "code"]

    @property
    def prose(self) -> str:
        """All markdown, a blank line between cells."""
        return "\n\n".join(cell.source for cell in self.cells if cell.cell_type == "markdown")

    def marked(self, word: str) -> list[nbformat.NotebookNode]:
        """The code cells whose metadata have ``word``: ``statement`` or ``solution``."""
        return [cell for cell in self.code if word in about(cell)]

    @cached_property
    def ablations(self) -> ModuleType | None:
        """The functions that take mechanisms of this lesson out; None where there is no such file."""
        path = ABLATIONS / f"{self.path.stem.replace('-', '_')}.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"ablations_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def needed(self, cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
        """The code cells that ``cell`` depends on by the names in them, and ``cell`` itself, in order."""
        kept, wanted = [cell], names_read(cell.source)
        for earlier in reversed(self.code[: self.code.index(cell)]):
            if wanted & names_bound(earlier.source):
                kept.insert(0, earlier)
                wanted |= names_read(earlier.source)
        return kept


def about(cell: nbformat.NotebookNode) -> dict:
    """Instructions to the tests in the metadata of ``cell``."""
    return cell.metadata.get("stacksim", {})


def names_read(source: str) -> set[str]:
    """Names that a cell has from elsewhere: those that it reads before it gives them a value."""
    own: set[str] = set()
    read: set[str] = set()
    for statement in ast.parse(source).body:
        loaded = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and not _stored(node)}
        read |= loaded - own - _for_itself(statement)
        own |= set(_bound(statement))
    return read


def _for_itself(statement: ast.stmt) -> set[str]:
    """Names bound by loops and comprehensions, and names of parameters."""
    targets = (node.target for node in ast.walk(statement) if isinstance(node, ast.comprehension | ast.For))
    names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return names | {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def names_bound(source: str) -> set[str]:
    """Variables, functions and imports of a cell."""
    return set(_bound(ast.parse(source)))


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and _stored(node):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((each.asname or each.name).partition(".")[0] for each in node.names)


def only_imports(cell: nbformat.NotebookNode) -> bool:
    return all(isinstance(each, ast.Import | ast.ImportFrom) for each in ast.parse(cell.source).body)


def run(cells: Sequence[nbformat.NotebookNode]) -> dict:
    """Run code cells one after the other in one namespace, which is returned; the last expression shows itself."""
    names = {"__name__": "__main__", "display": display}
    for cell in cells:
        body = ast.parse(cell.source).body
        last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), cell.id, "exec"), names)  # noqa: S102  (as a kernel does)
        if last is not None:
            show(eval(compile(last, cell.id, "eval"), names))  # noqa: S307  (as a kernel does)
    return names


def show(value: object) -> None:
    """Make of ``value`` what Jupyter would show; unlike there, an error is an error."""
    for kind in ("html", "markdown", "png", "svg", "mimebundle"):
        method = getattr(type(value), f"_repr_{kind}_", None)
        if method:
            method(value)
