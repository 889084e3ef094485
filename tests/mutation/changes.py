"""Changes of one operator or number each, and which of them can make a difference."""

from __future__ import annotations

import ast
import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db

UNIONS = "core/ReplaceBinaryOperator_BitOr_"
"""Operators that change unions of types, which nobody adds up."""

CHECKED_ELSEWHERE = ("frozen", "strict")
"""Arguments that refuse what the types refuse: ``dataclass(frozen=True)``, ``zip(strict=True)``."""

CACHES = ("cache", "lru_cache")
"""Decorators without which everything is the same, but slower."""


@dataclass(frozen=True)
class Change:
    """The module ``file`` with the ``code`` that one ``operator`` made of it in ``line``."""

    file: Path
    line: int
    operator: str
    code: str


def drawn(files: Sequence[Path], number: int, seed: int) -> tuple[list[Change], int]:
    """So many changes of ``files`` that can make a difference, the same ones with one seed; and of how many.

    Those that cannot are drawn, too, and put back: of the others, each is as likely as the next.
    """
    with use_db(":memory:", WorkDB.Mode.create) as database:
        init(files, database, {})
        specs = sorted((each.mutations[0] for each in database.work_items), key=str)
    specs = [each for each in specs if not each.operator_name.startswith(UNIONS)]
    random.Random(seed).shuffle(specs)
    originals = {file: file.read_text(encoding="utf-8") for file in files}
    meanings = {file: _meaning(text) for file, text in originals.items()}
    changes: list[Change] = []
    for spec in specs:
        if len(changes) == number:
            break
        code = mutate_code(originals[spec.module_path], get_operator(spec.operator_name)(), spec.occurrence)
        if _meaning(code) not in (None, meanings[spec.module_path]):
            changes.append(Change(spec.module_path, spec.start_pos[0], spec.operator_name, code))
    return changes, len(specs)


def _meaning(code: str) -> str | None:
    """Part of ``code`` that makes a difference; None if it does not compile, or with a warning only."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile(code, "changed", "exec")
            return ast.dump(_Meaning().visit(ast.parse(code)))
    except (SyntaxError, SyntaxWarning):
        return None


class _Meaning(ast.NodeTransformer):
    """Leaves out annotations, texts on their own, ``__all__``, caches, and what is for the types only."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        node.decorator_list = [each for each in node.decorator_list if _name(each) not in CACHES]
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if _name(node.targets[0]) == "__all__" else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if _name(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST | None:
        return None if node.arg in CHECKED_ELSEWHERE else self.generic_visit(node)


def _name(node: ast.expr) -> str:
    return ast.unparse(node).partition("(")[0]
