"""``python -m benchmarks house``: how large the project is, and how its modules hang together.

Lines are those of the files as they are written. A name that another room imports is one that a reader has to know
beyond the room it is defined in; a room is a package or module directly in ``sim``.
"""

from __future__ import annotations

import ast
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("stacksim", "sim", "models")
GROUPS = ("stacksim.layers", "stacksim.loads", "stacksim.systems")


def main(_words: Sequence[str]) -> None:
    """Print all counts."""
    files = _tracked("*.py")
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    for top in ("stacksim", "sim", "models", "tests", "benchmarks"):
        those = [count for path, count in lines.items() if path.relative_to(ROOT).parts[0] == top]
        print(f"{top:<12} {len(those):5} files {sum(those):7,} lines")  # noqa: T201
    words = sum(len(path.read_text("utf-8").split()) for path in _tracked("*.md"))
    print(f"documents {words:,} words")  # noqa: T201
    sources = {_module(path): path for path in files if path.relative_to(ROOT).parts[0] in PACKAGES}
    _print_names(sources, sum(lines[path] for path in sources.values()))
    _print_kinds(sources, lines)


def _print_names(sources: Mapping[str, Path], lines: int) -> None:
    importers: Counter[str] = Counter()
    beyond: set[tuple[str, str]] = set()
    public = 0
    for module, path in sources.items():
        tree = ast.parse(path.read_text("utf-8"))
        public += sum(not name.startswith("_") for name in _defined(tree))
        known = {(other, name) for other, name in _imported(tree) if other in sources}
        importers.update({other for other, _ in known})
        beyond |= {(other, name) for other, name in known if _room(other) != _room(module)}
    lonely = sum(importers[module] == 1 for module in sources)
    print(f"public names {1000 * public / lines:.1f} in 1,000 lines of these packages")  # noqa: T201
    print(f"names that another room imports {1000 * len(beyond) / lines:.1f} in 1,000 lines")  # noqa: T201
    print(f"modules with one importer {lonely} of {len(sources)}")  # noqa: T201


def _print_kinds(sources: Mapping[str, Path], lines: Mapping[Path, int]) -> None:
    for group in GROUPS:
        print(f"\n{group}")  # noqa: T201
        for point in sorted(entry_points(group=group), key=lambda each: each.name):
            path = sources.get(point.module)
            if path is None:
                continue
            folder = path.parent if path.name == "__init__.py" else None
            count = sum(lines[each] for each in lines if folder in each.parents) if folder else lines[path]
            print(f"  {point.name:<20} {count:5} lines  {point.module}")  # noqa: T201


def _tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(  # noqa: S603
        ["git", "ls-files", pattern],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for path in map(ROOT.joinpath, listed.stdout.split()) if path.is_file()]


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _room(module: str) -> str:
    """A package or module directly in ``sim``, ``models`` or ``stacksim``."""
    return ".".join(module.split(".")[:2])


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names of functions and classes at the top of a module."""
    return (node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Pairs of a module and a name that is imported from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


if __name__ == "__main__":
    main(())
