"""`stacksim claim --ask`: writes a claim file from answers to one question at a time.

Questions go to standard error, so that the file may go to standard output. Each answer is checked at once; after a
wrong one the question is repeated with the reason. Nothing is written before the last answer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.engine.errors import InputError, printable
from sim.engine.files import STANDARD_OUTPUT, check_target, write_atomically
from sim.system.installed import STACK_FILE
from sim.system.settings import pairs
from stacksim.claims.claim_file import check_entries

FORMATS = (".toml",)


_Value = str | Sequence[str] | Mapping[str, str]
"""Value of an entry: a text, texts, or texts by name."""


@dataclass(frozen=True)
class _Question:
    """A question, and how to convert its answer to an entry; unless ``needed``, an empty answer omits it."""

    name: str
    words: str
    example: str
    needed: bool = False
    entry: Callable[[str], _Value] = str
    behind: tuple[str, ...] = ()
    """Entries of which at least one must be given for the question to be asked."""


def _several(text: str) -> _Value:
    return [part.strip() for part in text.split(",") if part.strip()]


def _settings(text: str) -> _Value:
    return pairs(text.split())


_QUESTIONS = (
    _Question("text", "What is claimed, in its own words?", "450 MB/s over two Fibre Channel links", needed=True),
    _Question("source", "Who says so, and where?", "vendor's data sheet, page 2", needed=True),
    _Question("date", "When?", "2007, 2007-01 or 2007-01-25"),
    _Question("hardware", "Which hardware is all of it passed through?", "2 x fc-2, pcie-3-x8", entry=_several),
    _Question("system", "Which system or stack file is it about?", "dbfs or ours.toml"),
    _Question("settings", "Under which settings?", "users=8 jobs=4", entry=_settings, behind=("system", "stack")),
    _Question("throughput", "What throughput?", "450 MB/s, 1..2 GB/s or >= 2 Gb/s"),
    _Question("iops", "How many I/Os a second?", "3000, 780k or ~1.2M"),
    _Question("block", "How large is a request?", "8KiB"),
    _Question("requests_in_flight", "How many requests are in flight?", "32"),
    _Question("latency", "What latency?", "200 us or <= 3 ms"),
    _Question("latency_of", "Which statistic is that?", "mean, p99 or max", behind=("latency",)),
    _Question("elapsed", "How long did the whole job take?", "12 min"),
    _Question("bytes", "How many bytes were moved in all?", "8 GB"),
    _Question("duration", "For how long was it measured?", "60 s"),
    _Question("memory", "How much memory did the host have?", "16 GB"),
    _Question("devices", "How many devices are there?", "12"),
    _Question("op", "Read, write or both?", "read", behind=("throughput", "iops", "latency")),
    _Question("pattern", "Sequential or random?", "random", behind=("throughput", "iops", "latency")),
)


def command(output: Path | None) -> None:
    """Ask for claims until there are no more, and write them to ``output``, or to standard output."""
    target = output or STANDARD_OUTPUT
    check_target("claim file", target, FORMATS, or_standard_output=True)
    folder = Path() if target == STANDARD_OUTPUT else target.parent
    claims = list(_claims(folder))
    write_atomically(target, _toml(claims).encode())
    if target != STANDARD_OUTPUT:
        _say(f"written: {printable(str(target))}; judge it with: stacksim claim {printable(str(target))}\n")


def _claims(folder: Path) -> Iterator[Mapping[str, _Value]]:
    """Yield claims until an answer is no, or the input ends."""
    more = True
    while more:
        claim: dict[str, _Value] = {}
        for question in _QUESTIONS:
            if more and (not question.behind or any(name in claim for name in question.behind)):
                more = _asked(question, claim, folder)
        yield claim
        more = more and (_read("Another claim? (y or n)") or "n").casefold().startswith("y")


def _asked(question: _Question, claim: dict[str, _Value], folder: Path) -> bool:
    """Ask until the answer is usable, and add it to ``claim``; return False at the end of the input.

    Raises:
        InputError: the input ends before a needed answer.
    """
    fault = "an answer is needed" if question.needed else ""
    while True:
        answer = _read(f"{question.words} ({question.example}{'' if question.needed else '; empty: not said'})")
        if answer is None and fault:
            raise InputError(f"the input ended at {question.name}: {fault}; answer it, nothing is written")
        if answer is None or not (answer or question.needed):
            return answer is not None
        fault = _fault(question, answer, claim, folder) if answer else fault
        if not fault:
            return True
        _say(f"{printable(fault)}\n")


def _fault(question: _Question, answer: str, claim: dict[str, _Value], folder: Path) -> str:
    """Add ``answer`` to ``claim``; return its fault, or an empty text."""
    name = "stack" if question.name == "system" and answer.endswith(STACK_FILE) else question.name
    try:
        entry = question.entry(answer)
        check_entries({**claim, name: entry}, folder)
    except InputError as error:
        return str(error)
    claim[name] = entry
    return ""


def _read(question: str) -> str | None:
    """The answer to ``question``; None at the end of the input."""
    _say(f"{question}\n> ")
    line = sys.stdin.readline() if sys.stdin else ""  # None if standard input is closed
    if not line:
        _say("\n")
        return None
    return line.strip()


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _toml(claims: Sequence[Mapping[str, _Value]]) -> str:
    """A claim file with these ``claims``."""
    return "\n".join(_table(claim) for claim in claims)


def _table(claim: Mapping[str, _Value]) -> str:
    lines = (f"{name} = {_value(value)}\n" for name, value in claim.items())
    return f"[[claim]]\n{''.join(lines)}"


def _value(value: _Value) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_quoted(name)} = {_quoted(text)}' for name, text in value.items())} }}"
    return f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON, except DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
