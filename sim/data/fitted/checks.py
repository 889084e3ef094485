"""Validity of a fit for a system: errors where it cannot be used, warnings where it is stale."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from sim.data.dataset import Dataset
from sim.data.fitted.record import LARGEST_DEVIATION, Fitted
from sim.engine.errors import InputError, nearest
from sim.system.parameters import Parameters

MEND = "fix it, or fit again with `stacksim fit`"


def check(fitted: Fitted, defined: Parameters, path: Path) -> None:
    """Refuse a fit that does not match the parameters ``defined``.

    Raises:
        InputError: one line with the file ``path``, the entry, its value and the allowed values.
    """
    names = [entry.name for entry in defined.free()]
    for name in fitted.parameters:
        if name not in names:
            raise InputError(f"{path}: parameters has '{name}'; {nearest(name, names)}; {MEND}")
    for name in names:
        if name not in fitted.parameters:
            raise InputError(f"{path}: parameters lacks '{name}'; allowed: all of {', '.join(names)}; {MEND}")
    _check_values(fitted, defined, path)
    _check_covariance(fitted, path)
    _check_draws(fitted, defined, path)
    if _release(fitted.version) > _release(version("stacksim")):
        raise InputError(
            f"{path}: version is '{fitted.version}'; allowed: up to {version('stacksim')}, which this is; install "
            "the newer stacksim, or fit again with this one"
        )


def staleness(fitted: Fitted, defined: Parameters, datasets: Iterable[Dataset], path: Path) -> tuple[str, ...]:
    """A warning for each thing that has changed since the fit.

    Args:
        datasets: current state of the fitted datasets; a user's own file may be gone.
    """
    changed = [] if fitted.stale(defined, ()) != "definitions of parameters" else ["definitions of parameters"]
    changed += [
        f"figures of dataset '{each.name}'"
        for each in datasets
        if fitted.stale(defined, [each]) == f"dataset '{each.name}'"
    ]
    if _release(fitted.version) < _release(version("stacksim")):
        changed.append(f"stacksim, from {fitted.version} to {version('stacksim')},")
    return tuple(f"{path}: {each} changed since this fit; fit again with `stacksim fit`" for each in changed)


def _check_values(fitted: Fitted, defined: Parameters, path: Path) -> None:
    for entry in defined.free():
        value = fitted.parameters[entry.name].value
        if not entry.low <= value <= entry.high:
            raise InputError(
                f"{path}: parameters.{entry.name}.value is {value!r}; allowed: from {entry.low!r} to "
                f"{entry.high!r} {entry.unit}; {MEND}"
            )


def _check_covariance(fitted: Fitted, path: Path) -> None:
    """Require a symmetric, positive definite matrix, or no points could be drawn from it."""
    count, lengths = len(fitted.parameters), [len(row) for row in fitted.covariance]
    if lengths != [count] * count:
        shape = f"{len(lengths)} rows of {', '.join(map(str, sorted(set(lengths)))) or 'no'}"
        raise InputError(f"{path}: covariance has {shape} numbers; allowed: {count} rows of {count}; {MEND}")
    matrix = np.array(fitted.covariance)
    largest = float(np.abs(matrix).max())
    if largest > LARGEST_DEVIATION**2:
        raise InputError(f"{path}: covariance has {largest:g}; allowed: at most {LARGEST_DEVIATION**2:g}; {MEND}")
    if not np.allclose(matrix, matrix.T, rtol=1e-4, atol=0.0) or np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise InputError(f"{path}: covariance is not symmetric and positive definite; {MEND}")


def _check_draws(fitted: Fitted, defined: Parameters, path: Path) -> None:
    """Require a value of each parameter within its bounds in each draw."""
    entries = {entry.name: entry for entry in defined.free()}
    for number, draw in enumerate(fitted.draws, 1):
        if len(draw) != len(entries):
            raise InputError(f"{path}: draw {number} has {len(draw)} numbers; allowed: {len(entries)}; {MEND}")
        for name, value in zip(fitted.parameters, draw, strict=True):
            low, high = entries[name].low, entries[name].high
            if not low <= value <= high:
                raise InputError(
                    f"{path}: draw {number} has {name} {value!r}; allowed: from {low!r} to {high!r} "
                    f"{entries[name].unit}; {MEND}"
                )


def _release(text: str) -> tuple[int, ...]:
    """The leading numbers of a version."""
    return tuple(int(each) for each in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))
