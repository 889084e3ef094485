"""Errors that a user can fix: each is one line that names the value, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class StacksimError(Exception):
    """Any refusal by stacksim; the command prints it as one line and exits with status 2."""


class InputError(StacksimError, ValueError):
    """A setting, unit, parameter or data file that cannot be used."""


class ModelError(InputError):
    """A model that cannot work; refused when it is built, naming the place, step or workload."""


class StackFileError(InputError):
    """An entry of a stack file that cannot be used; names the file and the line."""


class ExtensionError(InputError):
    """An entry point of an installed package that cannot be used; names the package."""


class DeadlockError(StacksimError, RuntimeError):
    """Every client waits for another; the message says who waits for what, held by whom."""


class NoSteadyStateError(StacksimError, RuntimeError):
    """Load at or beyond saturation: there is no long-run rate to report."""


class TooLongError(StacksimError, RuntimeError):
    """A run that has taken more steps than allowed, or has come to the end of the clock, without an answer."""


class LawError(StacksimError, RuntimeError):
    """A simulation broke a law that holds for every such model: an internal error, and never a number."""


class ReaderGoneError(Exception):
    """The reader of standard output has closed it, as ``head`` does: the command ends without message."""


SHOWN = 80
"""Characters of a user's input that a message repeats."""

_END = 30
"""Characters kept from the end of longer input: the end of a file's name is the most telling."""


def shown(given: object) -> str:
    """Text of user input in a message: at most 80 characters, all of them printable.

    >>> shown("8 KiB" + chr(7)) == "8 KiB" + chr(92) + "x07"
    True
    """
    try:
        text = str(given)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = "a number of thousands of digits"
    text = printable(text if len(text) <= 2 * SHOWN else text[:SHOWN] + text[-SHOWN:])
    return text if len(text) <= SHOWN else f"{text[: SHOWN - _END - 1]}…{text[-_END:]}"


def printable(text: str) -> str:
    """Escape control characters and undecodable bytes, so that no terminal acts on them."""
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    byte = ord(character) - 0xDC00  # Python's surrogate for an undecodable byte of an argument or file name
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else character.encode("unicode_escape").decode()  # noqa: PLR2004


MOST_NAMED = 28
"""Names listed in an error; of more, the rest is counted."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Text with the allowed name nearest to ``name``, and the allowed names, of very many only the first.

    >>> nearest("node", ["cells", "nodes"])
    "did you mean 'nodes'? allowed: cells, nodes"
    """
    names = sorted(allowed)
    if len(names) > MOST_NAMED:
        more = f"and {len(names) - MOST_NAMED} more"
        return f"{did_you_mean(name, names)}allowed: {', '.join(names[:MOST_NAMED])} {more}"
    return f"{did_you_mean(name, names)}allowed: {', '.join(names) or 'none'}"


def did_you_mean(name: str, allowed: Iterable[str], what: str = "") -> str:
    """Question with the allowed name that is nearest, in any case and quotes; empty if none is near.

    ``what`` precedes the name.

    >>> did_you_mean("YES", ["no", "yes"])
    "did you mean 'yes'? "
    """
    folded = {each.casefold(): each for each in allowed}
    close = difflib.get_close_matches(str(name)[:SHOWN].casefold().strip("'[]"), folded, n=1, cutoff=0.61)
    return f"did you mean {what}'{folded[close[0]]}'? " if close else ""
