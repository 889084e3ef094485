"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sim.errors import InputError


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``; until it is complete, what was there before stays.

    Raises:
        InputError: the folder is missing or cannot be written to.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(
            f"cannot write '{path}': {error.strerror}; name a file in a folder that exists"
        ) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot write '{path}': {error.strerror}") from error
