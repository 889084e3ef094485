"""Sliders and curves of a lesson as data, and guesses as fields, for pages; runs in the kernel of the lesson."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from sim.engine.errors import InputError
from sim.engine.units.text import number_text
from sim.output.pictures.chart import Chart
from sim.output.pictures.style import embedded
from stacksim.notebook import guessing
from stacksim.notebook.drawing import Picture
from stacksim.notebook.knobs import Knob
from stacksim.notebook.moving import MAX_GRID
from stacksim.notebook.with_sliders import Sliders

CHARTS = "application/vnd.stacksim.charts+json"
"""MIME type of charts with controls, as `edition.js` draws them."""

MAX_POINTS = 200
"""Largest number of combinations of the sliders of one cell in a page."""

_FEWEST = 3
"""Values that a slider keeps at least: both ends, and the initial one."""


def prepare(shell: InteractiveShell) -> None:
    """Let ``shell`` show sliders and pictures as data, and a guess as a field."""
    formatter: Any = shell.display_formatter
    formatter.ipython_display_formatter.for_type(Sliders, lambda shown: _show(CHARTS, moved(shown)))
    formatter.ipython_display_formatter.for_type(Picture, _picture)
    guessing.Guess = Asked  # type: ignore[misc]


@dataclass(frozen=True)
class Asked(guessing.Guess):
    """A guess that the reader of the page writes into a field."""

    def __post_init__(self) -> None:
        question, unit = escape(self.question), escape(self.unit)
        _show(
            "text/html",
            f'<form class="guess" data-question="{question}">'
            f'<label>{question} <input inputmode="decimal" autocomplete="off"></label> {unit} '
            '<button>Reveal</button> <button name="skip">I do not know</button><output></output></form>',
        )

    def beside(self, answer: float) -> str:
        """The answer, marked so that the page can write the guess beside it."""
        question = escape(self.question)
        sentence = f"{question} {number_text(answer)} {escape(self.unit)}"
        return f'<span class="beside" data-question="{question}" data-answer="{answer}">{sentence}</span>.'


def moved(sliders: Sliders) -> dict[str, Any]:
    """Charts at all positions of the knobs of ``sliders``, thinned to ``MAX_POINTS``, the last knob fastest.

    They are simulated if that takes no more than ``MAX_GRID`` predictions, or if the analytic engine refuses, and
    computed otherwise.

    Raises:
        InputError: too many positions even of thinned sliders.
    """
    moving, every = sliders.moving, sliders.moving.question
    question = replace(every, knobs=thinned(every.knobs))
    simulated = question.count <= MAX_GRID
    points = []
    for position in question.positions:
        moving.move(**position)
        if simulated or moving.note:
            moving.settle()
        words = f"{every.system.name}: {every.words(position)}."
        charts = () if moving.note else moving.charts
        points.append(_point(charts, f"{words} {moving.note or _ends(charts)}"))
    moving.move(**every.start)
    return {
        "knobs": [_control(knob) for knob in question.knobs],
        "points": points,
        "notes": [*_left_out(every.knobs, question.knobs), *([] if simulated else [_COMPUTED])],
    }


_COMPUTED = "Curves are computed; where the sliders start they are simulated, too."


def thinned(knobs: Sequence[Knob]) -> tuple[Knob, ...]:
    """``knobs`` with fewer values, so that there are no more than ``MAX_POINTS`` combinations.

    Raises:
        InputError: there are more, although each slider has only its ends and its initial value.
    """
    kept = list(knobs)
    while (count := math.prod(len(knob.values) for knob in kept)) > MAX_POINTS:
        longest = max((knob for knob in kept if knob.ordered), key=lambda knob: len(knob.values), default=None)
        if longest is None or len(longest.values) <= _FEWEST:
            raise InputError(
                f"{count} combinations of sliders; allowed in a page: {MAX_POINTS}; list fewer values"
            )
        kept[kept.index(longest)] = _halved(longest)
    return tuple(kept)


def _halved(knob: Knob) -> Knob:
    """``knob`` with every second value from the initial one on, and both ends."""
    last = len(knob.values) - 1
    kept = [index for index in range(last + 1) if index in {0, last} or (index - knob.start) % 2 == 0]
    values, texts = (tuple(of[index] for index in kept) for of in (knob.values, knob.texts))
    return replace(knob, values=values, texts=texts, start=kept.index(knob.start))


def _left_out(every: Iterable[Knob], kept: Iterable[Knob]) -> Iterator[str]:
    for knob, thin in zip(every, kept, strict=True):
        few, many = len(thin.values), len(knob.values)
        if few < many:
            yield f"Of {knob.name} this page has {few} of {many} values; a notebook has all."


def _control(knob: Knob) -> dict[str, Any]:
    return {name: getattr(knob, name) for name in ("name", "help", "texts", "start", "ordered")}


def _point(charts: Iterable[Chart], words: str) -> dict[str, Any]:
    return {"charts": [chart.record() for chart in charts], "words": words}


def _ends(charts: Sequence[Chart]) -> str:
    """First and last answer of each chart, in words."""
    x, places = charts[0].x, charts[0].curves[-1].x
    first, last = ((x.named or {}).get(place, number_text(place)) for place in (places[0], places[-1]))
    answers = []
    for chart in charts:
        y = chart.curves[-1].y
        answers.append(f"{chart.y.label} {number_text(y[0])} to {number_text(y[-1])} {chart.y.unit}")
    return f"From {x.label} {first} to {last}: {', '.join(answers)}."


def _picture(picture: Picture) -> None:
    if picture.charts:
        words = f"{picture.charts[0].title.rstrip(': ')}."
        _show(CHARTS, {"knobs": [], "points": [_point(picture.charts, words)], "notes": []})
    else:
        title = picture.figure.get_suptitle() or "picture"
        _show("text/html", f'<img class="paper" alt="{escape(title)}" src="{embedded(picture.figure)}">')


def _show(kind: str, content: Any) -> None:
    display({kind: content}, raw=True)  # type: ignore[no-untyped-call]
