"""`stacksim stack new`: a stack file from answers to a few questions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import typer

from sim.engine import checks
from sim.engine.errors import InputError, shown
from sim.engine.extensions import load, registered

GROUP = "stacksim.questions"
"""Entry-point group of a module with ``QUESTIONS`` and ``stack_text``, a function from answers to a stack file."""


def answered(words: Iterable[str]) -> str:
    """The stack file for answers ``question=answer``; missing ones are asked for, or the first option.

    Raises:
        InputError: no such question or answer, or incompatible answers.
    """
    module = _module()
    questions = {each.name: each for each in module.QUESTIONS}
    answers = dict(_said(word, questions) for word in words)
    for name, question in questions.items():
        if name not in answers and not question.applies(answers):
            answers[name] = question.options[0]
        elif name not in answers:
            answers[name] = _asked(question) if sys.stdin.isatty() else question.options[0]
    text: Callable[[Mapping[str, str]], str] = module.stack_text
    return text(answers)


def questions() -> list[tuple[str, str]]:
    """Each question and its answers, the default first.

    Raises:
        InputError: no package has any, or those that one has cannot be loaded.
    """
    return [(each.name, f"{each.text}: {', '.join(each.options)}") for each in _module().QUESTIONS]


def _said(word: str, questions: Mapping[str, Any]) -> tuple[str, str]:
    name, equals, answer = word.partition("=")
    if not equals:
        raise InputError(f"'{shown(word)}' is no answer; write question=answer, such as filesystem=xfs")
    question = questions[checks.known("question", name, questions)]
    return name, checks.known(f"answer to {name}", answer, question.options)


def _asked(question: Any) -> str:
    """Ask on standard error, so that the file can go to standard output; repeat until the answer is valid."""
    first, *others = question.options
    while True:
        typer.echo(f"{question.name}: {question.text} [{first}], {', '.join(others)}? ", nl=False, err=True)
        try:
            return checks.known(
                f"answer to {question.name}", sys.stdin.readline().strip() or first, question.options
            )
        except InputError as error:
            typer.echo(error, err=True)


@cache
def _module() -> Any:
    points = list(registered(GROUP).values())
    if not points:
        raise InputError("no installed package has questions for a stack file; write one (docs/stacks.md)")
    return load(points[0])
