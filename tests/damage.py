"""Hypothesis strategies for files that went wrong: cut short, in another encoding, with entries that are odd."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

ODD_CELLS = (
    *("", " ", "-", "=", "nan", "NaN", "inf", "-inf", "-1", "0", "-0", "0.0", "1e400", "1e-400", "1e18", "1e-18"),
    *("9" * 20, "9" * 5000, "0." + "0" * 400 + "1", "1_000", "1,5", "٤", "½", "0x10", "1e", ".", "1.", "None"),
    *("MB/s", "kB/s", "GiB/s", "µs", "s", "1/s", "byte**99", "users=1", "block=8KiB op=read", "a=b=c"),
    *("x" * 5000, "\x1b[31m", "\x00", "\t", "\r", "\u2028", "\u202e", "日本", '"', '""', "'", "{}", "%s", "[b]"),
)
"""Contents of a cell of a table that nobody checked."""

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 10**18, 10**30, 10**400, -0.0, 0.5, 1e-300, 1e300, 1.5),
    *(float("nan"), float("inf"), float("-inf")),
    *("", "a", "1", "dbfs", "x" * 5000, "\x1b[31m", "\n", "\x00", "\ud800", "日本", "0.1.0", "9" * 30 + ".1"),
    *([], [1], [None], [[]], {}, {"a": 1}, {"": []}),
)
"""Contents of an entry of a JSON file; some of it is what Python alone writes and reads."""

NUMBERS = ("0", "1", "2", "7", "0.5", "100", "4096", "1e6", "1e-9", "1e15", "9" * 18, "-1", "1e400")
"""Replacements of a number, so that the file often stays right."""

DEEP = 100_000

_NUMBER = re.compile(rb"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")

Damage = Callable[[bytes], st.SearchStrategy[bytes]]


def files(valid: bytes, inner: Damage) -> st.SearchStrategy[bytes]:
    """``valid`` as it is, with the damage ``inner`` to what it says, and with damage to its bytes."""
    told = st.just(valid) | _number(valid) | _number(valid).flatmap(_number) | inner(valid)
    told |= inner(valid).flatmap(inner)
    return told | told | told.flatmap(_bytes)


@st.composite
def _number(draw, content: bytes) -> bytes:
    """Another number in place of one."""
    found = [each.span() for each in _NUMBER.finditer(content)]
    begin, end = draw(st.sampled_from(found)) if found else (0, 0)
    return content[:begin] + draw(st.sampled_from(NUMBERS)).encode() + content[end:]


def _bytes(content: bytes) -> st.SearchStrategy[bytes]:
    return st.one_of(
        st.integers(0, len(content)).map(lambda end: content[:end]),
        st.tuples(st.integers(0, len(content)), st.binary(min_size=1, max_size=4)).map(
            lambda put: content[: put[0]] + put[1] + content[put[0] + len(put[1]) :]
        ),
        st.tuples(st.integers(0, len(content)), st.binary(min_size=1, max_size=4)).map(
            lambda put: content[: put[0]] + put[1] + content[put[0] :]
        ),
        st.sampled_from(_WHOLE).map(lambda change: change(content)),
        st.binary(max_size=200),
    )


def _encoded(name: str) -> Callable[[bytes], bytes]:
    return lambda content: content.decode("utf-8", "replace").encode(name, "replace")


_WHOLE: tuple[Callable[[bytes], bytes], ...] = (
    *map(_encoded, ("utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-7")),
    lambda content: content.replace(b"\n", b"\r\n"),
    lambda content: content.replace(b"\n", b"\r"),
    lambda content: content.replace(b"\n", b""),
    lambda content: content.replace(b",", b";"),
    lambda content: content + content,
    lambda content: content + b"\x00" * 1000,
    lambda content: content * (200_000 // max(1, len(content))),
    lambda content: content.rstrip(),
    lambda _content: b"",
    lambda _content: b"\n" * 1000,
    lambda _content: b"[" * DEEP,
    lambda _content: b"[" * DEEP + b"]" * DEEP,
    lambda _content: b'{"a":' * DEEP + b"1" + b"}" * DEEP,
)


@st.composite
def table(draw, content: bytes) -> bytes:
    """A table with a line or a cell changed."""
    lines = content.decode("utf-8", "replace").split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    cells = lines[at].split(",")
    which = draw(st.integers(0, len(cells) - 1))
    match draw(st.sampled_from(("cell", "cell", "cell", "cell", "whole", "drop", "double", "swap", "column"))):
        case "cell":
            cells[which] = draw(st.sampled_from(ODD_CELLS) | st.text(max_size=10))
            lines[at] = ",".join(cells)
        case "whole":
            lines[at] = draw(st.sampled_from(ODD_CELLS))
        case "drop":
            del lines[at]
        case "double":
            lines.insert(at, lines[at])
        case "swap":
            lines[at], lines[-1] = lines[-1], lines[at]
        case "column":
            lines = [_without(line, which) for line in lines]
    return "\n".join(lines).encode("utf-8", "replace")


def _without(line: str, column: int) -> str:
    cells = line.split(",")
    return ",".join(cells[:column] + cells[column + 1 :])


@st.composite
def record(draw, content: bytes) -> bytes:
    """A JSON file with an entry changed; as it is where it is JSON no longer."""
    try:
        root = [json.loads(content)]
    except (ValueError, RecursionError):
        return content
    holder, key = draw(_entry(root))
    value, twice = holder[key], ""
    match draw(st.sampled_from(("value", "value", "value", "drop", "rename", "twice", "add", "deep"))):
        case "value":
            holder[key] = draw(st.sampled_from(ODD_VALUES) | st.floats() | st.text(max_size=10))
        case "drop" if isinstance(holder, dict):
            del holder[key]
        case "rename" if isinstance(holder, dict):
            del holder[key]
            holder[draw(st.sampled_from((key[1:], key.upper(), "", "a", f"{key} ", "x" * 5000)))] = value
        case "twice" if isinstance(holder, dict):
            twice = json.dumps(key) + ": "
        case "add" if isinstance(holder, list):
            holder.append(value)
        case "add":
            holder[draw(st.text(max_size=5))] = value
        case "deep":
            for _ in range(draw(st.sampled_from((1, 2, 50)))):
                value = [value]
            holder[key] = value
    text = json.dumps(root[0], indent=1)
    return (text.replace(twice, f"{twice}0, {twice}", 1) if twice else text).encode()


@st.composite
def _entry(draw, root: list[Any]) -> tuple[Any, Any]:
    """Somewhere in ``root``: what holds an entry, and under which key."""
    holder, key = root, 0
    while isinstance(holder[key], dict | list) and holder[key] and draw(st.integers(0, 5)):
        holder = holder[key]
        key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    return holder, key
