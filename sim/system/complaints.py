"""Errors of pydantic about a user's file, in this project's words and on one line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from pydantic import AfterValidator, BaseModel, ValidationError

from sim.engine.errors import nearest

_ALLOWED: Mapping[str, str] = {
    "bool": "true or false",
    "dataclass": "names with values, {{…}}",
    "dict": "names with values, {{…}}",
    "finite_number": "a finite number",
    "float": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "int": "a whole number",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "at most {le:g}",
    "list": "a list, […]",
    "model": "names with values, {{…}}",
    "string": "text",
    "string_too_short": "text, not empty",
    "too_long": "a list of at most {max_length}",
    "too_short": "a list of at least {min_length}",
    "tuple": "a list, […]",
}
"""Allowed values by pydantic's kind of error; kinds of one type, such as ``float_parsing``, share an entry."""

_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_TYPES = ("bool", "dict", "float", "int", "list", "str")
_OF_VALUE = ("finite_number",)
"""Errors about the value rather than its type; they come first for an entry of several types."""

WRITTEN = 100
"""Characters of a value that a message repeats."""

_ELABORATION = re.compile(r"_(type|parsing|attributes_type|from_float|sub_type|parsing_size)$")
_BROKEN = re.compile(r"(?P<what>.*) at (?P<where>line \d+ column \d+)")


def complaint(error: ValidationError, kind: type[BaseModel]) -> str:
    """The first error in a file that was read as a ``kind``: place, value, and what is allowed.

    Unknown names come first: a missing entry may be one of them, misspelt.
    """
    first = min(error.errors(), key=lambda each: each["type"] not in _UNKNOWN)
    where, kind_of_error = first["loc"], first["type"]
    if branches := _branches(error, first):
        where = where[:-1]
        kind_of_error = next((each for each in branches if each in _OF_VALUE), kind_of_error)
    entry = ".".join(map(str, where)) or "its text"
    if kind_of_error == "json_invalid":
        return broken(first["ctx"]["error"])
    if kind_of_error in _UNKNOWN:
        return f"{entry} is {written(first['input'])}; {nearest(str(where[-1]), _names_beside(kind, where))}"
    if kind_of_error == "missing":
        return f"{entry} is missing; add it"
    if branches and kind_of_error not in _OF_VALUE:
        types = [_ELABORATION.sub("", each) for each in branches]
        allowed = " or ".join(_ALLOWED[each] for each in types if each in _ALLOWED)
        return f"{entry} is {written(first['input'])}; allowed: {allowed}"
    return f"{entry} is {written(first['input'])}; {_allowed(kind_of_error, first.get('ctx', {}), first)}"


def _branches(error: ValidationError, first: Any) -> list[str]:
    """One kind of error for each type of an entry of several types; else empty.

    Pydantic names each type as if it were a name inside the entry.
    """
    where = first["loc"]
    if not where or str(where[-1]).partition("[")[0] not in _TYPES:
        return []
    beside = [each for each in error.errors() if each["loc"][:-1] == where[:-1]]
    return [each["type"] for each in beside] if len(beside) > 1 else []


def form(pattern: str, words: str) -> AfterValidator:
    """Validator that a whole text matches ``pattern``, which errors describe by ``words``."""
    whole = re.compile(pattern).fullmatch

    def checked(text: str) -> str:
        if not whole(text):
            raise ValueError(f"allowed: {words}")
        return text

    return AfterValidator(checked)


def broken(fault: str) -> str:
    """Error of a JSON reader, such as "EOF while parsing a list at line 3 column 7", as one phrase."""
    parts = _BROKEN.fullmatch(fault)
    where = f" at {parts['where'].replace(' column', ', column')}" if parts else ""
    return f"its text {'is cut short' if fault.startswith('EOF') else 'is no JSON'}{where}"


def written(value: object) -> str:
    """``value`` as in the file, in at most 100 characters; a longer one is shortened in the middle."""
    try:
        text = repr(value) if isinstance(value, str | bytes) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= WRITTEN else f"{text[: WRITTEN - 2]}…{text[-1]}"


def _names_beside(kind: type[Any], where: Sequence[int | str]) -> list[str]:
    """Names allowed beside the entry ``where`` of a file that is read as a ``kind``."""
    for part in where[:-1]:
        annotation = _types(kind).get(str(part))
        kind = _model_in(annotation) or kind
    return list(_types(kind))


def _types(kind: type[Any]) -> dict[str, Any]:
    if is_dataclass(kind):
        return {field.name: field.type for field in fields(kind)}
    return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}


def _model_in(annotation: Any) -> type[Any] | None:
    """The model of the items of a list or mapping."""
    if isinstance(annotation, type) and (is_dataclass(annotation) or issubclass(annotation, BaseModel)):
        return annotation
    return next((model for each in get_args(annotation) if (model := _model_in(each))), None)


def _allowed(kind_of_error: str, context: Mapping[str, Any], error: Any) -> str:
    if kind_of_error == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    if kind_of_error == "literal_error":
        return _choice(str(error["input"]), str(context["expected"]))
    words = _ALLOWED.get(kind_of_error) or _ALLOWED.get(_ELABORATION.sub("", kind_of_error))
    return f"allowed: {words.format(**context)}" if words else str(error["msg"])


def _choice(text: str, expected: str) -> str:
    """Phrase for ``expected``, pydantic's "'row', 'column' or True"."""
    return nearest(text, [each.strip("'") for each in re.split(r", | or ", expected)])
