"""Lessons hold what they say, and would not if the mechanism were removed; here in the process of the tests."""

from __future__ import annotations

import nbformat
import pytest

from lessons import NOTEBOOKS, Lesson, about, only_imports, run
from stacksim.notebook import asking

LOOSE = 0.1
"""Half-width of intervals here, as a share: each lesson in a few seconds."""

LESSONS = [Lesson.of(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


@pytest.fixture(autouse=True)
def loosely(tmp_path, monkeypatch):
    """An empty folder, and a loose precision, which is the lesson's again when the test is over."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(asking, "PRECISION", LOOSE)


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path.stem)
def test_lesson_runs_with_its_assertions(lesson):
    run(lesson.code)


def quick(lesson, cell):
    """True if nothing but imports has to be run before the cell of a statement."""
    return all(map(only_imports, lesson.needed(cell)[:-1]))


STATEMENTS = [
    pytest.param(
        lesson,
        cell,
        id=f"{lesson.path.stem}-{about(cell).get('without')}",
        marks=[] if quick(lesson, cell) else [pytest.mark.slow],
    )
    for lesson in LESSONS
    for cell in lesson.marked("statement")
]


@pytest.mark.parametrize(("lesson", "cell"), STATEMENTS)
def test_assertions_fail_without_the_mechanism(lesson, cell, monkeypatch):
    getattr(lesson.ablations, about(cell)["without"])(monkeypatch)
    monkeypatch.setattr("sim.prediction.idle_fields._found", lambda _: ())  # it would be remembered by other tests
    with pytest.raises(AssertionError):
        run(lesson.needed(cell))


def lesson_of(tmp_path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return Lesson(tmp_path / "made-up.ipynb", nbformat.v4.new_notebook(cells=cells))


def test_only_needed_cells_run_before_a_cell(tmp_path):
    lesson = lesson_of(tmp_path, "import math", "a = math.pi", "b = 1", "def f():\n    return a", "f()")
    assert lesson.needed(lesson.code[-1]) == [lesson.code[number] for number in (0, 1, 3, 4)]


def test_a_name_of_its_own_does_not_need_earlier_cells(tmp_path):
    earlier = ["a = b = c = d = 1"] * 2
    own = lesson_of(tmp_path, *earlier, "a, b = (c for c in (1, 2))\nfor d in (a, b):\n    d")
    assert own.needed(own.code[-1]) == [own.code[-1]]
    changed = lesson_of(tmp_path, *earlier, "a = a + 1")
    assert len(changed.needed(changed.code[-1])) == 3


def test_a_cell_that_fails_is_seen(tmp_path):
    lesson = lesson_of(tmp_path, "a = 1", "assert a == 2\na")
    with pytest.raises(AssertionError):
        run(lesson.code)


def test_error_while_showing_a_result_is_raised(tmp_path):
    source = "class A:\n    def _repr_html_(self):\n        return 1 / 0\nA()"
    with pytest.raises(ZeroDivisionError):
        run(lesson_of(tmp_path, source).code)
