"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sim.errors import InputError


def check_target(what: str, path: Path, endings: Sequence[str]) -> None:
    """Refuse, before any work is done, a ``path`` that could not be written to afterwards.

    Raises:
        InputError: a file name without one of the ``endings``, no such folder, or no right to write there.
    """
    folder = path.parent
    if path.suffix.lower() not in endings:
        raise InputError(f"{what} '{path}' is not a {' or '.join(endings)} file; give its name such an ending")
    if path.is_dir():
        raise InputError(f"cannot write '{path}': it is a folder; name a file")
    if not folder.is_dir():
        raise InputError(f"cannot write '{path}': there is no folder '{folder}'; make it, or name another")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write '{path}': the folder '{folder}' is read-only to you; name another")


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``; until it is complete, what was there before stays.

    Raises:
        InputError: the folder is missing or cannot be written to.
    """
    try:
        _replace(path, content)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror}; make room, or name another file") from error


def _replace(path: Path, content: bytes) -> None:
    handle, written = tempfile.mkstemp(dir=path.parent, prefix=".stacksim-")
    temporary = Path(written)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
