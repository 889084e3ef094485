"""Adding a checked contribution to a folder of contributions, as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.data.contribution.folder import is_contribution
from sim.data.contribution.meta import META, read_meta
from sim.data.contribution.written import package_files
from sim.data.package import check_size
from sim.data.packages import CONTRIBUTIONS
from sim.engine.errors import InputError, shown
from sim.prediction.contribution import Checked, check
from sim.prediction.report import datasets
from sim.system.shipped import CHECKOUT

_INSTALLED = ("site-packages", "dist-packages")
"""Folders of pip, whose content it overwrites or removes."""


def default_target() -> Path:
    """The folder of contributions in the running checkout.

    Raises:
        InputError: stacksim runs from an installed package, which must not be written to.
    """
    if not CHECKOUT.is_dir() or _is_installed(CHECKOUT):
        raise InputError(
            "stacksim is installed, not a checkout; say where to: --into FOLDER, a folder of your own"
        )
    return CHECKOUT / CONTRIBUTIONS


def add(folder: Path, into: Path) -> tuple[Checked, Path | None]:
    """Check the contribution in ``folder``; if it has no problems, copy it to ``into`` with its data package.

    Returns:
        Result of the check, and the new path of the contribution; None if it has problems, and then nothing is
        written.

    Raises:
        InputError: ``folder`` is no contribution, or ``into`` cannot take it.
    """
    if not is_contribution(folder):
        raise InputError(f"no {META} in '{shown(folder)}'; name the folder of a contribution")
    _check_target(folder, into)
    files = [*_files(folder)]
    checked = check(folder)
    if checked.problems:
        return checked, None
    meta = read_meta(folder)
    target = into / meta.name
    _check_name(target)
    _write(target, folder, files, package_files(meta, checked.datasets[0]))
    return checked, target


def _check_target(folder: Path, into: Path) -> None:
    if _is_installed(into):
        raise InputError(f"'{shown(into)}' is a folder of installed packages; name a folder of your own")
    if into.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"'{shown(into)}' lies in the contribution itself; name a folder beside it")
    if not into.parent.is_dir() or (into.exists() and not into.is_dir()):
        raise InputError(f"cannot write into '{shown(into)}': it is no folder; make it, or name another")


def _is_installed(path: Path) -> bool:
    return any(part in _INSTALLED for part in path.resolve().parts)


@contextmanager
def _alone(target: Path) -> Iterator[Path]:
    """Create a temporary folder for ``target``, one process at a time; removed at the end, unless renamed.

    Raises:
        InputError: another process has created it.
    """
    unfinished = target.parent / f".stacksim-{target.name}"
    try:
        unfinished.mkdir()
    except FileExistsError:
        raise InputError(
            f"another `stacksim data add` is at work on '{shown(target)}'; wait until it is done, or, if none is, "
            f"remove '{shown(unfinished)}'"
        ) from None
    try:
        yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _check_name(target: Path) -> None:
    _check_free(target)
    name = target.name
    if name in {each.name for each in datasets(())}:
        raise InputError(f"there is a dataset '{name}' already; give the contribution another name in its {META}")


def _check_free(target: Path) -> None:
    if os.path.lexists(target):
        raise InputError(
            f"'{shown(target)}' is there already; give the contribution another name, or take that out"
        )


def _files(folder: Path) -> Iterator[Path]:
    """Relative paths of all files of a contribution, without those whose name begins with a dot."""
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder)
        if any(part.startswith(".") for part in within.parts):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise InputError(f"'{shown(path)}' is a link, or no regular file; put the file itself there")
        if path.is_file():
            check_size(path)
            yield within


def _write(target: Path, folder: Path, files: list[Path], made: dict[str, bytes]) -> None:
    """Fill a temporary folder beside ``target``, and rename it when it is complete."""
    try:
        target.parent.mkdir(exist_ok=True)
        with _alone(target) as whole:
            _check_free(target)
            for file in files:
                (whole / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / file, whole / file)
            for name, content in made.items():
                (whole / name).write_bytes(content)
            whole.rename(target)
    except OSError as error:
        raise InputError(
            f"cannot write '{shown(target)}': {error.strerror}; make room, or name another"
        ) from error
