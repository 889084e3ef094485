"""Errors of a user's own functions, in one line with the place of the error."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TypeVar

from sim.engine.errors import InputError, StacksimError, shown

Made = TypeVar("Made")


def blaming(what: str, call: Callable[[], Made]) -> Made:
    """Return the result of ``call``; ``what`` names the system and the called function.

    Raises:
        InputError: any error of that function, which stays its cause; stacksim's own errors, and a lack of
            memory or stack, pass unchanged.
    """
    try:
        return call()
    except (StacksimError, MemoryError, RecursionError):
        raise
    except Exception as error:
        message = shown(f"{type(error).__name__}: {error}")
        raise InputError(f"{what}: {message}{_where(error)}; fix that function") from error


def _where(error: Exception) -> str:
    """Last line of the user's file: frames below it may be a library's, those above it are this package's."""
    frames = traceback.extract_tb(error.__traceback__)[2:]  # those of ``blaming`` and of its ``call`` come first
    in_files = [frame for frame in frames if not frame.filename.startswith("<")]
    own = [frame for frame in in_files if frame.filename == in_files[0].filename]
    return f" in {own[-1].name}, {own[-1].filename}:{own[-1].lineno}" if own else ""
