"""Claims written as TOML, as ``claim_file`` reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

Value = str | Sequence[str] | Mapping[str, str]
"""Value of an entry: a text, texts, or texts by name."""


def toml_of(claims: Sequence[Mapping[str, Value]]) -> str:
    """A claim file with these ``claims``."""
    return "\n".join(_table(claim) for claim in claims)


def _table(claim: Mapping[str, Value]) -> str:
    lines = (f"{name} = {_value(value)}\n" for name, value in claim.items())
    return f"[[claim]]\n{''.join(lines)}"


def _value(value: Value) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_quoted(name)} = {_quoted(text)}' for name, text in value.items())} }}"
    return f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON, except DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
