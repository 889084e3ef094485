"""docs/layers.md has a table of the fields of each kind of layer. As a script, this file writes them."""

from __future__ import annotations

import re
from pathlib import Path

from sim.engine.extensions import registered
from sim.engine.files import write_atomically
from sim.system.settings import Choice
from sim.system.stack.kinds import LAYERS, fields_of, kind_of

PAGE = Path(__file__).parents[2] / "docs" / "layers.md"
TABLE = re.compile(r"^\| field of `([\w ]+)` \| default \| \|\n(?:\|.*\n)*", re.MULTILINE)
IN_FULL = re.compile(r"^\d{10}\.\d+$")
"""A rate that `show` writes with all its digits, since no shorter text stands for it."""

BY_NAME = ("hardware", "date")
"""Fields of every kind that takes values from the catalogue; the page describes them once."""


def default(setting):
    """The default as a stack file has it; of a choice, with the other words behind it."""
    if setting.default is None:
        return "host"
    if isinstance(setting, Choice):
        return ", ".join(sorted(setting.options, key=lambda option: option != setting.default))
    return IN_FULL.sub(lambda rate: f"{float(rate[0]) / 1e9:.3g}GB/s", setting.show(setting.default))


def rows(kind):
    for setting in fields_of(kind_of(LAYERS, kind)):
        if setting.name not in BY_NAME:
            about = setting.help.partition("; by default the value of the layer host")[0]
            yield f"| `{setting.name}` | {default(setting)} | {about} |\n"


def table(kind):
    return f"| field of `{kind}` | default | |\n|---|---|---|\n{''.join(rows(kind))}"


def test_page_has_a_table_for_each_kind_with_fields():
    documented = TABLE.findall(PAGE.read_text("utf-8"))
    without_fields = {kind for kind in registered(LAYERS) if not list(rows(kind))}
    assert sorted(documented) == sorted({*registered(LAYERS)} - without_fields)


def test_tables_equal_fields_of_classes():
    for found in TABLE.finditer(PAGE.read_text("utf-8")):
        assert found[0] == table(found[1]), "python tests/golden/test_layers_page.py"


if __name__ == "__main__":
    text = TABLE.sub(lambda found: table(found[1]), PAGE.read_text("utf-8"))
    write_atomically(PAGE, text.encode())
