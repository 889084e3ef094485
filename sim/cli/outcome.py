"""Exit statuses and errors of a command: every error is one line on standard error, with exit status 2."""

from __future__ import annotations

import sys
import traceback
import warnings

from typer import Abort, TyperException, echo

from sim.cli.app import app
from sim.cli.group import package_behind
from sim.cli.signals import INTERRUPTED, TERMINATED, handled
from sim.cli.streams import checked_output
from sim.engine.errors import ReaderGoneError, StacksimError, printable, shown

_READER_GONE = 141
"""Exit status after the reader of a pipe went away, as in shells (128 + SIGPIPE)."""

_REFUSED, _INTERNAL = 2, 1

_TYPED = 300
"""Largest length of an error about the command line, which repeats its words."""

_LONGEST, _END = 900, 300
"""Largest length of an error, and of the kept end, which has the remedy; longer ones are shortened in the middle,
where they repeat names."""

_UNFINISHED = "what was not finished is not written"


def status() -> int:
    """Run the command; return its exit status."""
    received: list[int] = []
    try:
        with warnings.catch_warnings(), handled() as received, checked_output():
            warnings.showwarning = _warned  # type: ignore[assignment]  # it takes any place
            code = app(sys.argv[1:], prog_name="stacksim", standalone_mode=False)
    except ReaderGoneError:
        return _READER_GONE
    except (Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except SystemExit as leaving:
        code = leaving.code
    except Exception as error:  # noqa: BLE001  (last resort: users of a command want no traceback)
        code, message = _complaint(error)
        if not received:
            _tell(message)
    code = received[0] if received else code
    if code == INTERRUPTED:  # typer reports the interrupt key in this way
        _tell(f"interrupted; {_UNFINISHED}")
    elif code == TERMINATED:
        _tell(f"terminated; {_UNFINISHED}")
    return int(code or 0)


def _complaint(error: Exception) -> tuple[int, str]:
    """Exit status and message for the error that stopped the command."""
    match error:
        case StacksimError():
            return _REFUSED, str(error)
        case TyperException():
            message = str(getattr(error, "format_message", error.__str__)())
            return _REFUSED, message if len(message) <= _TYPED else f"{message[:_TYPED]}…"
        case MemoryError():
            return _REFUSED, f"out of memory{_reason(error)}; ask for fewer clients, or smaller caches or data"
        case RecursionError():
            return _REFUSED, "something is nested too deeply; nest less"
        case OSError():
            what = f"'{shown(error.filename)}': " if error.filename else ""
            return _REFUSED, f"{what}{error.strerror or error}; fix it, or name another file"
        case UnicodeError():
            return _REFUSED, f"a text cannot be read or written: {error}; use UTF-8"
    if package := package_behind(sys.argv[1:]):
        from sim.system.blame import place_of  # lazily: NumPy

        what = f"{type(error).__name__}: {error}{place_of(error)}"
        return _INTERNAL, f"error in the installed package {package}: {what}; report it to its authors"
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename}, line {last.lineno}"
    return (
        _INTERNAL,
        f"internal error, please report it with the command: {type(error).__name__} in {where}: {error}",
    )


def _warned(message: Warning | str, *_place: object) -> None:
    _tell(f"warning: {message}")


def _reason(error: MemoryError) -> str:
    return f" ({error})" if str(error) else ""


def _tell(message: str) -> None:
    line = printable(" ".join(message.split()))
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - _END]}…{line[-_END:]}"
    try:
        echo(f"stacksim: {line}", err=True)
    except OSError:  # standard error is full or closed: the exit status says it alone
        sys.stderr = None
