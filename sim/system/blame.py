"""Errors of a user's own functions, in one line with the place of the error."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from sim.engine.errors import InputError, StacksimError, shown

Made = TypeVar("Made")

_OWN = {Path(__file__).parents[2] / package for package in ("sim", "models", "stacksim")}

_BETWEEN = {"typer", "click"}
"""Libraries through which stacksim calls a command."""


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
    except Exception as error:  # two frames of it are those of this function and of ``call``
        message = shown(f"{type(error).__name__}: {error}")
        raise InputError(f"{what}: {message}{place_of(error, 2)}; fix that function") from error


def place_of(error: BaseException, skipped: int = 0) -> str:
    """Function, file and line of an error: the innermost ones outside stacksim, or else within.

    Of what stacksim called last, that is the last line in its file: frames further in may be a library's. The
    outermost frames ``skipped`` do not count.
    """
    frames = traceback.extract_tb(error.__traceback__)[skipped:]
    in_files = [frame for frame in frames if not frame.filename.startswith("<")]
    outside = [[*run] for own, run in groupby(in_files, key=_is_own) if not own]
    called = outside[-1] if outside else in_files[-1:]
    place = next((frame for frame in reversed(called) if frame.filename == called[0].filename), None)
    return f" in {place.name}, {place.filename}:{place.lineno}" if place else ""


def _is_own(frame: traceback.FrameSummary) -> bool:
    folders = Path(frame.filename).parents
    return not (_OWN.isdisjoint(folders) and _BETWEEN.isdisjoint(each.name for each in folders))
