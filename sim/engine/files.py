"""Atomic writing of files, and reading of users' files with one-line errors."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, ReaderGoneError, shown

STANDARD_OUTPUT = Path("-")
"""Name for standard output, as usual in commands."""


@dataclass(frozen=True)
class Toml:
    """A TOML file: its text, for line numbers of errors, and its parsed content."""

    text: str
    tables: dict[str, Any]


def read_toml(what: str, path: Path, max_mib: int = 1) -> Toml:
    """Read the file ``path``, called ``what`` in errors and of at most ``max_mib`` MiB.

    Raises:
        InputError: it cannot be read, or is not a regular file, too large, not UTF-8, or not TOML.
    """
    name = f"{what} '{shown(path)}'"
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):  # reading a pipe may wait for ever
            raise InputError(f"{name} is no regular file; name a file")
        if found.st_size > max_mib << 20:
            raise InputError(f"{name} is larger than {max_mib} MiB; write less into one file")
        text = path.read_text(encoding="utf-8-sig")  # some editors begin with a byte-order mark
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}; name another") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is no text in UTF-8; write it in UTF-8") from None
    return Toml(text, _parsed(name, text))


def _parsed(name: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"at line {len(text.rstrip().splitlines())}, where the file ends"  # Python gives no line
        raise InputError(f"{name} is no TOML: {shown(str(error).replace('at end of document', end))}") from None
    except ValueError:  # Python reads no whole number of thousands of digits
        raise InputError(f"{name} has a number of too many digits; write fewer") from None
    except RecursionError:
        raise InputError(f"{name} is nested too deep; write fewer [ and {{") from None


def check_target(what: str, path: Path, endings: Sequence[str], *, or_standard_output: bool = False) -> None:
    """Refuse, before any work is done, a ``path`` that cannot be written to.

    Raises:
        InputError: a file name without one of the suffixes ``endings``, no such folder, or no permission.
    """
    if or_standard_output and path == STANDARD_OUTPUT:
        return
    folder, name = path.parent, shown(path)
    if path.suffix.lower() not in endings:
        raise InputError(f"{what} '{name}' is not a {' or '.join(endings)} file; give its name such an ending")
    try:
        if path.is_dir():
            raise InputError(f"cannot write '{name}': it is a folder; name a file")
        if not folder.is_dir():
            raise InputError(
                f"cannot write '{name}': there is no folder '{shown(folder)}'; make it, or name another"
            )
    except OSError as error:  # such as a name that is too long
        raise InputError(f"cannot write '{name}': {error.strerror}; name another file") from None
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = f"no file can be made in '{shown(folder)}' ({error.strerror})"
        raise InputError(f"cannot write '{name}': {reason}; name another folder") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``; until it is complete, the former content stays.

    Raises:
        InputError: the folder is missing or cannot be written to.
        ReaderGoneError: it is standard output, and its reader is gone.
    """
    try:
        if path == STANDARD_OUTPUT:
            _print(content)
        else:
            _replace(path, content)
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as error:
        raise InputError(
            f"cannot write '{shown(path)}': {error.strerror}; make room, or name another file"
        ) from error


def _print(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


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
