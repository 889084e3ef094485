"""A lesson of a few cells about the toy system, for tests of what is made of lessons."""

from __future__ import annotations

import nbformat

from lessons import ROOT

CELLS = (
    ("markdown", "# How many can a toy serve?\n\nLittle: $L = \\lambda W$. Before: [one](01-one.ipynb#why).", {}),
    ("code", f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom toy import TOY", {}),
    ("code", "from stacksim.notebook import Guess, curves, predict, say, sliders, sweep", {}),
    ("markdown", "## Predict before you run\n\nHow many? Write your\nnumber in place of `None`.", {}),
    ("code", 'guess = Guess("Served:", "<a second>", None)', {}),
    ("markdown", "## Reveal", {}),
    ("code", "say(guess.beside(10 * predict(TOY, clients=1).value()))", {}),
    ("markdown", "## Change one thing", {}),
    ("code", "sliders(TOY, over='clients', clients=[1, 2], items=[4, 1], second=[0, 1])", {}),
    ("code", "curves(sweep(TOY, clients=[1, 2]))", {}),
    ("code", "predict(TOY, clients=2)", {}),
    ("code", "sliders(TOY, over='clients', clients=[1, 2], parameters=['fixed_s', 'each_s'])", {}),
    ("markdown", "## Exercises\n\n1. Why?", {}),
    ("markdown", "## Solutions\n\n**1.** Therefore.", {}),
    ("code", "assert True", {"stacksim": {"solution": 1}}),
    ("markdown", "Next: [two](02-two.ipynb), [all](README.md), [a word](../docs/glossary.md#knee).", {}),
)

THINNED = (
    "Of fixed_s this page has 9 of 17 values; a notebook has all.",
    "Curves are computed; where the sliders start they are simulated, too.",
)
"""Notes below the sliders of parameters."""


def small_lesson() -> nbformat.NotebookNode:
    """The lesson, not executed."""
    kinds = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    return nbformat.v4.new_notebook(cells=[kinds[kind](text, metadata=about) for kind, text, about in CELLS])
