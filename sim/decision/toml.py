"""Small TOML files that go with a search: read, with errors that name the file."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from sim.errors import InputError, shown

MAX_BYTES = 1 << 20
"""Of such a file: more is no list of a few lines."""


def tables(what: str, path: Path) -> dict[str, Any]:
    """The content of the file ``path``, which is called ``what`` in errors.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{what} '{shown(path)}' is larger than 1 MiB; write less into one file")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {what} '{shown(path)}': {error.strerror}; name another") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} '{shown(path)}' is no text in UTF-8; write it in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} '{shown(path)}' is no TOML: {shown(error)}") from None
    except RecursionError:
        raise InputError(f"{what} '{shown(path)}' is nested too deep; write fewer [ and {{") from None


def amount(where: str, value: object) -> float:
    """A number from 0.

    Raises:
        InputError: it is none; the message begins with ``where``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf:
        raise InputError(f"{where} is '{shown(value)}'; allowed: a number from 0")
    return float(value)
