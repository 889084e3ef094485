"""Standard output and error of the command: every text can be shown, and no failed write goes unnoticed."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.engine.errors import InputError, ReaderGoneError

STAND_INS = "stacksim-stand-ins"
"""Name of the error handler for characters that the encoding of the output lacks."""

_PLAIN = {"µ": "u", "…": "...", "±": "+-", "–": "-", "−": "-", "×": "x", "█": "#", "░": "-"}


class _Output(io.TextIOWrapper):
    """Standard output with one error for failed writes, which rich and typer would treat differently."""

    def write(self, text: str) -> int:
        with _told():
            return super().write(text)

    def flush(self) -> None:
        with _told():
            super().flush()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as error:
        raise InputError(
            f"cannot write to standard output: {error.strerror}; make room, or send it elsewhere"
        ) from None


@contextmanager
def checked_output() -> Iterator[None]:
    """Replace characters that ``sys.stdout`` and ``sys.stderr`` cannot show; check that all is written.

    Raises:
        InputError: standard output is closed, or cannot be written to.
        ReaderGoneError: its reader went away.
    """
    codecs.register_error(STAND_INS, _stand_in)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors=STAND_INS)
    elif sys.stderr is None:  # closed: messages are dropped
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (until the process ends)
    if not isinstance(sys.stdout, io.TextIOWrapper):
        raise InputError("standard output is closed; send it to a file, or to /dev/null")
    plain = sys.stdout
    sys.stdout = output = _Output(
        plain.buffer, encoding=plain.encoding, errors=STAND_INS, line_buffering=plain.line_buffering
    )
    try:
        yield
        output.flush()
    finally:
        sys.stdout = plain
        _release(output)


def _release(output: _Output) -> None:
    """Detach the wrapper; unwritable text is dropped, or Python would try to write it again at exit."""
    try:
        output.detach()
    except (ReaderGoneError, InputError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        output.detach()


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(each, "?") for each in error.object[error.start : error.end]), error.end
