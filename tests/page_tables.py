"""Tables in pages of what nobody here has measured: each is written by a script, between two marks."""

from __future__ import annotations

from sim.engine.files import write_atomically


def number(value):
    """Three digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def banded(prediction, measure, scale=1.0):
    """An answer, and the band in which nine of ten measurements should lie."""
    band, value = prediction.intervals[measure], prediction.answers[measure].estimate.value
    middle, low, high = (number(each / scale) for each in (value, band.low, band.high))
    return f"{middle} ({low} … {high})"


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells):
    yield row(*cells)
    yield "|" + "---|" * len(cells)


def written(page, marks):
    """Text of the page between the two lines."""
    text = page.read_text("utf-8")
    return text[text.index(marks[0]) + len(marks[0]) : text.index(marks[1])]


def write(page, marks, lines):
    """Put ``lines`` there instead."""
    begin, end = marks
    first, rest = page.read_text("utf-8").split(begin)
    write_atomically(page, (first + begin + between(lines) + end + rest.split(end)[1]).encode())


def between(lines):
    """``lines`` as they stand between the marks."""
    return "\n" + "\n".join(lines) + "\n\n"
