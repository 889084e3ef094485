"""The stack files that the documents show are in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.system import find
from sim.system.case import Case

DOCUMENTS = Path(__file__).parents[2] / "docs"
FILE = re.compile(r"```toml\n(title = (?:.*\n)*?)```")
SHOWN = [
    (document.name, found[1])
    for document in sorted(DOCUMENTS.rglob("*.md"))
    if document.name != "your-own-layer.md"  # whose layer is its own: test_own_system.py
    for found in FILE.finditer(document.read_text("utf-8"))
]


@pytest.mark.parametrize(("document", "text"), SHOWN, ids=[document for document, _ in SHOWN])
def test_shown_stack_files_build_models(tmp_path, document, text):
    path = tmp_path / "shown.toml"
    path.write_text(text, "utf-8")
    assert Case.of(find(str(path)), {}).scenario.model.workloads, document


def test_documents_show_stack_files():
    assert len(SHOWN) >= 2
