"""The form of a lesson: its sections in order, statements with ablations, exercises with solutions, links."""

from __future__ import annotations

import ast
import re
from copy import deepcopy
from itertools import pairwise, takewhile
from pathlib import Path

import nbformat
import pytest

from lessons import NOTEBOOKS, Lesson, about

SECTIONS = (
    "A measurement",
    "Predict before you run",
    "Run",
    "Reveal",
    "Change one thing",
    "Why",
    "What you can now defend",
    "Exercises",
    "Solutions",
)
THREE = 3
CODE_LINES = 15
HELPER_LINES = 5

HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^)#\s]*)#?(?P<anchor>[^)\s]*)\)")
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
NO_PROSE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|\$[^$]*\$", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])(?!(?:19|20)\d\d\b)(?:\d[\d.,]*\d|\d+(?=\s?(?:%|[kMGT]i?B|[nmµ]?s\b|times\b)))")
CITES = re.compile(r"\]\(")
"""A number may stand in a paragraph that links to where it comes from."""


def anchors(page: Path) -> set[str]:
    """Where links to a page may lead: its headings as GitHub names them, and what it names itself."""
    text = page.read_text("utf-8")
    headings = (re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for _, each in HEADING.findall(text))
    return {*headings, *ANCHOR.findall(text)}


def written(lesson):
    """A valid notebook as it was written, not as it was run."""
    nbformat.validate(lesson.notebook)
    if (lesson.notebook.nbformat, lesson.notebook.nbformat_minor) != (4, 5):
        yield "is not of nbformat 4.5"
    if lesson.notebook.metadata.kernelspec.name != "python3":
        yield f"its kernel is {lesson.notebook.metadata.kernelspec.name}"
    for cell in lesson.code:
        if cell.outputs or cell.execution_count is not None:
            yield f"cell {cell.id} has outputs or a number; clear them"


def sections(lesson):
    headings = HEADING.findall(lesson.prose)
    titles = [text for level, text in headings if level == "#"]
    if len(titles) != 1 or not titles[0].endswith("?"):
        yield f"its title is {titles}, not one question"
    found = [text for level, text in headings if level == "##"]
    if found != list(SECTIONS):
        yield f"its sections are {found}"


def cites(lesson):
    if not any("published" in names_of(cell) for cell in lesson.code):
        yield "no cell asks for a published figure"
    if not any("Guess" in names_of(cell) for cell in lesson.code):
        yield "nothing is guessed before it is run"


def statements(lesson):
    cells = lesson.marked("statement")
    if len(cells) != THREE:
        yield f"it has {len(cells)} statements"
    for cell in cells:
        above = lesson.cells[lesson.cells.index(cell) - 1]
        if above.cell_type != "markdown" or about(cell)["statement"] not in " ".join(above.source.split()):
            yield f"above {cell.id} does not stand: {about(cell)['statement']}"
        if not callable(getattr(lesson.ablations, about(cell).get("without", ""), None)):
            yield f"nothing takes {about(cell).get('without')!r} of cell {cell.id} out"


def exercises(lesson):
    numbers = sorted(about(cell)["solution"] for cell in lesson.marked("solution"))
    if numbers != [1, 2, 3]:
        yield f"its solutions are {numbers}"
    for cell in lesson.marked("solution"):
        above = lesson.cells[lesson.cells.index(cell) - 1].source.removeprefix("## Solutions\n\n")
        if not above.startswith(f"**{about(cell)['solution']}.** "):
            yield f"above {cell.id} stands {above[:9]!r} in place of the number of its solution"
    part = lesson.prose.partition("## Exercises")[2].partition("## Solutions")[0]
    asked = re.findall(r"^(\d)\. ", part, re.MULTILINE)
    if asked != ["1", "2", "3"]:
        yield f"its exercises are {asked}"


def on_paper(lesson):
    """A derivation, and cells that compare its result with the simulation."""
    text, code = part(lesson, "On paper")
    if "$" not in text:
        yield "nothing is derived on paper"
    if not any(isinstance(node, ast.Assert) for cell in code for node in ast.walk(ast.parse(cell.source))):
        yield "what is derived on paper is compared with nothing"


