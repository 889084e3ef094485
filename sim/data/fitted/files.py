"""Files of fits: reading, writing, and applying them to a system."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from sim.data.dataset import Dataset
from sim.data.fitted.checks import MEND, check, staleness
from sim.data.fitted.record import Fitted
from sim.data.package import DESCRIPTOR, read_text
from sim.data.packages import packages
from sim.engine.errors import InputError, printable
from sim.engine.files import write_atomically
from sim.system.complaints import complaint
from sim.system.installed import find
from sim.system.parameters import Parameters
from sim.system.system import System

COVARIANCES = "covariances.json"
"""File in a data package: covariances of fitted values that stand in a system's definition, by system."""

_ROUNDED = ("errors", "repeats", "held_out", "coverage", "scatter")
"""Entries rounded to six digits. Values and covariance keep all digits, so that none passes its bound."""


def read(path: Path) -> Fitted | None:
    """Read the fit in the file ``path``; None if there is no file.

    Raises:
        InputError: the file is not a fit, or was cut short.
    """
    if not _exists(path):
        return None
    text = read_text(path)
    try:
        fitted = Fitted.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError(f"{path}: {complaint(error, Fitted)}; {MEND}") from None
    _refuse_names_given_twice(text, path)
    return fitted


def write(fitted: Fitted, path: Path) -> None:
    """Write ``fitted`` atomically."""
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, (json.dumps(record(fitted), indent=1, ensure_ascii=False) + "\n").encode())


def record(fitted: Fitted) -> Fitted:
    """The content of the file of ``fitted``: a dict for JSON, annotated as `Fitted`, which gives its schema."""
    content = fitted.model_dump()
    return cast("Fitted", content | {name: rounded(content[name]) for name in _ROUNDED})


def refitted(system: System, path: Path, own: Iterable[Dataset] = ()) -> System:
    """Return ``system`` with the parameters of the file ``path``; each prediction warns of stale parts.

    Args:
        own: the user's current measurements, some of which the fit may have used.

    Raises:
        InputError: no such file, or it is not a fit of the current system.
    """
    fitted = _fit_in(path)
    if fitted.system != system.name:
        raise InputError(f"{path} is a fit of system '{fitted.system}', not of '{system.name}'")
    defined = system.parameters.to_fit(fitted.parameters)
    elsewhere = fitted.title and fitted.title != system.title
    if elsewhere and {*fitted.parameters} != {each.name for each in defined.free()}:
        raise InputError(
            f"{path} is a fit of '{printable(fitted.title)}', not of '{printable(system.title)}'; name the fit of "
            "this one, or fit it"
        )
    check(fitted, defined, path)
    datasets = [*_shipped(system, fitted), *(each for each in own if each.name in fitted.datasets)]
    warnings = staleness(fitted, defined, datasets, path)
    if elsewhere:
        warnings += (f"{path} was fitted to '{printable(fitted.title)}', and this is '{printable(system.title)}'",)
    all_warnings = tuple(f"{path}: {each}" for each in fitted.warnings) + warnings
    return replace(system, parameters=fitted.parameters_from(defined, all_warnings))


def system_of(path: Path) -> System:
    """The system that the fit in the file ``path`` belongs to, with the fitted parameters."""
    return refitted(find(_fit_in(path).system), path)


def path_in(folder: Path, system: str) -> Path:
    """The path of the fit of ``system`` in a data package."""
    return folder / "fitted" / f"{system}.json"


def loaded(defined: Parameters, folder: Path, system: str) -> Parameters:
    """The parameters ``defined`` of ``system`` with their fitted values; centres of priors if there is no fit.

    Fitted values that stand in ``defined`` have no such file; their covariance is read from ``COVARIANCES``.

    Raises:
        InputError: the file is not a fit of these parameters.
    """
    path = path_in(folder, system)
    fitted = read(path)
    if fitted is None:
        covariance = _covariance(defined, folder / COVARIANCES, system)
        return replace(defined, covariance=covariance) if covariance else defined
    check(fitted, defined, path)
    return fitted.parameters_from(defined, fitted.warnings + staleness(fitted, defined, (), path))


def _covariance(defined: Parameters, path: Path, system: str) -> tuple[tuple[float, ...], ...]:
    """Covariance of the free parameters of ``defined``; empty if the file has none."""
    kept = json.loads(read_text(path)).get(system) if _exists(path) else None
    if kept is None:
        return ()
    names = [entry.name for entry in defined.free()]
    if kept["parameters"] != names:
        raise InputError(f"{path}: {system} has {', '.join(kept['parameters'])}; allowed: {', '.join(names)}")
    return tuple(map(tuple, kept["covariance"]))


def _fit_in(path: Path) -> Fitted:
    fitted = read(path)
    if fitted is None:
        raise InputError(f"no file {path}; write one with `stacksim fit … --output {path}`")
    return fitted


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise InputError(f"'{path!s:.100}' cannot be read: {error.strerror}; name another file") from None


def _shipped(system: System, fitted: Fitted) -> list[Dataset]:
    """The datasets of the fit that came with the system."""
    if system.data_package is None or not (system.data_package / DESCRIPTOR).exists():
        return []
    shipped = packages(system.data_package)
    return [each.read(name) for each in shipped for name in each.names() if name in fitted.datasets]


def _refuse_names_given_twice(text: str, path: Path) -> None:
    """Refuse duplicate names, as JSON leaves open which value counts."""

    def names(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise InputError(f"{path}: '{name:.100}' is given twice; take one out, or fit again")
            seen.add(name)

    json.loads(text, object_pairs_hook=names)


def rounded(value: Any) -> Any:
    """``value`` with all its numbers rounded to six digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if _is_list(value) else value


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)
