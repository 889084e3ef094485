"""Questions of the page, by name: each is answered by records, of which the last is the best."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, StacksimError, printable, shown
from sim.prediction.points import known_of
from sim.prediction.stopping import StoppedError
from stacksim.explorer.answers import answers
from stacksim.explorer.choices import Choices
from stacksim.explorer.comparing import compared
from stacksim.explorer.curves import curves
from stacksim.explorer.form import form_of
from stacksim.explorer.question import Question, RefusedError
from stacksim.explorer.runs import Runs

Records = Iterator[dict[str, Any]]


class Api:
    """Answers to a page's questions.

    Args:
        given: the initial system: a name, or a file.
        fitted: file of a fit of that system.

    Raises:
        InputError: there is no such system, or a file cannot be used.
    """

    def __init__(self, given: str | None = None, fitted: Path | None = None) -> None:
        self._choices, self._runs = Choices(given, fitted), Runs()
        self.questions: Mapping[str, Callable[[dict[str, Any]], Records]] = {
            "systems": self._systems,
            "form": self._form,
            "stamp": self._stamp,
            "answer": self._answer,
            "curve": self._curve,
            "comparison": self._comparison,
        }

    def records(self, name: str, body: bytes) -> Records:
        """Yield the records of question ``name``; an error is a record, too: one line, or one for each control."""
        try:
            yield from self.questions[name](_read(body))
        except StoppedError:
            yield {"superseded": True}
        except RefusedError as error:
            yield {"refused": {name: printable(line) for name, line in error.lines.items()}}
        except StacksimError as error:
            yield {"error": printable(" ".join(str(error).split()))}
        except MemoryError:
            yield {"error": "out of memory; ask for fewer clients, or smaller caches or data"}
        except RecursionError:
            yield {"error": "something is nested too deeply; nest less"}
        except Exception as error:  # noqa: BLE001  (the page would wait for an answer that never comes)
            yield {"error": known_of(error).reason}

    def close(self) -> None:
        """Stop all work."""
        self._runs.close()

    def _systems(self, _asked: dict[str, Any]) -> Records:
        yield {
            "first": self._choices.first,
            "systems": self._choices.titles(),
            "version": version("stacksim"),
        }

    def _form(self, asked: dict[str, Any]) -> Records:
        name = _text(asked, "system")
        yield {"system": name, "stamp": self._choices.stamp(name), **form_of(self._choices.find(name))}

    def _stamp(self, asked: dict[str, Any]) -> Records:
        yield {"stamp": self._choices.stamp(_text(asked, "system"))}

    def _answer(self, asked: dict[str, Any]) -> Records:
        question, carefully = Question.of(asked.get("design")), asked.get("carefully") is True
        look = self._runs.look(_text(asked, "page"), _move(asked))
        self._runs.enter(look)
        try:
            yield from answers(self._choices, question, look, carefully=carefully)
        finally:
            self._runs.leave()

    def _comparison(self, asked: dict[str, Any]) -> Records:
        questions = _designs(asked)
        if len(questions) != _SIDES:
            raise InputError("a comparison is of two designs; reload the page")
        look = self._runs.look(_text(asked, "page"), _move(asked))
        self._runs.enter(look)
        try:
            yield compared(self._choices, questions, look)
        finally:
            self._runs.leave()

    def _curve(self, asked: dict[str, Any]) -> Records:
        questions, carefully = _designs(asked), asked.get("carefully") is True
        look = self._runs.look(_text(asked, "page"), _move(asked))
        over, measure = _text(asked, "over"), _text(asked, "answer")
        self._runs.enter(look)
        try:
            yield from curves(self._choices, questions, over, measure, look, carefully=carefully)
        finally:
            self._runs.leave()


_SIDES = 2


def _read(body: bytes) -> dict[str, Any]:
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the question is no JSON; reload the page") from None
    if not isinstance(record, dict):
        raise InputError("the question is no JSON object; reload the page")
    return record


def _designs(asked: dict[str, Any]) -> list[Question]:
    designs = asked.get("designs")
    if not isinstance(designs, list) or not 1 <= len(designs) <= _SIDES:
        raise InputError("a question is about one design or two; reload the page")
    return [Question.of(each) for each in designs]


def _text(asked: dict[str, Any], name: str) -> str:
    text = asked.get(name)
    if not isinstance(text, str):
        raise InputError(f"{name} is '{shown(text)}'; allowed: text; reload the page")
    return text


def _move(asked: dict[str, Any]) -> int:
    move = asked.get("move")
    if not isinstance(move, int) or isinstance(move, bool):
        raise InputError(f"move is '{shown(move)}'; allowed: a whole number; reload the page")
    return move