def seen_to_fail(lesson):
    """A statement without its mechanism, whose failure is shown, and then with it again."""
    _, code = part(lesson, "See it fail")
    body = [node for cell in code for node in ast.parse(cell.source).body]
    broken = [at for at, node in enumerate(body) if isinstance(node, ast.With) and "fails(" in ast.unparse(node)]
    if len(broken) != 1:
        yield f"it has {len(broken)} counter-examples"
    elif "statement(" not in "".join(map(ast.unparse, body[broken[0] + 1 :])):
        yield "its statement is not restored after the counter-example"


def asserted(lesson):
    for cell in (*lesson.marked("statement"), *lesson.marked("solution")):
        if not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source))):
            yield f"cell {cell.id} asserts nothing"


def thin(lesson):
    """Nothing is drawn or set here, and cells are short."""
    for cell in lesson.code:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        if len(lines) > CODE_LINES:
            yield f"cell {cell.id} has {len(lines)} lines"
        if "matplotlib" in cell.source:
            yield f"cell {cell.id} draws by itself"
        if "precision" in names_of(cell):
            yield f"cell {cell.id} sets a precision"
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= HELPER_LINES:
                yield f"cell {cell.id}: function {node.name} belongs into a package"


def numbers(lesson):
    """Numbers in prose come from cells, or stand beside a link to their source."""
    stated = {about(cell)["statement"] for cell in lesson.marked("statement")}
    for paragraph in re.split(r"\n\s*\n", lesson.prose):
        text = " ".join(paragraph.split())
        if CITES.search(text) or any(each in text for each in stated):
            continue
        for found in NUMBER.findall(NO_PROSE.sub("", text)):
            yield f"the number {found} is typed: {text[:80]}"


def links(lesson):
    for found in LINK.finditer(lesson.prose):
        page = (lesson.path.parent / found["file"]).resolve() if found["file"] else lesson.path
        if not page.exists():
            yield f"leads to {found['file']}, which is not there"
        elif found["anchor"] and page.suffix == ".md" and found["anchor"] not in anchors(page):
            yield f"leads to #{found['anchor']} of {found['file']}, which has no such place"
    if "docs/glossary.md" not in lesson.prose:
        yield "does not lead to the glossary"


def part(lesson, heading):
    """The text of the cell with ``heading``, and the code cells from there to the next heading."""
    cells = iter(lesson.cells)
    text = next((cell.source for cell in cells if f"### {heading}" in cell.source), "")
    within = takewhile(lambda cell: cell.cell_type == "code" or not HEADING.match(cell.source), cells)
    return text, [cell for cell in within if cell.cell_type == "code"]


def names_of(cell):
    return {node.id for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Name)} | {
        each.name
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }


RULES = (written, sections, cites, on_paper, statements, seen_to_fail, exercises, asserted, thin, numbers, links)
LESSONS = [Lesson.of(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def test_no_two_lessons_have_the_same_number():
    numbered = [lesson.path.name[:2] for lesson in LESSONS]
    assert len(set(numbered)) == len(numbered)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path.stem)
def test_lesson_has_the_required_form(lesson):
    faults = [fault for rule in RULES for fault in rule(lesson)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("lesson", "following"), [*pairwise(LESSONS)], ids=lambda each: each.path.stem)
def test_lesson_links_to_the_next(lesson, following):
    last = next(cell for cell in reversed(lesson.cells) if cell.cell_type == "markdown")
    assert f"]({following.path.name})" in last.source


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path.stem)
def test_lesson_is_on_the_map(lesson):
    for page in ("README.md", "teaching.md"):
        assert f"]({lesson.path.name})" in (NOTEBOOKS / page).read_text("utf-8"), page


