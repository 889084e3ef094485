"""Predict before you run: a written guess, shown beside the answer."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.units.text import number_text


@dataclass(frozen=True)
class Guess:
    """A student's guess; the lesson runs without one, too.

    Attributes:
        value: the guess in ``unit``; None until there is one.
    """

    question: str
    unit: str
    value: float | None = None

    def beside(self, answer: float) -> str:
        """The guess and ``answer``, in one line."""
        sentence = f"{self.question} {number_text(answer)} {self.unit}"
        if self.value is None:
            return f"{sentence}. Nobody had guessed: write your number into the cell."
        if not self.value:
            return f"{sentence}; you said none."
        times = number_text(answer / self.value, 2)
        return f"{sentence}; you said {number_text(self.value)}: it is {times} times your guess."