@pytest.fixture
def good(tmp_path):
    """The shortest lesson that keeps all rules."""
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    glossary = NOTEBOOKS.parent / "docs" / "glossary.md"
    cells = [
        markdown("# Why?\n\nSee `8KiB` in 2016, and [a page](" + str(glossary) + "#decisions)."),
        markdown("\n\n".join([*(f"## {each}" for each in SECTIONS[:6]), "### On paper", "$a$"])),
        code("guess = Guess('?', 's')\npublished('a', 'b', 'c')\nassert guess"),
        markdown(f"## {SECTIONS[6]}"),
    ]
    for number in (1, 2, 3):
        cells += [markdown(f"Fact {number}0."), code("assert True")]
        cells[-1].metadata["stacksim"] = {"statement": f"Fact {number}0.", "without": "format"}
    cells += [markdown("### See it fail"), code("with fails('A'):\n    statement(1)\nstatement(2)")]
    cells += [markdown("## Exercises\n\n1. a\n2. b\n3. c"), markdown("## Solutions")]
    for number in (1, 2, 3):
        cells += [markdown(f"**{number}.** Yes."), code("assert True")]
        cells[-1].metadata["stacksim"] = {"solution": number}
    lesson = Lesson(
        tmp_path / "00-made-up.ipynb",
        nbformat.v4.new_notebook(
            cells=cells,
            nbformat_minor=5,
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        ),
    )
    vars(lesson)["ablations"] = ""  # a text has a function `format`
    return lesson


def test_a_good_lesson_has_no_faults(good):
    assert [fault for rule in RULES for fault in rule(good)] == []


DAMAGE = {
    "outputs": (written, lambda cells: cells[2].update(execution_count=1)),
    "title": (sections, lambda cells: cells[0].update(source="# Because")),
    "order": (sections, lambda cells: cells[1].update(source="## Why")),
    "figure": (cites, lambda cells: cells[2].update(source="Guess('?', 's')")),
    "guess": (cites, lambda cells: cells[2].update(source="published('a', 'b', 'c')")),
    "no formula": (on_paper, lambda cells: cells[1].update(source="### On paper")),
    "not compared": (on_paper, lambda cells: cells[2].update(source="1 + 1")),
    "no counter-example": (seen_to_fail, lambda cells: cells[11].update(source="statement(2)")),
    "not restored": (seen_to_fail, lambda cells: cells[11].update(source="with fails('A'):\n    statement(1)")),
    "two statements": (statements, lambda cells: cells[5].metadata.clear()),
    "another text": (statements, lambda cells: cells[4].update(source="Fact.")),
    "no ablation": (statements, lambda cells: cells[5].metadata["stacksim"].update(without="nothing")),
    "two exercises": (exercises, lambda cells: cells[12].update(source="## Exercises\n\n1. a\n2. b")),
    "no solution": (exercises, lambda cells: cells[-1].metadata.clear()),
    "numbered in words": (exercises, lambda cells: cells[-2].update(source="Three. Yes.")),
    "no assert": (asserted, lambda cells: cells[-1].update(source="True")),
    "long": (thin, lambda cells: cells[2].update(source="a = 1\n" * (CODE_LINES + 1))),
    "drawn": (thin, lambda cells: cells[2].update(source="import matplotlib")),
    "precise": (thin, lambda cells: cells[2].update(source="precision(0.01)")),
    "helper": (thin, lambda cells: cells[2].update(source="def f():\n" + "    g()\n" * HELPER_LINES)),
    "number": (numbers, lambda cells: cells[1].update(source="It takes 4 ms.")),
    "large number": (numbers, lambda cells: cells[1].update(source="There are 7,410 of them.")),
    "link": (links, lambda cells: cells[1].update(source="[a](nowhere.md)")),
    "anchor": (links, lambda cells: cells[0].update(source=cells[0].source.replace("#decisions", "#no"))),
    "no glossary": (links, lambda cells: cells[0].update(source="# Why?")),
}


@pytest.mark.parametrize(("rule", "damage"), DAMAGE.values(), ids=DAMAGE)
def test_rule_detects_violations(good, rule, damage):
    damaged = Lesson(good.path, deepcopy(good.notebook))
    vars(damaged)["ablations"] = good.ablations
    damage(damaged.cells)
    assert list(rule(damaged))
